"""The steps of the random walk: what people do to a scene, its file and its windows.

A step takes a random generator and does one thing; what Blender cannot do at the moment raises
`InfeasibleError` or the RuntimeError of an operator's poll. Nothing is kept between steps: undo
replaces every datablock.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import bpy
import stage
from walk_context import (
    InfeasibleError,
    an_object,
    chosen,
    first_view,
    layer,
    leave_modes,
    make_active,
    scene,
    within,
)

Step = Callable[[random.Random], None]

WALK_FILE = stage.FOLDER / "walk.blend"
LIBRARY_FILE = stage.FOLDER / "library.blend"
OBJECTS_AT_MOST = 24
OWN_OPERATORS: list[str] = []
"""Those of Fyn's operators that were run, in order."""


# ---- Objects ---------------------------------------------------------------------------------


def add_object(chance: random.Random) -> None:
    if len(layer().objects) >= OBJECTS_AT_MOST:
        raise InfeasibleError("enough objects")
    leave_modes()
    place = [chance.uniform(-4, 4) for _ in range(3)]
    add = chance.choice([
        lambda: bpy.ops.mesh.primitive_cube_add(location=place),
        lambda: bpy.ops.mesh.primitive_uv_sphere_add(location=place, segments=8, ring_count=6),
        lambda: bpy.ops.object.text_add(location=place),
        lambda: bpy.ops.object.empty_add(location=place),
        lambda: bpy.ops.object.light_add(type=chance.choice(["POINT", "SUN"]), location=place),
        lambda: bpy.ops.object.camera_add(location=place),
    ])  # fmt: skip
    with within():
        add()


def delete_object(chance: random.Random) -> None:
    if len(layer().objects) < 3:
        raise InfeasibleError("few objects")
    make_active(an_object(chance))
    with within():
        bpy.ops.object.delete()


def duplicate_object(chance: random.Random) -> None:
    if len(layer().objects) >= OBJECTS_AT_MOST:
        raise InfeasibleError("enough objects")
    make_active(an_object(chance))
    with within():
        bpy.ops.object.duplicate(linked=chance.random() < 0.5)


def move_object(chance: random.Random) -> None:
    obj = an_object(chance)
    obj.location = [chance.uniform(-4, 4) for _ in range(3)]
    obj.scale = [chance.choice([0.0, 0.5, 1.0, -1.0])] * 3


def parent_object(chance: random.Random) -> None:
    child, parent = an_object(chance), an_object(chance)
    above = parent
    while above is not None:
        if above == child:
            raise InfeasibleError("a loop")
        above = above.parent
    child.parent = None if child.parent else parent


def hide_object(chance: random.Random) -> None:
    obj = an_object(chance)
    name = chance.choice(["eye", "hide_viewport", "visible_camera", "visible_shadow"])
    if name == "eye":
        obj.hide_set(not obj.hide_get(view_layer=layer()), view_layer=layer())
    else:
        setattr(obj, name, not getattr(obj, name))


def rename_object(chance: random.Random) -> None:
    an_object(chance).name = f"renamed {chance.randrange(5)}"


def change_modifiers(chance: random.Random) -> None:
    obj = an_object(chance, "MESH")
    if obj.modifiers and chance.random() < 0.5:
        obj.modifiers.clear()
    elif len(obj.modifiers) < 2:
        obj.modifiers.new("m", chance.choice(["ARRAY", "TRIANGULATE", "WIREFRAME"]))


def instance_collection(chance: random.Random) -> None:
    if len(layer().objects) >= OBJECTS_AT_MOST:
        raise InfeasibleError("enough objects")
    source = bpy.data.collections.get("source") or bpy.data.collections.new("source")
    if not source.objects:
        source.objects.link(an_object(chance, "MESH"))
    leave_modes()
    with within():
        bpy.ops.object.collection_instance_add(collection=source.name)


def change_collections(chance: random.Random) -> None:
    children = layer().layer_collection.children
    if not children:
        new = bpy.data.collections.new("part")
        scene().collection.children.link(new)
    else:
        child = chosen(chance, children)
        name = chance.choice(["exclude", "hide_viewport"])
        setattr(child, name, not getattr(child, name))


# ---- Meshes, materials, pictures ---------------------------------------------------------------


