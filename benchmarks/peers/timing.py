"""Times a frame function the same way for every renderer and prints one line of JSON."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scene import FRAMES


def report(name: str, frame: Callable[[int], np.ndarray], picture: Path | None) -> None:
    """Draw FRAMES frames, (H, W, 3) uint8 each, and print the name and the median seconds."""
    seconds = []
    pixels = None
    for number in range(FRAMES):
        start = time.perf_counter()
        pixels = frame(number)
        seconds.append(time.perf_counter() - start)
    assert pixels is not None
    if picture is not None:
        from PIL import Image

        Image.fromarray(np.ascontiguousarray(pixels[..., :3])).save(picture)
    print(json.dumps({"name": name, "seconds": statistics.median(seconds[2:])}), flush=True)
