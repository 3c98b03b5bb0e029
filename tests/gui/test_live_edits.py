"""Rendered views while people work: strokes, overlays, moving views, other add-ons' symptoms."""

from __future__ import annotations

import numpy as np
import pytest

from .test_viewport import BACKENDS, colors_in, inner, picture


def test_editing_sculpting_and_painting_show_before_a_stroke_ends(play):
    played = play("live_modes", backend="opengl")
    rect = played.findings["rect"]

    def middle(name):
        """The middle of the view, where strokes go, as (H, W, 3)."""
        seen = picture(played.folder / f"{name}.png", rect)
        height, width = seen.shape[:2]
        return seen[height // 3 : -height // 3, width // 3 : -width // 3]

    def differ(one, other):
        return (np.abs(middle(one) - middle(other)).max(-1) > 12).mean()

    assert differ("start", "edit mode") > 0.02
    for mode in ("SCULPT", "TEXTURE_PAINT"):
        assert differ(f"{mode} before", f"{mode} during") > 0.01, mode
        # The brush's circle may be in the one and not in the other.
        assert differ(f"{mode} during", f"{mode} after") < 0.03, mode
    red = middle("TEXTURE_PAINT during").astype(int)
    assert (red[..., 0] > red[..., 1:].max(-1) + 60).mean() > 0.02
    # Weights go from blue to red; a mesh without any is black.
    spread = {
        name: np.ptp(middle(f"WEIGHT_PAINT {name}"), axis=-1) for name in ("before", "during")
    }
    assert (spread["during"] > 100).mean() > (spread["before"] > 100).mean() + 0.02


@pytest.mark.parametrize("backend", BACKENDS)
def test_overlays_are_hidden_behind_objects(play, backend):
    played = play("overlays", backend=backend)
    rect = played.findings["rect"]
    dark = {
        name: (inner(picture(played.folder / f"{name}.png", rect)).max(-1) < 180)
        for name in ("in front", "behind")
    }
    column = dark["in front"].sum(axis=0).argmax()
    lines = {name: seen[:, column - 2 : column + 3].any(axis=1) for name, seen in dark.items()}
    front, behind = (np.flatnonzero(lines[name]) for name in ("in front", "behind"))
    assert len(front) > 100
    hidden = len(front) - len(behind)
    assert len(front) / 5 < hidden < len(front) * 4 / 5, "the cube covers a part of the line"


def test_a_moving_view_is_coarser_and_a_still_one_sharp(play):
    found = play("moving").findings
    region = found["region"]
    assert found["is on by default"]
    assert min(found["adapting"]["moving"])[0] < region[0]
    assert found["adapting"]["still"] == region
    assert found["fixed"]["moving"] == [region]
    for part in ("adapting", "fixed"):
        for kind in ("texture", "framebuffer", "buffer"):
            assert found[part]["after"][kind] == found[part]["before"][kind], (part, kind)


def test_undo_while_drawing_resizing_and_unlocked_renders_do_no_harm(play):
    played = play("symptoms")
    found = played.findings
    assert found["views drawn"] == [1]
    assert found["slots"] == [1]
    assert found["widths"] >= 2
    assert found["after resizing"] == found["before resizing"]
    assert found["entity after undo"] == pytest.approx(found["place after undo"])
    assert found["render"] == ["render_complete"]
    assert colors_in(picture(played.folder / "unlocked.png")) > 50
    assert found["failures"] == []
    assert "Traceback" not in played.output
