// A picture of the whole sphere, equirectangular. `engine_core/render/panorama.py` is the twin in
// NumPy, and says how the picture lies in space.

#include "common/interface.glsl"
#include "common/guard.glsl"

uniform sampler2D environment_image;

// A direction in the level to one in the picture's axes.
vec3 image_direction(vec3 direction) {
    return vec3(
        dot(image_from_world[0].xyz, direction),
        dot(image_from_world[1].xyz, direction),
        dot(image_from_world[2].xyz, direction));
}

// Radiance from a unit direction in the picture's axes, the mean over about `angle` radians.
vec3 panorama_radiance(vec3 direction, float angle) {
    float level_length = length(direction.xz);
    float around = atan(direction.z, level_length > 1e-9 ? direction.x : 1.0);
    float height = atan(direction.y, max(level_length, 1e-9));
    vec2 at = vec2(0.5 + around / (2.0 * PI), 0.5 - height / PI);
    float texel = PI / float(textureSize(environment_image, 0).y);
    return textureLod(environment_image, at, log2(max(angle / texel, 1.0))).rgb;
}
