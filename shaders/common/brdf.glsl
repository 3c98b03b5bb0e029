// The surface's reflection, scaled by pi as everything in this engine is: a white diffuse surface
// returns 1 for a light of strength 1 straight above. `engine_core/render/brdf.py` is the twin in
// NumPy.

#include "common/brdf_constants.glsl"
#include "common/guard.glsl"

// GGX, Walter et al. 2007, "Microfacet Models for Refraction", equation 33, times pi, averaged over
// the normals that lie within a reach, in slope, of the halfway vector; 0 gives the plain formula.
//
// In slopes GGX is the density alpha^2 / (pi (slope^2 + alpha^2)^2). That is how the area of a sphere
// lies on a plane under stereographic projection, which takes discs to caps (Dupuy, Heitz and Belcour
// 2017, "A Spherical Cap Preserving Parameterization"): the mean over a disc is the area of a cap.
float distribution_ggx(float n_dot_h, float alpha, float squared_reach) {
    float a2 = alpha * alpha;
    float c2 = n_dot_h * n_dot_h;
    float r2 = squared_reach * c2;
    float s2 = max(1.0 - c2, 0.0);
    float sum = a2 * c2 + s2 + r2;
    float apart = sum - 2.0 * r2;
    float both = safe_sqrt(sum * sum - 4.0 * s2 * r2);
    return 2.0 * a2 / max(both * (both + apart), 1e-14);
}

// Heitz 2014, "Understanding the Masking-Shadowing Function", equation 99: height-correlated Smith
// over 4 * n_dot_l * n_dot_v.
float visibility_smith_correlated(float n_dot_l, float n_dot_v, float alpha) {
    float a2 = alpha * alpha;
    float l = n_dot_v * safe_sqrt(n_dot_l * n_dot_l * (1.0 - a2) + a2);
    float v = n_dot_l * safe_sqrt(n_dot_v * n_dot_v * (1.0 - a2) + a2);
    return 0.5 / max(l + v, 1e-7);
}

// Karis 2013, "Real Shading in Unreal Engine 4": Schlick's approximation of Smith with
// k = (roughness + 1)^2 / 8, over 4 * n_dot_l * n_dot_v.
float visibility_smith_schlick(float n_dot_l, float n_dot_v, float roughness) {
    float k = square(roughness + 1.0) / 8.0;
    return 0.25 / ((n_dot_l * (1.0 - k) + k) * (n_dot_v * (1.0 - k) + k));
}

// Schlick 1994, "An Inexpensive BRDF Model for Physically-based Rendering".
vec3 fresnel_schlick(float v_dot_h, vec3 f0, vec3 f90) {
    float m = saturate(1.0 - v_dot_h);
    float m2 = m * m;
    return f0 + (f90 - f0) * (m2 * m2 * m);
}

// Share of the energy that single scattering returns for Fresnel 1, averaged over the hemisphere.
float average_albedo(float roughness) {
    float r = roughness;
    return 1.0 - r * r * dot(LOST_ENERGY, vec3(1.0, r, r * r));
}

// By how much light that bounces between the microfacets more than once brightens the lobe, given
// the share `albedo` that single scattering returns towards the viewer. Turquin 2019, "Practical
// multiple scattering compensation for microfacet models", with the mean Fresnel of Kulla and Conty
// 2017, "Revisiting Physically Based Shading at Imageworks", for what is absorbed on the way.
vec3 multiple_scattering(vec3 f0, vec3 f90, float albedo, float roughness) {
    vec3 mean_fresnel = f0 + (f90 - f0) / 21.0;
    float mean_albedo = average_albedo(roughness);
    vec3 returned = mean_fresnel * mean_albedo / (1.0 - mean_fresnel * (1.0 - mean_albedo));
    return 1.0 + returned * (1.0 - albedo) / max(albedo, 1e-3);
}
