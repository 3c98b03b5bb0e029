// The specular lobe of a Surface.

#include "mesh/surface.glsl"

// The specular lobe times n_dot_l for light from one direction. `widened_alpha` is the lobe's alpha
// grown by the size of the light; the lobe keeps its energy.
vec3 specular_lobe(Surface s, vec3 to_light, float widened_alpha) {
    float n_dot_l = saturate(dot(s.normal, to_light));
    vec3 halfway = safe_normalize(to_light + s.view, s.normal);
    float n_dot_h = saturate(dot(s.normal, halfway));
    float v_dot_h = saturate(dot(s.view, halfway));
#ifdef IS_SMITH_SCHLICK
    float visibility = visibility_smith_schlick(n_dot_l, s.n_dot_v, s.roughness);
#else
    float visibility = visibility_smith_correlated(n_dot_l, s.n_dot_v, s.lobe_alpha);
#endif
    float kept = square(s.lobe_alpha / widened_alpha);
    float distribution = distribution_ggx(n_dot_h, widened_alpha) * kept;
    return fresnel_schlick(v_dot_h, s.f0, s.f90) * (distribution * visibility * n_dot_l);
}
