"""Small safe expressions over settings, such as "bloom and samples > 1".

The syntax is Python's, cut down to names, numbers, text, `and or not`, comparisons, `+ - * / // %`,
`a if c else b`, `min()` and `max()`. Nothing else parses, so a pipeline file cannot run code.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from ...errors import PipelineError

Value = bool | int | float | str

MAX_LENGTH: Final = 200
"""Characters; keeps hostile files from nesting deeply."""
MAX_NUMBER: Final = 1e9
"""Largest magnitude of any number on the way."""

_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"min": min, "max": max}


def evaluate(expression: str, names: Mapping[str, Value]) -> Value:
    """Return the value of `expression`, with `names` standing for the settings.

    Raises:
        PipelineError: it does not parse, uses something else than the syntax above or an unknown
            name, mixes text with arithmetic, divides by zero or leaves the range of numbers.
    """
    try:
        return _value(_parsed(expression), names)
    except PipelineError as error:
        raise PipelineError(f'in the expression "{expression}": {error}') from None


def names_in(expression: str) -> frozenset[str]:
    """Return the names that `expression` uses (settings, `width`, `height`, `index`).

    Raises:
        PipelineError: it does not parse.
    """
    try:
        tree = _parsed(expression)
    except PipelineError as error:
        raise PipelineError(f'in the expression "{expression}": {error}') from None
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    nodes = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called)
    return frozenset(node.id for node in nodes)


@lru_cache(maxsize=512)
def _parsed(expression: str) -> ast.expr:
    if len(expression) > MAX_LENGTH:
        raise PipelineError(f"longer than {MAX_LENGTH} characters")
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PipelineError("this is not an expression") from None


def _value(node: ast.expr, names: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return constant if isinstance(constant, str) else _in_range(constant)
        case ast.Name(id=name):
            return _named(name, names)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, names) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, names) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _arithmetic(type(op), _number(left, names), _number(right, names))
        case ast.Compare():
            return _comparison(node, names)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, names) else orelse, names)
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if (
            function in _FUNCTIONS and len(args) > 1
        ):
            return _FUNCTIONS[function](*(_number(arg, names) for arg in args))
    raise PipelineError(
        f'"{ast.unparse(node)}" is not allowed; use names, numbers, text, and/or/not, comparisons,'
        " + - * / // %, a if c else b, min() and max()"
    )


def _named(name: str, names: Mapping[str, Value]) -> Value:
    if name not in names:
        known = ", ".join(sorted(names)) or "none"
        raise PipelineError(f'"{name}" is no setting; known names: {known}')
    return names[name]


def _number(node: ast.expr, names: Mapping[str, Value]) -> int | float:
    value = _value(node, names)
    if isinstance(value, str):
        raise PipelineError(f'"{ast.unparse(node)}" is text where a number is needed')
    return value


def _in_range(number: int | float) -> int | float:
    if not abs(number) <= MAX_NUMBER:  # written so that NaN fails too
        raise PipelineError(f"a number is outside -{MAX_NUMBER:g}..{MAX_NUMBER:g}")
    return number


def _arithmetic(op: type[ast.operator], left: int | float, right: int | float) -> int | float:
    try:
        return _in_range(_ARITHMETIC[op](left, right))
    except ZeroDivisionError:
        raise PipelineError("division by zero") from None


def _comparison(node: ast.Compare, names: Mapping[str, Value]) -> bool:
    left = _value(node.left, names)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        compare = _COMPARISONS.get(type(op))
        if compare is None:
            raise PipelineError(
                f'"{ast.unparse(node)}" is not allowed; compare with == != < > <= >='
            )
        right = _value(right_node, names)
        if isinstance(left, str) != isinstance(right, str):
            raise PipelineError(f'"{ast.unparse(node)}" compares text with a number')
        if not compare(left, right):
            return False
        left = right
    return True
