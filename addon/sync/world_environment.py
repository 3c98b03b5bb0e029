"""Blender's World to Environment and, where its sky has a sun, a sun lamp."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mathutils import Matrix
from msgspec import structs

from ...engine_core.assets.image import ImageData
from ...engine_core.errors import LevelError
from ...engine_core.world.components import Environment, LightComponent, RenderSettings
from .axes import direction_to_engine
from .materials.pictures import samples_of
from .materials.reading import node_tree_in_use, read_emission
from .materials.samples import PHYSICAL_SKIES, PanoramaSample, SkySample
from .materials.sky_mapping import rotation_about_z
from .materials.sky_nodes import SKY_EVALUATORS, light_path
from .materials.texture_nodes import whole
from .materials.values import Color, as_product, whole_sample
from .scene_causes import SceneCause
from .sky_light import ground_color, sky_strength, sun_strength
from .warnings import SyncWarning, warn_about
from .world_pictures import WorldPictures, image_from_world

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class SkySun:
    """The sun of a sky, as a lamp; `towards` is the direction to it in Blender's axes."""

    light: LightComponent
    towards: Rgb


@dataclass(frozen=True)
class EnvironmentReading:
    """The environment, the sun in its sky, and what was approximated.

    picture: its panorama; whoever gives it an id puts that into `environment.image`.
    """

    environment: Environment
    sun: SkySun | None = None
    warnings: tuple[SyncWarning, ...] = ()
    image_uids: frozenset[int] = frozenset()
    picture: ImageData | None = None


def read_environment(
    world: Any | None, pictures: WorldPictures | None = None
) -> EnvironmentReading:
    """Turn a `bpy.types.World` (None: black) into an Environment.

    `pictures` are what is remembered of its pictures between calls.
    """
    if world is None:
        return EnvironmentReading(_uniform((0.0, 0.0, 0.0)))
    tree = node_tree_in_use(world, (5, 0, 0))
    if tree is None:
        return EnvironmentReading(_uniform(tuple(world.color)))
    colors, warnings = _colors(tree, world)
    pictures = pictures or WorldPictures()
    light = _reading(colors["diffuse"], world, pictures)
    if colors["glossy"] != colors["diffuse"]:
        warnings += (warn_about(world, SceneCause.WORLD_RAYS),)
    seen, more = _seen(light, colors["camera"], colors["diffuse"], world, pictures)
    return replace(seen, warnings=(*warnings, *seen.warnings, *more))


def _colors(tree: Any, world: Any) -> tuple[dict[str, Color], tuple[SyncWarning, ...]]:
    """Return what the tree sends to each kind of ray, and warnings, each once."""
    splits: list[str] = []
    colors: dict[str, Color] = {}
    warnings: dict[SyncWarning, None] = {}
    for rays in ("diffuse", "glossy", "camera"):
        if colors and not splits:
            colors[rays] = colors["diffuse"]
            continue
        evaluators = {**SKY_EVALUATORS, "LIGHT_PATH": light_path(rays, lambda: splits.append(""))}
        colors[rays], found = read_emission(tree, "world", world.name_full, evaluators)
        warnings.update(dict.fromkeys(found))
    return colors, tuple(warnings)


def _constant(color: Color) -> Rgb | None:
    """Return a colour that is the same in all directions, never below 0; else None."""
    if not all(x.is_constant for x in color):
        return None
    r, g, b = (max(x.offset, 0.0) for x in color)
    return (r, g, b)


def _reading(color: Color, world: Any, pictures: WorldPictures) -> EnvironmentReading:
    """Return the environment of a colour that may vary with the direction."""
    rgb = _constant(color)
    return EnvironmentReading(_uniform(rgb)) if rgb else _varying(color, world, pictures)


def _seen(
    light: EnvironmentReading,
    camera: Color,
    diffuse: Color,
    world: Any,
    pictures: WorldPictures,
) -> tuple[EnvironmentReading, tuple[SyncWarning, ...]]:
    """Add to a reading what the camera sees, where that is something else; and warnings."""
    if camera == diffuse:
        return light, ()
    rgb = _constant(camera)
    if rgb is not None:
        shown = structs.replace(light.environment, background="color", background_color=rgb)
        return replace(light, environment=shown), ()
    seen = _reading(camera, world, pictures)
    dark = light.environment.kind == "color" and _constant(diffuse) == (0.0, 0.0, 0.0)
    if not (dark or _is_one_source(light, seen)):
        return light, (warn_about(world, SceneCause.WORLD_BACKGROUND),)
    factors = tuple(x * seen.environment.strength for x in seen.environment.tint)
    shown = structs.replace(
        seen.environment,
        strength=0.0 if dark else light.environment.strength,
        tint=light.environment.tint,
        background="scaled",
        background_color=factors,
    )
    warnings = tuple(dict.fromkeys((*light.warnings, *seen.warnings)))
    return replace(seen, environment=shown, sun=light.sun, warnings=warnings), ()


