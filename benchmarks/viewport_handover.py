"""Time from finished pixels to drawn in Blender's viewport, at 1920x1080, packed against naive.

Run it with any Python: `viewport_handover.py BLENDER [ARGS...]` starts that Blender with each
graphics backend and prints a row for each. Naive is four floats a pixel through `GPUTexture`;
packed is what the add-on does. Both decode sRGB in the shader and end when the driver has drawn
into a half-float target, as a viewport's is. `hand over` is the part that blocks Blender's main
thread before the driver draws (the add-on packs on its render thread).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZE = (1920, 1080)
REPEATS = 25
BACKENDS = ("opengl", "vulkan")
RESULT_VARIABLE = "FYN_HANDOVER_RESULT"

NAIVE_FRAGMENT = """
void main() {
  int top = textureSize(frame, 0).y - 1;
  vec4 c = texelFetch(frame, ivec2(gl_FragCoord.x, top - int(gl_FragCoord.y)), 0);
  vec3 decoded = pow((c.rgb + 0.055) / 1.055, vec3(2.4));
  out_color = vec4(mix(c.rgb / 12.92, decoded, greaterThan(c.rgb, vec3(0.04045))) * c.a, c.a);
}
"""


def main() -> int:
    """Start Blender once for each backend and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blender", nargs="+", help="command that starts Blender with a window")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    rows = [measure_backend(options.blender, backend) for backend in BACKENDS]
    if options.json:
        print(json.dumps(rows))
        return 0
    print(f"{SIZE[0]}x{SIZE[1]}, median of {REPEATS}, milliseconds")
    print("backend   total: naive  packed  ratio   hand over: naive  packed  ratio   driver")
    for row in rows:
        columns = [f"{row['backend']:8}"]
        for part, width in (("total", 14), ("hand_over", 18)):
            naive, packed = row["naive"][part], row["packed"][part]
            columns.append(f"{naive:{width}.2f}{packed:8.2f}{naive / packed:7.1f}")
        print("".join(columns), " ", row["driver"])
    return 0


def measure_backend(blender: list[str], backend: str) -> dict:
    """Return what `measure` finds in a Blender started with `backend`."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        environment = os.environ | {RESULT_VARIABLE: str(result), "REAL_BLENDER_BACKEND": backend}
        command = [*blender, "--factory-startup", "--gpu-backend", backend]
        command += ["--python", str(Path(__file__).resolve())]
        output = subprocess.run(
            command, check=False, env=environment, capture_output=True, text=True
        )
        if not result.exists():
            sys.exit(f"Blender ended without a result:\n{output.stdout}{output.stderr}")
        return {"backend": backend} | json.loads(result.read_text("utf-8"))


def measure() -> dict:
    """Time both ways, inside Blender."""
    import gpu
    import numpy as np

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from addon.viewport.packing import pack
    from addon.viewport.screen import FrameScreen

    width, height = SIZE
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    target = gpu.types.GPUOffScreen(width, height, format="RGBA16F")
    naive_screen, screen = NaiveScreen(), FrameScreen()

    def timed(prepare, draw) -> tuple[float, float]:
        started = time.perf_counter()
        prepared = prepare(pixels)
        on_main = time.perf_counter()
        with target.bind():
            draw(prepared)
            handed_over = time.perf_counter()
            # Reading a pixel back is the only way to wait for the driver.
            gpu.state.active_framebuffer_get().read_color(0, 0, 1, 1, 4, 0, "FLOAT")
        ended = time.perf_counter()
        return (ended - started) * 1e3, (handed_over - on_main) * 1e3

    times = {"naive": [], "packed": []}
    for _ in range(REPEATS + 3):  # interleaved, so that a busy machine slows both
        times["naive"].append(timed(lambda pixels: pixels, naive_screen.draw))
        times["packed"].append(timed(pack, screen.draw))
    medians = {name: np.median(rows[3:], axis=0) for name, rows in times.items()}
    return {
        "driver": gpu.platform.renderer_get(),
        "size": list(SIZE),
        **{n: {"total": float(t), "hand_over": float(h)} for n, (t, h) in medians.items()},
    }


class NaiveScreen:
    """The plain way: a float for each channel, converted by NumPy and by Blender."""

    def __init__(self) -> None:
        import gpu
        from gpu_extras.batch import batch_for_shader

        info = gpu.types.GPUShaderCreateInfo()
        info.sampler(0, "FLOAT_2D", "frame")
        info.vertex_in(0, "VEC2", "position")
        info.fragment_out(0, "VEC4", "out_color")
        info.vertex_source("void main() { gl_Position = vec4(position, 0.0, 1.0); }")
        info.fragment_source(NAIVE_FRAGMENT)
        self.shader = gpu.shader.create_from_info(info)
        corners = ((-1, -1), (1, -1), (-1, 1), (1, 1))
        self.batch = batch_for_shader(self.shader, "TRI_STRIP", {"position": corners})

    def draw(self, pixels) -> None:
        import gpu
        import numpy as np

        floats = pixels.astype(np.float32) * np.float32(1 / 255)
        buffer = gpu.types.Buffer("FLOAT", (floats.size,), floats)
        texture = gpu.types.GPUTexture(pixels.shape[1::-1], format="RGBA8", data=buffer)
        gpu.state.blend_set("NONE")
        self.shader.bind()
        self.shader.uniform_sampler("frame", texture)
        self.batch.draw(self.shader)


def run_inside_blender(result: Path) -> None:
    """Measure once the window is up, write the result and quit."""
    import bpy

    def once() -> None:
        try:
            result.write_text(json.dumps(measure()), "utf-8")
        finally:
            bpy.ops.wm.quit_blender()

    bpy.app.timers.register(once, first_interval=1.0)


if __name__ == "__main__":
    if RESULT_VARIABLE in os.environ:
        run_inside_blender(Path(os.environ[RESULT_VARIABLE]))
    else:
        sys.exit(main())
