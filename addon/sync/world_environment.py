"""Blender's World to Environment and, where its sky has a sun, a sun lamp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import structs

from ...engine_core.assets.image_io import decode
from ...engine_core.errors import LevelError
from ...engine_core.world.components import Environment, LightComponent, RenderSettings
from .axes import direction_to_engine
from .derived_images import evaluate, linear_pixels
from .images import read_image
from .materials.pictures import samples_of
from .materials.reading import node_tree_in_use, read_emission
from .materials.samples import PHYSICAL_SKIES, ImageSample, SkySample
from .materials.sky_nodes import SKY_EVALUATORS
from .materials.values import Color, as_product, whole_sample
from .scene_causes import SceneCause
from .sky_light import ground_color, sky_strength, sun_strength
from .warnings import SyncWarning, warn_about

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class SkySun:
    """The sun of a sky, as a lamp; `towards` is the direction to it in Blender's axes."""

    light: LightComponent
    towards: Rgb


@dataclass(frozen=True)
class EnvironmentReading:
    """The environment, the sun in its sky, and what was approximated."""

    environment: Environment
    sun: SkySun | None = None
    warnings: tuple[SyncWarning, ...] = ()
    image_uids: frozenset[int] = frozenset()


def read_environment(world: Any | None) -> EnvironmentReading:
    """Turn a `bpy.types.World` (None: black) into an Environment."""
    if world is None:
        return EnvironmentReading(_uniform((0.0, 0.0, 0.0)))
    tree = node_tree_in_use(world, (5, 0, 0))
    if tree is None:
        return EnvironmentReading(_uniform(tuple(world.color)))
    color, warnings = read_emission(tree, "world", world.name_full, SKY_EVALUATORS)
    if all(x.is_constant for x in color):
        rgb = (color.r.offset, color.g.offset, color.b.offset)
        return EnvironmentReading(_uniform(rgb), warnings=warnings)
    reading = _varying(color, world)
    return replace(reading, warnings=(*warnings, *reading.warnings))


def _uniform(rgb: Rgb) -> Environment:
    """Keep colours within 0..1 and put what exceeds them into the strength."""
    strength = max(*rgb, 1.0)
    r, g, b = (max(x, 0.0) / strength for x in rgb)
    return Environment(kind="color", sky_color=(r, g, b), ground_color=(r, g, b), strength=strength)


def _varying(color: Color, world: Any) -> EnvironmentReading:
    product = as_product(color)
    skies = [s for s in samples_of(*color) if isinstance(s, SkySample)]
    if product is not None and len(product.lookups) == 1 and skies:
        sample = whole_sample(product.lookups[0])
        if isinstance(sample, SkySample):
            return _sky(sample, product.factors, world)
    pictures = [s for s in samples_of(*color) if isinstance(s, ImageSample)]
    if skies or len(pictures) != 1:
        mixed = warn_about(world, SceneCause.WORLD_MIXED)
        return EnvironmentReading(_uniform((0.5, 0.5, 0.5)), warnings=(mixed,))
    return _picture(color, pictures[0], world)


def _sky(sky: SkySample, factors: Rgb, world: Any) -> EnvironmentReading:
    """The engine's sky is fitted to multiple scattering; all give a floor the light it had."""
    warnings: list[SyncWarning] = []
    strength = sum(factors) / 3
    if max(factors) - min(factors) > 1e-3 * max(*factors, 1e-6):
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_TINT))
    if sky.kind != "MULTIPLE_SCATTERING":
        label = sky.kind.replace("_", " ").title()
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_MODEL, model=label))
    if not sky.is_usual_air:
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_AIR))
    x, y, z = sky.sun_direction
    environment = Environment(
        kind="sky",
        ground_color=ground_color(sky),
        strength=max(strength * sky_strength(sky), 0.0),
        sun_direction=direction_to_engine((x, y, z)),
        sun_size=0.0,
        sun_intensity=0.0,
        turbidity=min(max(sky.turbidity, 1.0), 10.0),
    )
    sun = None
    if sky.kind in PHYSICAL_SKIES and sky.sun_size > 0:
        power, color = sun_strength(sky)
        light = LightComponent(
            kind="sun", color=color, strength=max(power * strength, 0.0), angle=sky.sun_size
        )
        sun = SkySun(light, sky.sun_direction)
        environment = structs.replace(environment, sun_size=sky.sun_size, sun_intensity=1.0)
    return EnvironmentReading(environment, sun, tuple(warnings))


def _picture(color: Color, sample: ImageSample, world: Any) -> EnvironmentReading:
    """Show an environment picture as the mean of its upper and of its lower half."""
    reading = read_image(sample.image, sample.name, sample.user)
    uids = frozenset([sample.uid])
    if reading.data.missing:
        return EnvironmentReading(_uniform((1.0, 0.0, 1.0)), None, reading.warnings, uids)
    try:
        pixels = linear_pixels(decode(reading.data), reading.data.color_space == "srgb")
    except LevelError as reason:
        warning = warn_about(sample.image, SceneCause.WORLD_PICTURE_BROKEN, reason=reason)
        return EnvironmentReading(_uniform((1.0, 0.0, 1.0)), None, (warning,), uids)
    sky, ground = _halves(np.stack([evaluate(x, {sample: pixels}) for x in color], axis=-1))
    strength = max(*sky, *ground, 1.0)
    environment = Environment(
        kind="hemisphere",
        sky_color=_scaled(sky, 1 / strength),
        ground_color=_scaled(ground, 1 / strength),
        strength=strength,
    )
    warnings = (*reading.warnings, warn_about(world, SceneCause.WORLD_PICTURE))
    return EnvironmentReading(environment, None, warnings, uids)


def _halves(pixels: np.ndarray) -> tuple[Rgb, Rgb]:
    """Return the mean colours above and below the horizon of an equirectangular picture.

    Rows are weighted by the solid angle they cover and by the cosine with which they light a
    floor or a ceiling: cos(latitude) |sin(latitude)|.
    """
    rows = np.where(np.isfinite(pixels), pixels, 0.0).mean(axis=1, dtype=np.float64)
    places = np.arange(len(rows), dtype=np.float64) + 0.5
    latitude = (0.5 - places / len(rows)) * np.pi
    weight = np.cos(latitude) * np.sin(latitude)
    above, below = np.maximum(weight, 0.0), np.maximum(np.negative(weight), 0.0)
    return _mean(rows, above), _mean(rows, below)


def _mean(rows: np.ndarray, weight: np.ndarray) -> Rgb:
    total = float(weight.sum())
    mean = (rows * weight[:, None]).sum(axis=0) / total if total > 0 else rows.mean(axis=0)
    r, g, b = np.maximum(mean, 0.0).tolist()
    return (r, g, b)


def _scaled(rgb: Rgb, factor: float) -> Rgb:
    return (rgb[0] * factor, rgb[1] * factor, rgb[2] * factor)


def read_render_settings(scene: Any) -> RenderSettings:
    """Return the level's render settings.

    Blender's view settings (exposure, gamma, view transform) are left out on purpose: Blender
    applies them itself to the picture that the engine hands over.
    """
    render = scene.render
    scale = render.resolution_percentage / 100
    return RenderSettings(
        transparent=render.film_transparent,
        width=max(int(render.resolution_x * scale), 1),
        height=max(int(render.resolution_y * scale), 1),
        pixel_aspect=render.pixel_aspect_y / render.pixel_aspect_x,
    )
