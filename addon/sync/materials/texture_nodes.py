"""Nodes that look something up: images, colour attributes, checkers, and what is only guessed."""

from __future__ import annotations

from typing import Any

from ..extra_uvs import GENERATED, checker_set
from ..material_causes import MaterialCause
from .node_reader import Evaluator, NodeReader, Value, input_named
from .samples import (
    ChannelSource,
    CheckerSample,
    ImageSample,
    Sample,
    UvMapping,
    VertexColorSample,
    Wrap,
)
from .scope import Made, Scope, Unlinked
from .uv_nodes import uv_mapping
from .values import Color, Scalar, affine, constant, constant_color, grey, lerp, sampled

WRAPS: dict[str, Wrap] = {
    "REPEAT": "repeat",
    "EXTEND": "clamp",
    "CLIP": "clamp",
    "MIRROR": "mirror",
}
"""Engine wrap by the image node's extension."""

PINK = (1.0, 0.0, 1.0)
"""What Blender shows for a picture that is not there."""

GUESSES = {
    "TEX_NOISE": "Noise Texture",
    "TEX_VORONOI": "Voronoi Texture",
    "TEX_GRADIENT": "Gradient Texture",
    "TEX_MAGIC": "Magic Texture",
    "TEX_WAVE": "Wave Texture",
    "TEX_GABOR": "Gabor Texture",
    "TEX_WHITE_NOISE": "White Noise Texture",
    "TEX_IES": "IES Texture",
}
"""Procedural textures, shown as the middle of their range."""


def whole(sample: Sample) -> Color:
    """Return the colour of a sample."""
    return Color(*(sampled(ChannelSource(sample, channel)) for channel in ("r", "g", "b")))


def image_sample(reader: NodeReader, node: Any, scope: Scope) -> ImageSample | None:
    """Return the lookup that an image node makes; None, with a warning, if it has no image."""
    image = node.image
    if image is None:
        reader.warn(node, MaterialCause.NODE_NO_PICTURE)
        return None
    if node.projection != "FLAT":
        reader.warn(node, MaterialCause.NODE_PROJECTION, projection=node.projection.title())
    moving = image.source in {"SEQUENCE", "MOVIE"}
    return ImageSample(
        uid=image.original.session_uid,
        frame=_frame(node.image_user) if moving else 0,
        mapping=uv_mapping(reader, node, node.inputs["Vector"], scope),
        wrap=WRAPS.get(node.extension, "repeat"),
        nearest=node.interpolation == "Closest",
        is_clipped=node.extension == "CLIP",
        name=image.name_full,
        image=image,
        user=node.image_user if moving else None,
    )


def _frame(user: Any) -> int:
    return user.frame_current


def _image(reader: NodeReader, made: Made) -> Value:
    sample = image_sample(reader, made.node, made.scope)
    is_alpha = made.socket.name == "Alpha"
    if sample is None:
        return constant(1) if is_alpha else constant_color(PINK)
    if not is_alpha:
        return whole(sample)
    if sample.image.alpha_mode == "NONE" and not sample.is_clipped:
        return constant(1)
    return sampled(ChannelSource(sample, "a"))


def _vertex_color(reader: NodeReader, made: Made) -> Value:
    return _color_attribute(reader, made, made.node.layer_name)


def _attribute(reader: NodeReader, made: Made) -> Value:
    node = made.node
    if node.attribute_type != "GEOMETRY":
        reader.warn(node, MaterialCause.NODE_ATTRIBUTE, type=node.attribute_type.title())
        return constant_color((0, 0, 0))
    return _color_attribute(reader, made, node.attribute_name)


def _color_attribute(reader: NodeReader, made: Made, name: str) -> Value:
    """A colour attribute of the mesh; one that the mesh lacks is 0, as in Blender."""
    known = reader.layout.color_names
    reader.color_attributes.add(name)
    if (name and name not in known) or not known:
        what = f"colour attribute '{name}'" if name else "colour attribute"
        reader.warn(made.node, MaterialCause.NODE_NO_ATTRIBUTE, what=what)
        return constant(0) if made.socket.type == "VALUE" else constant_color((0, 0, 0))
    sample = VertexColorSample("" if name == known[0] else name)
    if made.socket.name == "Alpha":
        return sampled(ChannelSource(sample, "a"))
    if made.socket.type == "VALUE":
        return sampled(ChannelSource(sample, "luminance"))
    return whole(sample)


