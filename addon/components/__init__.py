"""The components of engine_core as properties of Blender datablocks, made from their classes."""
