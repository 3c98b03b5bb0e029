// How much of a lamp's light reaches a point: 0 in shadow, 1 in the light.
//
// Lamps with a size have a penumbra: the mean distance of what blocks them tells how wide it is
// (Fernando 2005, "Percentage-Closer Soft Shadows").

#include "common/interface.glsl"
#include "common/guard.glsl"

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
const float MOST_TAPS = 48.0;
const float TAPS_PER_TEXEL = 1.5;
// Least half width of the filter, in texels.
const float SHARPEST = 1.25;

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

// What a search finds: how many of its taps are blocked, and half the width of the penumbra.
struct Blockers {
    float share;
    float width;
    float reach;
};

// A loop ends with its condition: a software driver runs one more turn where it begins with it. There,
// what a point does not need costs it one tap.
Blockers find_blockers(FacePoint p, float radius, float layer, bool is_wanted) {
    float reach = min(p.scale * radius / p.distance, WIDEST_PENUMBRA);
    int last = is_wanted ? SEARCH_TAPS : 1;
    float sum = 0.0;
    float count = 0.0;
    int k = 0;
    do {
        vec2 offset = lattice_place(k, float(SEARCH_TAPS)) * reach;
        float depth = texture(lamp_depth_map, vec3(p.at.xy + offset, layer)).r;
        float blocks = depth < p.at.z + dot(p.slope, offset) ? 1.0 : 0.0;
        sum += blocks * safe_divide(p.rise, depth - p.far);
        count += blocks;
        k++;
    } while (k < last);
    float blocker = clamp(sum / max(count, 1.0), 1e-4, p.distance);
    float width = p.scale * radius * (p.distance - blocker) / (p.distance * blocker);
    return Blockers(count / float(last), min(width, WIDEST_PENUMBRA), reach);
}

// Share of the taps within `width` that the lamp reaches.
float filtered_light(FacePoint p, float width, float layer, bool is_wanted) {
    float unit = lamp_shadow_params.x;
    float reach = max(width, SHARPEST * unit);
    float taps = floor(clamp(TAPS_PER_TEXEL * reach / unit, LEAST_TAPS, MOST_TAPS));
    int last = is_wanted ? int(taps) : 1;
    float sum = 0.0;
    int k = 0;
    do {
        vec2 offset = lattice_place(k, taps) * reach;
        sum += texture(
            lamp_shadow_map, vec4(p.at.xy + offset, layer, p.at.z + dot(p.slope, offset)));
        k++;
    } while (k < last);
    return sum / float(last);
}

// `normal` is that of the mesh, `n_dot_l` its cosine with the direction of the lamp, `facet` the
// triangle's own. Where the lamp does not matter, nothing is looked up.
float lamp_shadow(
    int light, vec3 position, vec3 normal, vec3 facet, float n_dot_l, bool matters
) {
    vec4 entry = light_shadow[light];
    vec3 lamp = light_position[light].xyz;
    int face = int(max(entry.x, 0.0)) + (entry.y > 1.5 ? cube_face(position - lamp) : 0);
    mat4 from_world = lamp_from_world[face];
    float distance = (from_world * vec4(position, 1.0)).w;
    vec3 across = vec3(from_world[0].x, from_world[1].x, from_world[2].x);
    float texel = lamp_shadow_params.x * max(distance, 0.0) * 2.0 / max(length(across), 1e-6);
    float sine = safe_sqrt(1.0 - n_dot_l * n_dot_l);
    vec3 moved = position + normal * (sine * LAMP_NORMAL_OFFSET * texel);
    FacePoint p = face_point(from_world, moved, lamp, facet);
    bool is_outside = p.at.z >= 1.0 || p.distance <= 1e-4
        || any(lessThan(p.at.xy, vec2(0.0))) || any(greaterThan(p.at.xy, vec2(1.0)));
    bool is_wanted = matters && entry.x >= 0.0 && n_dot_l > 0.0 && !is_outside;
    bool is_soft = is_wanted && entry.z > 0.0;
    Blockers found = find_blockers(p, entry.z, float(face), is_soft);
    bool is_open = !is_wanted || (is_soft && found.share == 0.0);
    bool is_shut = is_soft && found.share == 1.0 && found.width <= found.reach;
    float width = is_soft ? found.width : 0.0;
    float share = filtered_light(p, width, float(face), !(is_open || is_shut));
    return is_open ? 1.0 : is_shut ? 0.0 : share;
}
