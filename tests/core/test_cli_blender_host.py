"""Running `fyn` inside a Blender program; a stand-in shows what is passed and what comes back."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fyn.cli import blender_host
from fyn.cli.main import main
from fyn.engine_core.errors import FynError, UsageError

# Behaves as `blender -b --python SCRIPT -- ARGS` does: chatters on stdout, has bpy loaded.
BLENDER = """#!{python}
import os, runpy, sys, time, types
print("Blender 9.9 says hello")
mode = os.environ.get("STAND_IN")
if mode == "crash":
    os.abort()
if mode == "sleep":
    time.sleep(60)
if mode == "bare":
    class Nothing:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("moderngl", "glm"):
                raise ModuleNotFoundError(name)
    import importlib.util
    find = importlib.util.find_spec
    importlib.util.find_spec = lambda name: None if name in ("moderngl", "glm") else find(name)
app = types.SimpleNamespace(module=False, version_string="9.9.9", binary_path=sys.argv[0])
utils = types.SimpleNamespace(user_resource=lambda kind: "/nowhere")
sys.modules["bpy"] = types.SimpleNamespace(app=app, utils=utils)
runpy.run_path(sys.argv[sys.argv.index("--python") + 1], run_name="__main__")
"""


@pytest.fixture
def blender(tmp_path, monkeypatch):
    """A program that behaves like Blender, in a folder with an awkward name; named by $BLENDER."""
    if sys.platform == "win32":
        pytest.skip("the stand-in is a script that only Unix starts")
    folder = tmp_path / "Blender [9] ü"
    folder.mkdir()
    program = folder / "blender"
    program.write_text(BLENDER.replace("{python}", sys.executable), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("BLENDER", str(program))
    return program


@pytest.fixture
def no_bpy(monkeypatch):
    """This Python has no bpy wheel."""
    monkeypatch.setattr(blender_host, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "bpy", raising=False)


def test_what_fyn_prints_comes_back_without_what_blender_prints(blender):
    code, printed = blender_host.run_inside_blender(str(blender), ["info", "--json"])
    assert code == 0
    assert json.loads(printed)["python"].startswith(f"{sys.version_info.major}.")


def test_exit_codes_come_back(blender, tmp_path):
    run = blender_host.run_inside_blender
    assert run(str(blender), ["compare", str(tmp_path), "b.png"])[0] == 2
    assert run(str(blender), ["dance"])[0] == 2
    assert run(str(blender), ["--help"])[0] == 0


def test_missing_packages_are_named_with_the_command_that_installs_them(blender, monkeypatch):
    monkeypatch.setenv("STAND_IN", "bare")
    code, printed = blender_host.run_inside_blender(str(blender), ["info", "--json"])
    text = json.loads(printed)["error"]["text"]
    assert code == 2
    assert "moderngl, PyGLM" in text
    assert "-m pip install moderngl PyGLM" in text
    assert "Blender 9.9.9" in text


def test_a_crash_of_blender_is_an_error_with_its_last_words(blender, monkeypatch):
    monkeypatch.setenv("STAND_IN", "crash")
    with pytest.raises(FynError, match="ended with code"):
        blender_host.run_inside_blender(str(blender), ["info"])


def test_a_blender_that_hangs_is_stopped(blender, monkeypatch):
    monkeypatch.setenv("STAND_IN", "sleep")
    with pytest.raises(FynError, match="more than 1 s"):
        blender_host.run_inside_blender(str(blender), ["info"], timeout=1)


def test_a_blend_is_handed_to_blender_when_there_is_no_bpy(blender, no_bpy, tmp_path, capsys):
    """The stand-in's fyn refuses the file itself: it has no true bpy. That it was asked counts."""
    (tmp_path / "a [1].blend").write_bytes(b"")
    main(["render", str(tmp_path / "a [1].blend"), "-o", str(tmp_path / "a.png"), "--json"])
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_without_bpy_and_blender_one_sentence_says_what_to_install(
    no_bpy, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("BLENDER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.blend").write_bytes(b"")
    assert main(["render", str(tmp_path / "a.blend"), "-o", "a.png"]) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert "pip install bpy" in text


def test_the_blender_asked_for_comes_before_the_environment_and_the_path(blender, tmp_path):
    assert blender_host.find_blender(None) == str(blender)
    with pytest.raises(UsageError, match="--blender names 'nothing'"):
        blender_host.find_blender("nothing")


def test_a_blender_asked_for_is_used_even_where_bpy_is_installed(monkeypatch):
    monkeypatch.setattr(blender_host, "inside_blender_program", lambda: False)
    monkeypatch.setattr(blender_host, "find_spec", lambda name: object())
    assert blender_host.needs_blender_program("blender")
    assert not blender_host.needs_blender_program(None)
    monkeypatch.setattr(blender_host, "inside_blender_program", lambda: True)
    assert not blender_host.needs_blender_program("blender")


def test_the_script_for_blender_says_how_it_is_run(repository):
    script = repository / "scripts" / "render_tests.py"
    command = [sys.executable, str(script), "tests"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "blender -b --python" in done.stderr
