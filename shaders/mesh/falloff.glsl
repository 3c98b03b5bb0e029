// How the light of a lamp ends.

#include "common/guard.glsl"

// 1 near the lamp, smoothly 0 at its range (Karis 2013); range 0 is no limit.
float range_window(float distance_squared, float range) {
    float part = range > 0.0 ? distance_squared / max(range * range, 1e-9) : 0.0;
    return square(saturate(1.0 - part * part));
}
