// Distance along the view axis in metres, infinite where nothing was drawn.
// In: depth, 0..1 as the depth test left it.

#include "common/interface.glsl"
#include "common/guard.glsl"

uniform sampler2D depth;

layout(location = 0) out float out_depth;

void main() {
    float stored = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
    if (stored >= 1.0) {
        out_depth = uintBitsToFloat(0x7f800000u);
        return;
    }
    float clip = stored * 2.0 - 1.0;
    out_depth = camera_position.w > 0.5
        ? safe_divide(clip_from_view[3].z, clip + clip_from_view[2].z)
        : -safe_divide(clip - clip_from_view[3].z, clip_from_view[2].z);
}
