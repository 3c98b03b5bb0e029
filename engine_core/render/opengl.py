"""OpenGL entry points that moderngl does not offer (array layers, exact formats, base state).

moderngl makes the context, compiles programs and owns buffers; textures, framebuffers and draws go
through these functions, because layers of depth arrays, sized sRGB formats and one vertex array
for several programs are beyond it. All of them are in OpenGL 4.1 core.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_I, _U, _F = ctypes.c_int, ctypes.c_uint, ctypes.c_float
_SIZE, _PTR = ctypes.c_ssize_t, ctypes.c_void_p

COLOR_BUFFER_BIT, DEPTH_BUFFER_BIT = 0x4000, 0x0100
TRIANGLES = 0x0004
UNSIGNED_BYTE, UNSIGNED_INT, FLOAT, HALF_FLOAT = 0x1401, 0x1405, 0x1406, 0x140B
RED, RG, RGB, RGBA, DEPTH_COMPONENT, RED_INTEGER = 0x1903, 0x8227, 0x1907, 0x1908, 0x1902, 0x8D94
COLOR, DEPTH = 0x1800, 0x1801
TEXTURE_2D, TEXTURE_2D_ARRAY, TEXTURE_2D_MULTISAMPLE = 0x0DE1, 0x8C1A, 0x9100
TEXTURE0 = 0x84C0
TEXTURE_BASE_LEVEL, TEXTURE_MAX_LEVEL = 0x813C, 0x813D
TEXTURE_MAG_FILTER, TEXTURE_MIN_FILTER = 0x2800, 0x2801
TEXTURE_WRAP_S, TEXTURE_WRAP_T = 0x2802, 0x2803
TEXTURE_COMPARE_MODE, TEXTURE_COMPARE_FUNC = 0x884C, 0x884D
TEXTURE_MAX_ANISOTROPY = 0x84FE
COMPARE_REF_TO_TEXTURE = 0x884E
NEAREST, LINEAR, NEAREST_MIPMAP_NEAREST, LINEAR_MIPMAP_LINEAR = 0x2600, 0x2601, 0x2700, 0x2703
REPEAT, CLAMP_TO_EDGE, MIRRORED_REPEAT = 0x2901, 0x812F, 0x8370
FRAMEBUFFER, READ_FRAMEBUFFER, DRAW_FRAMEBUFFER = 0x8D40, 0x8CA8, 0x8CA9
FRAMEBUFFER_COMPLETE = 0x8CD5
COLOR_ATTACHMENT0, DEPTH_ATTACHMENT = 0x8CE0, 0x8D00
NONE = 0
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, UNIFORM_BUFFER = 0x8892, 0x8893, 0x8A11
STATIC_DRAW = 0x88E4
DEPTH_TEST, CULL_FACE, BLEND, POLYGON_OFFSET_FILL = 0x0B71, 0x0B44, 0x0BE2, 0x8037
SCISSOR_TEST, FRAMEBUFFER_SRGB, MULTISAMPLE, DEPTH_CLAMP = 0x0C11, 0x8DB9, 0x809D, 0x864F
TEXTURE_CUBE_MAP_SEAMLESS = 0x884F
FRONT, BACK, CW, CCW = 0x0404, 0x0405, 0x0900, 0x0901
LESS, EQUAL, LEQUAL, GREATER, GEQUAL, ALWAYS = 0x0201, 0x0202, 0x0203, 0x0204, 0x0206, 0x0207
ZERO, ONE, SRC_ALPHA, ONE_MINUS_SRC_ALPHA = 0, 1, 0x0302, 0x0303
DST_COLOR, DST_ALPHA = 0x0306, 0x0304
UNPACK_ALIGNMENT, PACK_ALIGNMENT = 0x0CF5, 0x0D05
UNPACK_ROW_LENGTH = 0x0CF2
NO_ERROR, OUT_OF_MEMORY = 0, 0x0505

INTERNAL_FORMATS: dict[str, tuple[int, int, int]] = {
    "R8": (0x8229, RED, UNSIGNED_BYTE),
    "RG8": (0x822B, RG, UNSIGNED_BYTE),
    "RGBA8": (0x8058, RGBA, UNSIGNED_BYTE),
    "SRGB8_ALPHA8": (0x8C43, RGBA, UNSIGNED_BYTE),
    "R16F": (0x822D, RED, FLOAT),
    "RG16F": (0x822F, RG, FLOAT),
    "RGBA16F": (0x881A, RGBA, FLOAT),
    "R11F_G11F_B10F": (0x8C3A, RGB, FLOAT),
    "R32F": (0x822E, RED, FLOAT),
    "RG32F": (0x8230, RG, FLOAT),
    "RGBA32F": (0x8814, RGBA, FLOAT),
    "R32UI": (0x8236, RED_INTEGER, UNSIGNED_INT),
    "DEPTH_COMPONENT16": (0x81A5, DEPTH_COMPONENT, FLOAT),
    "DEPTH_COMPONENT24": (0x81A6, DEPTH_COMPONENT, FLOAT),
    "DEPTH_COMPONENT32F": (0x8CAC, DEPTH_COMPONENT, FLOAT),
}
"""Sized internal format: (enum, transfer format, transfer type) for uploads and readbacks."""

_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    # name: result, arguments...
    "ActiveTexture": (None, _U),
    "BindBuffer": (None, _U, _U),
    "BindBufferRange": (None, _U, _U, _U, _SIZE, _SIZE),
    "BindFramebuffer": (None, _U, _U),
    "BindSampler": (None, _U, _U),
    "BindTexture": (None, _U, _U),
    "BindVertexArray": (None, _U),
    "BlendFuncSeparate": (None, _U, _U, _U, _U),
    "BlitFramebuffer": (None, _I, _I, _I, _I, _I, _I, _I, _I, _U, _U),
    "CheckFramebufferStatus": (_U, _U),
    "ClearBufferfv": (None, _U, _I, _PTR),
    "ColorMask": (None, ctypes.c_ubyte, ctypes.c_ubyte, ctypes.c_ubyte, ctypes.c_ubyte),
    "CullFace": (None, _U),
    "DeleteFramebuffers": (None, _I, _PTR),
    "DeleteSamplers": (None, _I, _PTR),
    "DeleteTextures": (None, _I, _PTR),
    "DeleteVertexArrays": (None, _I, _PTR),
    "DepthFunc": (None, _U),
    "DepthMask": (None, ctypes.c_ubyte),
    "Disable": (None, _U),
    "DisableVertexAttribArray": (None, _U),
    "DrawArrays": (None, _U, _I, _I),
    "DrawBuffers": (None, _I, _PTR),
    "DrawElementsInstanced": (None, _U, _I, _U, _PTR, _I),
    "Enable": (None, _U),
    "EnableVertexAttribArray": (None, _U),
    "FramebufferTexture2D": (None, _U, _U, _U, _U, _I),
    "FramebufferTextureLayer": (None, _U, _U, _U, _I, _I),
    "FrontFace": (None, _U),
    "GenFramebuffers": (None, _I, _PTR),
    "GenSamplers": (None, _I, _PTR),
    "GenTextures": (None, _I, _PTR),
    "GenVertexArrays": (None, _I, _PTR),
    "GenerateMipmap": (None, _U),
    "GetError": (_U,),
    "PixelStorei": (None, _U, _I),
    "PolygonOffset": (None, _F, _F),
    "ReadBuffer": (None, _U),
    "ReadPixels": (None, _I, _I, _I, _I, _U, _U, _PTR),
    "SamplerParameterf": (None, _U, _U, _F),
    "SamplerParameteri": (None, _U, _U, _I),
    "TexImage2D": (None, _U, _I, _I, _I, _I, _I, _U, _U, _PTR),
    "TexImage2DMultisample": (None, _U, _I, _U, _I, _I, ctypes.c_ubyte),
    "TexImage3D": (None, _U, _I, _I, _I, _I, _I, _I, _U, _U, _PTR),
    "TexParameteri": (None, _U, _U, _I),
    "TexSubImage2D": (None, _U, _I, _I, _I, _I, _I, _U, _U, _PTR),
    "UseProgram": (None, _U),
    "Uniform1i": (None, _I, _I),
    "VertexAttrib4f": (None, _U, _F, _F, _F, _F),
    "VertexAttribPointer": (None, _U, _I, _U, ctypes.c_ubyte, _I, _PTR),
    "Viewport": (None, _I, _I, _I, _I),
}


class OpenGL:
    """The functions above, loaded for one context: `gl.BindTexture(target, name)`."""

    def __init__(self, load: Callable[[str], int]) -> None:
        """Load every function with `load`, which maps a name ("glClear") to its address."""
        for name, (result, *arguments) in _PROTOTYPES.items():
            address = load("gl" + name)
            if not address:
                raise LookupError(f"gl{name}")
            setattr(self, name, _function_type(result, *arguments)(address))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Explain a name that is not in the table; also tells type checkers that names exist."""
        raise AttributeError(f"gl{name} is not among the entry points of opengl.py")

    def generate(self, kind: str) -> int:
        """Return a new object name; `kind` is the plural in glGen...: "Textures"."""
        name = ctypes.c_uint()
        getattr(self, "Gen" + kind)(1, ctypes.byref(name))
        return name.value

    def delete(self, kind: str, name: int) -> None:
        """Delete one object of `kind`."""
        getattr(self, "Delete" + kind)(1, ctypes.byref(ctypes.c_uint(name)))

    def toggle(self, capability: int, enabled: bool) -> None:
        """Enable or disable a capability."""
        (self.Enable if enabled else self.Disable)(capability)


def _function_type(result: Any, *arguments: Any) -> Any:
    # On 32-bit Windows GL uses stdcall; everywhere else both types are the same convention.
    make = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)
    return make(result, *arguments)
