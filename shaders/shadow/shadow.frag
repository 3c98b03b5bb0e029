// Depth of shadow casters: draws no colour, only cuts out what is not there.
// Variants: IS_CUTOUT or IS_BLENDED, HAS_BASE_COLOR_MAP, HAS_VERTEX_COLOR.

#include "common/interface.glsl"
#include "mesh/maps.glsl"

in vec2 uv0;
in vec2 uv1;
in vec4 vertex_color;

void main() {
#if defined(IS_CUTOUT) || defined(IS_BLENDED)
    if (read_base_color(uv0, uv1, vertex_color).a < emissive.w) {
        discard;
    }
#endif
}
