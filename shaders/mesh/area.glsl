// Light from a rectangle or an ellipse that shines to one side: Heitz, Dupuy, Hill and Neubelt 2016,
// "Real-Time Polygonal-Light Shading with Linearly Transformed Cosines". A matrix turns the lobe into
// a cosine and the lamp into another polygon, over which a cosine has a closed integral.

#include "mesh/falloff.glsl"
#include "mesh/specular.glsl"
#include "mesh/surface.glsl"

// An ellipse is drawn as this many corners, pushed out until the area is right.
const int ELLIPSE_CORNERS = 8;
const float ELLIPSE_REACH = 1.0539;

// Integral of the cosine's vector along the edge of two unit directions, over 2 pi; the rational
// fit of acos(x) / sqrt(1 - x^2) is Hill's (2016, "LTC edge integral").
vec3 edge_integral(vec3 from, vec3 to) {
    vec3 a = safe_normalize(from, vec3(0.0, 0.0, 1.0));
    vec3 b = safe_normalize(to, vec3(0.0, 0.0, 1.0));
    float x = clamp(dot(a, b), -1.0, 1.0);
    float y = abs(x);
    float fit = (0.8543985 + (0.4965155 + 0.0145206 * y) * y)
        / (3.4175940 + (4.1616724 + y) * y);
    float ratio = x > 0.0 ? fit : 0.5 * inversesqrt(max(1.0 - x * x, 1e-7)) - fit;
    return cross(a, b) * ratio;
}

// Corner k of `count` around the lamp, relative to the surface.
vec3 area_corner(int k, int count, vec3 centre, vec3 right, vec3 up) {
    if (count == 4) {
        return centre + (k == 0 || k == 3 ? -right : right) + (k < 2 ? -up : up);
    }
    float angle = 2.0 * PI * float(k) / float(count);
    return centre + ELLIPSE_REACH * (cos(angle) * right + sin(angle) * up);
}

// Share of a cosine lobe around +z that the polygon covers, 0..1, with the part below the horizon
// cut off. `to_lobe` leads from world space into the lobe's.
float polygon_share(mat3 to_lobe, int count, vec3 centre, vec3 right, vec3 up) {
    vec3 c = to_lobe * centre;
    vec3 r = to_lobe * right;
    vec3 u = to_lobe * up;
    vec3 sum = vec3(0.0);
    vec3 leaves = vec3(0.0);
    vec3 enters = vec3(0.0);
    bool cut = false;
    vec3 from = area_corner(count - 1, count, c, r, u);
    int k = 0;
    // The condition stands at the end for the sake of software drivers, as in mesh/lights.glsl.
    do {
        vec3 to = area_corner(k, count, c, r, u);
        if (from.z >= 0.0 || to.z >= 0.0) {
            vec3 start = from;
            vec3 end = to;
            vec3 crossing = mix(from, to, clamp(safe_divide(from.z, from.z - to.z), 0.0, 1.0));
            if (to.z < 0.0) {
                end = leaves = crossing;
                cut = true;
            } else if (from.z < 0.0) {
                start = enters = crossing;
                cut = true;
            }
            sum += edge_integral(start, end);
        }
        from = to;
        k++;
    } while (k < count);
    if (cut) {
        sum += edge_integral(leaves, enters);
    }
    return abs(sum.z);
}

// Into the space where the surface's lobe is a cosine around +z, by the table of area_lobes.npy
// (rows of the middle third of dfg_map: roughness; columns: sqrt(1 - n_dot_v)).
mat3 cosine_from_lobe(Surface s) {
    vec2 size = vec2(textureSize(dfg_map, 0));
    float last = size.x - 1.0;
    vec2 at = vec2(safe_sqrt(1.0 - s.n_dot_v), s.roughness) * last + vec2(0.5, 0.5 + size.x);
    vec4 m = texture(dfg_map, at / size);
    return mat3(vec3(m.x, 0.0, m.z), vec3(0.0, 1.0, 0.0), vec3(m.y, 0.0, m.w));
}

// The lamp's grid of slats, which lets out more light ahead than to the side, as Cycles has it: 1 on
// average. `tangent` is that of half the spread, `slats` its share of the light (spread_slats).
float spread_gain(float cosine, float tangent, float slats) {
    float here = safe_sqrt(1.0 - cosine * cosine) / max(cosine, 1e-3);
    return max(tangent - here, 0.0) / slats;
}

float spread_slats(float tangent) {
    return max(tangent - atan(tangent), 1e-6);
}

// A lamp as the surface sees it: half axes and the way to its centre.
struct Area {
    vec3 centre;
    vec3 right;
    vec3 up;
};

