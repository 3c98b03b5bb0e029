// What a material is at one fragment: its maps read, its normal bent, its lobes prepared.

#include "common/interface.glsl"
#include "common/brdf.glsl"

uniform sampler2D base_color_map;
uniform sampler2D metallic_roughness_map;
uniform sampler2D normal_map;
uniform sampler2D occlusion_map;
uniform sampler2D emissive_map;
uniform sampler2D dfg_map;

// Order of the maps in texture_uv and texture_matrix.
const int MAP_BASE_COLOR = 0;
const int MAP_METALLIC_ROUGHNESS = 1;
const int MAP_NORMAL = 2;
const int MAP_OCCLUSION = 3;
const int MAP_EMISSIVE = 4;

struct Surface {
    vec3 position;
    // Unit, towards the viewer.
    vec3 view;
    // Unit shading normal on the viewer's side, and the one of the bare mesh.
    vec3 normal;
    vec3 mesh_normal;
    vec3 emission;
    float alpha;
    float roughness;
    float lobe_alpha;
    float n_dot_v;
    // Diffuse reflectance, what the specular lobes leave of it.
    vec3 diffuse;
    // Both specular lobes in one: Schlick's Fresnel is linear in these two, and so the sum of the
    // metal's and the dielectric's lobe, each with its multiple scattering, is again of its form.
    vec3 f0;
    vec3 f90;
    // Split-sum albedo of a lobe: f0 * dfg.x + f90 * dfg.y.
    vec2 dfg;
    float occlusion;
};

// uv set of a map, -1 where the material has no such map.
int map_uv_set(int map) {
    return map < 4 ? texture_uv[0][map] : texture_uv[1].x;
}

vec2 map_uv(int map, vec2 uv0, vec2 uv1) {
    vec3 uv = vec3(map_uv_set(map) == 1 ? uv1 : uv0, 1.0);
    return vec2(dot(texture_matrix[map * 2].xyz, uv), dot(texture_matrix[map * 2 + 1].xyz, uv));
}

// Base colour and coverage before any cut-off.
vec4 surface_base_color(vec2 uv0, vec2 uv1, vec4 vertex_color) {
    vec4 color = base_color;
    if (map_uv_set(MAP_BASE_COLOR) >= 0) {
        color *= texture(base_color_map, map_uv(MAP_BASE_COLOR, uv0, uv1));
    }
    return material_flags.w != 0 ? color * vertex_color : color;
}

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
    float longest = max(dot(tangent, tangent), dot(bitangent, bitangent));
    float scale = longest > 1e-30 ? inversesqrt(longest) : 0.0;
    return mat2x3(tangent * scale, bitangent * scale);
}

// Tangent and bitangent (along growing u and v) of the normal map from the mesh's own, which belong
// to the uv before its transform; the inverse of the transform's 2x2 part turns them.
mat2x3 tangents_from_mesh(vec3 normal, vec4 mesh_tangent) {
    vec3 tangent = safe_normalize(mesh_tangent.xyz - normal * dot(normal, mesh_tangent.xyz), vec3(0.0));
    // The mesh's bitangent points where the picture's up is, v grows downwards.
    vec3 bitangent = -mesh_tangent.w * cross(normal, tangent);
    vec2 u_row = texture_matrix[MAP_NORMAL * 2].xy;
    vec2 v_row = texture_matrix[MAP_NORMAL * 2 + 1].xy;
    float side = u_row.x * v_row.y - u_row.y * v_row.x < 0.0 ? -1.0 : 1.0;
    return mat2x3(
        safe_normalize(side * (v_row.y * tangent - v_row.x * bitangent), tangent),
        safe_normalize(side * (u_row.x * bitangent - u_row.y * tangent), bitangent));
}

vec3 bent_normal(vec3 normal, vec4 mesh_tangent, vec3 position, vec2 uv0, vec2 uv1) {
    vec2 uv = map_uv(MAP_NORMAL, uv0, uv1);
    vec3 bump = texture(normal_map, uv).xyz * 2.0 - 1.0;
    bump.xy *= surface.z;
    bool mesh_has_tangents = dot(mesh_tangent.xyz, mesh_tangent.xyz) > 1e-12;
    mat2x3 tangents = mesh_has_tangents && map_uv_set(MAP_NORMAL) == 0
        ? tangents_from_mesh(normal, mesh_tangent)
        : tangents_from_derivatives(normal, position, uv);
    // Green is up in the picture, against v.
    return safe_normalize(tangents[0] * bump.x - tangents[1] * bump.y + normal * bump.z, normal);
}

// Metal and dielectric share one roughness; the diffuse layer gets what the dielectric's specular
// layer does not reflect towards the viewer.
void prepare_lobes(inout Surface s, vec3 color, float metallic) {
    vec2 size = vec2(textureSize(dfg_map, 0));
    vec2 at = vec2(s.n_dot_v, s.roughness) * (size.x - 1.0) + 0.5;
    s.dfg = texture(dfg_map, at / size).xy;
    float albedo = s.dfg.x + s.dfg.y;
    vec3 metal = multiple_scattering(color, vec3(1.0), albedo, s.roughness) * metallic;
    vec3 f90 = vec3(specular.w);
    vec3 gain = multiple_scattering(specular.rgb, f90, albedo, s.roughness);
    vec3 dielectric = gain * (1.0 - metallic);
    s.f0 = metal * color + dielectric * specular.rgb;
    s.f90 = metal + dielectric * f90;
    vec3 layer = gain * (specular.rgb * s.dfg.x + f90 * s.dfg.y);
    float kept = saturate(1.0 - max(layer.r, max(layer.g, layer.b)));
    s.diffuse = color * ((1.0 - metallic) * kept);
}
