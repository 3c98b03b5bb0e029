// The environment as environment_map.py prepared it: a strip of octahedral squares, blurred as a
// lobe of each roughness does, then the light of a diffuse surface. It is without strength and tint
// (sky_light), and a panorama is without its rotation.

#include "common/interface.glsl"
#include "common/octahedral.glsl"
#ifdef HAS_SKY_IMAGE
#include "common/panorama.glsl"
#endif

uniform sampler2D environment_map;

// The outermost texels' centres lie on the square's edge, where opposite ends are the same
// direction: no seam.
vec3 environment_square(vec2 at, int square, float side) {
    vec2 texel = at * (side - 1.0) + 0.5;
    return textureLod(
        environment_map,
        vec2(
            (texel.x + float(square) * side) / (side * float(ENVIRONMENT_LEVELS + 1)),
            texel.y / side),
        0.0).rgb;
}

// Irradiance over pi around a unit normal.
vec3 environment_irradiance(vec3 normal) {
#ifdef HAS_SKY_IMAGE
    normal = image_direction(normal);
#endif
    vec2 at = octahedral_from_direction(normal) * 0.5 + 0.5;
    float side = float(textureSize(environment_map, 0).y);
    return environment_square(at, ENVIRONMENT_LEVELS, side);
}

// Radiance from a unit direction, blurred as a lobe of this roughness does, and over `angle` radians
// where a panorama is sharper than that.
vec3 environment_radiance(vec3 direction, float roughness, float angle) {
#ifdef HAS_SKY_IMAGE
    direction = image_direction(direction);
#endif
    float side = float(textureSize(environment_map, 0).y);
    vec2 at = octahedral_from_direction(direction) * 0.5 + 0.5;
    float level = saturate(roughness) * float(ENVIRONMENT_LEVELS - 1);
    int lower = min(int(level), ENVIRONMENT_LEVELS - 2);
    vec3 near = environment_square(at, lower, side);
#ifdef HAS_SKY_IMAGE
    // The square is coarser than the picture.
    if (lower == 0) {
        near = panorama_radiance(direction, angle);
    }
#endif
    return mix(near, environment_square(at, lower + 1, side), level - float(lower));
}
