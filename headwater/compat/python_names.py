"""Names of Python's library that old programs use and that later releases of Python have removed.

The import hook adds them to the modules of this process where they are missing: to loaded modules
at once, to others when the program imports them. Modules that are gone as a whole have their old
functions in `python_modules.py`.
"""

from __future__ import annotations

import collections.abc
import html
import importlib
import inspect
import platform
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from headwater.compat import python_modules
from headwater.compat.after_import import AfterImport

_MISSING = object()


class _ArgSpec(NamedTuple):
    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def _getargspec(func: Callable[..., Any]) -> _ArgSpec:
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(
            "Function has keyword-only parameters or annotations, use inspect.signature()"
            " API which can support them"
        )
    return _ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _gcd(a: int, b: int) -> int:
    """The greatest common divisor, with the sign of `b` as `fractions.gcd` had it."""
    while b:
        a, b = b, a % b
    return a


def _linux_distribution(*_: Any, **__: Any) -> tuple[str, str, str]:
    try:
        found = platform.freedesktop_os_release()
    except OSError:
        return "", "", ""
    names = ("NAME", "VERSION_ID", "VERSION_CODENAME")
    return tuple(found.get(name, "") for name in names)  # type: ignore[return-value]


def _escape(s: str, quote: bool = False) -> str:
    return html.escape(s, quote)


def _unescape(_: Any, s: str) -> str:
    return html.unescape(s)


def _same(*path: str) -> Callable[[ModuleType], Any]:
    """Returns a function that finds the present name of what was renamed."""

    def find(module: ModuleType) -> Any:
        value: Any = module
        for name in path:
            value = getattr(value, name)
        return value

    return find


def _is(value: Any) -> Callable[[ModuleType], Any]:
    return lambda module: value


def _assertions() -> dict[str, Callable[[ModuleType], Any]]:
    renamed = {
        "assertEquals": "assertEqual",
        "assertNotEquals": "assertNotEqual",
        "assertAlmostEquals": "assertAlmostEqual",
        "assertNotAlmostEquals": "assertNotAlmostEqual",
        "assertRegexpMatches": "assertRegex",
        "assertNotRegexpMatches": "assertNotRegex",
        "assertRaisesRegexp": "assertRaisesRegex",
        "assert_": "assertTrue",
        "failUnless": "assertTrue",
        "failUnlessEqual": "assertEqual",
        "failUnlessRaises": "assertRaises",
        "failIf": "assertFalse",
        "failIfEqual": "assertNotEqual",
    }
    return {f"TestCase.{old}": _same("TestCase", new) for old, new in renamed.items()}


# {module: {name in it, with a class before it if it is a method: how to find the value}}
_NAMES: dict[str, dict[str, Callable[[ModuleType], Any]]] = {
    "base64": {"encodestring": _same("encodebytes"), "decodestring": _same("decodebytes")},
    "cgi": {"escape": _is(_escape)},
    "collections": {
        name: _is(getattr(collections.abc, name))
        for name in collections.abc.__all__
        if name != "Buffer"  # younger than the removal
    },
    "configparser": {
        "SafeConfigParser": _same("ConfigParser"),
        "RawConfigParser.readfp": _same("RawConfigParser", "read_file"),
    },
    "fractions": {"gcd": _is(_gcd)},
    "html.parser": {"HTMLParser.unescape": _is(_unescape)},
    "inspect": {"ArgSpec": _is(_ArgSpec), "getargspec": _is(_getargspec)},
    "os": {"errno": lambda module: importlib.import_module("errno")},
    "platform": {"dist": _is(_linux_distribution), "linux_distribution": _is(_linux_distribution)},
    "threading": {"Thread.isAlive": _same("Thread", "is_alive")},
    "time": {"clock": _same("process_time")},
    "unittest.case": _assertions(),
}

_added: list[tuple[Any, str]] = []


def _add_names(module: ModuleType) -> None:
    for path, find in _NAMES[module.__name__].items():
        owner: Any = module
        *classes, name = path.split(".")
        for part in classes:
            owner = getattr(owner, part)
        if getattr(owner, name, _MISSING) is _MISSING:
            setattr(owner, name, find(module))
            _added.append((owner, name))


_after_import = AfterImport(dict.fromkeys(_NAMES, _add_names))


def add() -> None:
    """Adds the names that are missing."""
    _after_import.start()
    sys.meta_path.append(python_modules.finder)


def remove() -> None:
    """Undoes `add`; modules that were imported meanwhile keep working."""
    _after_import.stop()
    sys.meta_path.remove(python_modules.finder)
    for owner, name in _added:
        delattr(owner, name)
    _added.clear()
