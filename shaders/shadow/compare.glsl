// Filtered comparison with a shadow map.

// A 3x3 tent in four hardware-filtered comparisons (Castano 2013, "Shadow Mapping Summary"), each
// against the depth of the receiver's own plane there. `slope` is d depth / d (u, v),
// `unit` the size of a texel.
float compare_3x3(
    sampler2DArrayShadow map, float unit, vec3 at, vec2 slope, float layer
) {
    float side = 1.0 / unit;
    vec2 texel = at.xy * side;
    vec2 base = floor(texel + 0.5);
    vec2 part = texel + 0.5 - base;
    vec2 low_weight = 3.0 - 2.0 * part;
    vec2 high_weight = 1.0 + 2.0 * part;
    vec2 low = (base - 0.5 + (2.0 - part) / low_weight - 1.0) * unit;
    vec2 high = (base - 0.5 + part / high_weight + 1.0) * unit;
    vec2 low_depth = (low - at.xy) * slope;
    vec2 high_depth = (high - at.xy) * slope;
    float sum = low_weight.x * low_weight.y
        * texture(map, vec4(low, layer, at.z + low_depth.x + low_depth.y));
    sum += high_weight.x * low_weight.y
        * texture(map, vec4(high.x, low.y, layer, at.z + high_depth.x + low_depth.y));
    sum += low_weight.x * high_weight.y
        * texture(map, vec4(low.x, high.y, layer, at.z + low_depth.x + high_depth.y));
    sum += high_weight.x * high_weight.y
        * texture(map, vec4(high, layer, at.z + high_depth.x + high_depth.y));
    return sum / 16.0;
}
