// Doubles a bloom level; blending adds it to the next larger one.
// In: source, half the size. Out: rgb.

#include "common/tent.glsl"

uniform sampler2D source;

in vec2 uv;

layout(location = 0) out vec4 out_color;

void main() {
    out_color = vec4(tent(source, uv), 0.0);
}
