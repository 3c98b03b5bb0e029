// The maps of a material. The renderer defines HAS_..._MAP for those that it has.

#include "common/interface.glsl"

// Order of the maps in texture_uv and texture_matrix.
const int MAP_BASE_COLOR = 0;
const int MAP_METALLIC_ROUGHNESS = 1;
const int MAP_NORMAL = 2;
const int MAP_OCCLUSION = 3;
const int MAP_EMISSIVE = 4;

#ifdef HAS_BASE_COLOR_MAP
uniform sampler2D base_color_map;
#endif

int map_uv_set(int map) {
    return map < 4 ? texture_uv[0][map] : texture_uv[1].x;
}

vec2 map_uv(int map, vec2 uv0, vec2 uv1) {
    vec3 uv = vec3(map_uv_set(map) == 1 ? uv1 : uv0, 1.0);
    return vec2(dot(texture_matrix[map * 2].xyz, uv), dot(texture_matrix[map * 2 + 1].xyz, uv));
}

// Base colour and coverage before any cut-off.
vec4 read_base_color(vec2 uv0, vec2 uv1, vec4 vertex_color) {
    vec4 color = base_color;
#ifdef HAS_BASE_COLOR_MAP
    color *= texture(base_color_map, map_uv(MAP_BASE_COLOR, uv0, uv1));
#endif
#ifdef HAS_VERTEX_COLOR
    color *= vertex_color;
#endif
    return color;
}
