"""Random sessions in a real Blender: whatever people do, views keep up and nothing is left over."""

from __future__ import annotations

import os

import pytest

STEPS = 300
SEED = 20
"""Any other may be tried with `FYN_WALK_SEED`."""


@pytest.fixture
def walk(play):
    """Return a function that takes a walk in a small window and returns what was played."""

    def run(seed, steps=STEPS):
        return play("random_walk", seed, steps, backend="opengl", size=(520, 400), timeout_s=900)

    return run


def test_three_hundred_random_steps_raise_nothing_and_leak_nothing(walk):
    seed = int(os.environ.get("FYN_WALK_SEED", SEED))
    played = walk(seed)
    found = played.findings
    assert len(found["steps"]) == STEPS
    assert found["errors"] == [], f"seed {seed}"
    assert "Traceback" not in played.output, f"seed {seed}\n{played.output}"
    assert found["compared"] >= 10, "worlds were compared with fresh ones"
    skipped = sum(map(len, found["skipped"].values()))
    assert skipped < STEPS / 3, found["skipped"]
    # Compiled programs are kept for the next viewport.
    left = {kind: count for kind, count in found["after"].items() if kind != "program"}
    before = {kind: count for kind, count in found["before"].items() if kind != "program"}
    assert left == before, f"seed {seed}"
