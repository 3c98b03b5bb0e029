// The picture: scene plus bloom, exposed, tone mapped, encoded as sRGB.
// In: scene, linear premultiplied; bloom, half the size. Out: sRGB with straight alpha.

#include "common/interface.glsl"
#include "common/clean.glsl"
#include "common/color.glsl"
#include "common/tent.glsl"

uniform sampler2D scene;
uniform sampler2D bloom_map;

in vec2 uv;

layout(location = 0) out vec4 out_color;

void main() {
    vec4 color = clean(texelFetch(scene, ivec2(gl_FragCoord.xy), 0));
    if (tone.z > 0.0) {
        vec3 glow = tent(bloom_map, uv) * tone.z;
        color.rgb += glow;
        // Over an empty background the glow needs some coverage to be seen at all.
        color.a = max(color.a, saturate(max(glow.r, max(glow.g, glow.b))));
    }
    vec3 straight = options.w != 0 ? color.rgb / max(color.a, 1e-4) : color.rgb;
    vec3 mapped = tone_map(clean(straight * tone.x), int(tone.y));
    out_color = vec4(srgb_encode(mapped), options.w != 0 ? color.a : 1.0);
}