def edit_mesh(chance: random.Random) -> None:
    mesh = an_object(chance, "MESH").data
    if mesh.is_editmode or not mesh.vertices:
        raise InfeasibleError("in edit mode")
    chosen(chance, mesh.vertices).co.z += chance.uniform(-1, 1)
    mesh.update()


def change_mode(chance: random.Random) -> None:
    obj = an_object(chance, "MESH")
    if obj.hide_get(view_layer=layer()) or obj.hide_viewport or obj.library:
        raise InfeasibleError("hidden")
    make_active(obj)
    mode = chance.choice(["EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"])
    with within():
        bpy.ops.object.mode_set(mode=mode)
        if mode == "EDIT":
            bpy.ops.mesh.select_all(action="SELECT")
            if len(obj.data.vertices) < 300:
                bpy.ops.mesh.subdivide()


def leave_mode(_chance: random.Random) -> None:
    leave_modes()


def change_material(chance: random.Random) -> None:
    mesh = an_object(chance, "MESH").data
    if not mesh.materials:
        material = bpy.data.materials.new("walk")
        if material.node_tree is None:
            material.use_nodes = True
        mesh.materials.append(material)
    material = mesh.materials[0]
    if material is None or material.library:
        raise InfeasibleError("no material of this file")
    shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    if chance.random() < 0.5:
        shader.inputs["Base Color"].default_value = [chance.random() for _ in range(3)] + [1]
    else:
        picture = material.node_tree.nodes.new("ShaderNodeTexImage")
        picture.image = bpy.data.images.new("picture", 8, 8)
        target = chance.choice(["Base Color", "Roughness"])
        material.node_tree.links.new(picture.outputs["Color"], shader.inputs[target])


def paint_picture(chance: random.Random) -> None:
    image = chosen(chance, [i for i in bpy.data.images if i.size[0] == 8])
    image.pixels.foreach_set([chance.random() for _ in range(8 * 8 * 4)])
    image.update()
    image.update_tag()


def change_world(chance: random.Random) -> None:
    world = scene().world
    if world is None or chance.random() < 0.2:
        scene().world = bpy.data.worlds.new("world")
    elif world.node_tree is not None:
        background = next(n for n in world.node_tree.nodes if n.type == "BACKGROUND")
        background.inputs["Color"].default_value = [chance.random() for _ in range(3)] + [1]


# ---- History, time, files ----------------------------------------------------------------------


def undo(_chance: random.Random) -> None:
    with within():
        bpy.ops.ed.undo()


def redo(_chance: random.Random) -> None:
    with within():
        bpy.ops.ed.redo()


def change_frame(chance: random.Random) -> None:
    obj = an_object(chance)
    if not obj.library:
        obj.keyframe_insert("location", frame=chance.randrange(1, 20))
    scene().frame_set(chance.randrange(1, 20))


def play_or_stop(_chance: random.Random) -> None:
    with within():
        bpy.ops.screen.animation_play()


def save_file(_chance: random.Random) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(WALK_FILE), check_existing=False)


def open_file(chance: random.Random) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(WALK_FILE), load_ui=chance.random() < 0.5)


def revert_file(_chance: random.Random) -> None:
    if not bpy.data.filepath:
        raise InfeasibleError("not saved")
    with bpy.context.temp_override(window=stage.window()):
        bpy.ops.wm.revert_mainfile()


def new_file(_chance: random.Random) -> None:
    with bpy.context.temp_override(window=stage.window()):
        bpy.ops.wm.read_homefile(app_template="")


def append_or_link(chance: random.Random) -> None:
    if len(layer().objects) >= OBJECTS_AT_MOST:
        raise InfeasibleError("enough objects")
    leave_modes()
    with within():
        bpy.ops.wm.append(
            directory=f"{LIBRARY_FILE}/Object/", filename="Shared",
            link=chance.random() < 0.5, instance_collections=False,
        )  # fmt: skip


# ---- Scenes, layers, windows -------------------------------------------------------------------


def switch_scene(chance: random.Random) -> None:
    leave_modes()
    if len(bpy.data.scenes) < 3 and chance.random() < 0.4:
        with bpy.context.temp_override(window=stage.window()):
            bpy.ops.scene.new(type=chance.choice(["LINK_COPY", "FULL_COPY", "EMPTY"]))
    elif len(bpy.data.scenes) > 1 and chance.random() < 0.3:
        with bpy.context.temp_override(window=stage.window(), scene=scene()):
            bpy.ops.scene.delete()
    else:
        stage.window().scene = chosen(chance, bpy.data.scenes)


