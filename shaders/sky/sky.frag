// The environment behind everything, drawn where nothing else was.

#include "common/interface.glsl"
#include "common/clean.glsl"
#include "sky/radiance.glsl"

in vec2 uv;

layout(location = 0) out vec4 out_color;

// Unit direction in which the camera looks through this pixel.
vec3 pixel_direction() {
    if (camera_position.w < 0.5) {
        return camera_forward.xyz;
    }
    vec2 clip = uv * 2.0 - 1.0;
    vec3 in_view = vec3(
        safe_divide(clip.x + clip_from_view[2].x, clip_from_view[0].x),
        safe_divide(clip.y + clip_from_view[2].y, clip_from_view[1].y),
        -1.0);
    return safe_normalize(in_view * mat3(view_from_world), camera_forward.xyz);
}

void main() {
    if (options.w != 0) {
        out_color = vec4(0.0);
        return;
    }
    vec3 direction = pixel_direction();
    vec3 light = sky_params.w > 0.0 ? sky_radiance(direction) + sky_disc(direction) : vec3(0.0);
    out_color = vec4(clean(light), 1.0);
}
