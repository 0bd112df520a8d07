"""Command line flags, built on absl's; the argparse interface of TensorFlow 1.0 works too."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headwater.base.export import export_module
from headwater.base.signatures import signature as _signature

_OLD_KEYWORDS = {"flag_name": "name", "default_value": "default", "docstring": "help"}
_TRUTH_WORDS = ("true", "false")


@functools.cache
def _absl_flags() -> Any:
    """The module absl.flags, imported when a program first touches a flag."""
    module = importlib.import_module("absl.flags")
    # Flags count as defined by the module that calls us.
    module.disclaim_key_flags()
    return module


class _ShownAsValue:
    """A flag in `FLAGS.__flags`, which held the values in TensorFlow 1.0 and flags in 1.15.

    It prints and compares as the value and otherwise acts as the flag.
    """

    def __init__(self, flag: Any) -> None:
        self._flag = flag

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flag, name)

    def __eq__(self, other: object) -> bool:
        return bool(self._flag.value == getattr(other, "value", other))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self._flag.value)

    def __repr__(self) -> str:
        return repr(self._flag.value)


class _FlagValues:
    """The values of the flags; the command line is read at the first access.

    Flags that are not defined are left alone on the command line, and a flag that is not defined
    can be set.
    """

    def __getattr__(self, name: str) -> Any:
        flags = _absl_flags().FLAGS
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if not flags.is_parsed():
            self(sys.argv)
        if name == "__flags":
            return {key: _ShownAsValue(flags[key]) for key in flags}
        return getattr(flags, name)

    def __setattr__(self, name: str, value: Any) -> None:
        absl = _absl_flags()
        if name not in absl.FLAGS:
            absl.DEFINE(absl.ArgumentParser(), name, None, "Set by the program.")
        setattr(absl.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl_flags().FLAGS, name)

    def __call__(self, argv: Sequence[str], known_only: bool = True) -> list[str]:
        """Reads a command line; returns it without the flags that are defined."""
        flags = _absl_flags().FLAGS
        result: list[str] = flags(_join_truth_values(flags, argv), known_only=known_only)
        return result

    def _parse_flags(self, args: Sequence[str] | None = None) -> None:
        self(sys.argv if args is None else [sys.argv[0], *args])

    def __contains__(self, name: object) -> bool:
        return name in _absl_flags().FLAGS

    def __getitem__(self, name: str) -> Any:
        return _absl_flags().FLAGS[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_absl_flags().FLAGS)

    def __len__(self) -> int:
        return len(_absl_flags().FLAGS)

    def __dir__(self) -> list[str]:
        return dir(_absl_flags().FLAGS)


def _join_truth_values(flags: Any, argv: Sequence[str]) -> list[str]:
    """Turns `--flag false` into `--flag=false` where the flag is a boolean one."""
    joined: list[str] = []
    for i, word in enumerate(argv):
        name = joined[-1].lstrip("-") if joined else ""
        takes_no_value = (
            i > 1 and joined[-1].startswith("-") and name in flags and flags[name].boolean
        )
        if takes_no_value and word.lower() in _TRUTH_WORDS:
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


FLAGS: Any = _FlagValues()


def _define(kind: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    absl = _absl_flags()
    define: Callable[..., Any] = getattr(absl, "DEFINE_" + kind)
    keywords = {_OLD_KEYWORDS.get(key, key): value for key, value in keywords.items()}
    arguments = arguments + tuple(
        keywords.pop(key)
        for key in ("name", "default", "help")[len(arguments) :]
        if key in keywords
    )
    try:
        return define(*arguments, **keywords)
    except absl.IllegalFlagValueError:
        name, default, *rest = arguments
        if isinstance(default, str):
            raise
        # Only text used to be converted: DEFINE_integer("n", 1e6) has the value 1e6.
        holder = define(name, None, *rest, **keywords)
        flag = keywords.get("flag_values", absl.FLAGS)[name]
        flag.default = flag.value = default
        flag.using_default_value = True
        return holder


@_signature("name, default, help, flag_values=FLAGS, required=False, **args")
def DEFINE_string(*args: Any, **kwargs: Any) -> Any:
    """Defines a flag that holds text: (flag_name, default_value, docstring)."""
    return _define("string", args, kwargs)


@_signature(
    "name, default, help, lower_bound=None, upper_bound=None, "
    "flag_values=FLAGS, required=False, **args"
)
def DEFINE_integer(*args: Any, **kwargs: Any) -> Any:
    """Defines a flag that holds an integer: (flag_name, default_value, docstring)."""
    return _define("integer", args, kwargs)


@_signature(
    "name, default, help, lower_bound=None, upper_bound=None, "
    "flag_values=FLAGS, required=False, **args"
)
def DEFINE_float(*args: Any, **kwargs: Any) -> Any:
    """Defines a flag that holds a float: (flag_name, default_value, docstring)."""
    return _define("float", args, kwargs)


@_signature("name, default, help, flag_values=FLAGS, module_name=None, required=False, **args")
def DEFINE_boolean(*args: Any, **kwargs: Any) -> Any:
    """Defines a flag that is true or false: (flag_name, default_value, docstring).

    `--name`, `--name=true`, `--name true` set it, `--noname`, `--name=false`, `--name false` clear
    it.
    """
    return _define("boolean", args, kwargs)


DEFINE_bool = DEFINE_boolean


def __getattr__(name: str) -> Any:
    """The rest of the flags API is absl's own."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_absl_flags(), name)


export_module("flags", sys.modules[__name__])
export_module("app.flags", sys.modules[__name__])
