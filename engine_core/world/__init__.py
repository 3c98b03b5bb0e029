"""What a level contains: entities, components, World, and the .fyn file."""
