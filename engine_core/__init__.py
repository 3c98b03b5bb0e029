"""The engine: knows nothing of bpy, windows or files it was not given."""
