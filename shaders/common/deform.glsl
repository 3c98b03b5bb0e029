// Where a vertex of a morphed or skinned mesh is, in the mesh's own space (vertex shaders).

#include "common/instance.glsl"
#include "common/attributes.glsl"

struct LocalVertex {
    vec3 position;
    vec3 normal;
    vec3 tangent;
};

#if defined(HAS_SKIN) || defined(HAS_MORPHS)
uniform sampler2D pose_table;

vec4 fetch_pose(int place) {
    return texelFetch(pose_table, ivec2(place % POSE_TABLE_WIDTH, place / POSE_TABLE_WIDTH), 0);
}
#endif

#ifdef HAS_MORPHS
uniform sampler2D morph_table;

vec3 fetch_morph(int first_line, int place) {
    ivec2 at = ivec2(place % MORPH_TABLE_WIDTH, first_line + place / MORPH_TABLE_WIDTH);
    return texelFetch(morph_table, at, 0).xyz;
}

// pose: first texel of the entity's pose; header: what it holds.
LocalVertex morphed(LocalVertex vertex, int pose, vec4 header) {
    int weights = pose + 1 + 3 * int(header.x);
    int vertices = int(header.w);
    for (int target = 0; target < int(header.y); ++target) {
        float weight = fetch_pose(weights + target).x;
        if (weight != 0.0) {
            int place = 2 * (target * vertices + gl_VertexID);
            vertex.position += weight * fetch_morph(int(header.z), place);
            vertex.normal += weight * fetch_morph(int(header.z), place + 1);
        }
    }
    return vertex;
}
#endif

#ifdef HAS_SKIN
LocalVertex skinned(LocalVertex vertex, int pose) {
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    for (int influence = 0; influence < 4; ++influence) {
        float weight = in_weights[influence];
        int joint = pose + 1 + 3 * int(in_joints[influence]);
        x += weight * fetch_pose(joint);
        y += weight * fetch_pose(joint + 1);
        z += weight * fetch_pose(joint + 2);
    }
    vec4 place = vec4(vertex.position, 1.0);
    vec3 normal = vertex.normal;
    vec3 tangent = vertex.tangent;
    // Normals go through the cofactor matrix, as in instance.glsl.
    vec3 turned = vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal));
    // A joint of negative scale turns surfaces inside out; their normals do not follow.
    float side = dot(x.xyz, cross(y.xyz, z.xyz)) < 0.0 ? -1.0 : 1.0;
    return LocalVertex(
        vec3(dot(x, place), dot(y, place), dot(z, place)),
        turned * side,
        vec3(dot(x.xyz, tangent), dot(y.xyz, tangent), dot(z.xyz, tangent)));
}
#endif

LocalVertex local_vertex(Instance instance) {
    LocalVertex vertex = LocalVertex(in_position, in_normal, in_tangent.xyz);
#if defined(HAS_SKIN) || defined(HAS_MORPHS)
    int pose = int(instance.pose);
    // x: joints, y: morph targets, z: line of the morph table, w: vertices of the mesh.
    vec4 header = fetch_pose(pose);
#endif
#ifdef HAS_MORPHS
    vertex = morphed(vertex, pose, header);
#endif
#ifdef HAS_SKIN
    if (header.x > 0.0) {
        vertex = skinned(vertex, pose);
    }
#endif
    return vertex;
}
