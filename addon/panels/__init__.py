"""Panels that Fyn adds to Blender."""
