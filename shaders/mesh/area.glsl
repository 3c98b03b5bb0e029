// Light from a rectangle or an ellipse that shines to one side.

#include "mesh/surface.glsl"

// Reflection of area light i for unit radiance; `offset` leads from the surface to its centre.
vec3 reflect_area_light(
    Surface s, int i, vec3 offset, float diffuse_factor, float specular_factor
) {
    vec3 right = light_right[i].xyz;
    vec3 up = light_up[i].xyz;
    vec3 facing = light_direction[i].xyz;
    if (dot(offset, facing) >= 0.0) {
        return vec3(0.0);
    }
    return vec3(0.0);
}
