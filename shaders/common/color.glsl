// Luminance, the sRGB curve and the tone maps. `engine_core/render/tone.py` is the twin in NumPy;
// the constants come from it through tone_constants.glsl.

#include "common/interface.glsl"
#include "common/guard.glsl"
#include "common/tone_constants.glsl"

// Rec. 709 luminance of linear rgb.
float luminance(vec3 color) {
    return dot(color, vec3(0.2126, 0.7152, 0.0722));
}

// IEC 61966-2-1: linear 0..1 to encoded 0..1.
float srgb_encode(float linear) {
    float x = saturate(linear);
    return x <= 0.0031308 ? x * 12.92 : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
}

vec3 srgb_encode(vec3 linear) {
    return vec3(srgb_encode(linear.r), srgb_encode(linear.g), srgb_encode(linear.b));
}

// Fyn's own: leaves everything below the shoulder alone, then runs into 1 exponentially. Value and
// slope are continuous where the two meet.
vec3 tone_map_fyn(vec3 x) {
    float room = 1.0 - FYN_SHOULDER;
    vec3 shoulder = 1.0 - room * exp(-max(x - FYN_SHOULDER, 0.0) / room);
    return mix(x, shoulder, step(FYN_SHOULDER, x));
}

// Narkowicz 2015, "ACES Filmic Tone Mapping Curve".
vec3 tone_map_aces(vec3 x) {
    // Past 1e4 the curve is flat, and the squares would overflow.
    x = min(x, 1e4);
    return clamp((x * (ACES_A * x + ACES_B)) / (x * (ACES_C * x + ACES_D) + ACES_E), 0.0, 1.0);
}

// Hable 2010, "Filmic Tonemapping Operators" (Uncharted 2).
vec3 hable_curve(vec3 x) {
    return (x * (HABLE_A * x + HABLE_C * HABLE_B) + HABLE_D * HABLE_E)
        / (x * (HABLE_A * x + HABLE_B) + HABLE_D * HABLE_F) - HABLE_E / HABLE_F;
}

vec3 tone_map_hable(vec3 x) {
    x = min(x, 1e4);
    return clamp(hable_curve(HABLE_EXPOSURE * x) / hable_curve(vec3(HABLE_WHITE)), 0.0, 1.0);
}

// Reinhard et al. 2002, "Photographic Tone Reproduction", equation 3, per channel.
vec3 tone_map_reinhard(vec3 x) {
    return x / (1.0 + x);
}

// Unbounded light (>= 0) to 0..1; `kind` is one of TONE_MAP_*.
vec3 tone_map(vec3 x, int kind) {
    if (kind == TONE_MAP_FYN) return tone_map_fyn(x);
    if (kind == TONE_MAP_ACES) return tone_map_aces(x);
    if (kind == TONE_MAP_HABLE) return tone_map_hable(x);
    if (kind == TONE_MAP_REINHARD) return tone_map_reinhard(x);
    return clamp(x, 0.0, 1.0);
}
