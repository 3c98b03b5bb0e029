"""The render thread: newest frame wins, resizing drops frames, errors are text, it ends."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

from fyn.engine_core.errors import DeviceError, FynError, ShaderError
from fyn.engine_core.render.render_thread import FrameRequest, RenderThread
from fyn.engine_core.render.view import View
from fyn.engine_core.world.world import WorldDelta

TIMEOUT_S = 10.0


class FakeDevice:
    def __init__(self):
        self.thread = threading.current_thread()
        self.released = threading.Event()

    def release(self):
        assert threading.current_thread() is self.thread
        self.released.set()


@dataclass
class FakeFrame:
    size: tuple[int, int]
    time: float
    cameras: tuple[str, ...]


class FakeRenderer:
    """Draws nothing; a frame waits for its gate, and answers what it was asked."""

    def __init__(self, device):
        self.device = device
        self.gate = threading.Event()
        self.gate.set()
        self.drawing = threading.Event()
        self.cameras = []
        self.drawn = []
        self.released_slots = []
        self.is_released = False
        self.apply_error = self.render_error = None

    def apply(self, delta):
        assert threading.current_thread() is self.device.thread
        if self.apply_error:
            raise self.apply_error
        self.cameras.append(delta.active_camera)

    def render(self, view, outputs=("frame_color",), settings=None, slot="main"):
        assert threading.current_thread() is self.device.thread
        self.drawing.set()
        assert self.gate.wait(TIMEOUT_S)
        if self.render_error:
            raise self.render_error
        self.drawn.append((slot, view.time))
        return FakeFrame(view.size, view.time, tuple(self.cameras))

    def release_slot(self, slot):
        self.released_slots.append(slot)

    def release(self):
        self.is_released = True


def request(time_s=0.0, size=(4, 4), **options):
    view = View(np.identity(4), np.identity(4), 0.1, 10.0, True, size, time_s)
    return FrameRequest(view, **options)


@pytest.fixture
def renderers():
    return []


@pytest.fixture
def thread(renderers):
    def create(device):
        renderers.append(FakeRenderer(device))
        return renderers[-1]

    thread = RenderThread(FakeDevice, create)
    yield thread
    for renderer in renderers:
        renderer.gate.set()
    assert thread.stop(TIMEOUT_S)
    assert not thread.is_alive


def busy(thread, renderers):
    """Open a world whose slot "a" is in the middle of a frame of time 0."""
    world = thread.open_world()
    world.render(request())
    renderer = renderers[-1]
    renderer.drawn.clear()
    renderer.drawing.clear()
    renderer.gate.clear()
    world.request("a", request())
    assert renderer.drawing.wait(TIMEOUT_S)
    return world, renderer


def test_no_thread_runs_before_there_is_work(thread):
    thread.open_world()
    assert not thread.is_alive


def test_a_frame_sees_every_delta_that_was_applied_before_it(thread):
    world = thread.open_world()
    for number in range(20):
        world.apply(WorldDelta(active_camera=str(number)))
    world.request("a", request())
    state = world.wait("a", TIMEOUT_S)
    assert state.picture.cameras == tuple(str(number) for number in range(20))


def test_the_newest_request_of_a_slot_wins(thread, renderers):
    world, renderer = busy(thread, renderers)
    for number in range(1, 6):
        world.request("a", request(time_s=number))
    renderer.gate.set()
    assert world.wait("a", TIMEOUT_S).picture.time == 5
    assert renderer.drawn == [("a", 0.0), ("a", 5.0)]


def test_slots_do_not_replace_each_others_requests(thread, renderers):
    world, renderer = busy(thread, renderers)
    world.request("b", request(time_s=1))
    world.request("a", request(time_s=2))
    renderer.gate.set()
    assert world.wait("a", TIMEOUT_S).picture.time == 2
    assert world.wait("b", TIMEOUT_S).picture.time == 1


def test_a_frame_of_a_size_nobody_wants_any_more_is_dropped(thread, renderers):
    world, renderer = busy(thread, renderers)
    before = world.state("a").number
    world.request("a", request(time_s=1, size=(8, 8)))
    renderer.drawing.clear()
    renderer.gate.set()
    state = world.wait("a", TIMEOUT_S)
    assert renderer.drawn == [("a", 0.0), ("a", 1.0)]
    assert state.number == before + 1
    assert state.picture.size == (8, 8)


def test_a_coarser_frame_for_the_same_place_is_shown_until_the_finer_one_arrives(thread, renderers):
    world, renderer = busy(thread, renderers)
    world.request("a", request(time_s=1, size=(2, 2), place=(4, 4)))
    before = world.state("a").number
    renderer.drawing.clear()
    renderer.gate.set()
    state = world.wait("a", TIMEOUT_S)
    assert state.number == before + 2
    assert state.picture.size == (2, 2)


def test_finish_runs_on_the_render_thread_and_its_result_is_the_picture(thread, renderers):
    world = thread.open_world()
    world.request("a", request(finish=lambda frame: threading.current_thread()))
    assert world.wait("a", TIMEOUT_S).picture is renderers[0].device.thread


def test_a_failed_frame_gives_its_reason_and_the_next_one_clears_it(thread, renderers):
    world = thread.open_world()
    world.request("a", request(time_s=1))
    world.wait("a", TIMEOUT_S)
    renderers[0].render_error = ShaderError("forward.glsl, line 7: no such function")
    world.request("a", request(time_s=2))
    state = world.wait("a", TIMEOUT_S)
    assert state.failure == "forward.glsl, line 7: no such function"
    assert state.picture.time == 1
    renderers[0].render_error = None
    world.request("a", request(time_s=3))
    assert world.wait("a", TIMEOUT_S).failure == ""


def test_an_unexpected_error_is_named_and_logged_with_its_traceback(thread, renderers, caplog):
    world = thread.open_world()
    world.render(request())
    renderers[0].render_error = ZeroDivisionError("division by zero")
    world.request("a", request())
    state = world.wait("a", TIMEOUT_S)
    assert "ZeroDivisionError: division by zero" in state.failure
    assert any(record.exc_info for record in caplog.records)


def test_a_delta_that_fails_stops_the_world_but_no_other(thread, renderers):
    broken, sound = thread.open_world(), thread.open_world()
    broken.render(request())
    sound.render(request())
    renderers[0].apply_error = FynError("Mesh 'Cube' is damaged.")
    broken.apply(WorldDelta(active_camera="x"))
    broken.request("a", request())
    sound.request("a", request())
    assert "Mesh 'Cube' is damaged." in broken.wait("a", TIMEOUT_S).failure
    assert sound.wait("a", TIMEOUT_S).failure == ""
    with pytest.raises(FynError, match="damaged"):
        broken.render(request())


def test_without_a_device_every_request_says_why():
    def no_device():
        raise DeviceError("libEGL.so.1 is missing: install libegl1.")

    thread = RenderThread(no_device, FakeRenderer)
    world = thread.open_world()
    world.request("a", request())
    assert world.wait("a", TIMEOUT_S).failure == "libEGL.so.1 is missing: install libegl1."
    with pytest.raises(DeviceError, match="libegl1"):
        world.render(request())
    assert thread.stop(TIMEOUT_S)


def test_a_blocking_render_can_be_cancelled(thread, renderers):
    world, _ = busy(thread, renderers)
    assert world.render(request(), is_cancelled=lambda: True) is None


def test_a_blocking_render_gives_up_after_its_time_out(thread, renderers):
    world, _ = busy(thread, renderers)
    with pytest.raises(DeviceError, match="has not answered"):
        world.render(request(), timeout_s=0.1)


def test_a_waiting_slot_tells_for_how_long(thread, renderers):
    world, _ = busy(thread, renderers)
    time.sleep(0.05)
    assert world.state("a").waiting_s >= 0.05
    assert world.wait("a", 0.01).waiting_s is not None


def test_stopping_ends_after_the_frame_in_progress_and_releases_the_device(thread, renderers):
    world, renderer = busy(thread, renderers)
    waiting = threading.Thread(target=lambda: errors.append(catch(world)))
    errors = []
    waiting.start()
    while not thread._jobs:
        time.sleep(0.001)
    threading.Timer(0.1, renderer.gate.set).start()
    assert thread.stop(TIMEOUT_S)
    waiting.join(TIMEOUT_S)
    assert renderer.device.released.is_set()
    assert isinstance(errors[0], DeviceError)
    with pytest.raises(DeviceError, match="stopped"):
        world.request("a", request())


def catch(world):
    try:
        return world.render(request())
    except FynError as error:
        return error


def test_stopping_does_not_wait_for_a_driver_that_hangs(thread, renderers):
    busy(thread, renderers)
    started = time.monotonic()
    assert not thread.stop(0.1)
    assert time.monotonic() - started < 5.0


def test_releasing_a_slot_and_a_world_happens_on_the_thread_once(thread, renderers):
    world = thread.open_world()
    world.request("a", request())
    world.wait("a", TIMEOUT_S)
    world.release_slot("a")
    world.release_slot("a")
    world.release()
    thread.call(lambda device: None)
    assert renderers[0].released_slots == ["a"]
    assert renderers[0].is_released


def test_a_thousand_requests_from_two_threads_lose_no_last_frame(thread):
    world = thread.open_world()

    def ask(slot):
        for number in range(500):
            world.request(slot, request(time_s=number))

    asking = [threading.Thread(target=ask, args=(slot,)) for slot in "ab"]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert [world.wait(slot, TIMEOUT_S).picture.time for slot in "ab"] == [499, 499]
