"""Bakes of procedural materials, drawn by Fyn, look as Cycles draws the materials themselves."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_blender

# Mean difference in 1/255. Holes show inner walls, which the world lights in the engine and not in
# Cycles without bounces.
LIMITS = {"wood": 5.5, "bricks": 6, "cells": 6.5, "layers": 6, "dust": 3, "holes": 10}


def test_procedural_materials_look_as_cycles_draws_them(gl, repository, tmp_path):
    path = repository / "scripts" / "prove_bakes.py"
    spec = importlib.util.spec_from_file_location("prove_bakes", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["prove_bakes"] = module
    spec.loader.exec_module(module)
    folder = Path(os.environ.get("FYN_REPORTS") or tmp_path) / "bakes"
    measured = module.prove(folder, side=256, width=240, samples=8)
    wrong = {name: found for name, found in measured.of_material.items() if found > LIMITS[name]}
    assert measured.of_material.keys() == LIMITS.keys()
    assert wrong == {}, (measured, folder)
