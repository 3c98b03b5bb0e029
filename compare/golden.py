"""Holds a picture against a golden one in a test, and leaves a report when they differ."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from .comparison import compare_images
from .pictures import read_picture, write_png
from .report import ReportEntry, ReportPicture, comparison_entry, file_stem, write_report
from .tolerance import Tolerance

UPDATE_VARIABLE = "FYN_UPDATE_GOLDEN"
"""Environment variable: set to 1, golden pictures are written instead of compared."""


def assert_matches_golden(
    actual: np.ndarray,
    golden: Path,
    report_folder: Path,
    tolerance: Tolerance | None = None,
) -> None:
    """Raise AssertionError when `actual` is not the picture in the file `golden`.

    `actual` is (H, W, 3 | 4), uint8 or float where 1 is white. A failure writes a report with the
    pictures under `report_folder/<name of the golden picture>/` and names it. A golden picture
    that is missing fails as well. With FYN_UPDATE_GOLDEN=1 the golden picture is written instead;
    look at it before it is committed.
    """
    if os.environ.get(UPDATE_VARIABLE) == "1":
        write_png(golden, actual)
        return
    folder = report_folder / file_stem(golden.stem)
    if not golden.exists():
        entry = ReportEntry(
            name=golden.name,
            status="broken",
            message=f"there is no golden picture {golden.name}",
            pictures=(ReportPicture("actual", actual),),
        )
        page = write_report(folder, golden.name, [entry])
        raise AssertionError(
            f"there is no golden picture {golden}; look at {page} and write it with"
            f" {UPDATE_VARIABLE}=1"
        )
    comparison = compare_images(actual, read_picture(golden), tolerance)
    if comparison.passed:
        return
    page = write_report(folder, golden.name, [comparison_entry(golden.name, comparison)])
    raise AssertionError(f"{golden.name}: {'; '.join(comparison.reasons)}; see {page}")
