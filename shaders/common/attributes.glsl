// Attributes of a mesh's vertices. Locations are bound by name (ATTRIBUTES in interface.py).

in vec3 in_position;
in vec3 in_normal;
in vec4 in_tangent;
in vec2 in_uv0;
in vec2 in_uv1;
in vec4 in_color;
