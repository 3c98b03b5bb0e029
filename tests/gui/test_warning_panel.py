"""The list of warnings in a real Blender's window."""

from __future__ import annotations

import numpy as np
from PIL import Image


def test_the_panel_lists_what_a_rendered_view_warns_of_and_a_repair_takes_it_off(play):
    found = (played := play("warning_panel")).findings
    assert found["before"] == [
        "Depth of field (1)",
        "Camera",
        "Lamps of negative power (1)",
        "Light",
        "Loose points and edges (1)",
        "Cube",
        "Missing pictures (1)",
        "Tapete [alt]",
        "Procedural textures (3)",
        "Boden: Noise Texture",
        "Wände: Noise Texture",
        "Ziegel: Noise Texture",
    ]
    assert found["active"] == "Camera"
    assert set(found["before"]) - set(found["after"]) == {"Lamps of negative power (1)", "Light"}
    assert found["undone"] == found["before"]
    left, top, right, bottom = found["side bar"]
    shots = [
        np.array(Image.open(played.folder / f"{name}.png").convert("RGB")).astype(int)
        for name in ("before", "after")
    ]
    before, after = (shot[top:bottom, left:right] for shot in shots)
    assert (before.max(-1) > 150).mean() > 0.01, "there is text"
    assert (np.abs(before - after).max(-1) > 40).mean() > 0.003, "a line is gone"
    assert "Traceback" not in played.output
