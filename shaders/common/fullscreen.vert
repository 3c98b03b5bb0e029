// One triangle that covers the frame, at the far plane. Draw 3 vertices without attributes.
// Out: uv, 0..1 with its origin at the bottom left as GL's textures of a frame have it.

out vec2 uv;

void main() {
    uv = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(uv * 2.0 - 1.0, 1.0, 1.0);
}
