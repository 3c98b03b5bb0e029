// What the lamps of the scene send from a Surface to the viewer.

#include "mesh/surface.glsl"
#include "mesh/area.glsl"
#include "shadow/receive.glsl"

// The specular lobe times n_dot_l for light from one direction. `widened_alpha` is the lobe's alpha
// grown by the size of the light; the lobe keeps its energy.
vec3 specular_lobe(Surface s, vec3 to_light, float n_dot_l, float widened_alpha) {
    vec3 halfway = safe_normalize(to_light + s.view, s.normal);
    float n_dot_h = saturate(dot(s.normal, halfway));
    float v_dot_h = saturate(dot(s.view, halfway));
    float visibility = options.x == GEOMETRY_SMITH_SCHLICK
        ? visibility_smith_schlick(n_dot_l, s.n_dot_v, s.roughness)
        : visibility_smith_correlated(n_dot_l, s.n_dot_v, s.lobe_alpha);
    float kept = square(s.lobe_alpha / widened_alpha);
    float distribution = distribution_ggx(n_dot_h, widened_alpha) * kept;
    return fresnel_schlick(v_dot_h, s.f0, s.f90) * (distribution * visibility * n_dot_l);
}

// Reflection of light that arrives from one direction, cosine included, for unit light.
vec3 reflect_light(Surface s, vec3 to_light, float diffuse_factor, float specular_factor) {
    float n_dot_l = saturate(dot(s.normal, to_light));
    vec3 lobe = specular_lobe(s, to_light, n_dot_l, s.lobe_alpha);
    return s.diffuse * (n_dot_l * diffuse_factor) + lobe * specular_factor;
}

// The same for a light that fills a cone: the highlight takes the direction of the cone nearest to
// the mirrored view (Karis 2013, "representative point").
vec3 reflect_round_light(
    Surface s, vec3 to_light, float sine, float diffuse_factor, float specular_factor
) {
    if (sine <= 0.0) {
        return reflect_light(s, to_light, diffuse_factor, specular_factor);
    }
    vec3 mirrored = reflect(-s.view, s.normal);
    vec3 aside = mirrored * max(dot(mirrored, to_light), 0.0) - to_light;
    float reach = min(1.0, sine * inversesqrt(max(dot(aside, aside), 1e-12)));
    vec3 nearest = safe_normalize(to_light + aside * reach, to_light);
    float widened = saturate(s.lobe_alpha + 0.5 * sine);
    vec3 lobe = specular_lobe(s, nearest, saturate(dot(s.normal, nearest)), widened);
    float n_dot_l = saturate(dot(s.normal, to_light));
    return s.diffuse * (n_dot_l * diffuse_factor) + lobe * specular_factor;
}

// 1 near the lamp, smoothly 0 at its range (Karis 2013); range 0 is no limit.
float range_window(float distance_squared, float range) {
    if (range <= 0.0) {
        return 1.0;
    }
    float part = distance_squared / max(range * range, 1e-9);
    return square(saturate(1.0 - part * part));
}

// Cone of a spot as Cycles has it: a smoothstep over the cosine, `blend` of the way to the axis.
float spot_cone(float cosine, float outer_cosine, float blend) {
    float edge = max((1.0 - outer_cosine) * blend, 1e-5);
    float t = saturate((cosine - outer_cosine) / edge);
    return t * t * (3.0 - 2.0 * t);
}

vec3 reflect_lamp(Surface s, int i) {
    int kind = int(light_position[i].w);
    vec3 color = light_color[i].rgb;
    float specular_factor = light_color[i].w;
    float diffuse_factor = light_params[i].w;
    vec3 forward = light_direction[i].xyz;
    if (kind == LIGHT_SUN) {
        float sine = sin(light_params[i].x);
        return color * reflect_round_light(s, -forward, sine, diffuse_factor, specular_factor);
    }
    vec3 offset = light_position[i].xyz - s.position;
    float squared = max(dot(offset, offset), 1e-8);
    color *= range_window(squared, light_direction[i].w);
    if (kind == LIGHT_AREA) {
        return color * reflect_area_light(s, i, offset, diffuse_factor, specular_factor);
    }
    float inverse = inversesqrt(squared);
    vec3 to_light = offset * inverse;
    if (kind == LIGHT_SPOT) {
        color *= spot_cone(dot(-to_light, forward), light_params[i].y, light_params[i].z);
    }
    float radius = light_params[i].x;
    // Inside the sphere of the lamp the light stops growing.
    color /= max(squared, max(radius * radius, 1e-6));
    float sine = min(radius * inverse, 1.0);
    return color * reflect_round_light(s, to_light, sine, diffuse_factor, specular_factor);
}

vec3 reflect_sun(Surface s, float receives_shadow) {
    if (sun_direction.w <= 0.0) {
        return vec3(0.0);
    }
    float n_dot_l = dot(s.mesh_normal, sun_direction.xyz);
    float light = 1.0;
    if (sun_params.z > 0.0 && receives_shadow > 0.0 && dot(s.normal, sun_direction.xyz) > 0.0) {
        light = sun_shadow(s.position, s.mesh_normal, n_dot_l);
    }
    if (light <= 0.0) {
        return vec3(0.0);
    }
    return sun_color.rgb * light * reflect_round_light(
        s, sun_direction.xyz, sin(sun_params.y), sun_params.x, sun_color.w);
}

vec3 reflect_lights(Surface s, float receives_shadow) {
    vec3 sum = reflect_sun(s, receives_shadow);
    for (int i = 0; i < options.y; i++) {
        sum += reflect_lamp(s, i);
    }
    return sum;
}
