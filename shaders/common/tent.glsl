// A 3x3 tent over a filtered texture: doubles an image without blocks (Jimenez 2014).

#include "common/clean.glsl"

vec3 tent(sampler2D image, vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = vec3(0.0);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            float weight = float((2 - abs(x)) * (2 - abs(y)));
            sum += weight * clean(texture(image, uv + vec2(x, y) * texel).rgb);
        }
    }
    return sum / 16.0;
}
