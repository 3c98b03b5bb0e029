"""Settings of a pipeline: what a user may choose, checked and completed with defaults."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping

from ...errors import PipelineError
from .pipeline import Fallback, Pipeline, Setting
from .plan import SettingValue


def setting_problem(setting: Setting, value: SettingValue) -> str:
    """Return in words why `value` is not allowed for `setting`, or an empty text."""
    if setting.type == "bool":
        return "" if isinstance(value, bool) else f"must be true or false, not {value!r}"
    if setting.type == "choice":
        allowed = ", ".join(f'"{choice}"' for choice in setting.choices)
        return "" if value in setting.choices else f"must be one of {allowed}, not {value!r}"
    wanted = int if setting.type == "int" else int | float
    if isinstance(value, bool) or not isinstance(value, wanted) or not math.isfinite(value):
        kind = "a whole number" if setting.type == "int" else "a finite number"
        return f"must be {kind}, not {value!r}"
    if setting.choices and value not in setting.choices:
        return f"must be one of {', '.join(map(str, setting.choices))}, not {value}"
    if setting.minimum is not None and value < setting.minimum:
        return f"must be at least {setting.minimum:g}, not {value}"
    if setting.maximum is not None and value > setting.maximum:
        return f"must be at most {setting.maximum:g}, not {value}"
    return ""


def complete_settings(
    pipeline: Pipeline, chosen: Mapping[str, SettingValue]
) -> dict[str, SettingValue]:
    """Return every setting of `pipeline` by name, sorted: those `chosen`, defaults for the rest.

    Raises:
        PipelineError: `chosen` names an unknown setting or holds a value that is not allowed.
    """
    for name, value in chosen.items():
        if name not in pipeline.settings:
            raise PipelineError(f'unknown setting "{name}"{suggestion(name, pipeline.settings)}')
        if problem := setting_problem(pipeline.settings[name], value):
            raise PipelineError(f'setting "{name}" {problem}')
    values = {
        name: _typed(setting, chosen.get(name, setting.default))
        for name, setting in pipeline.settings.items()
    }
    return dict(sorted(values.items()))


def with_fallback(
    values: Mapping[str, SettingValue], fallback: Fallback
) -> dict[str, SettingValue]:
    """Return `values` with those of `fallback`; a number is only ever lowered by it."""
    result = dict(values)
    for name, value in fallback.settings.items():
        own = values[name]
        number = not isinstance(value, bool) and isinstance(value, int | float)
        result[name] = min(own, value) if number and isinstance(own, int | float) else value
    return result


def suggestion(name: str, known: Mapping[str, object]) -> str:
    """Return '; did you mean "x"?' or the list of known names, to append to an error."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f'; did you mean "{close[0]}"?'
    return f"; known: {', '.join(sorted(known)) or 'none'}"


def _typed(setting: Setting, value: SettingValue) -> SettingValue:
    return float(value) if setting.type == "float" else value
