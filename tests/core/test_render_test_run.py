"""Running render tests: what passes, what fails, what a crash, a hang or a bug costs."""

from __future__ import annotations

import importlib
import time
from pathlib import Path

import numpy as np
import pytest

from fyn.compare.pictures import read_picture, write_png
from fyn.compare.render_test import find_tests
from fyn.compare.render_test_run import case_result, report_entry, run_render_tests
from fyn.compare.worker import do_all

# What the worker processes import: they know the test's own module by no name.
WORK = '''
"""Draws by the name of the test's scene."""
import os, subprocess, sys, time
import numpy as np
from fyn.compare.render_test_run import Drawn
from fyn.engine_core.errors import LevelError

def draw(found):
    kind = found.test.scene
    print("drawing", found.name)
    if kind == "crash":
        os.abort()
    if kind == "exit":
        os._exit(3)
    if kind == "hang":
        time.sleep(600)
    if kind == "bug":
        raise ZeroDivisionError("a bug")
    if kind == "damaged":
        raise LevelError("level.fyn is damaged")
    width, height = found.test.size
    grey = {"dark": 20, "light": 200}[kind]
    return Drawn(np.full((height, width, 3), grey, np.uint8), ("a warning",), "driver")

def slow_square(number):
    time.sleep(0.3)
    return number * number

def process_id(number):
    return os.getpid()

def start_and_hang(file):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open(file, "w").write(str(child.pid))
    time.sleep(600)

def sleep(seconds):
    time.sleep(seconds)
'''


