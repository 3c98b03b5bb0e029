"""Entry point of the command `fyn`: reads the command line, runs a subcommand, explains errors."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

from ..engine_core.errors import FynError, UsageError
from .terminal import print_json, printable

COMMANDS = ("render", "export", "import", "check", "compare", "test", "survey", "graph", "info")
"""Subcommands in the order of the help; `fyn NAME` lives in `NAME_command.py`."""

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done; differs or fails; asked for something wrong; stopped by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `fyn` with `argv` (without the program's name; default: the process's own).

    Returns the exit code and never raises for what a user did; argparse's own exits are returned
    as well.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A path that is no valid text, or a console of another encoding, must not stop a message.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:  # --help, or a mistake that argparse has explained
        return stop.code if isinstance(stop.code, int) else USAGE
    args.argv = argv
    return _run(args)


def build_parser() -> argparse.ArgumentParser:
    """The parser of `fyn` with all subcommands; imports nothing heavy."""
    parser = argparse.ArgumentParser(
        prog="fyn",
        description="Draw, export, check and compare Fyn levels and Blender files.",
        epilog="Exit codes: 0 done, 1 differs or fails, 2 asked for something wrong.",
        allow_abbrev=False,
    )
    subparsers = parser.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND"
    )
    for name in COMMANDS:
        import_module(f".{name}_command", __package__).add_parser(subparsers)
    for subparser in subparsers.choices.values():
        subparser.allow_abbrev = False
        group = subparser.add_argument_group("output")
        group.add_argument("--json", action="store_true", help="print the result as JSON")
        group.add_argument("-q", "--quiet", action="store_true", help="no progress, no warnings")
        group.add_argument("--debug", action="store_true", help="show tracebacks of errors")
    return parser


def _run(args: argparse.Namespace) -> int:
    """Run the chosen subcommand; every error becomes a sentence and an exit code."""
    if args.debug:
        logging.basicConfig(stream=sys.stderr)
        logging.getLogger("fyn").setLevel(logging.DEBUG)
    try:
        code = args.run(args)
        sys.stdout.flush()  # a reader that has gone is noticed here, not at interpreter exit
        return code
    except UsageError as error:
        return _explain(args, error, USAGE)
    except FynError as error:
        return _explain(args, error, FAILED)
    except BrokenPipeError:
        _close_stdout_quietly()
        return FAILED
    except OSError as error:  # a full disk, a folder that may not be written
        return _explain(args, error, FAILED)
    except KeyboardInterrupt:
        print("fyn: stopped", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        traceback.print_exc()
        print(
            f"fyn: this is a bug in Fyn ({type(error).__name__}: {error}); please report it with"
            " the lines above and the output of `fyn info`",
            file=sys.stderr,
        )
        if args.json:
            print_json({"ok": False, "error": {"kind": type(error).__name__, "text": str(error)}})
        return FAILED


def _explain(args: argparse.Namespace, error: Exception, code: int) -> int:
    if args.debug:
        traceback.print_exc()
    print(printable(f"fyn {args.command}: {error}"), file=sys.stderr)
    if args.json:
        print_json({"ok": False, "error": {"kind": type(error).__name__, "text": str(error)}})
    return code


def _close_stdout_quietly() -> None:
    """Point stdout at nothing, so that Python's own flush at exit does not complain as well."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
