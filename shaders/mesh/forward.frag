// Meshes of the scene, shaded: lamps, the shadowed sun, the environment.
// Out: color, linear premultiplied rgba; normal, unit world space with coverage in w.

#include "common/interface.glsl"
#include "common/clean.glsl"
#include "mesh/surface.glsl"
#include "mesh/lights.glsl"
#include "mesh/ambient.glsl"

in vec3 world_position;
in vec3 world_normal;
in vec4 world_tangent;
in vec2 uv0;
in vec2 uv1;
in vec4 vertex_color;
flat in float receives_shadow;

layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_normal;

vec3 read_emission() {
    vec3 light = emissive.rgb;
    if (map_uv_set(MAP_EMISSIVE) >= 0) {
        light *= texture(emissive_map, map_uv(MAP_EMISSIVE, uv0, uv1)).rgb;
    }
    return light;
}

Surface read_surface(vec3 color, vec3 normal) {
    Surface s;
    s.position = world_position;
    vec3 to_camera = camera_position.w > 0.5
        ? camera_position.xyz - world_position : -camera_forward.xyz;
    s.view = safe_normalize(to_camera, normal);
    float side = gl_FrontFacing ? 1.0 : -1.0;
    s.mesh_normal = normal * side;
    s.normal = s.mesh_normal;
    if (map_uv_set(MAP_NORMAL) >= 0) {
        s.normal = bent_normal(normal, world_tangent, world_position, uv0, uv1) * side;
    }
    // A normal bent (or interpolated) away from the viewer has no reflection to speak of.
    s.n_dot_v = clamp(abs(dot(s.normal, s.view)), 1e-3, 1.0);
    vec2 metallic_roughness = surface.xy;
    if (map_uv_set(MAP_METALLIC_ROUGHNESS) >= 0) {
        vec2 uv = map_uv(MAP_METALLIC_ROUGHNESS, uv0, uv1);
        metallic_roughness *= texture(metallic_roughness_map, uv).bg;
    }
    s.roughness = saturate(metallic_roughness.y);
    s.lobe_alpha = max(s.roughness * s.roughness, LEAST_ALPHA);
    s.occlusion = 1.0;
    if (map_uv_set(MAP_OCCLUSION) >= 0) {
        float open = texture(occlusion_map, map_uv(MAP_OCCLUSION, uv0, uv1)).r;
        s.occlusion = mix(1.0, open, surface.w);
    }
    prepare_lobes(s, color, saturate(metallic_roughness.x));
    return s;
}

void main() {
    vec4 color = surface_base_color(uv0, uv1, vertex_color);
    if (material_flags.x == ALPHA_MASK && color.a < emissive.w) {
        discard;
    }
    float alpha = material_flags.x == ALPHA_BLEND ? saturate(color.a) : 1.0;
    vec3 normal = safe_normalize(world_normal, vec3(0.0, 1.0, 0.0));
    vec3 light = read_emission();
    if (material_flags.z != 0) {
        out_normal = vec4(gl_FrontFacing ? normal : -normal, 1.0);
        light += color.rgb;
    } else {
        Surface s = read_surface(color.rgb, normal);
        out_normal = vec4(s.normal, 1.0);
        light += reflect_lights(s, receives_shadow) + reflect_ambient(s);
    }
    out_color = vec4(clean(light) * alpha, alpha);
}
