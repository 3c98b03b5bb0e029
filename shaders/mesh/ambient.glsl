// Light that arrives from everywhere: the sky and what is behind the scene.

#include "mesh/surface.glsl"
#ifdef HAS_SKY
#include "common/environment.glsl"
#endif

// The alpha of a lobe as wide at half its height as an angle of one radian, for small ones.
const float LOBE_OF_ANGLE = 0.39;

// Split sum (Karis 2013): the blurred environment towards the mirrored view, times the lobes'
// albedo. Occlusion maps darken this light only; ground_color.w is the level's own factor on it.
vec3 reflect_ambient(Surface s) {
    vec3 light = sky_light.rgb * (s.occlusion * ground_color.w);
#ifdef HAS_SKY
    vec3 mirrored = reflect(-s.view, s.normal);
    float roughness = s.roughness;
    float angle = 0.0;
#ifdef HAS_SKY_IMAGE
    // A pixel sees a range of directions, which blurs as a lobe as wide as that does.
    angle = min(max(length(dFdx(mirrored)), length(dFdy(mirrored))), 1.0);
    roughness = safe_sqrt(length(vec2(roughness * roughness, angle * LOBE_OF_ANGLE)));
#endif
    // A rough lobe leans from the mirrored direction towards the normal (Lagarde and de Rousiers
    // 2014, "Moving Frostbite to Physically Based Rendering", 4.9.3).
    vec3 towards = safe_normalize(mix(mirrored, s.normal, square(s.lobe_alpha)), s.normal);
    vec3 lobe = environment_radiance(towards, roughness, angle);
    return light * (s.diffuse * environment_irradiance(s.normal) + s.albedo * lobe);
#else
    // One colour all around.
    return light * (s.diffuse + s.albedo);
#endif
}
