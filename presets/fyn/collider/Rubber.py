"""A solid that holds fast and throws back."""

import bpy

component = bpy.context.object.fyn.collider

component.friction = 0.9
component.restitution = 0.8
