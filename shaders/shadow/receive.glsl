// How much of the shadowed sun's light reaches a point: 0 in shadow, 1 in the light.

#include "common/interface.glsl"
#include "common/guard.glsl"

uniform sampler2DArrayShadow shadow_map;

// How far a point is moved off its surface before it is looked up, in texels of its cascade.
const float NORMAL_OFFSET = 1.0;
// Bias against the steps of the map, in texels times the slope of the surface to the sun's rays.
const float SLOPE_BIAS = 1.0;
const float STEEPEST_SLOPE = 40.0;

// A 3x3 tent in four hardware-filtered comparisons (Castano 2013, "Shadow Mapping Summary"), each
// against the depth of the receiver's own plane there. `slope` is d depth / d (u, v).
float compare_3x3(vec3 at, vec2 slope, float layer) {
    float side = 1.0 / shadow_params.x;
    vec2 texel = at.xy * side;
    vec2 base = floor(texel + 0.5);
    vec2 part = texel + 0.5 - base;
    vec2 low_weight = 3.0 - 2.0 * part;
    vec2 high_weight = 1.0 + 2.0 * part;
    vec2 low = (base - 0.5 + (2.0 - part) / low_weight - 1.0) * shadow_params.x;
    vec2 high = (base - 0.5 + part / high_weight + 1.0) * shadow_params.x;
    vec2 low_depth = (low - at.xy) * slope;
    vec2 high_depth = (high - at.xy) * slope;
    float sum = low_weight.x * low_weight.y
        * texture(shadow_map, vec4(low, layer, at.z + low_depth.x + low_depth.y));
    sum += high_weight.x * low_weight.y
        * texture(shadow_map, vec4(high.x, low.y, layer, at.z + high_depth.x + low_depth.y));
    sum += low_weight.x * high_weight.y
        * texture(shadow_map, vec4(low.x, high.y, layer, at.z + low_depth.x + high_depth.y));
    sum += high_weight.x * high_weight.y
        * texture(shadow_map, vec4(high, layer, at.z + high_depth.x + high_depth.y));
    return sum / 16.0;
}

// Light in one cascade. `facet` is the normal of the triangle, `normal` that of the mesh; its cosine
// with the sun is `n_dot_l`.
float cascade_light(int cascade, vec3 position, vec3 normal, vec3 facet, float n_dot_l) {
    float texel = cascade_texel[cascade];
    mat4 from_world = shadow_from_world[cascade];
    float sine = safe_sqrt(1.0 - n_dot_l * n_dot_l);
    vec3 at = (from_world * vec4(position + normal * (sine * NORMAL_OFFSET * texel), 1.0)).xyz;
    // Rows of the map are its axes in the world; they are orthogonal.
    vec3 u = vec3(from_world[0].x, from_world[1].x, from_world[2].x);
    vec3 v = vec3(from_world[0].y, from_world[1].y, from_world[2].y);
    vec3 z = vec3(from_world[0].z, from_world[1].z, from_world[2].z);
    float across = safe_divide(dot(z, z), dot(facet, z));
    vec2 slope = -vec2(dot(facet, u) / dot(u, u), dot(facet, v) / dot(v, v)) * across;
    float steepest = STEEPEST_SLOPE * texel * length(z) / shadow_params.x;
    slope = clamp(slope, -steepest, steepest);
    at.z -= SLOPE_BIAS * shadow_params.x * (abs(slope.x) + abs(slope.y));
    bool is_outside = at.z >= 1.0
        || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)));
    return is_outside ? 1.0 : compare_3x3(at, slope, float(cascade));
}

float sun_shadow(vec3 position, vec3 normal, vec3 towards_sun) {
    float n_dot_l = dot(normal, towards_sun);
    vec3 facet = safe_normalize(cross(dFdx(position), dFdy(position)), normal);
    float depth = -(view_from_world * vec4(position, 1.0)).z;
    int last = options.z - 1;
    int cascade = 0;
    float begin = 0.0;
    for (int i = 0; i < MAX_CASCADES - 1; i++) {
        if (i < last && depth > cascade_far[i]) {
            cascade = i + 1;
            begin = cascade_far[i];
        }
    }
    float end = cascade_far[cascade];
    float band = max((end - begin) * shadow_params.y, 1e-6);
    float blend = cascade < last ? saturate((depth - end + band) / band) : 0.0;
    int deepest = blend > 0.0 && n_dot_l > 0.0 ? cascade + 1 : cascade;
    float light = 0.0;
    float weight = 1.0 - blend;
    int i = cascade;
    // No branch: a software driver runs both sides of it. No condition at the head of the loop: it
    // would run the body once more than it is asked to.
    do {
        light += weight * cascade_light(i, position, normal, facet, n_dot_l);
        weight = blend;
        i++;
    } while (i <= deepest);
    // What faces away is dark whatever the map says.
    light = n_dot_l > 0.0 ? light : 0.0;
    float fade = saturate(
        (depth - shadow_params.z) / max(shadow_params.w - shadow_params.z, 1e-6));
    return mix(light, 1.0, fade);
}
