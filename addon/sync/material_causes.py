"""MaterialCause: what of materials, shaders and nodes is shown otherwise."""

from __future__ import annotations

from .causes import Cause, Sentences

_BAKE = "Bake it to a picture."


class MaterialCause(Cause):
    """Causes within node trees."""

    MATERIAL_FAILED = Sentences(
        "Materials that cannot be read",
        "It cannot be read ({reason}); plain grey is shown.",
        "Please report this with its file.",
    )
    MATERIAL_NO_OUTPUT = Sentences(
        "Materials without output",
        "It has no output node and shows black.",
        "Add a Material Output node.",
    )
    MATERIAL_NOT_DRAWN = Sentences("Volume and displacement", "{what} is not drawn.", left_out=True)
    BAKE_OUTDATED = Sentences(
        "Bakes out of date",
        "Its nodes have changed since it was baked; the nodes are shown, as far as they can be.",
        "Bake the material again.",
        fix="bake_material",
    )
    BAKE_NO_UV_MAP = Sentences(
        "Bakes without UV map",
        "A mesh that shows it has no UV map '{name}', on which it was baked.",
        "Bake the material again.",
        fix="bake_material",
    )
    MATERIAL_LAYOUTS = Sentences(
        "Pictures laid out differently",
        "Pictures that are combined lie differently on the surface; all are laid out as '{first}'.",
        "Bake the material.",
        fix="bake_material",
    )
    MATERIAL_SHEARED = Sentences(
        "Sheared pictures",
        "The texture '{picture}' is sheared, which is not shown.",
        fix="bake_material",
    )
    MATERIAL_VERTEX_ALPHA = Sentences(
        "Alpha of colour attributes",
        "Alpha from a colour attribute is shown with its base colour's.",
        fix="bake_material",
    )
    MATERIAL_VERTEX_COLORS = Sentences(
        "Mixtures of colour attributes",
        "{what} mixes colour attributes; their mean is shown.",
        fix="bake_material",
    )
    MATERIAL_VERTEX_NUMBER = Sentences(
        "Numbers of colour attributes",
        "{what} from a colour attribute is shown as its mean.",
        fix="bake_material",
    )

    # Shaders
    SHADER_UNSUPPORTED = Sentences(
        "Shaders that are not supported",
        "The shader '{label}' is not supported; plain grey is shown.",
        "Use Principled BSDF.",
    )
    SHADER_INEXACT = Sentences(
        "Shaders that cannot be shown exactly",
        "It cannot be shown exactly ({reason}); plain grey is shown.",
        "Bake it to pictures.",
        fix="bake_material",
    )
    SHADER_TOO_DEEP = Sentences(
        "Too many shaders", "So many shaders, one within another, are not followed."
    )
    SHADER_SEEN_THROUGH = Sentences(
        "Glass and refraction",
        "{label} is shown as transparency of the front, without refraction.",
        "Use Principled BSDF with Alpha for full control.",
    )
    SHADER_TRANSMISSION = Sentences(
        "Transmission",
        "Transmission is shown as transparency of the front, without refraction.",
        "Set it to 0 and use Alpha for full control.",
    )
    SHADER_LIKE_DIFFUSE = Sentences("Shaders shown as Diffuse", "{label} is shown as Diffuse BSDF.")
    SHADER_SPECULAR = Sentences(
        "Specular BSDF",
        "Specular BSDF is shown as a dielectric of IOR 1.5.",
        "Use Principled BSDF.",
    )
    SHADER_GLOSSINESS = Sentences(
        "Specular-glossiness",
        "Its specular color is that of a metal; its diffuse color is not shown.",
    )
    SHADER_COLORED_CLEAR = Sentences(
        "Coloured transparency", "Coloured transparency is shown without its colour."
    )
    SHADER_HOLDOUT = Sentences("Holdout shaders", "Holdout is shown as transparency.")
    SHADER_FEATURE = Sentences(
        "Features of Principled BSDF", "{feature} is not drawn.", left_out=True
    )
    MIX_TRANSPARENCY = Sentences(
        "Transparency of mixtures",
        "Its transparency cannot be shown exactly ({reason}).",
        fix="bake_material",
    )
    MIX_MEAN = Sentences(
        "Mixtures of surfaces",
        "A mixture of two surfaces is shown as one surface with the mean of their settings.",
    )
    MIX_STRONGER = Sentences(
        "Mixtures shown by one part",
        "The mixture cannot be shown exactly ({reason}); the stronger part is shown.",
        fix="bake_material",
    )
    MIX_PAINT = Sentences(
        "Mixtures of matt and metal",
        "A mixture of matt and metal is shown as a paint that reflects as much.",
    )
    ADD_CLEAR_LIGHT = Sentences(
        "Light added to transparency",
        "Light added to transparency is shown as a half transparent light.",
    )
    ADD_LIGHT = Sentences(
        "Added light",
        "Its light cannot be shown exactly ({reason}); one part is left out.",
        fix="bake_material",
    )
    ADD_CLEAR = Sentences(
        "Surfaces added to transparency",
        "A surface added to transparency is shown half transparent.",
    )

    # Normals
    NORMAL_BUMP = Sentences(
        "Bumps under bumps",
        "A bump under another one is not drawn.",
        "Bake the material, or add both heights.",
        left_out=True,
        fix="bake_material",
    )
    NORMAL_OTHER = Sentences(
        "Normals of other nodes",
        "Normals that do not come from a Normal Map node are not drawn.",
        "Bake them to a normal map.",
        left_out=True,
        fix="bake_material",
    )
    NORMAL_SPACE = Sentences(
        "Spaces of normal maps",
        "Normal maps in {space} space are not drawn.",
        "Bake it in tangent space.",
        left_out=True,
        fix="bake_material",
    )

    # Nodes
    NODE_UNSUPPORTED = Sentences(
        "Nodes that are not supported",
        "Nodes of type '{label}' are not supported.",
        _BAKE,
        fix="bake_material",
    )
    NODE_INEXACT = Sentences(
        "Nodes that cannot be shown exactly",
        "It cannot be shown exactly ({reason}); its first picture is shown instead.",
        _BAKE,
        fix="bake_material",
    )
    NODE_TOO_DEEP = Sentences(
        "Too many nodes", "More than {limit} nodes in a row are not followed."
    )
    NODE_MEAN = Sentences(
        "Settings that vary",
        "'{socket}' varies over the surface; its mean is used.",
    )
    NODE_COLOR_AS_NUMBER = Sentences(
        "Colours used as numbers",
        "A coloured mixture of pictures is used as a number; its green counts.",
        "Use a Separate Color node to choose a channel.",
        fix="bake_material",
    )
    NODE_PROCEDURAL = Sentences(
        "Procedural textures", "A {label} is shown as mid grey.", _BAKE, fix="bake_material"
    )
    NODE_BRICK = Sentences(
        "Brick textures",
        "A Brick Texture is shown as its Color1.",
        _BAKE,
        fix="bake_material",
    )
    NODE_CHECKER = Sentences(
        "Checkerboards",
        "A checkerboard in space, or of a scale that varies, is shown as the mean of its colours.",
        "Connect a UV Map node to its Vector input, or bake the material.",
        fix="bake_material",
    )
    NODE_OCCLUSION = Sentences(
        "Ambient occlusion",
        "Occlusion is not computed; the surface counts as open.",
        fix="bake_material",
    )
    NODE_OUTPUT = Sentences(
        "Outputs of nodes", "The output '{socket}' is not supported; it is 0.", fix="bake_material"
    )
    NODE_VIEW = Sentences(
        "Values that depend on the view",
        "It depends on the direction of view; its value seen head-on is used everywhere.",
        "The engine's own Fresnel comes from the IOR of Principled BSDF.",
    )
    NODE_OBJECT = Sentences("Values of each object", "'{socket}' of each object is not supported.")
    NODE_ENVIRONMENT = Sentences(
        "Environment pictures on surfaces",
        "An environment picture on a surface is shown as mid grey.",
        fix="bake_material",
    )
    NODE_ATTRIBUTE = Sentences(
        "Attributes",
        "Attributes of type {type} are not supported; it is 0.",
        "Use a colour attribute of the mesh.",
        fix="bake_material",
    )
    NODE_NO_ATTRIBUTE = Sentences(
        "Missing attributes", "There is no {what} on a mesh that shows it; it counts as 0."
    )
    NODE_NO_PICTURE = Sentences(
        "Nodes without picture",
        "It has no picture and shows pink.",
        "Choose one.",
        fix="choose_picture",
    )
    NODE_PROJECTION = Sentences(
        "Projections of pictures",
        "The projection {projection} is not supported; the UV map is used.",
        "Unwrap the object, or bake the material.",
        fix="bake_material",
    )
    NODE_COORDINATES = Sentences(
        "Coordinates other than UV",
        "It is laid out by {reason}; the UV map is used instead.",
        "Unwrap the object and use UV coordinates, or bake the material.",
        fix="bake_material",
    )
    NODE_NO_UV_MAP = Sentences(
        "Missing UV maps", "There is no UV map '{name}' on a mesh that shows it."
    )
    NODE_ENVIRONMENT_MAPPING = Sentences(
        "Mapping of environment pictures",
        "How its coordinates are computed cannot be shown; it is not turned.",
        "Turn it with a Mapping or Vector Rotate node on Generated coordinates.",
    )
