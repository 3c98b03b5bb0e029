"""Errors meant for people: every message says what happened, where, and what to do."""

from __future__ import annotations


class FynError(Exception):
    """Base of every error that Fyn raises on purpose; its text can be shown to a user as it is."""


class UsageError(FynError):
    """The caller asked for something that does not exist or makes no sense (exit code 2)."""


class LevelError(FynError):
    """A level or asset file is damaged, hostile or of an unknown version."""


class PipelineError(FynError):
    """A pipeline file or frame graph is malformed."""


class ShaderError(FynError):
    """A shader does not compile; the text names file and line as the author wrote them."""


class DeviceError(FynError):
    """No GL context could be made, or the driver lacks what the engine cannot do without."""


class SyncError(FynError):
    """Blender data that cannot be turned into engine data at all (approximations are warnings)."""
