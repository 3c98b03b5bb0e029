// Numbers of the reflection model, read by brdf.glsl and by engine_core/render/brdf.py.

// The smoothest lobe that is drawn, alpha = roughness^2: below this a highlight is smaller than a
// pixel and float runs out of digits.
const float LEAST_ALPHA = 0.002;

// Share of the energy that single scattering returns for Fresnel 1, averaged over the hemisphere
// with the cosine: 1 - r^2 (x + y r + z r^2) of roughness r, fitted to the table of brdf.py.
const vec3 LOST_ENERGY = vec3(-0.2551, 2.0767, -1.2321);