def switch_layer(chance: random.Random) -> None:
    leave_modes()
    layers = scene().view_layers
    if len(layers) < 3 and chance.random() < 0.4:
        layers.new("layer")
    elif len(layers) > 1 and chance.random() < 0.3:
        layers.remove(chosen(chance, [one for one in layers if one != layer()]))
    else:
        stage.window().view_layer = chosen(chance, layers)


def switch_workspace(chance: random.Random) -> None:
    names = ("Layout", "Modeling", "Shading", "UV Editing")
    stage.window().workspace = chosen(chance, [w for w in bpy.data.workspaces if w.name in names])


def navigate(chance: random.Random) -> None:
    data = first_view()[3]
    data.view_perspective = chance.choice(["PERSP", "ORTHO", "CAMERA"])
    data.view_distance = chance.uniform(4, 15)


def switch_shading(chance: random.Random) -> None:
    first_view()[2].shading.type = chance.choice(["SOLID", "MATERIAL", "RENDERED"])


def toggle_local_view(_chance: random.Random) -> None:
    with within():
        bpy.ops.view3d.localview()


def split_or_close(chance: random.Random) -> None:
    areas = [view[0] for view in stage.views()]
    if len(areas) > 1:
        with bpy.context.temp_override(window=stage.window(), area=areas[-1]):
            bpy.ops.screen.area_close()
    else:
        with within():
            bpy.ops.screen.area_split(direction=chance.choice(["HORIZONTAL", "VERTICAL"]))


def render_still(_chance: random.Random) -> None:
    if scene().camera is None:
        raise InfeasibleError("no camera")
    scene().render.resolution_x = scene().render.resolution_y = 32
    bpy.ops.render.render(scene=scene().name)


def enable_again(_chance: random.Random) -> None:
    bpy.ops.preferences.addon_disable(module=stage.EXTENSION)
    stage.enable_extension()


def run_own_operator(chance: random.Random) -> None:
    """One of Fyn's operators with its defaults; those about files get a path of their own."""
    # A preset needs the menu that it was chosen in.
    names = [n for n in dir(bpy.ops.fyn) if not n.startswith("_") and "preset" not in n]
    name = chosen(chance, names)
    operator = getattr(bpy.ops.fyn, name)
    options = {}
    properties = operator.get_rna_type().properties
    if "filepath" in properties:
        options["filepath"] = str(stage.FOLDER / "walk_level" / "level.fyn")
    for one in properties:
        if one.type == "ENUM" and one.identifier not in options and one.enum_items:
            options[one.identifier] = chance.choice([i.identifier for i in one.enum_items])
    with within():
        if not operator.poll():
            raise InfeasibleError(name)
        OWN_OPERATORS.append(name)
        operator(**options)
        bpy.ops.ed.undo_push(message=name)
        if chance.random() < 0.5:
            bpy.ops.ed.undo()


STEPS: tuple[tuple[int, Step], ...] = (
    (5, add_object), (3, delete_object), (3, duplicate_object), (8, move_object),
    (3, parent_object), (6, hide_object), (2, rename_object), (5, change_modifiers),
    (2, instance_collection), (3, change_collections), (6, edit_mesh), (4, change_mode),
    (4, leave_mode), (8, change_material), (4, paint_picture), (3, change_world),
    (14, undo), (8, redo), (4, change_frame), (2, play_or_stop), (3, save_file), (2, open_file),
    (2, revert_file), (1, new_file), (2, append_or_link), (4, switch_scene), (3, switch_layer),
    (2, switch_workspace), (6, navigate), (3, switch_shading), (2, toggle_local_view),
    (2, split_or_close), (2, render_still), (1, enable_again), (8, run_own_operator),
)  # fmt: skip
"""Every step, and how often it is done."""

WITHOUT_UNDO = frozenset({
    undo, redo, play_or_stop, save_file, open_file, revert_file, new_file, navigate, switch_shading,
    switch_workspace, toggle_local_view, split_or_close, render_still, enable_again,
    run_own_operator,
})  # fmt: skip
"""Those after which Blender makes no undo step, or that make their own."""
