"""Functions of a tensor that can be joined, added, multiplied and repeated."""

from __future__ import annotations

import collections.abc
import importlib
import operator
import re
from collections.abc import Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export

# Words that do more than to compute a value.
KEYWORDS = re.compile(r"\b(import|while|def|exec)\b")
QUOTED = re.compile(r'"([^"\\]|\\.)*"|' r"'([^'\\]|\\.)*'")
_show_calls = False


@export("contrib.specs.Composable")
class Composable:
    """A function of a tensor, `funcall`, with operators."""

    def __or__(self, f: Composable) -> Composition:
        return Composition(self, f)

    def __add__(self, g: Composable) -> Operator:
        return Operator(operator.add, self, g)

    def __mul__(self, g: Composable) -> Operator:
        return Operator(operator.mul, self, g)

    def __pow__(self, n: int) -> Composable:
        assert n >= 0
        if n == 0:
            return Function(lambda x, *args, **kw: x)
        result: Composable = self
        for _ in range(n - 1):
            result = Composition(result, self)
        return result


@export("contrib.specs.Callable")
class Callable(Composable):
    """A Python function of one value.

    Args:
        f: the function.
    """

    def __init__(self, f: collections.abc.Callable[..., Any]) -> None:
        self.f = f

    def funcall(self, x: Any) -> Any:
        """Returns f(x)."""
        return self.f(x)


@export("contrib.specs.Operator")
class Operator(Composable):
    """A function of what several functions give.

    Args:
        op: a function of as many values.
        *args: Composables.
    """

    def __init__(self, op: collections.abc.Callable[..., Any], *args: Any) -> None:
        self.op = op
        self.args = args

    def funcall(self, x: Any) -> Any:
        """Returns op(f(x), g(x), ...)."""
        return self.op(*[f.funcall(x) for f in self.args])


@export("contrib.specs.get_positional")
def get_positional(
    args: Sequence[Any], kw: dict[str, Any], kw_overrides: bool = False
) -> tuple[list[Any], dict[str, Any]]:
    """Makes positional arguments of keywords such as `_0`.

    Args:
        args: positional arguments.
        kw: keyword arguments.
        kw_overrides: whether a keyword replaces a positional argument.

    Returns:
        Positional arguments, None where there is no value, and the other keywords.
    """
    places = {int(name[1:]): value for name, value in kw.items() if re.fullmatch(r"_\d+", name)}
    others = {name: value for name, value in kw.items() if not re.fullmatch(r"_\d+", name)}
    positional = list(args)
    for place, value in sorted(places.items()):
        positional += [None] * (place + 1 - len(positional))
        if positional[place] is None or kw_overrides:
            positional[place] = value
    return positional, others


@export("contrib.specs.Function", "contrib.specs.Fun")
class Function(Composable):
    """A function of a value and of options, which are given first.

    Args:
        f: a function whose first argument is the value.
        *args: options after the value.
        **kw: options by name.
    """

    def __init__(self, f: collections.abc.Callable[..., Any], *args: Any, **kw: Any) -> None:
        if not callable(f):
            raise ValueError(f"{f}: is not callable")
        self.f = f
        self.args = list(args)
        self.kw = kw

    def __call__(self, *args: Any, **kw: Any) -> Function:
        return Function(self.f, *args, *self.args, **{**self.kw, **kw})

    def funcall(self, x: Any) -> Any:
        """Returns f(x, options)."""
        args, kw = get_positional(self.args, self.kw)
        if _show_calls:
            logging.info("DEBUG: %s %s %s %s", self.f, x, args, kw)
        return self.f(x, *args, **kw)


@export("contrib.specs.Composition")
class Composition(Composable):
    """One function after another.

    Args:
        f: the first.
        g: the second.
    """

    def __init__(self, f: Any, g: Any) -> None:
        self.f = f
        self.g = g

    def funcall(self, x: Any) -> Any:
        """Returns g(f(x))."""
        return self.g.funcall(self.f.funcall(x))


@export("contrib.specs.External")
def External(module_name: str, function_name: str) -> Function:
    """Imports a function.

    Args:
        module_name: the name of the module.
        function_name: the name of the function.

    Returns:
        A Function.
    """
    return Function(getattr(importlib.import_module(module_name), function_name))


@export("contrib.specs.Import")
def Import(statements: str) -> Function:
    """Runs statements that define a function `f`.

    Args:
        statements: the statements.

    Returns:
        A Function.
    """
    names: dict[str, Any] = {}
    exec(statements, names)
    if "f" not in names:
        # Two arguments, as in TensorFlow.
        raise ValueError('failed to define "f": %s', statements)
    return Function(names["f"])


@export("contrib.specs.debug")
def debug(mode: bool = True) -> None:
    """Shows each call of a Function, or no longer.

    Args:
        mode: whether to show calls.

    Returns:
        None.
    """
    global _show_calls
    _show_calls = mode


@export("contrib.specs.check_keywords")
def check_keywords(spec: str) -> None:
    """Checks that a spec has no statements that do more than to define a network.

    Args:
        spec: the text.

    Returns:
        None.

    Raises:
        ValueError: if a keyword stands outside of quotes.
    """
    found = KEYWORDS.search(QUOTED.sub("", spec))
    if found:
        raise ValueError(f"keyword '{found.group(1)}' found in spec")
