"""The command `fyn`: one module a subcommand, each with `add_parser` and `run`."""
