// The functions of GLSL that have a hole in their domain, with the hole filled.

const float PI = 3.14159265358979;

// Unit vector along v, or `otherwise` where v has no direction.
vec3 safe_normalize(vec3 v, vec3 otherwise) {
    float squared = dot(v, v);
    return squared > 1e-30 ? v * inversesqrt(squared) : otherwise;
}

float safe_sqrt(float x) {
    return sqrt(max(x, 0.0));
}

// x / y with the sign of y kept and its size at least 1e-9.
float safe_divide(float x, float y) {
    return x / (y < 0.0 ? min(y, -1e-9) : max(y, 1e-9));
}

float safe_acos(float x) {
    return acos(clamp(x, -1.0, 1.0));
}

// x^y for x >= 0; GLSL leaves pow(0, y) and pow of a negative number undefined.
float safe_pow(float x, float y) {
    return x > 0.0 ? pow(x, y) : 0.0;
}

float saturate(float x) {
    return clamp(x, 0.0, 1.0);
}

float square(float x) {
    return x * x;
}
