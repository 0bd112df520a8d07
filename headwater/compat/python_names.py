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
from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.compat import python_modules
from headwater.compat.old_names import Find, OldNames, constant, same


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


def _assertions() -> dict[str, Find]:
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
    return {f"TestCase.{old}": same("TestCase", new) for old, new in renamed.items()}


# {module: {name in it, with a class before it if it is a method: how to find the value}}
_NAMES: dict[str, dict[str, Find]] = {
    "base64": {"encodestring": same("encodebytes"), "decodestring": same("decodebytes")},
    "cgi": {"escape": constant(_escape)},
    "collections": {
        name: constant(getattr(collections.abc, name))
        for name in collections.abc.__all__
        if name != "Buffer"  # younger than the removal
    },
    "configparser": {
        "SafeConfigParser": same("ConfigParser"),
        "RawConfigParser.readfp": same("RawConfigParser", "read_file"),
    },
    "fractions": {"gcd": constant(_gcd)},
    "html.parser": {"HTMLParser.unescape": constant(_unescape)},
    "inspect": {"ArgSpec": constant(_ArgSpec), "getargspec": constant(_getargspec)},
    "os": {"errno": lambda module: importlib.import_module("errno")},
    "platform": {
        "dist": constant(_linux_distribution),
        "linux_distribution": constant(_linux_distribution),
    },
    "threading": {"Thread.isAlive": same("Thread", "is_alive")},
    "time": {"clock": same("process_time")},
    "unittest.case": _assertions(),
}

_names = OldNames(_NAMES)


def add() -> None:
    """Adds the names that are missing."""
    _names.add()
    python_modules.finder.start()


def remove() -> None:
    """Undoes `add`; modules that were imported meanwhile keep working."""
    _names.remove()
    python_modules.finder.stop()
