"""Runs a user's program as the main program of this process."""

from __future__ import annotations

import difflib
import importlib.machinery
import importlib.util
import os
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

import numpy as np

from headwater.graph.traceback import begin_below

# Files whose frames stand above the program's first one.
_OWN_FILES = frozenset({__file__, runpy.__file__, "<frozen runpy>"})

# Exit status of a program that the user interrupts: 128 + SIGINT, as shells report it.
_INTERRUPTED = 130

_HINTS_FOR_OLD_NAMES = {
    name: f"{name} is a name of Python 2; in Python 3 it is {successor}."
    for name, successor in {
        "xrange": "range",
        "raw_input": "input",
        "unicode": "str",
        "long": "int",
        "unichr": "chr",
        "reduce": "functools.reduce",
    }.items()
}
_HINT_FOR_OLD_SYNTAX = (
    "This looks like a program for Python 2. Convert it first, for example with 2to3, "
    "which comes with Python up to 3.12."
)
_OLD_SYNTAX = ("call to 'print'", "call to 'exec'", "multiple exception types", "leading zeros")
# Errors of NumPy for uses that it allowed up to the release that `headwater[programs]` installs.
_REFUSALS_OF_NUMPY = {
    AttributeError: (
        r"module 'numpy[\w.]*' has no attribute",
        r"'numpy\.\w+' object has no attribute",
        r"`np\.\w+` was removed",
        r"`\w+` was removed from the ndarray class",
    ),
    ImportError: (r"No module named 'numpy\.", r"cannot import name '\w+' from 'numpy"),
    TypeError: (
        "only 0-dimensional arrays can be converted to Python scalars",
        "unexpected keyword argument 'newshape'",
    ),
    ValueError: ("Unable to avoid copy while creating an array", "binary mode of fromstring"),
    OverflowError: (r"Python integer -?\d+ out of bounds for u?int\d+",),
}
# The bounds of `headwater[programs]` in pyproject.toml.
_FIRST_NEWER_NUMPY = (2, 0) if sys.version_info < (3, 13) else (2, 3)
_HINT_FOR_OLD_NUMPY = (
    "If the program was written for an older NumPy than {version}: pip install "
    "'headwater[programs]' installs the newest one that still has what it calls."
)


class ProgramError(Exception):
    """A program that cannot be started; the message says why and what to do."""


def run_file(program: str, arguments: list[str]) -> int:
    """Runs a file as `python FILE ARGUMENTS` does.

    Args:
      program: the file as the user named it.
      arguments: sys.argv without the first element.

    Returns:
      0, or 1 after an exception, whose traceback begins in the user's file.

    Raises:
      ProgramError: if there is no such program.
      SystemExit: if the program asks for it.
    """
    path = Path(program)
    source = _read_source(path)
    name = os.path.abspath(path)  # noqa: PTH100 - links are kept, as Python does
    main = _main_module()
    main.__file__ = name
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", name)
    _set_path_and_arguments(str(path.resolve().parent), [program, *arguments])
    return _guarded(lambda: exec(_compile(source, name), main.__dict__))


def run_code(source: str, arguments: list[str]) -> int:
    """Runs code as `python -c CODE ARGUMENTS` does; see `run_file`."""
    main = _main_module()
    _set_path_and_arguments("", ["-c", *arguments])
    return _guarded(lambda: exec(_compile(source, "<string>"), main.__dict__))


def run_module(name: str, arguments: list[str]) -> int:
    """Runs a module as `python -m MODULE ARGUMENTS` does; see `run_file`."""
    _set_path_and_arguments(str(Path.cwd()), [name, *arguments])
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise ProgramError(
            f"Error while finding module specification for {name!r} ({error})"
        ) from None
    if spec is None:
        raise ProgramError(f"No module named {name}")
    return _guarded(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


def _read_source(path: Path) -> bytes:
    if path.is_dir():
        raise ProgramError(f"{str(path)!r} is a folder. Name a program in it.")
    if path.suffix == ".ipynb":
        raise ProgramError(
            f"{str(path)!r} is a notebook. In its first cell write `import headwater; "
            "headwater.install()`, or convert it: jupyter nbconvert --to script"
        )
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ProgramError(
            f"can't open file {str(path)!r}: {error.strerror}{_near(path)}"
        ) from None
    if b"\0" in source:
        raise ProgramError(f"{str(path)!r} is not a Python program: it holds binary data.")
    return source


def _near(path: Path) -> str:
    """Returns a hint that names files with similar names."""
    if path.exists() or not path.parent.is_dir():
        return ""
    names = [other.name for other in path.parent.iterdir() if other.suffix == ".py"]
    close = difflib.get_close_matches(path.name, names, n=3)
    return f". Did you mean {' or '.join(close)}?" if close else ""


def _compile(source: bytes | str, name: str) -> CodeType:
    return compile(source, name, "exec", dont_inherit=True)


def _main_module() -> ModuleType:
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    main.__dict__["__cached__"] = None
    main.__doc__ = None
    main.__package__ = None
    # Otherwise `inspect.stack()` looks for the module of our lowest frame at every call, among all.
    sys.modules.setdefault("headwater.__main__", sys.modules["__main__"])
    sys.modules["__main__"] = main
    return main


def _set_path_and_arguments(folder: str, argv: list[str]) -> None:
    sys.argv = argv
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def _guarded(run: Callable[[], object]) -> int:
    """Calls `run`; shows an exception as Python does for a main program."""
    begin_below(__file__, _OWN_FILES)
    try:
        run()
    except KeyboardInterrupt as error:
        _show(error)
        return _INTERRUPTED
    except Exception as error:
        _show(error)
        hint = _hint(error)
        if hint:
            sys.stderr.write(f"headwater: {hint}\n")
        return 1
    return 0


def _wants_older_numpy(error: Exception) -> bool:
    """Whether the release in `headwater[programs]` still allows what NumPy refuses here."""
    installed = tuple(int(part) for part in np.__version__.split(".")[:2])
    if installed < _FIRST_NEWER_NUMPY:
        return False
    patterns = (p for kind, ps in _REFUSALS_OF_NUMPY.items() if isinstance(error, kind) for p in ps)
    return any(re.search(pattern, str(error)) for pattern in patterns)


def _show(error: BaseException) -> None:
    error = error.with_traceback(_without_own_frames(error.__traceback__))
    sys.excepthook(type(error), error, error.__traceback__)


def _without_own_frames(tb: TracebackType | None) -> TracebackType | None:
    """Drops the frames above the program's first one: ours and those of runpy."""
    while tb is not None and tb.tb_frame.f_code.co_filename in _OWN_FILES:
        tb = tb.tb_next
    return tb


def _hint(error: Exception) -> str:
    if isinstance(error, SyntaxError) and any(text in str(error.msg) for text in _OLD_SYNTAX):
        return _HINT_FOR_OLD_SYNTAX
    if _wants_older_numpy(error):
        return _HINT_FOR_OLD_NUMPY.format(version=np.__version__)
    if isinstance(error, NameError):
        return _HINTS_FOR_OLD_NAMES.get(error.name or "", "")
    return ""
