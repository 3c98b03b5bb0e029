"""Turns fast round its own Z."""

import bpy

component = bpy.context.object.fyn.behaviour

component.spin_speed = 12.0
