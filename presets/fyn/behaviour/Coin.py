"""Turns, bobs and is taken."""

import bpy

component = bpy.context.object.fyn.behaviour

component.spin_speed = 2.5
component.bob_height = 0.1
component.bob_period = 1.6
component.collectible = True
