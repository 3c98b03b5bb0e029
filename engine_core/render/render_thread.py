"""RenderThread: the thread that owns the GL device, and the worlds and frames drawn on it.

The host (Blender's main thread, its render job) hands over deltas and asks for frames; it never
waits for the device unless it says so. A slot (one viewport) holds at most one waiting request:
asking again replaces it, so the newest view wins, and a frame for a size that nobody asks for any
more is dropped. What goes wrong comes back as text to show, and is logged with its traceback.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import DeviceError, FynError
from ..world.components import RenderSettings
from ..world.world import WorldDelta
from .view import View

log = logging.getLogger("fyn.render")

STOP_TIMEOUT_S = 10.0
"""How long `stop` waits for the frame in progress before it abandons the (daemon) thread."""
POLL_S = 0.05
"""How often a blocking render looks whether its caller wants to cancel."""


class Renderer(Protocol):
    """What it needs of a WorldRenderer."""

    def apply(self, delta: WorldDelta) -> None:
        """Carry out `delta`."""

    def render(
        self,
        view: View,
        outputs: Sequence[str] = ("frame_color",),
        settings: RenderSettings | None = None,
        slot: str = "main",
    ) -> Any:
        """Return the finished frame."""

    def release_slot(self, slot: str) -> None:
        """Free what `slot` holds."""

    def release(self) -> None:
        """Free everything."""


@dataclass(frozen=True, eq=False)
class FrameRequest:
    """One picture that a host asks for.

    `finish` runs on the render thread on the finished frame; its result is what the host gets
    (a viewport packs its pixels there, so that the main thread need not). `place` says for which
    size on the screen the frame is meant; () is the view's own.
    """

    view: View
    outputs: tuple[str, ...] = ("frame_color",)
    settings: RenderSettings | None = None
    finish: Callable[[Any], Any] = lambda frame: frame
    place: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class SlotState:
    """What a slot has to show.

    `picture` is the newest finished result and `request` what it answers; `failure` says in words
    why the newest finished request gave none (""); `waiting_s` is for how long a request has been
    waiting or drawn, None if nothing is; `number` counts finished requests; `seconds` is what the
    last one took on the thread.
    """

    picture: Any = None
    request: FrameRequest | None = None
    failure: str = ""
    waiting_s: float | None = None
    number: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class _Slot:
    """State of one slot; guarded by the thread's condition."""

    waiting: FrameRequest | None = None
    drawing: FrameRequest | None = None
    since: float = 0.0
    finished: SlotState = field(default_factory=SlotState)


