"""How far two pictures may lie apart, and what was measured between them."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ..engine_core.errors import UsageError


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits a comparison is held against; colour differences are in steps of 1/255."""

    mean: float = 1.0
    """Largest mean absolute difference, over all counted pixels and channels (0..255)."""
    pixel: float = 5.0
    """A pixel is off when any of its channels differs by more than this (0..255)."""
    share: float = 0.001
    """Largest share of counted pixels that may be off (0..1)."""
    ssim: float = 0.98
    """Smallest mean structural similarity (-1..1, 1 is identical)."""
    worst: float = 255.0
    """Largest difference that any counted pixel may have (0..255); 255 allows everything."""
    edge_width: int = 0
    """Pixels this close to an edge of the expected picture are not counted (0: all are)."""
    edge_contrast: float = 16.0
    """An edge is where two touching pixels of the expected picture differ by more (0..255)."""

    def __post_init__(self) -> None:
        """Refuse limits outside their range, so that a typing error cannot pass every picture."""
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:  # NaN fails this as well
                raise UsageError(f"tolerance.{name} is {value}, but must lie in {low}..{high}")


_RANGES = (
    ("mean", 0, 255),
    ("pixel", 0, 255),
    ("share", 0, 1),
    ("ssim", -1, 1),
    ("worst", 0, 255),
    ("edge_width", 0, 64),
    ("edge_contrast", 0, 255),
)


@dataclass(frozen=True)
class Measures:
    """What was measured between two pictures of the same size."""

    mean: float
    """Mean absolute difference over counted pixels and channels, in steps of 1/255."""
    share: float
    """Share of the counted pixels that are off by more than `Tolerance.pixel` (0..1)."""
    ssim: float
    """Mean structural similarity over the counted pixels (1 is identical)."""
    worst: float
    """Largest difference of a counted pixel in any channel, in steps of 1/255."""
    counted: float
    """Share of the picture's pixels that were counted: 1 unless edges are left out."""
