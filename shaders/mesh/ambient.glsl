// Light that arrives from everywhere: the sky and what is behind the scene.

#include "mesh/surface.glsl"
#ifdef HAS_SKY
#include "common/environment.glsl"
#endif

// Split sum (Karis 2013): the blurred environment towards the mirrored view, times the lobes'
// albedo. Occlusion maps darken this light only; ground_color.w is the level's own factor on it.
vec3 reflect_ambient(Surface s) {
#ifdef HAS_SKY
    vec3 mirrored = reflect(-s.view, s.normal);
    // A rough lobe leans from the mirrored direction towards the normal (Lagarde and de Rousiers
    // 2014, "Moving Frostbite to Physically Based Rendering", 4.9.3).
    vec3 towards = safe_normalize(mix(mirrored, s.normal, square(s.lobe_alpha)), s.normal);
    vec3 lobe = environment_radiance(towards, s.roughness);
    vec3 light = s.diffuse * environment_irradiance(s.normal) + s.albedo * lobe;
    return light * (s.occlusion * ground_color.w);
#else
    // One colour all around.
    return sky_color.rgb * (s.diffuse + s.albedo) * (s.occlusion * ground_color.w);
#endif
}
