// Light that arrives from everywhere: the sky and what is behind the scene.

#include "mesh/surface.glsl"
#ifdef HAS_SKY
#include "common/environment.glsl"
#endif

#ifdef HAS_SKY

// The alpha of a lobe that blurs as a pixel of one radian does, for small ones: it has tails where a
// pixel has none, so it is narrower.
const float LOBE_OF_ANGLE = 0.1;

// How the specular lobe looks at the blurred environment (lobe_tables.py): the normal's share in its
// direction, its roughness, and its share in a mixture with the light on a diffuse surface.
vec3 sky_lobe(Surface s) {
    vec2 size = vec2(textureSize(dfg_map, 0));
    vec2 at = vec2(s.n_dot_v, s.roughness) * (size.x - 1.0) + vec2(0.5, 0.5 + 2.0 * size.x);
    return texture(dfg_map, at / size).xyz;
}

#endif

// Split sum (Karis 2013): the environment as the lobe looks at it, times the lobe's albedo. Occlusion
// maps darken this light only; ground_color.w is the level's own factor on it.
vec3 reflect_ambient(Surface s) {
    vec3 light = sky_light.rgb * (s.occlusion * ground_color.w);
#ifdef HAS_SKY
    vec3 mirrored = reflect(-s.view, s.normal);
    vec3 look = sky_lobe(s);
    float roughness = look.y;
    float angle = 0.0;
#ifdef HAS_SKY_IMAGE
    // A pixel sees a range of directions, which blurs as a lobe as wide as that does.
    angle = min(max(length(dFdx(mirrored)), length(dFdy(mirrored))), 1.0);
    roughness = safe_sqrt(length(vec2(roughness * roughness, angle * LOBE_OF_ANGLE)));
#endif
    vec3 towards = safe_normalize(mix(mirrored, s.normal, look.x), s.normal);
    vec3 around = environment_irradiance(s.normal);
    vec3 lobe = mix(around, environment_radiance(towards, roughness, angle), look.z);
    return light * (s.diffuse * around + s.albedo * lobe);
#else
    // One colour all around.
    return light * (s.diffuse + s.albedo);
#endif
}
