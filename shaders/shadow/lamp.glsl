// How much of a lamp's light reaches a point: 0 in shadow, 1 in the light.
//
// Lamps with a size have a penumbra: the mean distance of what blocks them tells how wide it is
// (Fernando 2005, "Percentage-Closer Soft Shadows").

#include "common/interface.glsl"
#include "common/guard.glsl"
#include "shadow/compare.glsl"

uniform sampler2DArrayShadow lamp_shadow_map;
uniform sampler2DArray lamp_depth_map;

// As for the sun, see shadow/receive.glsl.
const float LAMP_NORMAL_OFFSET = 1.0;
const float LAMP_SLOPE_BIAS = 1.0;
const float LAMP_STEEPEST_SLOPE = 20.0;
// Widest penumbra, as a share of the map.
const float WIDEST_PENUMBRA = 0.08;
// Taps of the search for blockers, and of the filter: as many as its width asks for.
const int SEARCH_TAPS = 16;
const float LEAST_TAPS = 8.0;
const float MOST_TAPS = 55.0;
const float TAPS_PER_TEXEL = 1.5;

// Which face of a cube `direction` leads through, in the order +X -X +Y -Y +Z -Z.
int cube_face(vec3 direction) {
    vec3 size = abs(direction);
    if (size.x >= size.y && size.x >= size.z) {
        return direction.x > 0.0 ? 0 : 1;
    }
    if (size.y >= size.z) {
        return direction.y > 0.0 ? 2 : 3;
    }
    return direction.z > 0.0 ? 4 : 5;
}

// A point in a face: where it lies in the map, how deep, and how the map's depth changes over the
// receiver's plane.
struct FacePoint {
    vec3 at;
    vec2 slope;
    // Depth of the map at 1/w = 0 and its change with 1/w: depth = far + rise / w.
    float far;
    float rise;
    float distance;
    // Texture units a metre at the distance of one metre.
    float scale;
};

FacePoint face_point(mat4 from_world, vec3 position, vec3 lamp, vec3 facet) {
    // Rows of the matrix: right and up of the face, stretched; depth; forward.
    vec3 u = vec3(from_world[0].x, from_world[1].x, from_world[2].x);
    vec3 v = vec3(from_world[0].y, from_world[1].y, from_world[2].y);
    vec3 z = vec3(from_world[0].z, from_world[1].z, from_world[2].z);
    vec3 forward = vec3(from_world[0].w, from_world[1].w, from_world[2].w);
    vec4 clip = from_world * vec4(position, 1.0);
    FacePoint p;
    p.distance = max(clip.w, 1e-4);
    p.at = 0.5 + 0.5 * clip.xyz / p.distance;
    float stretch = dot(z, forward);
    p.far = 0.5 + 0.5 * stretch;
    p.rise = 0.5 * (clip.z - stretch * clip.w);
    p.scale = 0.5 * length(u);
    // 1/w is linear over a plane: d (1/w) / d (u, v) = 2 normal / (scale^2 ... distance to it).
    float away = dot(facet, position - lamp);
    float least = 1e-3 * p.distance;
    away = away < 0.0 ? min(away, -least) : max(away, least);
    vec2 across = vec2(dot(facet, u), dot(facet, v)) / max(dot(u, u), 1e-8);
    p.slope = p.rise * 2.0 * across / away;
    float unit = lamp_shadow_params.x;
    // A texel is unit * w / scale metres wide; a metre deeper is -rise / w^2 of the map's depth.
    float steepest = LAMP_STEEPEST_SLOPE * abs(p.rise) / (p.distance * p.scale);
    p.slope = clamp(p.slope, -steepest, steepest);
    p.at.z -= LAMP_SLOPE_BIAS * unit * (abs(p.slope.x) + abs(p.slope.y));
    return p;
}

// Place k of `count` in the square -1..1: a lattice whose shadows on either axis are even as well, so
// that edges along an axis get as many steps as there are taps (Niederreiter 1992, good lattices).
vec2 lattice_place(int k, float count) {
    return 2.0 * vec2((float(k) + 0.5) / count, fract((float(k) + 0.5) * 0.61803399)) - 1.0;
}

// Half width of the penumbra in texture units; negative if nothing blocks the lamp at all.
float penumbra(FacePoint p, float radius, float layer) {
    float reach = min(p.scale * radius / p.distance, WIDEST_PENUMBRA);
    float sum = 0.0;
    float count = 0.0;
    for (int k = 0; k < SEARCH_TAPS; k++) {
        vec2 offset = lattice_place(k, float(SEARCH_TAPS)) * reach;
        float depth = texture(lamp_depth_map, vec3(p.at.xy + offset, layer)).r;
        if (depth < p.at.z + dot(p.slope, offset)) {
            sum += safe_divide(p.rise, depth - p.far);
            count += 1.0;
        }
    }
    if (count == 0.0) {
        return -1.0;
    }
    float blocker = clamp(sum / count, 1e-4, p.distance);
    return min(p.scale * radius * (p.distance - blocker) / (p.distance * blocker), WIDEST_PENUMBRA);
}

float soft_light(FacePoint p, float radius, float layer) {
    float width = penumbra(p, radius, layer);
    if (width < 0.0) {
        return 1.0;
    }
    float unit = lamp_shadow_params.x;
    if (width < 1.5 * unit) {
        return compare_3x3(lamp_shadow_map, unit, p.at, p.slope, layer);
    }
    float taps = floor(clamp(TAPS_PER_TEXEL * width / unit, LEAST_TAPS, MOST_TAPS));
    float sum = 0.0;
    for (int k = 0; k < int(taps); k++) {
        vec2 offset = lattice_place(k, taps) * width;
        sum += texture(
            lamp_shadow_map, vec4(p.at.xy + offset, layer, p.at.z + dot(p.slope, offset)));
    }
    return sum / taps;
}

// `normal` is that of the mesh, `n_dot_l` its cosine with the direction of the lamp.
float lamp_shadow(int light, vec3 position, vec3 normal, float n_dot_l) {
    vec4 entry = light_shadow[light];
    if (entry.x < 0.0 || n_dot_l <= 0.0) {
        return 1.0;
    }
    vec3 lamp = light_position[light].xyz;
    vec3 facet = safe_normalize(cross(dFdx(position), dFdy(position)), normal);
    float sine = safe_sqrt(1.0 - n_dot_l * n_dot_l);
    int face = int(entry.x) + (entry.y > 1.5 ? cube_face(position - lamp) : 0);
    FacePoint p = face_point(lamp_from_world[face], position, lamp, facet);
    float texel = lamp_shadow_params.x * p.distance / p.scale;
    vec3 moved = position + normal * (sine * LAMP_NORMAL_OFFSET * texel);
    p = face_point(lamp_from_world[face], moved, lamp, facet);
    bool is_outside = p.at.z >= 1.0 || p.distance <= 1e-4
        || any(lessThan(p.at.xy, vec2(0.0))) || any(greaterThan(p.at.xy, vec2(1.0)));
    if (is_outside) {
        return 1.0;
    }
    float radius = entry.z;
    return radius > 0.0
        ? soft_light(p, radius, float(face))
        : compare_3x3(lamp_shadow_map, lamp_shadow_params.x, p.at, p.slope, float(face));
}
