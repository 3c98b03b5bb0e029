// Keeps one bad pixel from spreading: everything that is blurred, averaged or shown passes here.

// Largest finite value of a half float, the widest thing a target holds.
const float LARGEST_RADIANCE = 65504.0;

// Tell whether x is NaN or infinite. By its bits: compilers may assume that x == x always holds.
bool is_bad(float x) {
    return (floatBitsToUint(x) & 0x7f800000u) == 0x7f800000u;
}

float clean(float x) {
    return is_bad(x) ? 0.0 : clamp(x, 0.0, LARGEST_RADIANCE);
}

// A colour with one bad channel is black in all three: a half-known hue would glow.
vec3 clean(vec3 color) {
    bool bad = is_bad(color.r) || is_bad(color.g) || is_bad(color.b);
    return bad ? vec3(0.0) : clamp(color, 0.0, LARGEST_RADIANCE);
}

// Colour and coverage: a bad colour is an empty pixel that keeps its coverage.
vec4 clean(vec4 color) {
    return vec4(clean(color.rgb), is_bad(color.a) ? 1.0 : clamp(color.a, 0.0, 1.0));
}
