// The specular lobe of a Surface.

#include "mesh/surface.glsl"

// The specular lobe times n_dot_l for light that fills a disc around `to_light` whose half angle has
// this sine (0: from one direction).
vec3 specular_lobe(Surface s, vec3 to_light, float sine) {
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
    float reach = 0.5 * sine * inversesqrt(max(v_dot_h, 0.01));
    float lobe = distribution_ggx(n_dot_h, s.lobe_alpha, reach) * visibility * n_dot_l;
    return fresnel_schlick(v_dot_h, s.f0, s.f90) * lobe;
}
