// Which entity a vertex belongs to, and that entity's row of the scene table (vertex shaders).

#include "common/interface.glsl"

uniform sampler2D entity_table;
uniform usampler2D draw_list;
// Where in draw_list the instances of this draw begin.
uniform int first_instance;

struct Instance {
    // Rows of world_from_local.
    vec4 row_x;
    vec4 row_y;
    vec4 row_z;
    // +1, or -1 where the entity is mirrored.
    float handedness;
    float receives_shadow;
    // First texel of its pose, where it is deformed.
    float pose;
    // Times its own base colour that it adds as light.
    float glow;
};

Instance fetch_instance() {
    int place = first_instance + gl_InstanceID;
    ivec2 list_at = ivec2(place % DRAW_LIST_WIDTH, place / DRAW_LIST_WIDTH);
    int entity = int(texelFetch(draw_list, list_at, 0).r);
    ivec2 at = ivec2((entity % ENTITY_TABLE_WIDTH) * ENTITY_TEXELS, entity / ENTITY_TABLE_WIDTH);
    vec4 flags = texelFetch(entity_table, at + ivec2(3, 0), 0);
    return Instance(
        texelFetch(entity_table, at, 0),
        texelFetch(entity_table, at + ivec2(1, 0), 0),
        texelFetch(entity_table, at + ivec2(2, 0), 0),
        flags.x < 0.0 ? -1.0 : 1.0,
        flags.y,
        flags.z,
        flags.w);
}

vec3 world_from_local_point(Instance instance, vec3 point) {
    vec4 p = vec4(point, 1.0);
    return vec3(dot(instance.row_x, p), dot(instance.row_y, p), dot(instance.row_z, p));
}

vec3 world_from_local_vector(Instance instance, vec3 vector) {
    return vec3(
        dot(instance.row_x.xyz, vector),
        dot(instance.row_y.xyz, vector),
        dot(instance.row_z.xyz, vector));
}

// Normals go through the cofactor matrix, which is the inverse transpose times the determinant and
// exists even where a scale is zero.
vec3 world_from_local_normal(Instance instance, vec3 normal) {
    vec3 x = instance.row_x.xyz;
    vec3 y = instance.row_y.xyz;
    vec3 z = instance.row_z.xyz;
    vec3 world = vec3(
        dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return world * instance.handedness;
}
