// Numbers of the daylight sky, read by radiance.glsl and by engine_core/render/sky.py. Fitted to the
// multiple-scattering sky of Blender 5.0 (scripts/fit_sky.py), which is what turbidity 2.2 means.

// Radiance of a white floor that faces the sun outside of the air, for a sky of strength 1.
const vec3 SUNLIGHT = vec3(3.42, 3.14, 2.87);
// Optical depths straight up through the air, for red, green and blue light: of air itself, of
// aerosols at turbidity 2.2, of ozone (which only absorbs).
const vec3 RAYLEIGH = vec3(0.0406, 0.1000, 0.2814);
const vec3 AEROSOL = vec3(0.0147, 0.0203, 0.0287);
const vec3 OZONE = vec3(0.0271, 0.0355, 0.0);
const float CLEAR_TURBIDITY = 2.2;
// Asymmetry of Henyey and Greenstein's phase function for aerosols.
const float FORWARDNESS = 0.777;

// Light that has been scattered before, as a source that is even all around: (x, y, z) of
// x m^-y exp(-z m) over the air mass m of the sunlight, a row each for red, green and blue.
const vec3 EVEN_SOURCE[3] = vec3[3](
    vec3(0.0469, 0.781, 0.01007),
    vec3(0.0608, 0.837, 0.00528),
    vec3(0.0690, 0.607, 0.00618));

// Under a sun below the horizon: the earth's radius and how fast the lit air thins out, both in km,
// and by how much more air sunlight passes for a degree.
const float EARTH_RADIUS = 6371.0;
const float LIT_HEIGHT = 3.34;
const float DETOUR = 0.849;

// Sky meets ground over this much of the direction's height.
const float HORIZON_WIDTH = 0.005;
// Radiance of the sun's disc outside of the air for intensity 1, and how much darker its rim is.
const float DISC_RADIANCE = 100.0;
const float LIMB_DARKENING = 0.6;
