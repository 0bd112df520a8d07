"""Program entry point: parses the flags and calls `main`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from headwater.base import flags
from headwater.base.export import export

_HELP_WORDS = ("--help", "-help", "--helpshort", "-helpshort", "-h", "-?")
_FULL_HELP_WORDS = ("--helpfull", "-helpfull")


def _show_help(text: str) -> NoReturn:
    purpose = sys.modules["__main__"].__doc__ or f"USAGE: {sys.argv[0]} [flags]"
    sys.stdout.write(f"{purpose.strip()}\nflags:\n{text}\n")
    sys.exit(0)


def _is_request(word: str, words: tuple[str, ...]) -> bool:
    return word in words and word.lstrip("-") not in flags.FLAGS


@export("app.run")
def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags, calls `main` with the remaining arguments, and exits.

    Args:
      main: takes the program's name and the arguments that are not flags; by default the
        function `main` of the program.
      argv: the command line, by default `sys.argv`.

    Raises:
      SystemExit: always, with what `main` returns as its code.

    Example:
      >>> tf.app.run(main=lambda argv: len(argv), argv=["program.py", "x"])
      Traceback (most recent call last):
          ...
      SystemExit: 2
    """
    arguments = list(sys.argv if argv is None else argv)
    if any(_is_request(word, _HELP_WORDS) for word in arguments[1:]):
        _show_help(flags.FLAGS.main_module_help())
    if any(_is_request(word, _FULL_HELP_WORDS) for word in arguments[1:]):
        _show_help(flags.FLAGS.get_help())
    try:
        remaining = flags.FLAGS(arguments)
    except flags.Error as error:
        sys.stderr.write(f"FATAL Flags parsing error: {error}\n")
        sys.stderr.write("Pass --helpshort or --helpfull to see help on flags.\n")
        sys.exit(1)
    main = main or sys.modules["__main__"].main
    sys.exit(main(remaining))
