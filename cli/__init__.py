"""The command `fyn`."""