// Light through slats comes from a disc around the foot of the surface on the lamp's plane: leave only
// the part of a rectangle that meets its bounding square.
Area seen_through_slats(Area area, float height, float tangent) {
    vec2 size = vec2(length(area.right), length(area.up));
    vec2 foot = -vec2(dot(area.centre, area.right), dot(area.centre, area.up))
        / max(size * size, 1e-9);
    vec2 reach = height * tangent / max(size, 1e-9);
    vec2 low = clamp(foot - reach, -1.0, 1.0);
    vec2 high = clamp(foot + reach, -1.0, 1.0);
    vec2 middle = 0.5 * (low + high);
    vec2 half_size = max(0.5 * (high - low), 1e-4);
    return Area(
        area.centre + middle.x * area.right + middle.y * area.up,
        half_size.x * area.right,
        half_size.y * area.up);
}

// Density of the transformed cosine in a unit direction of the lobe's space before the transform,
// times pi; `size` is the determinant of the transform.
float lobe_density(vec3 transformed, float size) {
    float squared = max(dot(transformed, transformed), 1e-12);
    return max(transformed.z, 0.0) * size / (squared * squared);
}

// Point k of a lamp in -1..1, z: its share. Four points as Gauss and Legendre set them (Radon for an
// ellipse), or the middles of sixteen tiles where slats make the light uneven.
vec3 area_point(int k, bool is_narrow, bool is_ellipse) {
    if (!is_narrow) {
        float reach = is_ellipse ? 0.5 : 0.57735;
        return vec3(k % 2 == 0 ? -reach : reach, k < 2 ? -reach : reach, 0.25);
    }
    vec2 at = vec2(float(k % 4), float(k / 4)) * 0.5 - 0.75;
    // Four of the sixteen lie outside of an ellipse.
    float share = is_ellipse ? (dot(at, at) < 1.0 ? 1.0 / 12.0 : 0.0) : 1.0 / 16.0;
    return vec3(at, share);
}

mat3 surface_basis(Surface s) {
    // Seen from straight above, any direction across the normal will do.
    vec3 aside = abs(s.normal.x) < 0.7 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    vec3 across = s.view - s.normal * dot(s.view, s.normal);
    across = dot(across, across) > 1e-8 ? across : cross(s.normal, aside);
    vec3 along = safe_normalize(across, aside);
    return transpose(mat3(along, cross(s.normal, along), s.normal));
}

// Reflection of area light i. The closed integrals are corrected by points of the lamp: they add what
// the transformed cosine misses of the lobe, which has a tail behind the transform's horizon, and
// they tell how much of the light comes through the slats.
vec3 reflect_area(Surface s, int i) {
    bool is_ellipse = light_right[i].w > 0.5;
    bool is_narrow = light_up[i].w > 1e-3;
    vec3 forward = light_direction[i].xyz;
    Area area = Area(light_position[i].xyz - s.position, light_right[i].xyz, light_up[i].xyz);
    float height = -dot(area.centre, forward);
    float window = range_window(dot(area.centre, area.centre), light_direction[i].w);
    float tangent = 0.0;
    float slats = 1.0;
    if (is_narrow) {
        tangent = safe_sqrt(1.0 - square(light_up[i].w)) / light_up[i].w;
        slats = spread_slats(tangent);
        if (!is_ellipse) {
            area = seen_through_slats(area, height, tangent);
        }
    }
    int count = is_ellipse ? ELLIPSE_CORNERS : 4;
    mat3 surface_from_world = surface_basis(s);
    mat3 cosine = cosine_from_lobe(s);
    mat3 lobe_from_world = cosine * surface_from_world;
    float diffuse = polygon_share(surface_from_world, count, area.centre, area.right, area.up);
    vec3 lobe = s.albedo * polygon_share(lobe_from_world, count, area.centre, area.right, area.up);

    float determinant = abs(cosine[0].x * cosine[2].z - cosine[2].x * cosine[0].z);
    float size = (is_ellipse ? PI : 4.0) * length(cross(area.right, area.up));
    vec2 arriving = vec2(1e-12);
    vec2 passing = vec2(1e-12);
    int points = is_narrow ? 16 : 4;
    int k = 0;
    do {
        vec3 point = area_point(k, is_narrow, is_ellipse);
        vec3 at = area.centre + point.x * area.right + point.y * area.up;
        float squared = max(dot(at, at), 1e-8);
        vec3 to_light = at * inversesqrt(squared);
        float facing = max(-dot(to_light, forward), 0.0);
        // Near the lamp a point stands for more directions than there are.
        float weight = min(point.z * size * facing / squared, PI) / PI;
        vec3 here = specular_lobe(s, to_light, 0.0, 0.0);
        lobe += weight * (here - s.albedo * lobe_density(lobe_from_world * to_light, determinant));
        vec2 share = weight * vec2(saturate(dot(s.normal, to_light)), here.r + here.g + here.b);
        arriving += share;
        passing += share * (is_narrow ? spread_gain(facing, tangent, slats) : 1.0);
        k++;
    } while (k < points);
    vec2 gain = passing / arriving * vec2(light_params[i].w, light_color[i].w);
    vec3 reflected = s.diffuse * (diffuse * gain.x) + max(lobe, 0.0) * gain.y;
    return height > 0.0 ? light_color[i].rgb * window * reflected : vec3(0.0);
}