def _is_one_source(one: EnvironmentReading, other: EnvironmentReading) -> bool:
    """Tell whether two readings show the same sky or picture, at whatever strength and tint."""

    def bare(environment: Environment) -> Environment:
        return structs.replace(environment, strength=1.0, tint=(1.0, 1.0, 1.0))

    return one.picture is other.picture and bare(one.environment) == bare(other.environment)


def _uniform(rgb: Rgb) -> Environment:
    """Keep colours within 0..1 and put what exceeds them into the strength."""
    strength = max(*rgb, 1.0)
    r, g, b = (max(x, 0.0) / strength for x in rgb)
    return Environment(kind="color", sky_color=(r, g, b), ground_color=(r, g, b), strength=strength)


def _varying(color: Color, world: Any, pictures: WorldPictures) -> EnvironmentReading:
    product = as_product(color)
    samples = samples_of(*color)
    if len(samples) == 1:
        sample = samples[0]
        factors = None
        if product is not None and len(product.lookups) == 1:
            factors = product.factors if whole_sample(product.lookups[0]) == sample else None
        if isinstance(sample, SkySample) and factors is not None:
            return _sky(sample, factors, world)
        if isinstance(sample, PanoramaSample):
            return _picture(color, sample, factors, pictures)
    mixed = warn_about(world, SceneCause.WORLD_MIXED)
    return EnvironmentReading(_uniform((0.5, 0.5, 0.5)), warnings=(mixed,))


def _strength_and_tint(factors: Rgb) -> tuple[float, Rgb]:
    """Split factors into their largest, and a colour whose largest channel is 1."""
    strength = max(*factors, 0.0)
    if strength == 0:
        return 0.0, (1.0, 1.0, 1.0)
    r, g, b = (max(x, 0.0) / strength for x in factors)
    return strength, (r, g, b)


def _sky(sky: SkySample, factors: Rgb, world: Any) -> EnvironmentReading:
    """The engine's sky is fitted to multiple scattering; all give a floor the light it had."""
    warnings: list[SyncWarning] = []
    strength, tint = _strength_and_tint(factors)
    if sky.kind != "MULTIPLE_SCATTERING":
        label = sky.kind.replace("_", " ").title()
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_MODEL, model=label))
    if not sky.is_usual_air:
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_AIR))
    turn = rotation_about_z(sky.matrix)
    if turn is None:
        warnings.append(warn_about(world, SceneCause.WORLD_SKY_TURNED))
    sky = replace(sky, sun_direction=_turned_back(sky.sun_direction, turn or 0.0))
    environment = Environment(
        kind="sky",
        ground_color=ground_color(sky),
        strength=strength * sky_strength(sky),
        tint=tint,
        sun_direction=direction_to_engine(sky.sun_direction),
        sun_size=0.0,
        sun_intensity=0.0,
        turbidity=min(max(sky.turbidity, 1.0), 10.0),
    )
    sun = None
    if sky.kind in PHYSICAL_SKIES and sky.sun_size > 0:
        power, color = sun_strength(sky)
        r, g, b = (x * share for x, share in zip(color, tint, strict=True))
        light = LightComponent(
            kind="sun", color=(r, g, b), strength=max(power * strength, 0.0), angle=sky.sun_size
        )
        sun = SkySun(light, sky.sun_direction)
        environment = structs.replace(environment, sun_size=sky.sun_size, sun_intensity=1.0)
    return EnvironmentReading(environment, sun, tuple(warnings))


def _turned_back(direction: Rgb, angle: float) -> Rgb:
    """Return where a sky that is looked up turned by `angle` around Z shows what is at a place."""
    x, y, z = direction
    cos, sin = math.cos(angle), math.sin(angle)
    return (x * cos + y * sin, y * cos - x * sin, z)


def _picture(
    color: Color, sample: PanoramaSample, factors: Rgb | None, pictures: WorldPictures
) -> EnvironmentReading:
    """Show a panorama; with more done to it than `factors`, one computed from it."""
    reading = pictures.reading(sample)
    uids = frozenset([sample.uid])
    pink = EnvironmentReading(_uniform((1.0, 0.0, 1.0)), None, reading.warnings, uids)
    if reading.data.missing:
        return pink
    turn = image_from_world(sample)
    picture = reading.data
    if factors is None or turn is None:
        bare = color if factors is None else whole(sample)
        try:
            picture = pictures.computed(sample, bare, turn is None)
        except LevelError as reason:
            broken = warn_about(sample.image, SceneCause.WORLD_PICTURE_BROKEN, reason=reason)
            return replace(pink, warnings=(broken,))
    strength, tint = _strength_and_tint(factors or (1.0, 1.0, 1.0))
    environment = Environment(
        kind="image",
        strength=strength,
        tint=tint,
        rotation=(0.0, 0.0, 0.0, 1.0) if turn is None else _quaternion(turn.T),
    )
    return EnvironmentReading(environment, None, reading.warnings, uids, picture)


def _quaternion(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Return a rotation (3, 3) as x, y, z, w; w is not negative."""
    w, x, y, z = Matrix(matrix.tolist()).to_quaternion()
    sign = -1.0 if w < 0 else 1.0
    return (x * sign, y * sign, z * sign, w * sign)


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
