// Meshes of the scene, shaded: lamps, the shadowed sun, the environment.
// Out: color, linear premultiplied rgba; normal, unit world space with coverage in w.
//
// Variants. By material: HAS_BASE_COLOR_MAP, HAS_METALLIC_ROUGHNESS_MAP, HAS_NORMAL_MAP,
// HAS_BUMP, HAS_TANGENTS, HAS_OCCLUSION_MAP, HAS_EMISSIVE_MAP, HAS_VERTEX_COLOR, IS_CUTOUT,
// IS_BLENDED, IS_GLASS, IS_UNLIT, and with it IS_HOLDOUT.
// By frame: HAS_SUN, HAS_SHADOWS, HAS_LAMPS, HAS_AREA_LAMPS, HAS_SKY, IS_SMITH_SCHLICK.

#include "common/interface.glsl"
#include "common/clean.glsl"
#include "common/guard.glsl"
#include "mesh/maps.glsl"
#ifndef IS_UNLIT
#include "mesh/lights.glsl"
#include "mesh/ambient.glsl"
#ifdef HAS_NORMAL_MAP
#include "mesh/bump.glsl"
#endif
#endif

#ifdef HAS_METALLIC_ROUGHNESS_MAP
uniform sampler2D metallic_roughness_map;
#endif
#ifdef HAS_OCCLUSION_MAP
uniform sampler2D occlusion_map;
#endif
#ifdef HAS_EMISSIVE_MAP
uniform sampler2D emissive_map;
#endif

in vec3 world_position;
in vec3 world_normal;
in vec4 world_tangent;
in vec2 uv0;
in vec2 uv1;
in vec4 vertex_color;
flat in float receives_shadow;
flat in float glow;

layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_normal;

vec3 read_emission() {
    vec3 light = emissive.rgb;
#ifdef HAS_EMISSIVE_MAP
    light *= texture(emissive_map, map_uv(MAP_EMISSIVE, uv0, uv1)).rgb;
#endif
    return light;
}

#ifndef IS_UNLIT

vec2 read_metallic_roughness() {
    vec2 value = surface.xy;
#ifdef HAS_METALLIC_ROUGHNESS_MAP
    value *= texture(metallic_roughness_map, map_uv(MAP_METALLIC_ROUGHNESS, uv0, uv1)).bg;
#endif
    return clamp(value, 0.0, 1.0);
}

float read_occlusion() {
#ifdef HAS_OCCLUSION_MAP
    float open = texture(occlusion_map, map_uv(MAP_OCCLUSION, uv0, uv1)).r;
    return mix(1.0, open, surface.w);
#else
    return 1.0;
#endif
}

Surface read_surface(vec3 color, vec3 normal) {
    Surface s;
    s.position = world_position;
    vec3 to_camera = camera_position.w > 0.5
        ? camera_position.xyz - world_position : -camera_forward.xyz;
    s.view = safe_normalize(to_camera, normal);
    float side = gl_FrontFacing ? 1.0 : -1.0;
    s.mesh_normal = normal * side;
#ifdef HAS_NORMAL_MAP
    s.normal = bent_normal(normal, world_tangent, world_position, uv0, uv1) * side;
#ifdef HAS_BUMP
    s.normal = bumped_normal(s.normal, world_position, uv0, uv1);
#endif
#else
    s.normal = s.mesh_normal;
#endif
    // A normal that is bent or interpolated away from the viewer is turned until it is seen edge on:
    // it would mirror what lies behind the surface.
    float away = min(dot(s.normal, s.view) - 1e-3, 0.0);
    s.normal = safe_normalize(s.normal - away * s.view, s.normal);
    s.pixel_spread = pixel_spread(s.normal);
    s.n_dot_v = clamp(dot(s.normal, s.view), 1e-3, 1.0);
    vec2 metallic_roughness = read_metallic_roughness();
    s.roughness = metallic_roughness.y;
    s.lobe_alpha = max(s.roughness * s.roughness, LEAST_ALPHA);
    s.occlusion = read_occlusion();
    prepare_lobes(s, color, metallic_roughness.x);
    return s;
}

#endif

void main() {
    vec4 color = read_base_color(uv0, uv1, vertex_color);
#ifdef IS_CUTOUT
    if (color.a < emissive.w) {
        discard;
    }
#endif
#ifdef IS_BLENDED
    float alpha = saturate(color.a);
#else
    float alpha = 1.0;
#endif
    vec3 normal = safe_normalize(world_normal, vec3(0.0, 1.0, 0.0));
    vec3 light = read_emission() + color.rgb * glow;
#ifdef IS_UNLIT
    out_normal = vec4(gl_FrontFacing ? normal : -normal, 1.0);
    light += color.rgb;
#else
    Surface s = read_surface(color.rgb, normal);
    out_normal = vec4(s.normal, 1.0);
#ifdef IS_GLASS
    // What is mirrored is there however much is seen through the surface.
    s.diffuse *= alpha;
    light *= alpha;
    float mirrored = saturate(max(s.albedo.r, max(s.albedo.g, s.albedo.b)));
    alpha = 1.0 - (1.0 - alpha) * (1.0 - mirrored);
#endif
    light += reflect_lights(s, receives_shadow) + reflect_ambient(s);
#endif
#ifdef IS_HOLDOUT
    out_color = vec4(0.0);
#elif defined(IS_GLASS) && !defined(IS_UNLIT)
    out_color = vec4(clean(light), alpha);
#else
    out_color = vec4(clean(light) * alpha, alpha);
#endif
}