@pytest.fixture
def work(tmp_path_factory, monkeypatch):
    """The module of work, importable here and in worker processes."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "render_test_work.py").write_text(WORK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("render_test_work")


def add(folder: Path, name: str, kind: str, expected: int | None = None, more: str = "") -> None:
    (folder / f"{name}.toml").write_text(f'scene = "{kind}"\nsize = [24, 16]\n{more}', "utf-8")
    if expected is not None:
        write_png(folder / f"{name}.png", np.full((16, 24, 3), expected, np.uint8))


def outcomes(folder: Path, work, *, processes: int = 2, timeout: float = 60, update: bool = False):
    found = find_tests(folder)
    ran = run_render_tests(found, work.draw, processes=processes, timeout=timeout, update=update)
    return {outcome.found.name: outcome for outcome in ran}


def test_a_test_that_crashes_exits_or_fails_costs_that_test_only(tmp_path, work):
    for name in ("1 good", "3 good", "5 good", "7 good"):
        add(tmp_path, name, "dark", 20)
    for name, kind in (("2", "crash"), ("4", "exit"), ("6", "bug"), ("8", "damaged")):
        add(tmp_path, name, kind, 20)
    ran = outcomes(tmp_path, work)
    assert list(ran) == ["1 good", "2", "3 good", "4", "5 good", "6", "7 good", "8"]
    assert {name: o.status for name, o in ran.items() if "good" in name} == {
        "1 good": "passed",
        "3 good": "passed",
        "5 good": "passed",
        "7 good": "passed",
    }
    assert "SIGABRT" in ran["2"].message
    assert "exit code 3" in ran["4"].message
    assert ran["6"].message == "ZeroDivisionError: a bug"
    assert "Traceback" in ran["6"].output
    assert ran["8"].message == "level.fyn is damaged"
    assert {ran[name].status for name in "2468"} == {"broken"}


def test_a_test_that_hangs_is_stopped(tmp_path, work):
    add(tmp_path, "a", "hang")
    add(tmp_path, "b", "dark", 20)
    ran = outcomes(tmp_path, work, processes=1, timeout=3)
    assert ran["a"].status == "broken"
    assert "more than 3 s" in ran["a"].message
    assert ran["b"].status == "passed"


def test_a_picture_that_differs_fails_with_its_reasons(tmp_path, work):
    add(tmp_path, "a", "light", 20)
    (ran,) = outcomes(tmp_path, work, processes=0).values()
    assert ran.status == "failed"
    assert "mean difference 180" in ran.message
    assert case_result(ran).outcome == "failure"
    assert [picture.label for picture in report_entry(ran).pictures] == [
        "actual",
        "expected",
        "difference",
    ]


def test_the_tolerance_of_the_file_is_the_one_that_counts(tmp_path, work):
    add(tmp_path, "a", "light", 190)
    add(tmp_path, "b", "light", 190, "[tolerance]\nmean = 10\npixel = 10")
    ran = outcomes(tmp_path, work, processes=0)
    assert (ran["a"].status, ran["b"].status) == ("failed", "passed")


def test_a_missing_expected_picture_fails_with_a_hint_and_shows_what_was_drawn(tmp_path, work):
    add(tmp_path, "a", "dark")
    (ran,) = outcomes(tmp_path, work, processes=0).values()
    assert ran.status == "failed"
    assert "--update" in ran.message
    assert [picture.label for picture in report_entry(ran).pictures] == ["actual"]


def test_an_expected_picture_of_another_size_or_unreadable_fails(tmp_path, work):
    add(tmp_path, "a", "dark")
    write_png(tmp_path / "a.png", np.zeros((5, 5, 3), np.uint8))
    add(tmp_path, "b", "dark")
    (tmp_path / "b.png").write_bytes(b"no picture")
    ran = outcomes(tmp_path, work, processes=0)
    assert "actual 24x16, expected 5x5" in ran["a"].message
    assert "b.png" in ran["b"].message
    assert {o.status for o in ran.values()} == {"failed"}


def test_update_keeps_what_was_drawn_and_leaves_equal_pictures_alone(tmp_path, work):
    add(tmp_path, "new", "dark")
    add(tmp_path, "changed", "light", 20)
    add(tmp_path, "same", "dark", 20)
    add(tmp_path, "broken", "damaged", 20)
    before = (tmp_path / "same.png").stat().st_mtime_ns
    ran = outcomes(tmp_path, work, processes=0, update=True)
    assert {name: o.status for name, o in ran.items()} == {
        "broken": "broken",
        "changed": "updated",
        "new": "updated",
        "same": "passed",
    }
    assert read_picture(tmp_path / "changed.png")[0, 0, 0] == 200
    assert (tmp_path / "same.png").stat().st_mtime_ns == before
    assert all(
        o.status == "passed" for o in outcomes(tmp_path, work, processes=0).values() if o.drawn
    )


def test_what_a_worker_prints_goes_to_its_own_test(tmp_path, work, capfd):
    add(tmp_path, "a", "dark", 20)
    add(tmp_path, "b", "dark", 20)
    ran = outcomes(tmp_path, work, processes=1)
    assert ran["a"].output.strip() == "drawing a"
    assert ran["b"].output.strip() == "drawing b"
    assert capfd.readouterr().out == ""
    assert case_result(ran["a"]).output == "warning: a warning\ndrawing a"


def test_results_come_in_the_order_of_the_items_and_each_is_announced(work):
    announced = []
    done = do_all(range(6), work.slow_square, processes=3, timeout=60, on_done=announced.append)
    assert [one.value for one in done] == [0, 1, 4, 9, 16, 25]
    assert announced == [1, 2, 3, 4, 5, 6]


def test_one_process_serves_many_items(work):
    done = do_all(range(4), work.process_id, processes=1, timeout=60)
    assert len({one.value for one in done}) == 1


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_what_a_stopped_test_has_started_is_stopped_as_well(work, tmp_path):
    file = tmp_path / "pid"
    (done,) = do_all([file], work.start_and_hang, processes=1, timeout=4)
    assert "more than 4 s" in done.error
    pid = int(file.read_text())
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pid)


def test_ctrl_c_does_not_wait_for_the_tests_that_still_run(work):
    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        do_all([600, 0.1], work.sleep, processes=2, timeout=600, on_done=interrupt)
    assert time.monotonic() - begin < 60
