"""RenderSettings: how the frame of a level is drawn."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import Factor, field_meta
from .base import Component, Owner


class RenderSettings(Component, frozen=True):
    """How the frame of a level is drawn, whoever draws it."""

    key: ClassVar[str] = "render"
    owner: ClassVar[Owner] = "level"
    label: ClassVar[str] = "Frame"
    icon: ClassVar[str] = "SCENE"

    pipeline: Annotated[str, field_meta("Pipeline", "Name of the pipeline file", derived=True)] = (
        "forward"
    )
    width: Annotated[
        int,
        field_meta(
            "Width", "Of a picture when nobody asks for another", ge=1, unit="px", derived=True
        ),
    ] = 1280
    height: Annotated[
        int,
        field_meta(
            "Height", "Of a picture when nobody asks for another", ge=1, unit="px", derived=True
        ),
    ] = 720
    pixel_aspect: Annotated[
        float,
        field_meta(
            "Pixel Aspect", "Height of a pixel over its width", ge=0.005, le=200.0, derived=True
        ),
    ] = 1.0
    samples: Annotated[Literal[1, 2, 4, 8], field_meta("Samples", "Multisamples a pixel")] = 4
    tone_map: Annotated[
        Literal["fyn", "aces", "hable", "reinhard", "linear"],
        field_meta("Tone Map", "How unbounded light becomes 0..1"),
    ] = "fyn"
    exposure: Annotated[
        float, field_meta("Exposure", "Stops; 0 leaves light as it is", ge=-32.0, le=32.0)
    ] = 0.0
    geometry_term: Annotated[
        Literal["smith_correlated", "smith_schlick"],
        field_meta("Geometry Term", "Masking-shadowing function of the specular lobe"),
    ] = "smith_correlated"
    shadows: Annotated[bool, field_meta("Shadows", "Shadows of the sun and of lamps on or off")] = (
        True
    )
    cascade_count: Annotated[
        int, field_meta("Cascades", "Sun shadow cascades", ge=1, le=4, when=("shadows", (True,)))
    ] = 3
    shadow_resolution: Annotated[
        Literal[512, 1024, 2048, 4096],
        field_meta("Shadow Resolution", "Texels a side", unit="px", when=("shadows", (True,))),
    ] = 2048
    shadow_distance: Annotated[
        float,
        field_meta(
            "Shadow Distance",
            "Where sun shadows have faded out",
            ge=1.0,
            unit="m",
            when=("shadows", (True,)),
        ),
    ] = 150.0
    lamp_shadows: Annotated[
        int,
        field_meta(
            "Lamp Shadows",
            "How many lamps beside the sun cast shadows, the most important first; 0: none",
            ge=0,
            le=32,
            when=("shadows", (True,)),
        ),
    ] = 8
    lamp_shadow_resolution: Annotated[
        Literal[256, 512, 1024, 2048],
        field_meta(
            "Lamp Shadow Resolution",
            "Texels a side of each map",
            unit="px",
            when=("shadows", (True,)),
        ),
    ] = 1024
    bloom: Annotated[bool, field_meta("Bloom", "Bright light spreads")] = True
    bloom_threshold: Annotated[
        float,
        field_meta(
            "Threshold",
            "Luminance at which bloom begins",
            ge=0.0,
            soft_max=10.0,
            when=("bloom", (True,)),
        ),
    ] = 1.0
    bloom_knee: Annotated[
        Factor, field_meta("Knee", "Softness of the threshold", when=("bloom", (True,)))
    ] = 0.5
    bloom_intensity: Annotated[
        float,
        field_meta(
            "Intensity",
            "How much of the bloom is added",
            ge=0.0,
            soft_max=1.0,
            when=("bloom", (True,)),
        ),
    ] = 0.05
    transparent: Annotated[
        bool, field_meta("Transparent", "The background stays empty (alpha 0)", derived=True)
    ] = False
