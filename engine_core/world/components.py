"""The components an entity or a world can carry: typed, frozen, and self-describing.

A component is one class here and nothing else: panels, `.fyn` files, JSON Schema and docs are
generated from it. Light follows the engine's convention (the whole BRDF scaled by pi): a sun of
strength 1 lights a white floor to 1.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args, get_type_hints

from msgspec import Struct

from .fields import Factor, LinearColor, Vec2, field_meta


class Component(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all components; equality is by value."""


class MeshComponent(Component, frozen=True):
    """Draws a mesh asset with one material per primitive slot."""

    mesh: Annotated[str, field_meta("Mesh", "Id of the mesh asset", kind="mesh")] = ""
    materials: Annotated[
        tuple[str, ...],
        field_meta("Materials", "Material id of each slot; '' is the default", kind="material"),
    ] = ()
    casts_shadow: Annotated[
        bool, field_meta("Cast Shadow", "Draws into the shadow maps of lights")
    ] = True
    receives_shadow: Annotated[
        bool, field_meta("Receive Shadow", "Is darkened by the shadows of others")
    ] = True
    visible_to_camera: Annotated[
        bool, field_meta("Visible to Camera", "Off: only its shadow is drawn")
    ] = True


class LightComponent(Component, frozen=True):
    """A lamp; it shines along its local -Z axis (sun, spot, area)."""

    kind: Annotated[
        Literal["sun", "point", "spot", "area"], field_meta("Type", "What shape the light has")
    ] = "point"
    color: Annotated[LinearColor, field_meta("Color", "Linear RGB", kind="color")] = (1.0, 1.0, 1.0)
    strength: Annotated[
        float,
        field_meta(
            "Strength",
            "Sun: radiance of a white floor facing it. Point, spot: the same at 1 m. "
            "Area: the radiance of its surface, scaled by the engine's pi convention",
            ge=0.0,
            soft_max=100.0,
        ),
    ] = 1.0
    specular_factor: Annotated[
        float, field_meta("Specular", "Multiplies the highlight only", ge=0.0, soft_max=1.0)
    ] = 1.0
    diffuse_factor: Annotated[
        float, field_meta("Diffuse", "Multiplies the diffuse part only", ge=0.0, soft_max=1.0)
    ] = 1.0
    range: Annotated[
        float,
        field_meta("Range", "Where the light has faded to zero; 0 is no limit", ge=0.0, unit="m"),
    ] = 0.0
    radius: Annotated[
        float,
        field_meta("Radius", "Radius of the sphere that emits (point, spot)", ge=0.0, unit="m"),
    ] = 0.0
    angle: Annotated[
        float, field_meta("Angle", "Angular diameter of the sun", ge=0.0, le=3.1416, unit="rad")
    ] = 0.0
    spot_angle: Annotated[
        float, field_meta("Cone", "Full outer angle of the cone", ge=0.0, le=3.1416, unit="rad")
    ] = 0.785398
    spot_blend: Annotated[
        Factor, field_meta("Blend", "Softness of the cone's edge, as Blender means it")
    ] = 0.15
    area_shape: Annotated[
        Literal["rectangle", "ellipse"], field_meta("Shape", "Shape of the area light")
    ] = "rectangle"
    area_size: Annotated[
        Vec2, field_meta("Size", "Width (local X) and height (local Y)", unit="m")
    ] = (1.0, 1.0)
    area_spread: Annotated[
        float,
        field_meta(
            "Spread", "Full angle into which the area shines", ge=0.0, le=3.1416, unit="rad"
        ),
    ] = 3.1416
    casts_shadow: Annotated[bool, field_meta("Cast Shadow", "Objects cast shadows in it")] = True


class CameraComponent(Component, frozen=True):
    """A camera; it looks along its local -Z axis with +Y up."""

    projection: Annotated[
        Literal["perspective", "orthographic"], field_meta("Projection", "How depth is projected")
    ] = "perspective"
    fit: Annotated[
        Literal["auto", "horizontal", "vertical"],
        field_meta("Fit", "Which side of the picture `fov` or `ortho_scale` spans; auto: longer"),
    ] = "auto"
    fov: Annotated[
        float,
        field_meta(
            "Field of View", "Full angle across the fitted side", ge=1e-5, le=3.1405, unit="rad"
        ),
    ] = 0.8727
    ortho_scale: Annotated[
        float, field_meta("Scale", "Metres across the fitted side", ge=1e-7, unit="m")
    ] = 6.0
    shift: Annotated[
        Vec2, field_meta("Shift", "Lens shift in fractions of the fitted side (X right, Y up)")
    ] = (0.0, 0.0)
    near: Annotated[float, field_meta("Clip Start", "Near plane", ge=1e-7, unit="m")] = 0.1
    far: Annotated[float, field_meta("Clip End", "Far plane", ge=1e-6, unit="m")] = 1000.0


