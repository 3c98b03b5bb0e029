"""Nodes that compute numbers and colours: Value, Math, Mix, Separate, Color Ramp and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .formulas import BLEND, MATH, MATH_ARITY, blackbody_rgb, hsv_to_rgb, rgb_to_hsv
from .node_reader import Evaluator, NodeReader, Value, input_identified, input_named
from .scope import Made
from .values import (
    GRID,
    Color,
    Scalar,
    Unrepresentable,
    above,
    add,
    affine,
    combine,
    constant,
    constant_color,
    lerp,
    luminance,
    multiply,
)

Curve = Callable[[np.ndarray], np.ndarray]


def clamped(x: Scalar, low: float = 0.0, high: float = 1.0) -> Scalar:
    """Return x limited to a range; a picture that cannot leave it stays as it is."""
    if not x.is_constant:
        values = x.on_grid()
        if x.cutoff is not None or (values.min() >= low - 1e-6 and values.max() <= high + 1e-6):
            return x
    return combine(lambda a: np.clip(a, low, high), x)


def _value(reader: NodeReader, made: Made) -> Value:
    return constant(made.socket.default_value)


def _rgb(reader: NodeReader, made: Made) -> Value:
    return constant_color(tuple(made.socket.default_value))


def _math(reader: NodeReader, made: Made) -> Value:
    node = made.node
    operation = node.operation
    if operation not in MATH:
        raise Unrepresentable(f"the operation '{operation}' is not known")
    x, y, z = (reader.scalar(socket, made.scope) for socket in node.inputs[:3])
    result = _math_result(operation, x, y, z)
    return clamped(result) if node.use_clamp else result


def _math_result(operation: str, x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    """Keep sums, products and thresholds exact; put everything else into a table."""
    if operation == "ADD":
        return add(x, y)
    if operation == "SUBTRACT":
        return affine(y, -1, x.offset) if x.is_constant else add(x, affine(y, -1, 0))
    if operation == "MULTIPLY":
        return multiply(x, y)
    if operation == "MULTIPLY_ADD":
        return add(multiply(x, y), z)
    if operation == "DIVIDE" and y.is_constant:
        return affine(x, 1 / y.offset if y.offset else 0.0, 0)
    if operation == "GREATER_THAN" and y.is_constant:
        return above(x, y.offset)
    if operation == "LESS_THAN" and y.is_constant:
        return above(affine(x, -1, 0), -y.offset)
    if operation == "GREATER_THAN" and x.is_constant:
        return above(affine(y, -1, 0), -x.offset)
    if operation == "LESS_THAN" and x.is_constant:
        return above(y, x.offset)
    if operation == "ROUND" and _within_unit(x):
        return above(x, 0.5)
    return combine(MATH[operation], *(x, y, z)[: MATH_ARITY[operation]])


def _within_unit(x: Scalar) -> bool:
    if x.is_constant or x.cutoff is not None:
        return False
    values = x.on_grid()
    return bool(values.min() > -0.5 and values.max() < 1.5)


def _vector_math(reader: NodeReader, made: Made) -> Value:
    node, scope = made.node, made.scope
    a, b, c = (reader.color(socket, scope) for socket in node.inputs[:3])
    operation = node.operation
    if operation in {"DOT_PRODUCT", "LENGTH", "DISTANCE", "NORMALIZE", "CROSS_PRODUCT"}:
        return _vector_geometry(operation, a, b)
    if operation == "SCALE":
        factor = reader.scalar(input_named(node, "Scale"), scope, 1.0)
        return Color(*(multiply(x, factor) for x in a))
    if operation not in MATH:
        raise Unrepresentable(f"the operation '{operation}' is not known")
    return Color(*(_math_result(operation, *xyz) for xyz in zip(a, b, c, strict=True)))


def _vector_geometry(operation: str, a: Color, b: Color) -> Value:
    if not all(x.is_constant for x in (*a, *b)):
        raise Unrepresentable("directions are computed from pictures")
    u, v = (np.array([x.offset for x in vector]) for vector in (a, b))
    if operation == "DOT_PRODUCT":
        return constant(float(u @ v))
    if operation == "LENGTH":
        return constant(float(np.linalg.norm(u)))
    if operation == "DISTANCE":
        return constant(float(np.linalg.norm(u - v)))
    if operation == "CROSS_PRODUCT":
        return constant_color(tuple(np.cross(u, v).tolist()))
    length = float(np.linalg.norm(u))
    return constant_color(tuple((u / length if length else u).tolist()))


def _mix(reader: NodeReader, made: Made) -> Value:
    node, scope = made.node, made.scope
    kind = {"FLOAT": "Float", "VECTOR": "Vector", "RGBA": "Color"}.get(node.data_type)
    if kind is None:
        raise Unrepresentable("rotations are mixed")
    uniform = not (node.data_type == "VECTOR" and node.factor_mode == "NON_UNIFORM")
    factor_socket = input_identified(node, "Factor_Float" if uniform else "Factor_Vector")
    factors = (
        Color(*(reader.scalar(factor_socket, scope),) * 3)
        if uniform
        else reader.color(factor_socket, scope)
    )
    if node.clamp_factor:
        factors = Color(*map(clamped, factors))
    first, second = input_identified(node, f"A_{kind}"), input_identified(node, f"B_{kind}")
    if kind == "Float":
        return lerp(reader.scalar(first, scope), reader.scalar(second, scope), factors.r)
    a, b = reader.color(first, scope), reader.color(second, scope)
    mode = node.blend_type if kind == "Color" else "MIX"
    return _blended(mode, a, b, factors, kind == "Color" and node.clamp_result)


def _mix_rgb(reader: NodeReader, made: Made) -> Value:
    node, scope = made.node, made.scope
    factor = clamped(reader.scalar(node.inputs[0], scope))
    a, b = (reader.color(socket, scope) for socket in node.inputs[1:3])
    return _blended(node.blend_type, a, b, Color(factor, factor, factor), node.use_clamp)


def _blended(mode: str, a: Color, b: Color, factors: Color, clamp: bool) -> Color:
    if mode in {"HUE", "SATURATION", "COLOR", "VALUE"}:
        out = _blended_hsv(mode, a, b, factors.r)
    else:
        out = Color(*(_blend(mode, x, y, f) for x, y, f in zip(a, b, factors, strict=True)))
    return Color(*map(clamped, out)) if clamp else out


def _blend(mode: str, a: Scalar, b: Scalar, factor: Scalar) -> Scalar:
    if mode == "MIX":
        return lerp(a, b, factor)
    if mode == "MULTIPLY":
        return multiply(a, lerp(constant(1), b, factor))
    if mode == "ADD":
        return add(a, multiply(b, factor))
    if mode == "SUBTRACT":
        return add(a, affine(multiply(b, factor), -1, 0))
    if factor == constant(0):
        return a
    return combine(BLEND[mode], a, b, factor)


def _blended_hsv(mode: str, a: Color, b: Color, factor: Scalar) -> Color:
    """Blend modes that mix hue, saturation or value; of constants only."""
    if factor == constant(0):
        return a
    if not all(x.is_constant for x in (*a, *b, factor)):
        raise Unrepresentable("hue, saturation or value of pictures is mixed")
    rgb_a, rgb_b = _constants(a), _constants(b)
    hsv_a, hsv_b = rgb_to_hsv(rgb_a), rgb_to_hsv(rgb_b)
    f = factor.offset
    if mode == "VALUE":
        return constant_color(hsv_to_rgb((hsv_a[0], hsv_a[1], hsv_a[2] * (1 - f) + hsv_b[2] * f)))
    if mode == "SATURATION":
        if hsv_a[1] == 0:
            return a
        return constant_color(hsv_to_rgb((hsv_a[0], hsv_a[1] * (1 - f) + hsv_b[1] * f, hsv_a[2])))
    if hsv_b[1] == 0:
        return a
    saturation = hsv_b[1] if mode == "COLOR" else hsv_a[1]
    target = hsv_to_rgb((hsv_b[0], saturation, hsv_a[2]))
    return constant_color(tuple(x * (1 - f) + y * f for x, y in zip(rgb_a, target, strict=True)))


def _constants(color: Color) -> tuple[float, float, float]:
    return (color.r.offset, color.g.offset, color.b.offset)


def _clamp(reader: NodeReader, made: Made) -> Value:
    value, low, high = (reader.scalar(socket, made.scope) for socket in made.node.inputs[:3])
    if made.node.clamp_type == "RANGE":
        return combine(
            lambda x, a, b: np.clip(x, np.minimum(a, b), np.maximum(a, b)), value, low, high
        )
    if low.is_constant and high.is_constant:
        return clamped(value, low.offset, high.offset)
    return combine(lambda x, a, b: np.minimum(np.maximum(x, a), b), value, low, high)


def _map_range(reader: NodeReader, made: Made) -> Value:
    node, scope = made.node, made.scope
    if node.data_type != "FLOAT":
        raise Unrepresentable("a range of vectors is mapped")
    x, from_min, from_max, to_min, to_max, steps = (
        reader.scalar(socket, scope) for socket in node.inputs[:6]
    )
    kind = node.interpolation_type

    def mapped(
        x: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, n: np.ndarray
    ) -> np.ndarray:
        span = np.asarray(b - a, np.float64)
        t = np.where(span == 0, 0.0, (x - a) / np.where(span == 0, 1.0, span))
        if kind == "STEPPED":
            t = np.where(n > 0, np.floor(t * (n + 1)) / np.where(n > 0, n, 1), 0.0)
        if kind in {"SMOOTHSTEP", "SMOOTHERSTEP"} or node.clamp:
            t = np.clip(t, 0, 1)
        if kind == "SMOOTHSTEP":
            t = t * t * (3 - 2 * t)
        if kind == "SMOOTHERSTEP":
            t = t * t * t * (t * (t * 6 - 15) + 10)
        return c + t * (d - c)

    return combine(mapped, x, from_min, from_max, to_min, to_max, steps)


def _invert(reader: NodeReader, made: Made) -> Value:
    factor = reader.scalar(made.node.inputs[0], made.scope)
    color = reader.color(made.node.inputs[1], made.scope)
    return Color(*(lerp(x, affine(x, -1, 1), factor) for x in color))


def _gamma(reader: NodeReader, made: Made) -> Value:
    color = reader.color(made.node.inputs[0], made.scope)
    gamma = reader.scalar(made.node.inputs[1], made.scope)
    if gamma == constant(1):
        return color
    return Color(
        *(combine(lambda a, b: np.where(a > 0, np.power(np.abs(a), b), a), x, gamma) for x in color)
    )


def _bright_contrast(reader: NodeReader, made: Made) -> Value:
    color = reader.color(made.node.inputs[0], made.scope)
    bright, contrast = (reader.scalar(socket, made.scope) for socket in made.node.inputs[1:3])
    if bright == constant(0) and contrast == constant(0):
        return color
    return Color(
        *(
            combine(lambda a, p, q: np.maximum((1 + q) * a + p - q * 0.5, 0), x, bright, contrast)
            for x in color
        )
    )


def _hue_saturation(reader: NodeReader, made: Made) -> Value:
    node, scope = made.node, made.scope
    hue, saturation, value, factor = (reader.scalar(socket, scope) for socket in node.inputs[:4])
    color = reader.color(input_named(node, "Color"), scope)
    if hue == constant(0.5) and saturation == constant(1):
        return Color(*(lerp(x, multiply(x, value), factor) for x in color))
    if not all(x.is_constant for x in (hue, saturation, value, factor, *color)):
        raise Unrepresentable("hue or saturation of a picture is changed")
    rgb = _constants(color)
    h, s, v = rgb_to_hsv(rgb)
    shifted = hsv_to_rgb(
        ((h + hue.offset + 0.5) % 1.0, min(max(s * saturation.offset, 0), 1), v * value.offset)
    )
    f = factor.offset
    return constant_color(
        tuple(max(x * (1 - f) + y * f, 0) for x, y in zip(rgb, shifted, strict=True))
    )


def _separate_color(reader: NodeReader, made: Made) -> Value:
    color = reader.color(made.node.inputs[0], made.scope)
    index = list(made.node.outputs).index(made.socket)
    if getattr(made.node, "mode", "RGB") == "RGB":
        return color[index]
    if made.node.mode == "HSV" and all(x.is_constant for x in color):
        return constant(rgb_to_hsv(_constants(color))[index])
    raise Unrepresentable(f"{made.node.mode} of a picture is taken apart")


def _combine_color(reader: NodeReader, made: Made) -> Value:
    parts = [reader.scalar(socket, made.scope) for socket in made.node.inputs[:3]]
    if getattr(made.node, "mode", "RGB") == "RGB":
        return Color(*parts)
    if made.node.mode == "HSV" and all(x.is_constant for x in parts):
        return constant_color(hsv_to_rgb(_constants(Color(*parts))))
    raise Unrepresentable(f"a picture is put together from {made.node.mode}")


def _rgb_to_bw(reader: NodeReader, made: Made) -> Value:
    return luminance(reader.color(made.node.inputs[0], made.scope))


def _color_ramp(reader: NodeReader, made: Made) -> Value:
    ramp = made.node.color_ramp
    position = reader.scalar(made.node.inputs[0], made.scope)
    table = np.array([tuple(ramp.evaluate(float(t))) for t in GRID])
    if made.socket.name == "Alpha":
        return combine(lambda t: np.interp(t, GRID, table[:, 3]), position)
    return Color(*(_looked_up(position, table[:, index]) for index in range(3)))


def _looked_up(position: Scalar, values: np.ndarray) -> Scalar:
    return combine(lambda t: np.interp(t, GRID, values), position)


def _rgb_curves(reader: NodeReader, made: Made) -> Value:
    node, mapping = made.node, made.node.mapping
    factor = reader.scalar(node.inputs[0], made.scope)
    color = reader.color(node.inputs[1], made.scope)
    mapping.initialize()
    combined = _curve(mapping, 3)
    curves = [_curve(mapping, index) for index in range(3)]
    curved = Color(*(_through(combined, own, x) for own, x in zip(curves, color, strict=True)))
    return Color(*(lerp(x, y, factor) for x, y in zip(color, curved, strict=True)))


def _through(first: Curve, second: Curve, x: Scalar) -> Scalar:
    return combine(lambda a: second(first(a)), x)


def _float_curve(reader: NodeReader, made: Made) -> Value:
    mapping = made.node.mapping
    factor, value = (reader.scalar(socket, made.scope) for socket in made.node.inputs[:2])
    mapping.initialize()
    return lerp(value, combine(_curve(mapping, 0), value), factor)


def _curve(mapping: Any, index: int) -> Curve:
    """Return a function over arrays that evaluates one curve of a CurveMapping."""
    curve = mapping.curves[index]

    def evaluate(x: np.ndarray) -> np.ndarray:
        flat = [mapping.evaluate(curve, float(t)) for t in np.ravel(x)]
        return np.array(flat).reshape(np.shape(x))

    return evaluate


def _blackbody(reader: NodeReader, made: Made) -> Value:
    kelvin = reader.scalar(made.node.inputs[0], made.scope)
    if not kelvin.is_constant:
        raise Unrepresentable("the temperature varies")
    return constant_color(blackbody_rgb(kelvin.offset))


VALUE_EVALUATORS: dict[str, Evaluator] = {
    "VALUE": _value,
    "RGB": _rgb,
    "MATH": _math,
    "VECT_MATH": _vector_math,
    "MIX": _mix,
    "MIX_RGB": _mix_rgb,
    "CLAMP": _clamp,
    "MAP_RANGE": _map_range,
    "INVERT": _invert,
    "GAMMA": _gamma,
    "BRIGHTCONTRAST": _bright_contrast,
    "HUE_SAT": _hue_saturation,
    "SEPARATE_COLOR": _separate_color,
    "SEPRGB": _separate_color,
    "SEPXYZ": _separate_color,
    "COMBINE_COLOR": _combine_color,
    "COMBRGB": _combine_color,
    "COMBXYZ": _combine_color,
    "RGBTOBW": _rgb_to_bw,
    "VALTORGB": _color_ramp,
    "CURVE_RGB": _rgb_curves,
    "CURVE_FLOAT": _float_curve,
    "BLACKBODY": _blackbody,
}
"""Evaluators by `node.type`."""
