"""The two textures that vertex shaders fetch instances from: entity table and draw list."""

from __future__ import annotations

import numpy as np

from .device import Device
from .gpu_objects import Texture
from .interface import DRAW_LIST_WIDTH, ENTITY_TABLE_WIDTH, ENTITY_TEXELS
from .scene_table import SceneTable

_FEW_ROWS = 64
"""Up to this many moved entities are written one by one, more as whole lines of the texture."""


class EntityTexture:
    """A row of texels for every entity; a moved entity rewrites its own."""

    def __init__(self, device: Device) -> None:
        """Start empty."""
        self.device = device
        self.texture: Texture | None = None

    def update(self, table: SceneTable, moved: np.ndarray) -> None:
        """Write the rows of `table` that changed."""
        lines = max(1, -(-table.row_count // ENTITY_TABLE_WIDTH))
        if self.texture is None or self.texture.height != lines:
            self.release()
            padded = np.zeros((lines * ENTITY_TABLE_WIDTH, ENTITY_TEXELS, 4), np.float32)
            padded[: table.row_count] = entity_texels(table, np.arange(table.row_count))
            pixels = padded.reshape(lines, ENTITY_TABLE_WIDTH * ENTITY_TEXELS, 4)
            self.texture = Texture(self.device, "RGBA32F", pixels.shape[1], lines, pixels=pixels)
        elif len(moved) <= _FEW_ROWS:
            texels = entity_texels(table, moved)
            for row, texel in zip(moved.tolist(), texels, strict=True):
                line, column = divmod(row, ENTITY_TABLE_WIDTH)
                self.texture.write(texel[None], column * ENTITY_TEXELS, line)
        else:
            for first, last in _spans(np.unique(moved // ENTITY_TABLE_WIDTH)):
                rows = np.arange(
                    first * ENTITY_TABLE_WIDTH,
                    min(last * ENTITY_TABLE_WIDTH, table.row_count),
                )
                texels = entity_texels(table, rows)
                self.texture.write(texels.reshape(last - first, -1, 4), 0, first)

    def release(self) -> None:
        """Delete the texture."""
        if self.texture is not None:
            self.texture.release()
            self.texture = None


def entity_texels(table: SceneTable, rows: np.ndarray) -> np.ndarray:
    """Return the texels of `rows`, (N, ENTITY_TEXELS, 4) float32, laid out as interface.py says.

    Entities that cannot be drawn are zero: no draw list names them.
    """
    out = np.zeros((len(rows), ENTITY_TEXELS, 4), np.float32)
    usable = table.usable[rows]
    out[usable, :3] = table.world[rows[usable], :3]
    out[:, 3, 0] = table.sign[rows]
    out[:, 3, 1] = table.receives[rows]
    out[:, 3, 2] = table.pose[rows]
    out[:, 3, 3] = table.glow[rows]
    return out


def _spans(lines: np.ndarray) -> list[tuple[int, int]]:
    """Return runs of consecutive numbers in sorted `lines` as (first, last + 1)."""
    breaks = np.flatnonzero(np.diff(lines) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(lines, breaks) if len(run)]


class DrawListTexture:
    """The instances of all queues of a frame, one after the other."""

    def __init__(self, device: Device) -> None:
        """Start empty."""
        self.device = device
        self.texture: Texture | None = None

    def update(self, lists: list[np.ndarray]) -> list[int]:
        """Write `lists` (uint32 rows) and return where each begins."""
        starts = np.cumsum([0, *(len(rows) for rows in lists)])
        lines = max(1, -(-int(starts[-1]) // DRAW_LIST_WIDTH))
        texels = np.zeros(lines * DRAW_LIST_WIDTH, np.uint32)
        if lists:
            texels[: starts[-1]] = np.concatenate(lists)
        pixels = texels.reshape(lines, DRAW_LIST_WIDTH)
        if self.texture is None or self.texture.height < lines:
            self.release()
            # Half as much again, so that a camera turning round does not reallocate each frame.
            room = np.zeros((lines + lines // 2, DRAW_LIST_WIDTH), np.uint32)
            self.texture = Texture(self.device, "R32UI", DRAW_LIST_WIDTH, len(room), pixels=room)
        self.texture.write(pixels)
        return starts[:-1].tolist()

    def release(self) -> None:
        """Delete the texture."""
        if self.texture is not None:
            self.texture.release()
            self.texture = None
