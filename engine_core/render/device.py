"""Device: the engine's own GL context, what the driver can do, and a count of what lives on it."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

import moderngl

from ..errors import DeviceError
from . import opengl
from .graph.formats import FORMATS
from .opengl import INTERNAL_FORMATS, OpenGL

REQUIRED_VERSION = 410
_EGL_DEVICES_TRIED = 4

_LINUX_LIBRARIES = (
    ("libEGL.so.1", "libegl1 (Debian, Ubuntu) or libglvnd-egl (Fedora)"),
    ("libGL.so.1", "libgl1 (Debian, Ubuntu) or libglvnd-glx (Fedora)"),
)
_LINUX_DRIVER_PACKAGES = (
    "libegl-mesa0 and libgl1-mesa-dri (Debian, Ubuntu) or mesa-dri-drivers (Fedora)"
)


class Releasable(Protocol):
    """Something that holds GL objects."""

    def release(self) -> None:
        """Delete them."""
        ...


T = TypeVar("T", bound=Releasable)


@dataclass(frozen=True)
class DeviceInfo:
    """What the driver is and can do; the numbers are GL limits."""

    renderer: str
    vendor: str
    version: str
    max_texture_size: int
    max_array_layers: int
    max_samples: int
    max_anisotropy: float
    max_uniform_block_bytes: int
    uniform_offset_alignment: int
    target_formats: dict[str, int] = field(default_factory=dict)
    """Format of `graph.formats` that can be drawn into: the most samples a pixel it takes."""


class Device:
    """A GL context of the engine's own; use it on the thread that made it, release it there.

    Works as a context manager. `unsupported` pretends that the driver cannot draw into some
    formats, as (format, samples) pairs: this is how tests walk down the fallback chain.
    """

    def __init__(
        self, context: moderngl.Context, unsupported: Collection[tuple[str, int]] = ()
    ) -> None:
        """Wrap a current moderngl context; `Device.create` makes one."""
        self.context = context
        self._platform_context: Any = context.mglo._context
        self._unsupported = frozenset(unsupported)
        self._live: Counter[str] = Counter()
        self._supported: dict[tuple[str, int], bool] = {}
        self._shared: dict[type[Releasable], Releasable] = {}
        self._released = False
        try:
            self.gl = OpenGL(self._platform_context.load_opengl_function)
        except LookupError as error:
            raise DeviceError(f"The graphics driver lacks {error.args[0]}; update it.") from error
        self.info = self._describe()

    @staticmethod
    def create(unsupported: Collection[tuple[str, int]] = ()) -> Device:
        """Make a context without a window on the calling thread.

        EGL on Linux (no display needed), WGL on Windows, CGL on macOS.

        Raises:
            DeviceError: no context of OpenGL 4.1; names the missing library and its package.
        """
        if sys.platform.startswith("linux"):
            return Device(_create_egl_context(), unsupported)
        try:
            context = moderngl.create_context(standalone=True, require=REQUIRED_VERSION)
        except Exception as error:
            raise DeviceError(
                f"Could not make an OpenGL 4.1 context ({_first_line(error)});"
                " install or update the graphics driver."
            ) from error
        return Device(context, unsupported)

    def activate(self) -> None:
        """Make the context current on this thread: another library may have taken its place."""
        self._platform_context.__enter__()

    def track(self, kind: str, change: int) -> None:
        """Note that `change` GL objects of `kind` were made (or, negative, deleted)."""
        self._live[kind] += change

    def shared(self, kind: type[T], make: Callable[[], T]) -> T:
        """Return the one `kind` that all who draw on this device share, made on first use.

        It is released with the device.
        """
        found = self._shared.get(kind)
        if found is None:
            found = self._shared[kind] = make()
        assert isinstance(found, kind)
        return found

    @property
    def live_objects(self) -> int:
        """Number of GL objects alive on this device."""
        return sum(self._live.values())

    @property
    def live_objects_by_kind(self) -> dict[str, int]:
        """Count of live GL objects by kind ("texture", "buffer", ...)."""
        return {kind: count for kind, count in sorted(self._live.items()) if count}

    def supports(self, format_name: str, samples: int) -> bool:
        """Tell whether a target of a format of `graph.formats` with `samples` can be drawn into."""
        key = (format_name, samples)
        if key not in self._supported:
            self._supported[key] = key not in self._unsupported and self._probe(*key)
        return self._supported[key]

    def check(self, doing: str) -> None:
        """Raise DeviceError if GL has an error pending; `doing` completes "while ..."."""
        code = self.gl.GetError()
        if code != opengl.NO_ERROR:
            while self.gl.GetError() != opengl.NO_ERROR:
                pass
            reason = "out of graphics memory" if code == opengl.OUT_OF_MEMORY else hex(code)
            raise DeviceError(f"OpenGL error while {doing}: {reason}.")

    def release(self) -> None:
        """Destroy the context and everything that still lives on it."""
        if not self._released:
            self._released = True
            self.activate()
            for thing in self._shared.values():
                thing.release()
            self._shared.clear()
            self.context.release()
            self._live.clear()

    def __enter__(self) -> Self:
        """Return the device."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Release the device."""
        self.release()

    def _describe(self) -> DeviceInfo:
        info = self.context.info
        samples = [n for n in (1, 2, 4, 8) if n <= max(1, info["GL_MAX_SAMPLES"])]
        drawable = {
            name: most
            for name in FORMATS
            if (most := max((n for n in samples if self.supports(name, n)), default=0))
        }
        return DeviceInfo(
            renderer=str(info["GL_RENDERER"]),
            vendor=str(info["GL_VENDOR"]),
            version=str(info["GL_VERSION"]),
            max_texture_size=int(info["GL_MAX_TEXTURE_SIZE"]),
            max_array_layers=int(info["GL_MAX_ARRAY_TEXTURE_LAYERS"]),
            max_samples=samples[-1],
            max_anisotropy=self._max_anisotropy(str(info["GL_RENDERER"])),
            max_uniform_block_bytes=int(info["GL_MAX_UNIFORM_BLOCK_SIZE"]),
            uniform_offset_alignment=int(info["GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT"]),
            target_formats=drawable,
        )

    def _max_anisotropy(self, renderer: str) -> float:
        """The most anisotropy that is of use on this driver; 1 is none."""
        # Mesa's software driver visits every texel of a sample's footprint, which has no bound at
        # the horizon: a frame with a long floor took minutes instead of seconds (Mesa 22.3).
        if "llvmpipe" in renderer or "softpipe" in renderer:
            return 1.0
        return float(self.context.max_anisotropy or 1.0)

    def _probe(self, format_name: str, samples: int) -> bool:
        """Attach a tiny target of the format to a framebuffer and see if the driver takes it."""
        gl, target_format = self.gl, FORMATS[format_name]
        internal, transfer, kind = INTERNAL_FORMATS[target_format.gl_internal]
        target = opengl.TEXTURE_2D_MULTISAMPLE if samples > 1 else opengl.TEXTURE_2D
        texture, framebuffer = gl.generate("Textures"), gl.generate("Framebuffers")
        gl.BindTexture(target, texture)
        if samples > 1:
            gl.TexImage2DMultisample(target, samples, internal, 4, 4, 1)
        else:
            gl.TexImage2D(target, 0, internal, 4, 4, 0, transfer, kind, None)
        gl.BindFramebuffer(opengl.FRAMEBUFFER, framebuffer)
        point = opengl.DEPTH_ATTACHMENT if target_format.is_depth else opengl.COLOR_ATTACHMENT0
        gl.FramebufferTexture2D(opengl.FRAMEBUFFER, point, target, texture, 0)
        if target_format.is_depth:
            gl.DrawBuffers(1, ctypes.byref(ctypes.c_uint(opengl.NONE)))
            gl.ReadBuffer(opengl.NONE)
        complete = gl.CheckFramebufferStatus(opengl.FRAMEBUFFER) == opengl.FRAMEBUFFER_COMPLETE
        without_error = gl.GetError() == opengl.NO_ERROR
        gl.BindFramebuffer(opengl.FRAMEBUFFER, 0)
        gl.delete("Framebuffers", framebuffer)
        gl.delete("Textures", texture)
        return complete and without_error


def _create_egl_context() -> moderngl.Context:
    for library, package in _LINUX_LIBRARIES:
        if not _loads(library):
            raise DeviceError(f"{library} is missing; install {package}.")
    # The stubs of moderngl take every option for a dict.
    options: dict[str, Any] = {
        "backend": "egl",
        "libegl": "libEGL.so.1",
        "libgl": "libGL.so.1",
    }
    failure: Exception | None = None
    for index in range(_EGL_DEVICES_TRIED):
        try:
            options["device_index"] = index
            return moderngl.create_context(standalone=True, require=REQUIRED_VERSION, **options)
        except Exception as error:
            # The first device is the driver's choice: its refusal is the one worth reading.
            failure = failure or error
    raise DeviceError(
        f"EGL could not make an OpenGL 4.1 context ({_first_line(failure)}); install a driver:"
        f" {_LINUX_DRIVER_PACKAGES}."
    ) from failure


_load_library: Callable[[str], Any] = ctypes.CDLL


def _loads(library: str) -> bool:
    try:
        _load_library(library)
    except OSError:
        return False
    return True


def _first_line(error: Exception | None) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]
