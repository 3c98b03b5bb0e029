// Depth of shadow casters: draws no colour, only cuts out what is not there.

#include "common/interface.glsl"

uniform sampler2D base_color_map;

in vec2 uv0;
in vec2 uv1;
in float coverage;

// What is half transparent or more lets the sun through.
const float BLEND_CUTOFF = 0.5;

void main() {
    if (material_flags.x == ALPHA_OPAQUE) {
        return;
    }
    float alpha = base_color.a * (material_flags.w != 0 ? coverage : 1.0);
    if (texture_uv[0].x >= 0) {
        vec3 uv = vec3(texture_uv[0].x == 1 ? uv1 : uv0, 1.0);
        vec2 at = vec2(dot(texture_matrix[0].xyz, uv), dot(texture_matrix[1].xyz, uv));
        alpha *= texture(base_color_map, at).a;
    }
    if (alpha < (material_flags.x == ALPHA_MASK ? emissive.w : BLEND_CUTOFF)) {
        discard;
    }
}
