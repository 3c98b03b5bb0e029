"""Warnings have one source: the page is made from the causes, and no site has its own words."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fyn.addon.sync.causes import Cause
from fyn.addon.sync.repairs import REPAIRS
from fyn.addon.sync.warning_docs import warnings_markdown

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_warnings_is_up_to_date():
    """Run scripts/generate_docs.py when this fails."""
    assert (ROOT / "docs" / "warnings.md").read_text("utf-8") == warnings_markdown()


@pytest.mark.parametrize("cause", Cause.all().values(), ids=lambda cause: cause.name)
def test_a_cause_is_on_the_page_with_its_repair(cause):
    (line,) = [line for line in warnings_markdown().splitlines() if f"| `{cause.name}` |" in line]
    assert line.count(" | ") == 4
    assert cause.words.title in line
    if cause.words.fix:
        assert f"| {REPAIRS[cause.words.fix].label} |" in line


def test_every_warning_of_the_sync_names_a_cause_instead_of_words_of_its_own():
    """Add a cause to scene_causes.py or material_causes.py when this fails."""
    wrong = []
    for file in sorted((ROOT / "addon").rglob("*.py")):
        if file.name == "warnings.py" and file.parent.name == "sync":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _has_own_words(node):
                wrong.append(f"{file.relative_to(ROOT).as_posix()}:{node.lineno}")
    assert not wrong, "\n".join(wrong)


def _has_own_words(call: ast.Call) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name == "SyncWarning":
        return True
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    texts = (ast.JoinedStr, ast.Constant)
    return name == "warn" and len(call.args) > 1 and isinstance(arguments[1], texts)


def test_every_cause_is_raised_somewhere():
    """A cause that nothing raises any more is one that the engine has learnt to show: remove it."""
    sources = "\n".join(
        file.read_text("utf-8")
        for file in (ROOT / "addon").rglob("*.py")
        if not file.name.endswith("causes.py")
    )
    unused = [
        cause.name
        for cause in Cause.all().values()
        if f"{type(cause).__name__}.{cause.name}" not in sources
    ]
    assert not unused
