"""Rises and sinks slowly."""

import bpy

component = bpy.context.object.fyn.behaviour

component.bob_height = 2.0
component.bob_period = 8.0
