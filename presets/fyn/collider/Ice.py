"""A solid on which nothing holds."""

import bpy

component = bpy.context.object.fyn.collider

component.friction = 0.02
