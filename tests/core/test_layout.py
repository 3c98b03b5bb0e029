"""Holds the source to its layout: one-way imports, bpy in the add-on only, short files."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["setuptools"]["packages"]

# What each top package may import of its siblings. Dependencies point one way: the engine knows
# nobody, and nobody but the add-on knows Blender.
MAY_IMPORT = {
    "engine_core": set(),
    "compare": {"engine_core"},
    "exporters": {"engine_core"},
    "addon": {"engine_core", "exporters"},
    "cli": {"engine_core", "exporters", "compare", "addon"},
}
BLENDER_MODULES = {
    "bpy",
    "bmesh",
    "mathutils",
    "gpu",
    "bpy_extras",
    "idprop",
    "bl_ui",
    "addon_utils",
}
LINES_AT_MOST = 400


def _folder(package: str) -> Path:
    return ROOT.joinpath(*package.split(".")[1:])


def _package_sources() -> list[Path]:
    return sorted(file for package in PACKAGES for file in _folder(package).glob("*.py"))


def _every_source() -> list[Path]:
    folders = ("scripts", "tests", "benchmarks", "examples")
    scripts = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    return sorted({*_package_sources(), *scripts})


def _relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _imported(file: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of every import; names inside the package start with `fyn.`."""
    inside = ["fyn", *file.relative_to(ROOT).parent.parts]
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"), filename=str(file))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


def _siblings_imported(file: Path) -> list[tuple[int, str]]:
    return [
        (line, name.split(".")[1])
        for line, name in _imported(file)
        if name.startswith("fyn.") and name.split(".")[1] in MAY_IMPORT
    ]


def test_the_scan_sees_relative_imports_as_what_they_reach(tmp_path, monkeypatch):
    source = tmp_path / "engine_core" / "world" / "probe.py"
    source.parent.mkdir(parents=True)
    source.write_text(
        "from ...addon.sync import meshes\nfrom ... import exporters\nimport bpy.types\n"
        "def late():\n    from ..assets.mesh import MeshData\n"
    )
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert [name for _, name in _imported(source)] == [
        "fyn.addon.sync.meshes",
        "fyn.exporters",
        "bpy.types",
        "fyn.engine_core.assets.mesh.MeshData",
    ]
    assert _siblings_imported(source) == [(1, "addon"), (2, "exporters"), (5, "engine_core")]


@pytest.mark.parametrize("top", sorted(MAY_IMPORT))
def test_packages_import_only_what_lies_below_them(top):
    wrong = [
        f"{_relative(file)}:{line} imports {sibling}"
        for file in _package_sources()
        if file.relative_to(ROOT).parts[0] == top
        for line, sibling in _siblings_imported(file)
        if sibling not in MAY_IMPORT[top] | {top}
    ]
    assert not wrong, "\n".join(wrong)


def test_every_top_package_has_its_import_rule():
    tops = {package.split(".")[1] for package in PACKAGES if "." in package}
    assert tops == set(MAY_IMPORT)


def test_only_the_add_on_imports_blender():
    wrong = [
        f"{_relative(file)}:{line} imports {name}"
        for file in _package_sources()
        if file.relative_to(ROOT).parts[0] != "addon"
        for line, name in _imported(file)
        if name.split(".")[0] in BLENDER_MODULES
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_of_the_package_imports_itself_by_an_absolute_name():
    """Inside Blender the package is called bl_ext.<repository>.fyn, so `import fyn` fails there."""
    wrong = []
    for file in _package_sources():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            wrong += [
                f"{_relative(file)}:{node.lineno}" for name in names if name.split(".")[0] == "fyn"
            ]
    assert not wrong, "\n".join(wrong)


def test_every_source_file_says_in_its_first_line_what_it_is_for():
    wrong = []
    for file in _every_source():
        docstring = ast.get_docstring(ast.parse(file.read_text("utf-8")))
        first = (docstring or "").split("\n")[0].strip()
        if not first.endswith(".") or len(first.split()) < 3:
            wrong.append(f"{_relative(file)}: {first!r}")
    assert not wrong, "no sentence in the first line:\n" + "\n".join(wrong)


def test_no_source_file_is_longer_than_a_reader_can_hold():
    lengths = {
        _relative(file): len(file.read_text("utf-8").splitlines()) for file in _every_source()
    }
    wrong = {name: lines for name, lines in lengths.items() if lines > LINES_AT_MOST}
    assert not wrong, f"more than {LINES_AT_MOST} lines: {wrong}"


def test_every_folder_with_sources_is_a_package_of_the_project():
    """A folder missing from `packages` works in the working copy and is absent once installed."""
    found = {"fyn"}
    for top in MAY_IMPORT:
        folders = {file.parent for file in (ROOT / top).rglob("*.py")}
        found |= {"fyn." + ".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert found == set(PACKAGES)
    missing = [package for package in PACKAGES if not (_folder(package) / "__init__.py").is_file()]
    assert not missing, f"packages without __init__.py: {missing}"