def _checker(reader: NodeReader, made: Made) -> Value:
    """A checkerboard becomes a picture where its coordinates can; else the mean of its colours."""
    node, scope = made.node, made.scope
    first, second = (reader.color(input_named(node, name), scope) for name in ("Color1", "Color2"))
    scale = reader.scalar(input_named(node, "Scale"), scope, 1.0)
    mapping = _checker_mapping(reader, made, scale) if scale.is_constant else None
    if mapping is not None:
        squares = mapping.then((scale.offset, 0, 0, 0, scale.offset, 0))
        factor = sampled(ChannelSource(CheckerSample(squares), "r"))
    else:
        reader.warn(node, MaterialCause.NODE_CHECKER)
        factor = constant(0.5)
    if made.socket.type == "VALUE":
        return factor
    return Color(*(lerp(b, a, factor) for a, b in zip(first, second, strict=True)))


def _checker_mapping(reader: NodeReader, made: Made, scale: Scalar) -> UvMapping | None:
    """Return where a checkerboard lies; None where the engine cannot say it.

    On generated coordinates it fills space: a mesh that is square to its axes has a set for it.
    """
    socket = made.node.inputs["Vector"]
    is_free = isinstance(reader.trace(socket, made.scope), Unlinked)
    mapping = None if is_free else uv_mapping(reader, made.node, socket, made.scope)
    if mapping is not None and mapping.uv_map != GENERATED:
        return mapping
    if scale.offset == 0 or mapping not in (None, UvMapping(GENERATED)):
        return None
    name = checker_set(scale.offset)
    reader.uv_maps.add(name)
    return UvMapping(name) if name in reader.layout.uv_names else None


def _brick(reader: NodeReader, made: Made) -> Value:
    reader.warn(made.node, MaterialCause.NODE_BRICK)
    if made.socket.type == "VALUE":
        return constant(0)
    return reader.color(input_named(made.node, "Color1"), made.scope)


def _guess(reader: NodeReader, made: Made) -> Value:
    label = GUESSES[made.node.type]
    reader.warn(made.node, MaterialCause.NODE_PROCEDURAL, label=label)
    return constant(0.5) if made.socket.type == "VALUE" else grey(constant(0.5))


def _ambient_occlusion(reader: NodeReader, made: Made) -> Value:
    reader.warn(made.node, MaterialCause.NODE_OCCLUSION)
    if made.socket.type == "VALUE":
        return constant(1)
    return reader.color(input_named(made.node, "Color"), made.scope)


def _light_path(reader: NodeReader, made: Made) -> Value:
    """What the camera sees directly: a camera ray and no other."""
    return constant(1 if made.socket.name == "Is Camera Ray" else 0)


def _geometry(reader: NodeReader, made: Made) -> Value:
    if made.socket.name == "Backfacing":
        return constant(0)
    reader.warn(made.node, MaterialCause.NODE_OUTPUT, socket=made.socket.name)
    return constant(0) if made.socket.type == "VALUE" else constant_color((0, 0, 0))


def _facing(reader: NodeReader, made: Made) -> Value:
    """Fresnel and Layer Weight depend on the view; seen head-on they give little or nothing."""
    reader.warn(made.node, MaterialCause.NODE_VIEW)
    if made.node.type == "LAYER_WEIGHT":
        return constant(0)
    ior = reader.scalar(input_named(made.node, "IOR"), made.scope, 1.5)
    eta = ior.offset if ior.is_constant else 1.5
    return constant(((eta - 1) / (eta + 1)) ** 2)


def _object_info(reader: NodeReader, made: Made) -> Value:
    reader.warn(made.node, MaterialCause.NODE_OBJECT, socket=made.socket.name)
    if made.socket.name == "Color":
        return constant_color((1, 1, 1))
    return constant(0) if made.socket.type == "VALUE" else constant_color((0, 0, 0))


def _environment(reader: NodeReader, made: Made) -> Value:
    reader.warn(made.node, MaterialCause.NODE_ENVIRONMENT)
    return affine(constant(0.5), 1, 0)


TEXTURE_EVALUATORS: dict[str, Evaluator] = {
    "TEX_IMAGE": _image,
    "VERTEX_COLOR": _vertex_color,
    "ATTRIBUTE": _attribute,
    "TEX_CHECKER": _checker,
    "TEX_BRICK": _brick,
    "TEX_ENVIRONMENT": _environment,
    "AMBIENT_OCCLUSION": _ambient_occlusion,
    "LIGHT_PATH": _light_path,
    "NEW_GEOMETRY": _geometry,
    "FRESNEL": _facing,
    "LAYER_WEIGHT": _facing,
    "OBJECT_INFO": _object_info,
    **dict.fromkeys(GUESSES, _guess),
}
"""Evaluators by `node.type`."""
