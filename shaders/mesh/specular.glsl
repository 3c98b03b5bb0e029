// The specular lobe of a Surface.

#include "mesh/surface.glsl"

// Widest range of normals in a pixel that is averaged, squared; beyond it they differ too much for
// the derivatives to mean anything (kappa of Kaplanyan et al. 2016, "Filtering Distributions of
// Normals for Shading Antialiasing").
const float WIDEST_PIXEL = 0.18;

// Squared radius of the disc of slopes that has the variance of the normals in a pixel: a highlight
// smaller than a pixel keeps most of its light. Tokuyoshi and Kaplanyan 2019, "Improved Geometric
// Specular Antialiasing", section 3, take the derivatives of the halfway vector for the footprint of
// a pixel and widen alpha by its covariance, as is right for a Gaussian lobe and filter. Here the
// pixel is a box, which varies by a twelfth of its squared sides, a disc by a quarter of its squared
// radius an axis, and distribution_ggx averages the lobe over the disc exactly. Halfway vectors of
// lamps that are far compared with a pixel turn as the normal does, whatever the lamp.
float pixel_spread(vec3 normal) {
    vec3 along_x = dFdx(normal);
    vec3 along_y = dFdy(normal);
    return min((dot(along_x, along_x) + dot(along_y, along_y)) / 6.0, WIDEST_PIXEL);
}

// The specular lobe times n_dot_l for light that fills a disc around `to_light` whose half angle
// has this sine (0: from one direction), averaged over a pixel of that pixel_spread.
vec3 specular_lobe(Surface s, vec3 to_light, float sine, float pixel) {
    float n_dot_l = saturate(dot(s.normal, to_light));
    vec3 halfway = safe_normalize(to_light + s.view, s.normal);
    float n_dot_h = saturate(dot(s.normal, halfway));
    float v_dot_h = saturate(dot(s.view, halfway));
#ifdef IS_SMITH_SCHLICK
    float visibility = visibility_smith_schlick(n_dot_l, s.n_dot_v, s.roughness);
#else
    float visibility = visibility_smith_correlated(n_dot_l, s.n_dot_v, s.lobe_alpha);
#endif
    // Halfway vectors turn half as far as the light, and less so across the plane of incidence.
    float reach = 0.25 * sine * sine / max(v_dot_h, 0.01) + pixel;
    float lobe = distribution_ggx(n_dot_h, s.lobe_alpha, reach) * visibility * n_dot_l;
    return fresnel_schlick(v_dot_h, s.f0, s.f90) * lobe;
}
