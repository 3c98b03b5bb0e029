// Normal maps, with the mesh's tangents or without, and the slopes of a height.

#include "common/guard.glsl"
#include "mesh/maps.glsl"

uniform sampler2D normal_map;

// Tangent and bitangent of a texture from how position and uv change over the screen. Schueler 2013,
// "Followup: Normal Mapping Without Precomputed Tangents". Zero where the uv does not change.
mat2x3 tangents_from_derivatives(vec3 normal, vec3 position, vec2 uv) {
    vec3 step_x = dFdx(position);
    vec3 step_y = dFdy(position);
    vec2 uv_x = dFdx(uv);
    vec2 uv_y = dFdy(uv);
    vec3 across_y = cross(step_y, normal);
    vec3 across_x = cross(normal, step_x);
    vec3 tangent = across_y * uv_x.x + across_x * uv_y.x;
    vec3 bitangent = across_y * uv_x.y + across_x * uv_y.y;
    // Each at its own length: a picture that is stretched one way bends as much as tangents of the
    // mesh would bend it.
    return mat2x3(safe_normalize(tangent, vec3(0.0)), safe_normalize(bitangent, vec3(0.0)));
}

// Tangent and bitangent (along growing u and v) of the normal map from the mesh's own, which belong
// to the uv before its transform; the inverse of the transform's 2x2 part turns them.
mat2x3 tangents_from_mesh(vec3 normal, vec4 mesh_tangent) {
    vec3 tangent = safe_normalize(
        mesh_tangent.xyz - normal * dot(normal, mesh_tangent.xyz), vec3(0.0));
    // The mesh's bitangent points where the picture's up is, v grows downwards.
    vec3 bitangent = -mesh_tangent.w * cross(normal, tangent);
    vec2 u_row = texture_matrix[MAP_NORMAL * 2].xy;
    vec2 v_row = texture_matrix[MAP_NORMAL * 2 + 1].xy;
    float side = u_row.x * v_row.y - u_row.y * v_row.x < 0.0 ? -1.0 : 1.0;
    return mat2x3(
        safe_normalize(side * (v_row.y * tangent - v_row.x * bitangent), tangent),
        safe_normalize(side * (u_row.x * bitangent - u_row.y * tangent), bitangent));
}

// The unit `normal` of the mesh bent by the map.
vec3 bent_normal(vec3 normal, vec4 mesh_tangent, vec3 position, vec2 uv0, vec2 uv1) {
    vec2 uv = map_uv(MAP_NORMAL, uv0, uv1);
    vec3 bump = texture(normal_map, uv).xyz * 2.0 - 1.0;
#ifdef HAS_BUMP
    bump.z = sqrt(max(1.0 - dot(bump.xy, bump.xy), 0.0));
#endif
    bump.xy *= surface.z;
#ifdef HAS_TANGENTS
    mat2x3 tangents = tangents_from_mesh(normal, mesh_tangent);
#else
    mat2x3 tangents = tangents_from_derivatives(normal, position, uv);
#endif
    // Green is up in the picture, against v.
    return safe_normalize(tangents[0] * bump.x - tangents[1] * bump.y + normal * bump.z, normal);
}

#ifdef HAS_BUMP

// The unit `normal` tilted by a height over the surface, as Cycles' Bump node does it: from how
// height and position change over the screen (Mikkelsen 2010, "Bump Mapping Unparametrized Surfaces
// on the GPU"), so that metres are metres however the texture is stretched. Blue and alpha of the
// normal map hold the slopes.
vec3 bumped_normal(vec3 normal, vec3 position, vec2 uv0, vec2 uv1) {
    vec2 uv = map_uv(MAP_NORMAL, uv0, uv1);
    vec2 leaning = texture(normal_map, uv).zw * 2.0 - 1.0;
    float upright = sqrt(max(1.0 - dot(leaning, leaning), 1e-3));
    vec2 slope = leaning / upright * texture_matrix[MAP_NORMAL * 2].w;
    vec3 step_x = dFdx(position);
    vec3 step_y = dFdy(position);
    vec3 across_y = cross(step_y, normal);
    vec3 across_x = cross(normal, step_x);
    float area = dot(step_x, across_y);
    vec3 gradient = across_y * dot(slope, dFdx(uv)) + across_x * dot(slope, dFdy(uv));
    vec3 tilted = safe_normalize(abs(area) * normal - sign(area) * gradient, normal);
    float strength = texture_matrix[MAP_NORMAL * 2 + 1].w;
    return safe_normalize(mix(normal, tilted, strength), normal);
}

#endif
