// Meshes of the scene: vertices to clip space, everything else to world space.

#include "common/interface.glsl"
#include "common/deform.glsl"

out vec3 world_position;
out vec3 world_normal;
// w: sign of the bitangent; all zero where the mesh has no tangents.
out vec4 world_tangent;
out vec2 uv0;
out vec2 uv1;
out vec4 vertex_color;
flat out float receives_shadow;
flat out float glow;

void main() {
    Instance instance = fetch_instance();
    LocalVertex vertex = local_vertex(instance);
    world_position = world_from_local_point(instance, vertex.position);
    world_normal = world_from_local_normal(instance, vertex.normal);
    world_tangent = vec4(
        world_from_local_vector(instance, vertex.tangent), in_tangent.w * instance.handedness);
    uv0 = in_uv0;
    uv1 = in_uv1;
    vertex_color = in_color;
    receives_shadow = instance.receives_shadow;
    glow = instance.glow;
    gl_Position = clip_from_world * vec4(world_position, 1.0);
}
