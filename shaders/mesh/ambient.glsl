// Light that arrives from everywhere: the sky and what is behind the scene.

#include "common/environment.glsl"
#include "mesh/surface.glsl"

// Split sum (Karis 2013): the blurred environment towards the mirrored view, times the lobes'
// albedo. Occlusion maps darken this light only.
vec3 reflect_ambient(Surface s) {
    vec3 mirrored = reflect(-s.view, s.normal);
    // A rough lobe leans from the mirrored direction towards the normal (Lagarde and de Rousiers
    // 2014, "Moving Frostbite to Physically Based Rendering", 4.9.3).
    vec3 towards = safe_normalize(mix(mirrored, s.normal, square(s.lobe_alpha)), s.normal);
    vec3 lobe = environment_radiance(towards, s.roughness) * (s.f0 * s.dfg.x + s.f90 * s.dfg.y);
    return (s.diffuse * environment_irradiance(s.normal) + lobe) * s.occlusion;
}
