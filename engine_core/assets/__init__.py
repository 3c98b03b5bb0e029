"""Meshes, images, materials and their files."""
