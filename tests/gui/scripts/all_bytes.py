"""Draws frames of every byte in every channel as viewports do, and reads back what was drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import gpu
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    yield 0.2
    pack = stage.part("addon.viewport.packing").pack
    screen = stage.part("addon.viewport.screen").FrameScreen()
    findings["backend"] = gpu.platform.backend_type_get()
    for alpha in ("opaque", "transparent"):
        pixels = sample(alpha == "transparent")
        drawn = drawn_by(screen, pack(pixels), pixels.shape[1::-1])
        np.savez(stage.FOLDER / f"{alpha}.npz", pixels=pixels, drawn=drawn)
    small = sample(False)[:2, :4]
    np.savez(
        stage.FOLDER / "part.npz",
        pixels=small,
        drawn=drawn_by(screen, pack(small), (16, 8), (0.25, 0.5, 0.75, 1.0)),
    )


def sample(with_alpha: bool) -> np.ndarray:
    """(260, 256, 4) uint8: a ramp in each channel alone, then every pair of red and green."""
    pixels = np.zeros((260, 256, 4), np.uint8)
    ramp = np.arange(256)
    pixels[..., 3] = 255
    for channel in range(3):
        pixels[channel, :, channel] = ramp
    pixels[3] = (200, 100, 50, 255)
    if with_alpha:
        pixels[3, :, 3] = ramp
    pixels[4:, :, 0], pixels[4:, :, 1] = ramp, ramp[:, None]
    pixels[4:, :, 2] = ramp ^ ramp[:, None]
    return pixels


def drawn_by(screen, frame, size, corners=(0.0, 0.0, 1.0, 1.0)) -> np.ndarray:
    """Return (H, W, 4) float32, top row first, of what `screen` draws."""
    target = gpu.types.GPUOffScreen(*size, format="RGBA32F")
    with target.bind():
        framebuffer = gpu.state.active_framebuffer_get()
        framebuffer.clear(color=(0.0, 0.0, 0.0, 0.0))
        screen.draw(frame, corners)
        read = framebuffer.read_color(0, 0, *size, 4, 0, "FLOAT")
    return np.array(read, np.float32).reshape(size[1], size[0], 4)[::-1]


stage.play(script)
