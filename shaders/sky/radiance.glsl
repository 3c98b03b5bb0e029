// Radiance of the environment from any direction. `engine_core/render/sky.py` is the twin in NumPy.

#include "common/interface.glsl"
#include "common/guard.glsl"
#include "sky/sky_constants.glsl"

// Linear Rec. 709 with white D65 from CIE XYZ (IEC 61966-2-1); columns are X, Y, Z.
const mat3 RGB_FROM_XYZ = mat3(
    3.2404542, -0.9692660, 0.0556434,
    -1.5371385, 1.8760108, -0.2040259,
    -0.4985314, 0.0415560, 1.0572252);

// One of Perez' curves, relative to its value at the zenith. `around` is the angle to the sun.
float perez(vec2 lines[5], float haze, float cos_theta, float around, float theta_sun) {
    float a = lines[0].x * haze + lines[0].y;
    float b = lines[1].x * haze + lines[1].y;
    float c = lines[2].x * haze + lines[2].y;
    float d = lines[3].x * haze + lines[3].y;
    float e = lines[4].x * haze + lines[4].y;
    float here = (1.0 + a * exp(b / cos_theta))
        * (1.0 + c * exp(d * around) + e * square(cos(around)));
    float zenith = (1.0 + a * exp(b))
        * (1.0 + c * exp(d * theta_sun) + e * square(cos(theta_sun)));
    return safe_divide(here, zenith);
}

float zenith_chromaticity(vec4 rows[3], float haze, float theta_sun) {
    vec4 powers = vec4(theta_sun * theta_sun * theta_sun, theta_sun * theta_sun, theta_sun, 1.0);
    return (dot(rows[0], powers) * haze + dot(rows[1], powers)) * haze + dot(rows[2], powers);
}

// The clear sky; `sun` is the unit direction towards the sun.
vec3 daylight(vec3 direction, vec3 sun, float turbidity) {
    float haze = max(turbidity, LEAST_TURBIDITY);
    float sun_angle = safe_acos(sun.y);
    float theta_sun = min(sun_angle, LOWEST_SUN);
    float cos_theta = max(direction.y, LEAST_HEIGHT);
    float around = safe_acos(dot(direction, sun));
    float x = zenith_chromaticity(ZENITH_X, haze, theta_sun)
        * perez(PEREZ_X, haze, cos_theta, around, theta_sun);
    float y = zenith_chromaticity(ZENITH_Y, haze, theta_sun)
        * perez(PEREZ_Y, haze, cos_theta, around, theta_sun);
    float chi = (4.0 / 9.0 - haze / 120.0) * (PI - 2.0 * theta_sun);
    float zenith = (4.0453 * haze - 4.9710) * tan(chi) - 0.2155 * haze + 2.4192;
    float night = smoothstep(-TWILIGHT, 0.0, LOWEST_SUN - sun_angle);
    float bright = max(zenith, 0.0) * night * SKY_SCALE
        * perez(PEREZ_LUMINANCE, haze, cos_theta, around, theta_sun);
    y = max(y, 1e-3);
    vec3 xyz = vec3(x / y, 1.0, (1.0 - x - y) / y) * bright;
    return max(RGB_FROM_XYZ * xyz, 0.0);
}

// Everything but the sun's disc, times strength.
vec3 sky_radiance(vec3 direction) {
    int kind = int(sky_color.w);
    if (kind == ENVIRONMENT_HEMISPHERE) {
        return mix(ground_color.rgb, sky_color.rgb, direction.y * 0.5 + 0.5);
    }
    if (kind == ENVIRONMENT_SKY) {
        vec3 day = daylight(direction, sky_sun.xyz, sky_params.x) * sky_params.z;
        float above = smoothstep(-HORIZON_WIDTH, HORIZON_WIDTH, direction.y);
        return mix(ground_color.rgb, day, above);
    }
    return sky_color.rgb;
}

// Share of the sun's light that comes through the air, by the relative optical mass of Kasten 1966.
vec3 sunlight_through_air(float height, float haze) {
    float degrees_down = degrees(safe_acos(height));
    float mass = 1.0 / (max(height, 0.0)
        + 0.15 * safe_pow(max(93.885 - degrees_down, 0.1), -1.253));
    float aerosol = max(AEROSOL_TURBIDITY.x * haze + AEROSOL_TURBIDITY.y, 0.0);
    return exp(-mass * (RAYLEIGH_DEPTH + aerosol * AEROSOL_FALLOFF));
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
    return sunlight_through_air(direction.y, sky_params.x)
        * (rim * above * DISC_RADIANCE * sky_params.y * sky_params.z);
}
