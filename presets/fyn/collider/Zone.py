"""A zone that notices who is in it and lets them through."""

import bpy

component = bpy.context.object.fyn.collider

component.trigger = True
