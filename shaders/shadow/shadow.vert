// Depth of shadow casters in one cascade of the sun.

#include "common/interface.glsl"
#include "common/instance.glsl"
#include "common/attributes.glsl"

uniform int cascade;

out vec2 uv0;
out vec2 uv1;
out vec4 vertex_color;

void main() {
    Instance instance = fetch_instance();
    vec3 world = world_from_local_point(instance, in_position);
    vec4 at = shadow_from_world[cascade] * vec4(world, 1.0);
    uv0 = in_uv0;
    uv1 = in_uv1;
    vertex_color = in_color;
    // shadow_from_world ends in texture space; clip space is twice as wide around 0.
    gl_Position = vec4(at.xyz * 2.0 - 1.0, 1.0);
}
