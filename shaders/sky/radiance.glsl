// Radiance of the environment from any direction. `engine_core/render/sky.py` is the twin in NumPy.

#include "common/interface.glsl"
#include "common/guard.glsl"
#include "sky/sky_constants.glsl"

// Air on the way out in a direction of this height (sine of its elevation), 1 straight up. Kasten and
// Young 1989, "Revised optical air mass tables and approximation formula".
float air_mass(float height) {
    float h = clamp(height, 0.0, 1.0);
    return 1.0 / (h + 0.50572 * pow(6.07995 + degrees(asin(h)), -1.6364));
}

// Optical depth straight up of all that scatters.
vec3 scattering_depth(float turbidity) {
    return RAYLEIGH + AEROSOL * max((turbidity - 1.0) / (CLEAR_TURBIDITY - 1.0), 0.0);
}

// The clear sky; `sun` is the unit direction towards the sun. Light scattered once has a closed form
// in plane layers (Chandrasekhar 1960, "Radiative Transfer", 2.7); the air masses of a round earth
// take the place of the layers' secants. Light scattered more often comes evenly from the air.
vec3 daylight(vec3 direction, vec3 sun, float turbidity) {
    vec3 scattering = scattering_depth(turbidity);
    vec3 depth = scattering + OZONE;
    float below = max(-asin(clamp(sun.y, -1.0, 1.0)), 0.0);
    // The earth's shadow leaves only the air above it lit.
    float shadow = EARTH_RADIUS * (1.0 / max(cos(below), 1e-3) - 1.0);
    vec3 lit = depth * exp(-shadow / LIT_HEIGHT);
    float to_viewer = air_mass(direction.y);
    float to_sun = air_mass(sun.y) * (1.0 + DETOUR * degrees(below));
    float apart = max(abs(to_viewer - to_sun), 1e-3);
    vec3 once = to_viewer * exp(-lit * min(to_viewer, to_sun)) * (1.0 - exp(-lit * apart))
        / (depth * apart) * exp((lit - depth) * to_viewer);
    float around = dot(direction, sun);
    float air = 3.0 / (16.0 * PI) * (1.0 + around * around);
    float g = FORWARDNESS;
    float dust = (1.0 - g * g)
        / (4.0 * PI * safe_pow(max(1.0 + g * g - 2.0 * g * around, 1e-4), 1.5));
    vec3 source = vec3(EVEN_SOURCE[0].x, EVEN_SOURCE[1].x, EVEN_SOURCE[2].x)
        * pow(vec3(to_sun), -vec3(EVEN_SOURCE[0].y, EVEN_SOURCE[1].y, EVEN_SOURCE[2].y))
        * exp(-to_sun * vec3(EVEN_SOURCE[0].z, EVEN_SOURCE[1].z, EVEN_SOURCE[2].z));
    source *= scattering / (RAYLEIGH + AEROSOL);
    vec3 often = source * (1.0 - exp(-depth * to_viewer));
    return PI * SUNLIGHT * ((RAYLEIGH * air + (scattering - RAYLEIGH) * dust) * once + often);
}

// Everything but the sun's disc, at strength 1.
vec3 sky_radiance(vec3 direction) {
    int kind = int(sky_color.w);
    if (kind == ENVIRONMENT_HEMISPHERE) {
        return mix(ground_color.rgb, sky_color.rgb, direction.y * 0.5 + 0.5);
    }
    if (kind == ENVIRONMENT_SKY) {
        vec3 day = daylight(direction, sky_sun.xyz, sky_params.x);
        float above = smoothstep(-HORIZON_WIDTH, HORIZON_WIDTH, direction.y);
        return mix(ground_color.rgb, day, above);
    }
    return sky_color.rgb;
}

// The sun's disc as the camera sees it. It adds nothing to surfaces: the sun is a lamp there.
vec3 sky_disc(vec3 direction) {
    float half_angle = sky_sun.w;
    if (int(sky_color.w) != ENVIRONMENT_SKY || half_angle <= 0.0) {
        return vec3(0.0);
    }
    // The chord keeps its digits where the cosine of a small angle has lost them.
    float from_centre = 2.0 * asin(min(0.5 * length(direction - sky_sun.xyz), 1.0)) / half_angle;
    if (from_centre >= 1.0) {
        return vec3(0.0);
    }
    float rim = 1.0 - LIMB_DARKENING * (1.0 - safe_sqrt(1.0 - from_centre * from_centre));
    float above = smoothstep(-HORIZON_WIDTH, HORIZON_WIDTH, direction.y);
    vec3 through = exp(-(scattering_depth(sky_params.x) + OZONE) * air_mass(direction.y));
    return through * (rim * above * DISC_RADIANCE * sky_params.y);
}