class RenderThread:
    """Owns one device on one daemon thread; starts with the first work and ends with `stop`.

    `create_device` runs on the thread; `create_renderer` makes the renderer of one world on it.
    """

    def __init__(
        self, create_device: Callable[[], Any], create_renderer: Callable[[Any], Renderer]
    ) -> None:
        self._create_device = create_device
        self._create_renderer = create_renderer
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[Any], None]] = deque()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._device_failure = ""

    @property
    def is_alive(self) -> bool:
        """Tell whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def open_world(self) -> ThreadedWorld:
        """Return a new, empty world that is drawn on this thread."""
        return ThreadedWorld(self, self._create_renderer)

    def call(
        self, work: Callable[[Any], Any], *, timeout_s: float | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Any:  # fmt: skip
        """Run `work(device)` on the thread and return its result; None once `is_cancelled()`.

        Raises what `work` raises, and DeviceError if there is no device or `timeout_s` passes.
        """
        done = threading.Event()
        outcome: list[Any] = [None, None]

        def job(device: Any) -> None:
            try:
                if device is None:
                    raise DeviceError(self._device_failure)
                outcome[0] = work(device)
            except BaseException as error:
                outcome[1] = error
            finally:
                done.set()

        self._submit(job)
        started = time.monotonic()
        while not done.wait(POLL_S):
            if is_cancelled():
                return None
            if timeout_s is not None and time.monotonic() - started > timeout_s:
                raise DeviceError(
                    f"The graphics driver has not answered for {timeout_s:.0f} s. "
                    "Save your work and restart; if it happens again, lower size or samples."
                )
        if outcome[1] is not None:
            raise outcome[1]
        return outcome[0]

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """End the thread after the work in progress; False if it did not end in time.

        Work that waits is dropped; blocking calls that wait for it get a DeviceError.
        """
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            thread = self._thread
        atexit.unregister(self.stop)
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout_s)
        if thread.is_alive():
            log.warning("The render thread did not end within %.1f s; left behind.", timeout_s)
        return not thread.is_alive()

    def _submit(self, job: Callable[[Any], None]) -> None:
        with self._changed:
            if self._stopping:
                raise DeviceError("The renderer has been stopped; enable the extension again.")
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="fyn-render", daemon=True)
                # A daemon thread inside a driver call while the process tears down can crash it.
                atexit.register(self.stop)
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        device = None
        try:
            device = self._create_device()
        except Exception as error:
            self._device_failure = describe(error)
            log.error("No device: %s", self._device_failure, exc_info=not is_expected(error))
        try:
            while (job := self._next_job()) is not None:
                job(device)
        finally:
            with self._changed:
                abandoned, self._jobs = self._jobs, deque()
            self._device_failure = self._device_failure or "The renderer has been stopped."
            for job in abandoned:
                job(None)
            if device is not None:
                device.release()

    def _next_job(self) -> Callable[[Any], None] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._stopping)
            return None if self._stopping else self._jobs.popleft()


class ThreadedWorld:
    """One world on a RenderThread: takes deltas, draws frames into slots. Any thread may call."""

    def __init__(self, thread: RenderThread, create_renderer: Callable[[Any], Renderer]) -> None:
        self._thread = thread
        self._create_renderer = create_renderer
        self._changed = thread._changed
        self._deltas: list[WorldDelta] = []
        self._slots: dict[str, _Slot] = {}
        self._renderer: Renderer | None = None
        self._fault: FynError | None = None

    def apply(self, delta: WorldDelta) -> None:
        """Queue `delta`; every frame asked for later sees it. Nothing is queued if it is empty."""
        if delta.is_empty():
            return
        with self._changed:
            self._deltas.append(delta)
        self._thread._submit(self._apply_job)

    def request(self, slot: str, request: FrameRequest) -> None:
        """Ask for a frame in `slot`; replaces a request that still waits there."""
        with self._changed:
            state = self._slots.setdefault(slot, _Slot())
            queued = state.waiting is not None
            if not queued and state.drawing is None:
                state.since = time.monotonic()
            state.waiting = request
        if not queued:
            self._thread._submit(lambda device: self._draw_job(device, slot))

    def state(self, slot: str) -> SlotState:
        """Return what `slot` has to show now."""
        with self._changed:
            return self._state(slot)

    def wait(self, slot: str, timeout_s: float) -> SlotState:
        """Return the state once nothing waits or is drawn in `slot`, or after `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._state(slot).waiting_s is None, timeout_s)
            return self._state(slot)

    def render(
        self,
        request: FrameRequest,
        *,
        timeout_s: float | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Any:
        """Draw one frame and return it; None if cancelled. Raises FynError with the reason."""

        def work(device: Any) -> Any:
            renderer = self._ready_renderer(device)
            frame = renderer.render(request.view, request.outputs, request.settings, "still")
            return request.finish(frame)

        return self._thread.call(work, timeout_s=timeout_s, is_cancelled=is_cancelled)

    def release_slot(self, slot: str) -> None:
        """Forget `slot` and free its targets."""
        with self._changed:
            if self._slots.pop(slot, None) is None:
                return

        def job(device: Any) -> None:
            if self._renderer is not None and device is not None:
                self._renderer.release_slot(slot)

        self._submit_unless_stopped(job)

    def release(self) -> None:
        """Free everything the world holds on the device; frames still waiting are dropped."""
        with self._changed:
            self._slots.clear()
            self._deltas.clear()

        def job(device: Any) -> None:
            if self._renderer is not None and device is not None:
                self._renderer.release()
            self._renderer = None

        self._submit_unless_stopped(job)

    def _submit_unless_stopped(self, job: Callable[[Any], None]) -> None:
        """Queue `job`; a stopped thread has released its device and everything on it already."""
        with self._changed:
            if self._thread._stopping or self._thread._thread is None:
                return
        self._thread._submit(job)

    def _state(self, slot: str) -> SlotState:
        state = self._slots.get(slot)
        if state is None:
            return SlotState()
        done = state.finished
        busy = state.waiting is not None or state.drawing is not None
        return SlotState(
            picture=done.picture,
            request=done.request,
            failure=done.failure,
            waiting_s=time.monotonic() - state.since if busy else None,
            number=done.number,
            seconds=done.seconds,
        )

    def _ready_renderer(self, device: Any) -> Renderer:
        """Return the renderer with every queued delta applied (on the thread)."""
        if device is None:
            raise DeviceError(self._thread._device_failure)
        if self._fault is not None:
            raise self._fault
        if self._renderer is None:
            self._renderer = self._create_renderer(device)
        with self._changed:
            deltas, self._deltas = self._deltas, []
        try:
            for delta in deltas:
                self._renderer.apply(delta)
        except Exception as error:
            # Half of a delta may be in the renderer: nothing drawn from it could be trusted.
            self._fault = FynError(
                f"{describe(error)}\nLeave the Rendered shading and enter it again to start over."
            )
            log.error("A change of the scene failed: %s", error, exc_info=not is_expected(error))
            raise self._fault from error
        return self._renderer

    def _apply_job(self, device: Any) -> None:
        try:
            self._ready_renderer(device)
        except Exception as error:
            # The next frame of this world reports it to whoever looks at it.
            log.debug("Deltas not applied: %s", error)

    def _draw_job(self, device: Any, slot: str) -> None:
        with self._changed:
            state = self._slots.get(slot)
            if state is None or state.waiting is None:
                return
        # The request is taken before the deltas: every delta made before it is seen, never fewer.
        failure, picture = "", None
        started = time.perf_counter()
        request: FrameRequest | None = None
        try:
            with self._changed:
                request, state.waiting = state.waiting, None
                state.drawing = request
            renderer = self._ready_renderer(device)
            frame = renderer.render(request.view, request.outputs, request.settings, slot)
            picture = request.finish(frame)
        except Exception as error:
            failure = describe(error)
            log.error("A frame failed: %s", failure, exc_info=not is_expected(error))
        with self._changed:
            self._finish(state, request, picture, failure, time.perf_counter() - started)
            self._changed.notify_all()

    def _finish(
        self, state: _Slot, request: Any, picture: Any, failure: str, seconds: float
    ) -> None:
        state.drawing = None
        if state.waiting is not None:
            state.since = time.monotonic()
            wanted = state.waiting
            if (wanted.place or wanted.view.size) != (request.place or request.view.size):
                return  # the viewport has been resized meanwhile: nobody can show this frame
        done = state.finished
        state.finished = SlotState(
            picture=done.picture if failure else picture,
            request=done.request if failure else request,
            failure=failure,
            number=done.number + 1,
            seconds=seconds,
        )


def is_expected(error: BaseException) -> bool:
    """Tell whether `error` was raised on purpose, with a text made for people."""
    return isinstance(error, FynError)


def describe(error: BaseException) -> str:
    """Return `error` as a sentence for the screen."""
    if is_expected(error):
        return str(error)
    return f"Fyn met an error it did not expect ({type(error).__name__}: {error}); see the log."
