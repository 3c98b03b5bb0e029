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
#ifdef HAS_LAMP_SHADOWS
#include "shadow/lamp.glsl"

// Light that is less needs no look into a shadow map: a 20th of a step of the darkest grey.
const float LEAST_LIGHT = 1.5e-5;
#endif

// Reflection of unit light that fills a disc around `to_light`, cosine included.
vec3 reflect_disc(
    Surface s, vec3 to_light, float sine, float diffuse_factor, float specular_factor
) {
    float n_dot_l = saturate(dot(s.normal, to_light));
    return s.diffuse * (n_dot_l * diffuse_factor)
        + specular_lobe(s, to_light, sine, s.pixel_spread) * specular_factor;
}

#ifdef HAS_SUN

vec3 reflect_sun(Surface s, float receives_shadow) {
    vec3 light = sun_color.rgb;
#ifdef HAS_SHADOWS
    light *= max(sun_shadow(s.position, s.mesh_normal, sun_direction.xyz), 1.0 - receives_shadow);
#endif
    return light * reflect_disc(
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

// The same for a lamp that is a ball, each of whose points has a cone of its own: three points of it,
// with the weights of Gauss-Chebyshev quadrature. `sine` is that of its half angle.
float ball_cone(float cosine, float outer_cosine, float blend, float sine) {
    float aside = 0.70711 * sine * safe_sqrt(1.0 - cosine * cosine);
    return 0.5 * spot_cone(cosine, outer_cosine, blend)
        + 0.25 * spot_cone(cosine - aside, outer_cosine, blend)
        + 0.25 * spot_cone(cosine + aside, outer_cosine, blend);
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
        light *= ball_cone(
            dot(-to_light, forward), light_params[i].y, light_params[i].z, sine);
    }
    if (kind == LIGHT_SUN) {
        to_light = -forward;
        sine = sin(size);
        light = 1.0;
    }
    return light_color[i].rgb * light
        * reflect_disc(s, to_light, sine, light_params[i].w, light_color[i].w);
}

#endif

// `light` of lamp `i` as far as nothing blocks it.
vec3 unblocked(Surface s, int i, vec3 light, vec3 facet, float receives_shadow) {
#ifdef HAS_LAMP_SHADOWS
    vec3 to_light = safe_normalize(light_position[i].xyz - s.position, s.mesh_normal);
    bool matters = max(light.r, max(light.g, light.b)) > LEAST_LIGHT && receives_shadow > 0.0;
    float n_dot_l = dot(s.mesh_normal, to_light);
    float open = lamp_shadow(i, s.position, s.mesh_normal, facet, n_dot_l, matters);
    return light * max(open, 1.0 - receives_shadow);
#else
    return light;
#endif
}

vec3 reflect_lights(Surface s, float receives_shadow) {
    vec3 sum = vec3(0.0);
#ifdef HAS_LAMP_SHADOWS
    vec3 facet = safe_normalize(cross(dFdx(s.position), dFdy(s.position)), s.mesh_normal);
#else
    vec3 facet = s.mesh_normal;
#endif
#ifdef HAS_SUN
    sum += reflect_sun(s, receives_shadow);
#endif
    // Where there are lamps there is one at least. A software driver runs the body of a loop once more
    // than it is asked to where the condition stands at its head.
#ifdef HAS_LAMPS
    int lamp = 0;
    do {
        sum += unblocked(s, lamp, reflect_lamp(s, lamp), facet, receives_shadow);
        lamp++;
    } while (lamp < options.x);
#endif
#ifdef HAS_AREA_LAMPS
    int area = options.x;
    do {
        sum += unblocked(s, area, reflect_area(s, area), facet, receives_shadow);
        area++;
    } while (area < options.y);
#endif
    return sum;
}
