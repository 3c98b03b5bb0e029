"""Draws docs/images/pieces.png from the previews in the library of pieces: needs the bpy module."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from fyn.addon.pieces.catalogue import LIBRARY, PIECES

ROOT = Path(__file__).resolve().parent.parent
SHEET = ROOT / "docs" / "images" / "pieces.png"
COLUMNS = 6
TILE = 128
LABEL = 22
BACKGROUND = (48, 48, 48)
FAINT = (150, 150, 150)


def main() -> None:
    """Put the previews in rows, each above its name."""
    found = previews()
    font = ImageFont.load_default(13)
    rows = -(-len(PIECES) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * TILE, rows * (TILE + LABEL)), BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    for number, piece in enumerate(PIECES):
        x, y = number % COLUMNS * TILE, number // COLUMNS * (TILE + LABEL)
        if piece.name in found:
            picture = found[piece.name].resize((TILE, TILE))
            sheet.paste(picture, (x, y), picture)
        else:
            draw.text((x + TILE / 2, y + TILE / 2), "(nothing to see)", FAINT, font, "mm")
        draw.text((x + TILE / 2, y + TILE + LABEL / 2 - 3), piece.name, "white", font, "mm")
    sheet.quantize(192, dither=Image.Dither.NONE).save(SHEET, "PNG", optimize=True)
    print(f"{SHEET.name}: {SHEET.stat().st_size / 1e3:.0f} kB")


def previews() -> dict[str, Image.Image]:
    """Return the picture of every piece that has one: of its collection, else of its object."""
    names = [piece.name for piece in PIECES]
    with bpy.data.libraries.load(str(LIBRARY)) as (there, here):
        here.collections = [name for name in there.collections if name in names]
        here.objects = [name for name in there.objects if name in names]
    found = {}
    for one in (*here.objects, *here.collections):
        preview = one.preview
        if preview is not None and all(preview.image_size):
            width, height = preview.image_size
            pixels = np.empty(width * height * 4, np.float32)
            preview.image_pixels_float.foreach_get(pixels)
            rows = np.round(pixels.reshape(height, width, 4)[::-1] * 255).clip(0, 255)
            found[one.name] = Image.fromarray(rows.astype(np.uint8), "RGBA")
    return found


if __name__ == "__main__":
    main()
