// The environment behind everything, drawn where nothing else was.

#include "common/interface.glsl"
#include "common/guard.glsl"
#include "common/clean.glsl"
#ifdef HAS_SKY_IMAGE
#include "common/panorama.glsl"
#else
#include "sky/radiance.glsl"
#endif

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

// What the camera sees in a direction; sky_params.z tells that it is one colour.
vec3 background(vec3 direction) {
#ifdef HAS_SKY_IMAGE
    vec3 seen = image_direction(direction);
    float angle = max(length(dFdx(seen)), length(dFdy(seen)));
    vec3 light = panorama_radiance(seen, angle);
#else
    vec3 light = sky_radiance(direction) + sky_disc(direction);
#endif
    return sky_background.rgb * (sky_params.z > 0.0 ? vec3(1.0) : light);
}

void main() {
    if (options.w != 0) {
        out_color = vec4(0.0);
        return;
    }
    vec3 light = background(pixel_direction()) * sky_params.w;
    out_color = vec4(clean(light), 1.0);
}
