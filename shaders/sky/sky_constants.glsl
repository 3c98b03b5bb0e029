// Numbers of the daylight sky, read by radiance.glsl and by engine_core/render/sky.py: Preetham,
// Shirley and Smits 1999, "A Practical Analytic Model for Daylight", appendix A.2.

// Perez' coefficients A to E as (slope, offset) over turbidity: of luminance and chromaticity x, y.
const vec2 PEREZ_LUMINANCE[5] = vec2[5](
    vec2(0.1787, -1.4630), vec2(-0.3554, 0.4275), vec2(-0.0227, 5.3251),
    vec2(0.1206, -2.5771), vec2(-0.0670, 0.3703));
const vec2 PEREZ_X[5] = vec2[5](
    vec2(-0.0193, -0.2592), vec2(-0.0665, 0.0008), vec2(-0.0004, 0.2125),
    vec2(-0.0641, -0.8989), vec2(-0.0033, 0.0452));
const vec2 PEREZ_Y[5] = vec2[5](
    vec2(-0.0167, -0.2608), vec2(-0.0950, 0.0092), vec2(-0.0079, 0.2102),
    vec2(-0.0441, -1.6537), vec2(-0.0109, 0.0529));

// Chromaticity of the zenith: rows for turbidity^2, turbidity, 1; columns for the sun's zenith
// angle^3, angle^2, angle, 1.
const vec4 ZENITH_X[3] = vec4[3](
    vec4(0.00166, -0.00375, 0.00209, 0.0),
    vec4(-0.02903, 0.06377, -0.03202, 0.00394),
    vec4(0.11693, -0.21196, 0.06052, 0.25886));
const vec4 ZENITH_Y[3] = vec4[3](
    vec4(0.00275, -0.00610, 0.00317, 0.0),
    vec4(-0.04214, 0.08970, -0.04153, 0.00516),
    vec4(0.15346, -0.26756, 0.06670, 0.26688));

// Engine units of a kilocandela a square metre; Cycles scales its Preetham sky by the same.
const float SKY_SCALE = 0.06;
// Clearer air than this makes the model's zenith black.
const float LEAST_TURBIDITY = 1.7;
// The model has no night: lower suns than this zenith angle (radians) keep its colours and fade to
// dark over TWILIGHT (radians) below the horizon.
const float LOWEST_SUN = 1.55;
const float TWILIGHT = 0.21;
// Sky meets ground over this much of the direction's height.
const float HORIZON_WIDTH = 0.01;
// Height below which a direction sees the horizon itself, where the model divides by zero.
const float LEAST_HEIGHT = 0.01;

// Radiance of the disc outside the air, for intensity 1, and how much its rim is darker.
const float DISC_RADIANCE = 100.0;
const float LIMB_DARKENING = 0.6;
// Optical depth of the air straight up for red, green and blue light (0.65, 0.57, 0.475 um):
// Rayleigh's, and the aerosols' as (slope, offset) over turbidity (Angstrom, appendix A.1).
const vec3 RAYLEIGH_DEPTH = vec3(0.0507, 0.0866, 0.1822);
const vec3 AEROSOL_FALLOFF = vec3(1.751, 2.077, 2.633);
const vec2 AEROSOL_TURBIDITY = vec2(0.04608, -0.04586);
