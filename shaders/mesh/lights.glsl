// What the lamps of the scene send from a Surface to the viewer.

#include "mesh/falloff.glsl"
#include "mesh/specular.glsl"
#include "mesh/surface.glsl"
#ifdef HAS_AREA_LAMPS
#include "mesh/area.glsl"
#endif
#ifdef HAS_SHADOWS
#include "shadow/receive.glsl"
#endif

// Reflection of unit light that fills a cone around `to_light`, of half angle asin(sine), cosine
// included. The highlight takes the direction of the cone nearest to the mirrored view (Karis 2013,
// "Real Shading in Unreal Engine 4", representative point).
vec3 reflect_cone(
    Surface s, vec3 to_light, float sine, float diffuse_factor, float specular_factor
) {
    vec3 mirrored = reflect(-s.view, s.normal);
    vec3 aside = mirrored * max(dot(mirrored, to_light), 0.0) - to_light;
    float reach = min(1.0, sine * inversesqrt(max(dot(aside, aside), 1e-12)));
    vec3 nearest = safe_normalize(to_light + aside * reach, to_light);
    vec3 lobe = specular_lobe(s, nearest, saturate(s.lobe_alpha + 0.5 * sine));
    float n_dot_l = saturate(dot(s.normal, to_light));
    return s.diffuse * (n_dot_l * diffuse_factor) + lobe * specular_factor;
}

#ifdef HAS_SUN

vec3 reflect_sun(Surface s, float receives_shadow) {
    float light = 1.0;
#ifdef HAS_SHADOWS
    light = receives_shadow > 0.0
        ? sun_shadow(s.position, s.mesh_normal, sun_direction.xyz) : 1.0;
#endif
    return sun_color.rgb * light * reflect_cone(
        s, sun_direction.xyz, sin(sun_params.y), sun_params.x, sun_color.w);
}

#endif

#ifdef HAS_LAMPS

// Cone of a spot as Cycles has it: a smoothstep over the cosine, `blend` of the way to the axis.
float spot_cone(float cosine, float outer_cosine, float blend) {
    float edge = max((1.0 - outer_cosine) * blend, 1e-5);
    float t = saturate((cosine - outer_cosine) / edge);
    return t * t * (3.0 - 2.0 * t);
}

// Suns without shadows, points and spots.
vec3 reflect_lamp(Surface s, int i) {
    int kind = int(light_position[i].w);
    vec3 forward = light_direction[i].xyz;
    vec3 offset = light_position[i].xyz - s.position;
    float squared = max(dot(offset, offset), 1e-8);
    float inverse = inversesqrt(squared);
    float size = light_params[i].x;
    vec3 to_light = offset * inverse;
    float sine = min(size * inverse, 1.0);
    // Inside the sphere of the lamp the light stops growing.
    float light = range_window(squared, light_direction[i].w)
        / max(squared, max(size * size, 1e-6));
    if (kind == LIGHT_SPOT) {
        light *= spot_cone(dot(-to_light, forward), light_params[i].y, light_params[i].z);
    }
    if (kind == LIGHT_SUN) {
        to_light = -forward;
        sine = sin(size);
        light = 1.0;
    }
    return light_color[i].rgb * light
        * reflect_cone(s, to_light, sine, light_params[i].w, light_color[i].w);
}

#endif

vec3 reflect_lights(Surface s, float receives_shadow) {
    vec3 sum = vec3(0.0);
#ifdef HAS_SUN
    sum += reflect_sun(s, receives_shadow);
#endif
#ifdef HAS_LAMPS
    for (int i = 0; i < options.x; i++) {
        sum += reflect_lamp(s, i);
    }
#endif
#ifdef HAS_AREA_LAMPS
    for (int i = options.x; i < options.y; i++) {
        sum += reflect_area(s, i);
    }
#endif
    return sum;
}
