"""Draws a packed frame into the bound framebuffer: upload, unpack, sRGB decode.

Blender composites the viewport in linear light and applies the scene's view transform afterwards,
so what is written here is linear and premultiplied; `Standard` turns it back into our bytes.
"""

from __future__ import annotations

from typing import Any

import gpu
from gpu_extras.batch import batch_for_shader

from .packing import PackedFrame

_FORMATS = {1: "R32F", 2: "RG32F"}

_VERTEX = """
void main() {
  frame_position = position;
  gl_Position = vec4(mix(corners.xy, corners.zw, position) * 2.0 - 1.0, 0.0, 1.0);
}
"""

# The inverse of the sRGB transfer function, IEC 61966-2-1.
_FRAGMENT = """
vec3 linear_from_srgb(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}
vec4 pixel_at(ivec2 pixel, ivec2 size) {
  pixel = clamp(ivec2(pixel.x, size.y - 1 - pixel.y), ivec2(0), size - 1);
  vec2 texel = texelFetch(frame, pixel, 0).rg;
  uint packed_rgb = uint(texel.r);
  vec3 srgb = vec3(uvec3(packed_rgb, packed_rgb >> 8u, packed_rgb >> 16u) & 0xFFu) / 255.0;
  float alpha = 1.0 - texel.g / 255.0;
  return vec4(linear_from_srgb(srgb) * alpha, alpha);
}
void main() {
  ivec2 size = textureSize(frame, 0);
  vec2 place = frame_position * vec2(size);
  if (smoothly == 0) {
    out_color = pixel_at(ivec2(place), size);
    return;
  }
  vec2 corner = floor(place - 0.5);
  vec2 part = place - 0.5 - corner;
  ivec2 pixel = ivec2(corner);
  vec4 below = mix(pixel_at(pixel, size), pixel_at(pixel + ivec2(1, 0), size), part.x);
  vec4 above = mix(pixel_at(pixel + ivec2(0, 1), size), pixel_at(pixel + 1, size), part.x);
  out_color = mix(below, above, part.y);
}
"""


class FrameScreen:
    """The shader that draws frames and the texture of the newest one; needs Blender's GPU context.

    Everything is made at the first `draw`, so that one can exist before there is a context.
    """

    def __init__(self) -> None:
        self._shader: Any = None
        self._batch: Any = None
        self._texture: Any = None
        self._frame: PackedFrame | None = None

    def draw(
        self,
        frame: PackedFrame,
        corners: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
        *,
        smoothly: bool = False,
    ) -> None:
        """Draw `frame` between `corners` (left, bottom, right, top; 0..1 of the framebuffer).

        `smoothly` blends neighbouring pixels where the frame is smaller than its place.
        """
        if self._shader is None:
            self._shader = _create_shader()
            square = ((0, 0), (1, 0), (0, 1), (1, 1))
            self._batch = batch_for_shader(self._shader, "TRI_STRIP", {"position": square})
        if frame is not self._frame:
            buffer = gpu.types.Buffer("FLOAT", (frame.data.size,), frame.data)  # type: ignore[arg-type]
            format_name: Any = _FORMATS[frame.channels]
            self._texture = gpu.types.GPUTexture(frame.size, format=format_name, data=buffer)
            self._frame = frame
        gpu.state.blend_set("NONE")
        gpu.state.depth_test_set("NONE")
        self._shader.bind()
        self._shader.uniform_sampler("frame", self._texture)
        self._shader.uniform_float("corners", corners)
        self._shader.uniform_int("smoothly", int(smoothly))
        self._batch.draw(self._shader)


def _create_shader() -> Any:
    varyings = gpu.types.GPUStageInterfaceInfo("fyn_frame_varyings")
    varyings.smooth("VEC2", "frame_position")
    info = gpu.types.GPUShaderCreateInfo()
    info.push_constant("VEC4", "corners")
    info.push_constant("INT", "smoothly")
    info.sampler(0, "FLOAT_2D", "frame")
    info.vertex_in(0, "VEC2", "position")
    info.vertex_out(varyings)
    info.fragment_out(0, "VEC4", "out_color")
    info.vertex_source(_VERTEX)
    info.fragment_source(_FRAGMENT)
    return gpu.shader.create_from_info(info)
