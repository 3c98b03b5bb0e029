"""Animation of Blender for export: skins, shape keys, bones, and clips sampled frame by frame."""
