"""SceneCause: what of objects, meshes, lamps, cameras, worlds and images is shown otherwise."""

from __future__ import annotations

from .causes import Cause, Sentences


class SceneCause(Cause):
    """Causes outside materials."""

    MESH_NO_UV = Sentences(
        "No UV map",
        "It has no UV map, so the pictures of its materials show one colour.",
        "Unwrap it.",
        fix="unwrap",
    )
    MESH_NOT_FINITE = Sentences(
        "Coordinates that are not numbers",
        "{count} of its triangles have coordinates that are not numbers and are left out.",
        "Delete those vertices, or the modifier that makes them.",
        left_out=True,
        fix="validate_mesh",
    )
    MESH_BAD_VALUES = Sentences(
        "Values that are not numbers",
        "Its {what} holds values that are not numbers; they are replaced.",
        "Remove it and make it anew.",
        fix="validate_mesh",
    )
    MESH_LOOSE = Sentences(
        "Loose points and edges",
        "{count} of its points belong to no face; loose edges and points are not drawn.",
        "Give them faces, for example with a Skin or Geometry Nodes modifier.",
        left_out=True,
    )
    MESH_SETS = Sentences(
        "Too many attributes",
        "Of its {count} {what} only the first {kept} are kept.",
        "Remove those that no material uses.",
        left_out=True,
    )
    MESH_REPAIRED = Sentences("Unsound meshes", "{what}.", fix="validate_mesh")
    VALUE_OUT_OF_RANGE = Sentences(
        "Values out of range",
        "Out of range and drawn with the nearest value that can be: {fields}.",
    )
    OBJECT_NOWHERE = Sentences(
        "Objects that are nowhere",
        "Its place, rotation or scale is no number or beyond all measure; it is not drawn.",
        "Clear its transform (Alt G, Alt R, Alt S), or look at its drivers and constraints.",
        left_out=True,
    )
    MESH_FACE_TOO_LARGE = Sentences(
        "Faces too large to draw",
        "A face has over {corners:,} corners, too many to cut into triangles.",
        "Cut it into smaller faces.",
        left_out=True,
    )
    MESH_FACE_FLAT = Sentences(
        "Large faces drawn flat",
        "A face has over {corners:,} corners; it is drawn with flat faces.",
        "Cut such faces into smaller ones.",
    )
    OBJECT_NOT_DRAWN = Sentences(
        "Kinds of objects that are not drawn",
        "{kind} are not drawn.",
        "Convert it to a mesh, for example with Geometry Nodes.",
        left_out=True,
    )
    STRANDS_THINNED = Sentences(
        "Too many strands",
        "{drawn:,} of its {count:,} strands are drawn, thicker than they are.",
        "Give it fewer strands, or fewer points on each.",
    )
    CURVES_NURBS = Sentences(
        "NURBS strands",
        "NURBS among its curves run through their control points.",
        "Set their type to Catmull Rom or Bézier, or resample them.",
    )
    POINTS_THINNED = Sentences(
        "Too many points",
        "{drawn:,} of its {count:,} points are drawn, larger than they are.",
        "Give it fewer points.",
    )
    OBJECT_PARTICLES = Sentences(
        "Particles that are not drawn",
        "Its particles are drawn only where they are objects or collections.",
        left_out=True,
    )
    OBJECT_SHADOW_CATCHER = Sentences(
        "Shadow catchers", "Shadow Catcher is drawn as plain surface."
    )
    LIBRARY_MISSING = Sentences(
        "Missing libraries",
        "Its file '{path}' is not there, so what it holds is not drawn.",
        "Use File > External Data > Find Missing Files, or relocate the library.",
        left_out=True,
        fix="find_file",
    )

    # Cameras, lamps, scene
    CAMERA_PANORAMIC = Sentences(
        "Panoramic cameras",
        "Panoramic cameras are not supported; it is treated as a perspective one.",
        "Set the lens type to Perspective or Orthographic.",
        fix="set_perspective",
    )
    CAMERA_DEPTH_OF_FIELD = Sentences(
        "Depth of field", "Depth of field is not drawn; all of it is sharp."
    )
    LIGHT_LINKING = Sentences(
        "Light linking", "Light linking is not supported; it lights everything."
    )
    LIGHT_NEGATIVE = Sentences(
        "Lamps of negative power", "Its power is negative; it gives no light.", fix="clamp_light"
    )
    LIGHT_SQUARE_CONE = Sentences("Square spot lamps", "Its square cone is drawn round.")
    LIGHT_PORTAL = Sentences(
        "Portals", "A portal gives no light of its own, but is drawn as a lamp.", "Hide it."
    )
    LIGHT_COLORS = Sentences(
        "Lamp nodes of many colours",
        "Its nodes give more than one colour, which is not supported; they are ignored.",
    )
    LIGHT_FALLOFF = Sentences(
        "Falloff of lamps",
        "{name} falloff is not supported; light falls off with the square.",
        "Use its Quadratic output.",
    )
    LIGHT_FALLOFF_SMOOTH = Sentences("Smooth falloff", "Smooth falloff is not supported.")
    SCENE_COLORS = Sentences(
        "Color management",
        "Colors differ from the game's: the scene's {changes} is applied on top.",
        "Set Color Management to Standard without a look.",
        fix="set_standard",
    )

    # Worlds
    WORLD_MIXED = Sentences(
        "Worlds that cannot be shown",
        "Its nodes mix skies or pictures in a way that is not supported; it is mid grey.",
    )
    WORLD_SKY_MODEL = Sentences(
        "Sky models", "The sky model {model} is shown as Multiple Scattering, equally bright."
    )
    WORLD_SKY_AIR = Sentences(
        "Air of skies", "Altitude, air, dust and ozone of its sky are not shown."
    )
    WORLD_SKY_TURNED = Sentences(
        "Turned skies", "Its sky is turned otherwise than around the vertical; it stands upright."
    )
    WORLD_BACKGROUND = Sentences(
        "Backgrounds other than the light",
        "The camera sees another picture or sky than what lights it; it is shown the latter.",
    )
    WORLD_RAYS = Sentences(
        "Worlds that differ by ray",
        "It lights diffuse and glossy surfaces differently; all get the light of diffuse ones.",
    )
    WORLD_PICTURE_BROKEN = Sentences(
        "Missing pictures", "{reason} The world is drawn pink.", fix="find_file"
    )

    # Images
    IMAGE_MISSING = Sentences(
        "Missing pictures",
        "Its picture cannot be read ({reason}); it is drawn pink.",
        "Use File > External Data > Find Missing Files, or choose another picture.",
        left_out=True,
        fix="find_file",
    )
    IMAGE_TILE_MISSING = Sentences(
        "Missing tiles",
        "Its tile {number} cannot be read ({reason}); it is drawn pink.",
        "Find its file, or remove the tile in the image's list of tiles.",
        left_out=True,
    )
    IMAGE_MOVIE = Sentences(
        "Movies",
        "Movies do not play; one picture of it is shown.",
        "Convert it to an image sequence.",
    )
    IMAGE_COLOR_SPACE = Sentences(
        "Colour spaces",
        "The colour space '{space}' is not supported; it is read as sRGB.",
        "Convert the picture to sRGB.",
    )
