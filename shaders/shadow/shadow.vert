// Depth of shadow casters in one cascade of the sun, or (IS_LAMP) in one face of a lamp.

#include "common/interface.glsl"
#include "common/deform.glsl"

#ifdef IS_LAMP
uniform int face;
#else
uniform int cascade;
#endif

out vec2 uv0;
out vec2 uv1;
out vec4 vertex_color;

void main() {
    Instance instance = fetch_instance();
    vec3 world = world_from_local_point(instance, local_vertex(instance).position);
    uv0 = in_uv0;
    uv1 = in_uv1;
    vertex_color = in_color;
#ifdef IS_LAMP
    gl_Position = lamp_from_world[face] * vec4(world, 1.0);
#else
    vec4 at = shadow_from_world[cascade] * vec4(world, 1.0);
    // shadow_from_world ends in texture space; clip space is twice as wide around 0.
    gl_Position = vec4(at.xyz * 2.0 - 1.0, 1.0);
#endif
}
