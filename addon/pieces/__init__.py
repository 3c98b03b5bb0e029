"""Ready-made pieces of levels: what Shift+A > Fyn adds and Blender's Asset Browser shows."""
