// What a lit surface is at one fragment: all that lamps and sky need to know of it.

#include "common/interface.glsl"
#include "common/brdf.glsl"

uniform sampler2D dfg_map;

struct Surface {
    vec3 position;
    // Unit, towards the viewer.
    vec3 view;
    // Unit shading normal on the viewer's side, and the one of the bare mesh.
    vec3 normal;
    vec3 mesh_normal;
    float roughness;
    float lobe_alpha;
    // How far the normals of the pixel lie apart, see mesh/specular.glsl.
    float pixel_spread;
    float n_dot_v;
    // Diffuse reflectance: what the specular layer leaves of it.
    vec3 diffuse;
    // Both specular lobes in one: Schlick's Fresnel is linear in these two, and so the sum of the
    // metal's and the dielectric's lobe, each with its multiple scattering, is again of its form.
    vec3 f0;
    vec3 f90;
    // Specular albedo under a uniform sky.
    vec3 albedo;
    float occlusion;
};

// Metal and dielectric share one roughness; the diffuse layer gets what the dielectric's specular
// layer does not reflect towards the viewer.
void prepare_lobes(inout Surface s, vec3 color, float metallic) {
    vec2 size = vec2(textureSize(dfg_map, 0));
    vec2 at = vec2(s.n_dot_v, s.roughness) * (size.x - 1.0) + 0.5;
    vec2 dfg = texture(dfg_map, at / size).xy;
    float single = dfg.x + dfg.y;
    vec3 metal = multiple_scattering(color, vec3(1.0), single, s.roughness) * metallic;
    vec3 f90 = vec3(specular.w);
    vec3 gain = multiple_scattering(specular.rgb, f90, single, s.roughness);
    vec3 layer = gain * (specular.rgb * dfg.x + f90 * dfg.y);
    vec3 dielectric = gain * (1.0 - metallic);
    s.f0 = metal * color + dielectric * specular.rgb;
    s.f90 = metal + dielectric * f90;
    s.albedo = s.f0 * dfg.x + s.f90 * dfg.y;
    float kept = saturate(1.0 - max(layer.r, max(layer.g, layer.b)));
    s.diffuse = color * ((1.0 - metallic) * kept);
}
