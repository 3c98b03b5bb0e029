// Scene-referred linear light, before bloom and tone map.
// In: scene, linear premultiplied. Out: the same, without bad pixels.

#include "common/clean.glsl"

uniform sampler2D scene;

layout(location = 0) out vec4 out_color;

void main() {
    out_color = clean(texelFetch(scene, ivec2(gl_FragCoord.xy), 0));
}
