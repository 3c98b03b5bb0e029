"""The starter level, made by a script: pictures, shapes and the scene they become."""
