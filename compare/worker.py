"""Does pieces of work in processes of their own, so that a crash costs one piece and no more."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..engine_core.errors import FynError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Done(Generic[Result]):
    """What became of one piece of work: its value, or in words why there is none."""

    value: Result | None
    error: str
    output: str
    """What the process printed meanwhile, with the traceback of an unexpected error."""
    seconds: float


def do_all(
    items: Sequence[Item],
    work: Callable[[Item], Result],
    *,
    processes: int,
    timeout: float,
    on_done: Callable[[int], None] = lambda done: None,
) -> list[Done[Result]]:
    """Do `work` on every item, in the order of `items`; `work` must be importable by name.

    `processes` 0 works in this process, where a crash or a hang is not survived. Otherwise a
    piece that crashes its process or takes more than `timeout` seconds fails alone. `on_done` is
    told after each piece how many are done; it may be called on another thread.
    """
    if processes == 0:
        return _do_all_here(items, work, on_done)
    results: list[Done[Result] | None] = [None] * len(items)
    waiting = iter(range(len(items)))
    workers: list[Worker[Item, Result]] = []
    taking = threading.Lock()
    stopped = threading.Event()

    def serve() -> None:
        with Worker(work, timeout) as worker:
            workers.append(worker)
            while not stopped.is_set():
                with taking:
                    index = next(waiting, None)
                if index is None:
                    return
                results[index] = worker.do(items[index])
                with taking:
                    on_done(sum(result is not None for result in results))

    count = min(processes, len(items))
    with ThreadPoolExecutor(count) as threads:
        try:
            futures = [threads.submit(serve) for _ in range(count)]
            for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                future.result()
        except BaseException:  # Ctrl-C: the threads wait for workers that know nothing of it
            stopped.set()
            for worker in workers:
                worker.stop()
            raise
    return [result for result in results if result is not None]


class Worker(Generic[Item, Result]):
    """A process that does one piece of work after another; a new one is started after a crash."""

    def __init__(self, work: Callable[[Item], Result], timeout: float) -> None:
        """Do `work` on what `do` is given, each within `timeout` seconds."""
        self._work = work
        self._timeout = timeout
        self._process: Any = None
        self._connection: Connection | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="fyn-worker-")
        self._log = Path(self._folder.name, "output.txt")

    def __enter__(self) -> Worker[Item, Result]:
        """Start nothing yet: the process starts with the first piece."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.stop()
        self._folder.cleanup()

    def do(self, item: Item) -> Done[Result]:
        """Do one piece; whatever happens to the process becomes `Done.error`."""
        if self._process is None:
            self._start()
        assert self._connection is not None
        begin = time.perf_counter()
        value, error = None, ""
        try:
            self._connection.send(item)
            if self._connection.poll(self._timeout):
                value, error = self._connection.recv()
            else:
                error = f"it was stopped: it took more than {self._timeout:g} s"
                self.stop()
        except (EOFError, OSError):
            error = self._how_it_ended()
            self.stop()
        seconds = time.perf_counter() - begin
        return Done(value=value, error=error, output=self._taken_output(), seconds=seconds)

    def stop(self) -> None:
        """End the process and all that it started; a `do` in progress on another thread fails."""
        process, self._process = self._process, None
        if process is not None:
            _kill_with_children(process.pid)
            process.kill()
            process.join()

    def _start(self) -> None:
        if self._connection is not None:
            self._connection.close()
        context = multiprocessing.get_context("spawn")  # fork would copy GL and Blender's threads
        self._connection, other_end = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(other_end, self._work, self._log), daemon=True
        )
        self._process.start()
        other_end.close()

    def _how_it_ended(self) -> str:
        process = self._process
        if process is None:
            return "it was stopped"
        process.join(10)
        code = process.exitcode
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return f"its process crashed ({signal.Signals(-code).name})"
        return f"its process ended by itself (exit code {code})"

    def _taken_output(self) -> str:
        """What was printed since the last piece."""
        if not self._log.exists():
            return ""
        with self._log.open("r+b") as file:
            text = file.read().decode("utf-8", "replace")
            file.truncate(0)
        return text


def _kill_with_children(group: int) -> None:
    """Kill a worker's process group: a Blender that it started must not go on without it."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):  # it has ended, or had no time to make its group
            os.killpg(group, signal.SIGKILL)


def _serve(connection: Connection, work: Callable[[Any], Any], log: Path) -> None:
    """The worker process: everything that it or a library prints goes to the log."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", closefd=False)
    with contextlib.suppress(EOFError, KeyboardInterrupt):  # the parent has gone
        while True:
            answer = _value_or_error(work, connection.recv())
            sys.stdout.flush()
            sys.stderr.flush()
            connection.send(answer)


def _value_or_error(work: Callable[[Any], Any], item: Any) -> tuple[Any, str]:
    try:
        return work(item), ""
    except FynError as error:
        return None, str(error)
    except Exception as error:
        traceback.print_exc()
        return None, f"{type(error).__name__}: {error}"


def _do_all_here(
    items: Sequence[Item], work: Callable[[Item], Result], on_done: Callable[[int], None]
) -> list[Done[Result]]:
    results = []
    for item in items:
        begin = time.perf_counter()
        value, error = _value_or_error(work, item)
        seconds = time.perf_counter() - begin
        results.append(Done(value=value, error=error, output="", seconds=seconds))
        on_done(len(results))
    return results
