// Radiance of the environment from any direction. `engine_core/render/sky.py` is the twin in NumPy.

#include "common/interface.glsl"
#include "common/guard.glsl"

vec3 sky_radiance(vec3 direction) {
    int kind = int(sky_color.w);
    if (kind == ENVIRONMENT_HEMISPHERE) {
        return mix(ground_color.rgb, sky_color.rgb, direction.y * 0.5 + 0.5);
    }
    return sky_color.rgb;
}

vec3 sky_disc(vec3 direction) {
    return vec3(0.0);
}
