"""The only part of Fyn that imports bpy: render engine, scene sync, panels."""
