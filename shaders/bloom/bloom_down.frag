// Halves an image for bloom: Jimenez 2014, "Next Generation Post Processing in Call of Duty:
// Advanced Warfare", 13 taps that overlap in five boxes. With BRIGHT_PASS (the first halving, from
// the scene) only what is brighter than the threshold stays, and the boxes are averaged after
// Karis so that a single bright pixel does not flicker.
// In: source, twice the size. Out: rgb.

#include "common/interface.glsl"
#include "common/clean.glsl"
#include "common/color.glsl"

#ifndef BRIGHT_PASS
#define BRIGHT_PASS 0
#endif

uniform sampler2D source;

in vec2 uv;

layout(location = 0) out vec4 out_color;

#if BRIGHT_PASS

// The most that one pixel gives to the glow: the mirrored sun is thousands of times brighter than
// what it lies on, and would haze over the whole picture from one pixel.
const float MOST_GLOW = 8.0;

// Light above the threshold (bloom.x), with a quadratic knee of half width bloom.y * bloom.x around
// it that joins both straight parts smoothly.
vec3 bright_part(vec3 color) {
    float brightness = luminance(color);
    float knee = max(bloom.x * bloom.y, 1e-5);
    float soft = clamp(brightness - bloom.x + knee, 0.0, 2.0 * knee);
    float kept = min(max(brightness - bloom.x, soft * soft / (4.0 * knee)), MOST_GLOW);
    return color * (kept / max(brightness, 1e-5));
}

// Texels are read one by one and cleaned before they are mixed: a filtering sampler would mix a bad
// one into its neighbours first.
vec3 texel(ivec2 at) {
    ivec2 last = textureSize(source, 0) - 1;
    return bright_part(clean(texelFetch(source, clamp(at, ivec2(0), last), 0).rgb));
}

// Mean of 2x2 texels from `at` on.
vec3 tap(ivec2 at) {
    return 0.25 * (texel(at) + texel(at + ivec2(1, 0)) + texel(at + ivec2(0, 1))
        + texel(at + ivec2(1, 1)));
}

vec4 karis(vec3 box) {
    return vec4(box, 1.0) / (1.0 + luminance(box));
}

void main() {
    ivec2 at = 2 * ivec2(gl_FragCoord.xy);
    vec3 outer[9];
    for (int i = 0; i < 9; i++) {
        outer[i] = tap(at + ivec2(i % 3 - 1, i / 3 - 1) * 2);
    }
    vec3 a = tap(at + ivec2(-1, -1));
    vec3 b = tap(at + ivec2(1, -1));
    vec3 c = tap(at + ivec2(-1, 1));
    vec3 d = tap(at + ivec2(1, 1));
    vec4 sum = 0.5 * karis(0.25 * (a + b + c + d));
    for (int i = 0; i < 4; i++) {
        int corner = i % 2 + i / 2 * 3;
        vec3 box = outer[corner] + outer[corner + 1] + outer[corner + 3] + outer[corner + 4];
        sum += 0.125 * karis(0.25 * box);
    }
    out_color = vec4(clean(sum.rgb / max(sum.a, 1e-6)), 1.0);
}

#else

vec3 tap(vec2 offset) {
    return clean(texture(source, uv + offset / vec2(textureSize(source, 0))).rgb);
}

void main() {
    vec3 inner = tap(vec2(-1.0, -1.0)) + tap(vec2(1.0, -1.0)) + tap(vec2(-1.0, 1.0))
        + tap(vec2(1.0, 1.0));
    vec3 sides = tap(vec2(-2.0, 0.0)) + tap(vec2(2.0, 0.0)) + tap(vec2(0.0, -2.0))
        + tap(vec2(0.0, 2.0));
    vec3 corners = tap(vec2(-2.0, -2.0)) + tap(vec2(2.0, -2.0)) + tap(vec2(-2.0, 2.0))
        + tap(vec2(2.0, 2.0));
    vec3 sum = inner * 0.125 + sides * 0.0625 + corners * 0.03125 + tap(vec2(0.0)) * 0.125;
    out_color = vec4(sum, 1.0);
}

#endif
