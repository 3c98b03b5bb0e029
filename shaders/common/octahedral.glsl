// The unit sphere laid on a square: Cigolle et al. 2014, "A Survey of Efficient Representations for
// Independent Unit Vectors". The pole of the square's centre is +Y (up), its corners are -Y.

#include "common/guard.glsl"

// Unit direction to -1..1 on the square.
vec2 octahedral_from_direction(vec3 direction) {
    float total = max(abs(direction.x) + abs(direction.y) + abs(direction.z), 1e-9);
    vec2 p = direction.xz / total;
    if (direction.y < 0.0) {
        vec2 side = vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
        p = (1.0 - abs(p.yx)) * side;
    }
    return p;
}

// The inverse: -1..1 on the square to a unit direction.
vec3 direction_from_octahedral(vec2 p) {
    vec3 direction = vec3(p.x, 1.0 - abs(p.x) - abs(p.y), p.y);
    float fold = max(-direction.y, 0.0);
    direction.x += direction.x < 0.0 ? fold : -fold;
    direction.z += direction.z < 0.0 ? fold : -fold;
    return safe_normalize(direction, vec3(0.0, 1.0, 0.0));
}
