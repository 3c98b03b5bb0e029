"""The command `fyn` as a user meets it: help, exit codes, errors in one sentence, JSON, speed."""

from __future__ import annotations

import errno
import json
import subprocess
import sys

import numpy as np
import pytest

from fyn.cli import info_command
from fyn.cli.main import COMMANDS, main
from fyn.compare.pictures import write_png
from fyn.engine_core.errors import DeviceError, LevelError, UsageError

GREY = np.full((20, 30, 3), 90, np.uint8)


@pytest.fixture
def failing(monkeypatch):
    """Make `fyn info` raise what the test wants."""

    def fail(error: BaseException) -> None:
        def run(asked: str | None) -> None:
            raise error

        monkeypatch.setattr(info_command, "blender_facts", run)

    return fail


def test_help_names_every_command_and_is_no_error(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n    {name} " in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_json_quiet_and_debug(name, capsys):
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    for option in ("--json", "--quiet", "--debug"):
        assert option in text


@pytest.mark.parametrize("argv", [[], ["dance"], ["compare"], ["compare", "a", "b", "--mean", "x"]])
def test_a_wrong_command_line_is_exit_code_2(argv, capsys):
    assert main(argv) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from fyn.cli.main import main; main(['--help'])\n"
        "heavy = {'numpy', 'bpy', 'moderngl', 'rich', 'PIL', 'msgspec'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (UsageError("there is no camera 'X'"), 2, "there is no camera 'X'"),
        (LevelError("level.fyn: entities[3].mesh"), 1, "entities[3].mesh"),
        (DeviceError("libEGL is missing"), 1, "libEGL is missing"),
        (OSError(errno.ENOSPC, "No space left on device", "/out/a [1].png"), 1, "/out/a [1].png"),
    ],
)
def test_an_error_is_one_sentence_and_its_exit_code(failing, capsys, error, code, words):
    failing(error)
    assert main(["info"]) == code
    captured = capsys.readouterr()
    assert captured.err.startswith("fyn info: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err
    assert captured.out == ""


def test_names_in_messages_cannot_steer_the_terminal(failing, capsys):
    failing(LevelError("camera '\x1b[2J\x07\x9b31m' ü\n\tis missing"))
    main(["info"])
    assert capsys.readouterr().err == ("fyn info: camera '\\x1b[2J\\x07\\x9b31m' ü\n\tis missing\n")


def test_debug_shows_the_traceback(failing, capsys):
    failing(LevelError("broken"))
    assert main(["info", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_error_is_json_when_json_is_asked_for(failing, capsys):
    failing(UsageError("nothing there"))
    assert main(["info", "--json"]) == 2
    result = json.loads(capsys.readouterr().out)
    assert result == {"ok": False, "error": {"kind": "UsageError", "text": "nothing there"}}


def test_a_bug_shows_its_traceback_and_asks_for_a_report(failing, capsys):
    failing(ZeroDivisionError("oops"))
    assert main(["info", "--json"]) == 1
    captured = capsys.readouterr()
    assert "Traceback" in captured.err
    assert "bug in Fyn" in captured.err
    assert json.loads(captured.out)["error"]["kind"] == "ZeroDivisionError"


def test_ctrl_c_is_exit_code_130_without_traceback(failing, capsys):
    failing(KeyboardInterrupt())
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "fyn: stopped\n"


def test_a_reader_that_goes_away_causes_no_traceback():
    command = f'"{sys.executable}" -m fyn.cli.main --help | true'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def compare(tmp_path, actual, expected, *options):
    write_png(tmp_path / "a [1] ü.png", actual)
    write_png(tmp_path / "b.png", expected)
    return main(["compare", str(tmp_path / "a [1] ü.png"), str(tmp_path / "b.png"), *options])


def test_compare_is_exit_code_0_for_equal_and_1_for_different_pictures(tmp_path, capsys):
    assert compare(tmp_path, GREY, GREY) == 0
    assert "same: mean 0.000/255" in capsys.readouterr().out
    assert compare(tmp_path, GREY + np.uint8(40), GREY) == 1
    text = capsys.readouterr().out
    assert "different: mean 40.000/255" in text
    assert "(limit 1/255)" in text


def test_compare_obeys_its_limits(tmp_path):
    assert compare(tmp_path, GREY + np.uint8(3), GREY) == 1
    assert compare(tmp_path, GREY + np.uint8(3), GREY, "--mean", "3") == 0
    assert compare(tmp_path, GREY + np.uint8(3), GREY, "--mean", "3", "--worst=2") == 1


def test_compare_prints_json_and_writes_a_report(tmp_path, capsys):
    report = tmp_path / "report [ü]"
    options = ["--json", "--report", str(report)]
    assert compare(tmp_path, GREY + np.uint8(40), GREY, *options) == 1
    result = json.loads(capsys.readouterr().out)
    assert not result["ok"]
    assert result["measures"]["mean"] == pytest.approx(40, abs=1e-3)
    assert result["tolerance"]["edge_width"] == 0
    assert result["report"] == str(report / "index.html")
    assert len(list((report / "pictures").glob("*.png"))) == 3


def test_compare_of_something_else_than_pictures_is_exit_code_2(tmp_path, capsys):
    write_png(tmp_path / "a.png", GREY)
    (tmp_path / "text.png").write_text("no picture")
    for other in ("text.png", "missing.png"):
        assert main(["compare", str(tmp_path / "a.png"), str(tmp_path / other)]) == 2
        assert other in capsys.readouterr().err


def test_compare_of_two_sizes_fails_with_both_sizes(tmp_path, capsys):
    assert compare(tmp_path, GREY, GREY[:10]) == 1
    assert "30x20" in capsys.readouterr().err


def test_a_limit_outside_its_range_is_exit_code_2(tmp_path, capsys):
    assert compare(tmp_path, GREY, GREY, "--share", "2") == 2
    assert "tolerance.share" in capsys.readouterr().err


def test_info_says_why_there_is_no_gl_and_is_no_error(monkeypatch, capsys):
    def create():
        raise DeviceError("libEGL.so.1 is missing; install libegl1")

    device = pytest.importorskip("fyn.engine_core.render.device")
    monkeypatch.setattr(device.Device, "create", staticmethod(create))
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["graphics"] == {"error": "libEGL.so.1 is missing; install libegl1"}
    assert facts["packages"]["numpy"] == np.__version__
    assert main(["info"]) == 0
    assert "libEGL.so.1 is missing" in capsys.readouterr().out


def test_info_names_a_blender_that_is_none(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("BLENDER", str(tmp_path / "no blender"))
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["blender"]
    assert facts["program"] is None
    assert "no blender" in facts["error"]
