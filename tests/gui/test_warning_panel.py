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
    left, top, right, bottom = found["properties"]
    shot = np.array(Image.open(played.folder / "before.png").convert("RGB")).astype(int)
    part = shot[top:bottom, left:right]
    assert 0.005 < (part.min(-1) > 150).mean() < 0.2, "there is text"
    is_chosen = (part[..., 2] - part[..., 0]) > 80
    assert is_chosen.mean() > 0.005, "a line of the list is chosen"
    assert "Traceback" not in played.output
