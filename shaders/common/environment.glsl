// The environment as environment.py prepared it: irradiance and the blurred octahedral map.

#include "common/interface.glsl"
#include "common/octahedral.glsl"

uniform sampler2D environment_map;

// Irradiance over pi around a unit normal; the constants of the harmonics are in irradiance_sh.
// Ramamoorthi and Hanrahan 2001, "An Efficient Representation for Irradiance Environment Maps".
vec3 environment_irradiance(vec3 n) {
    vec3 sum = irradiance_sh[0].rgb
        + irradiance_sh[1].rgb * n.x
        + irradiance_sh[2].rgb * n.y
        + irradiance_sh[3].rgb * n.z
        + irradiance_sh[4].rgb * (n.x * n.y)
        + irradiance_sh[5].rgb * (n.y * n.z)
        + irradiance_sh[6].rgb * (3.0 * n.y * n.y - 1.0)
        + irradiance_sh[7].rgb * (n.x * n.z)
        + irradiance_sh[8].rgb * (n.x * n.x - n.z * n.z);
    return max(sum, 0.0);
}

vec3 environment_level(vec2 square_at, int level, float side) {
    vec2 texel = square_at * (side - 1.0) + 0.5;
    return textureLod(
        environment_map,
        vec2((texel.x + float(level) * side) / (side * float(ENVIRONMENT_LEVELS)), texel.y / side),
        0.0).rgb;
}

// Radiance from a unit direction, blurred as a lobe of this roughness does. The outermost texels'
// centres lie on the square's edge, where opposite ends are the same direction: no seam.
vec3 environment_radiance(vec3 direction, float roughness) {
    float side = float(textureSize(environment_map, 0).y);
    vec2 at = octahedral_from_direction(direction) * 0.5 + 0.5;
    float level = saturate(roughness) * float(ENVIRONMENT_LEVELS - 1);
    int lower = min(int(level), ENVIRONMENT_LEVELS - 2);
    vec3 near = environment_level(at, lower, side);
    return mix(near, environment_level(at, lower + 1, side), level - float(lower));
}