class Environment(Component, frozen=True):
    """Light from everywhere: what is behind the scene, and what it adds to every surface."""

    kind: Annotated[
        Literal["color", "hemisphere", "sky"],
        field_meta("Type", "One colour, a gradient from ground to sky, or a sky with a sun"),
    ] = "color"
    sky_color: Annotated[LinearColor, field_meta("Sky", "From above (or from everywhere)")] = (
        0.05,
        0.05,
        0.05,
    )
    ground_color: Annotated[LinearColor, field_meta("Ground", "From below")] = (0.05, 0.05, 0.05)
    strength: Annotated[
        float, field_meta("Strength", "Multiplies the light", ge=0.0, soft_max=10.0)
    ] = 1.0
    sun_direction: Annotated[
        tuple[float, float, float],
        field_meta("Sun Direction", "Towards the sun, engine space; kind 'sky'"),
    ] = (0.0, 1.0, 0.0)
    sun_size: Annotated[
        float,
        field_meta(
            "Sun Size",
            "Angular diameter of the disc in the sky; 0: no disc",
            ge=0.0,
            le=1.5708,
            unit="rad",
        ),
    ] = 0.009512
    sun_intensity: Annotated[
        float, field_meta("Sun Intensity", "Brightness of the disc", ge=0.0)
    ] = 1.0
    turbidity: Annotated[float, field_meta("Turbidity", "Haze of the air", ge=1.0, le=10.0)] = 2.2
    visible: Annotated[bool, field_meta("Visible", "The camera sees it")] = True


class RenderSettings(Component, frozen=True):
    """How the frame of a level is drawn, whoever draws it."""

    pipeline: Annotated[str, field_meta("Pipeline", "Name of the pipeline file")] = "forward"
    width: Annotated[
        int, field_meta("Width", "Of a picture when nobody asks for another", ge=1, unit="px")
    ] = 1280
    height: Annotated[
        int, field_meta("Height", "Of a picture when nobody asks for another", ge=1, unit="px")
    ] = 720
    pixel_aspect: Annotated[
        float, field_meta("Pixel Aspect", "Height of a pixel over its width", ge=0.005, le=200.0)
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
    shadows: Annotated[bool, field_meta("Shadows", "Sun shadows on or off")] = True
    cascade_count: Annotated[int, field_meta("Cascades", "Sun shadow cascades", ge=1, le=4)] = 3
    shadow_resolution: Annotated[
        Literal[512, 1024, 2048, 4096], field_meta("Shadow Resolution", "Texels a side", unit="px")
    ] = 2048
    shadow_distance: Annotated[
        float, field_meta("Shadow Distance", "Where sun shadows have faded out", ge=1.0, unit="m")
    ] = 150.0
    bloom: Annotated[bool, field_meta("Bloom", "Bright light spreads")] = True
    bloom_threshold: Annotated[
        float, field_meta("Threshold", "Luminance at which bloom begins", ge=0.0, soft_max=10.0)
    ] = 1.0
    bloom_knee: Annotated[Factor, field_meta("Knee", "Softness of the threshold")] = 0.5
    bloom_intensity: Annotated[
        float, field_meta("Intensity", "How much of the bloom is added", ge=0.0, soft_max=1.0)
    ] = 0.05
    transparent: Annotated[
        bool, field_meta("Transparent", "The background stays empty (alpha 0)")
    ] = False


class EntityComponents(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The components that an entity can carry, at most one of each.

    A new component is registered by its line here; `Entity` inherits it, and files, schema, docs
    and panels follow.
    """

    mesh: MeshComponent | None = None
    light: LightComponent | None = None
    camera: CameraComponent | None = None


def _component_types(owner: type[Struct]) -> dict[str, type[Component]]:
    return {
        name: next(kind for kind in get_args(annotation) if kind is not type(None))
        for name, annotation in get_type_hints(owner).items()
    }


COMPONENT_TYPES: dict[str, type[Component]] = _component_types(EntityComponents)
"""Components of an entity by the name they have on `Entity` and in `.fyn` files."""

WORLD_COMPONENT_TYPES: dict[str, type[Component]] = {
    "environment": Environment,
    "render": RenderSettings,
}
"""Components of the world itself, by the name they have on `World` and in `.fyn` files."""

__all__ = [
    "COMPONENT_TYPES",
    "WORLD_COMPONENT_TYPES",
    "CameraComponent",
    "Component",
    "EntityComponents",
    "Environment",
    "LightComponent",
    "MeshComponent",
    "RenderSettings",
]
