"""tensorflow.python.util.tf_export: marks for public names, which programs set on their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class SymbolAlreadyExposedError(Exception):
    """A public name is already in use."""


class api_export:
    """Marks a function or class as public.

    Args:
      *args: its public names.
      **kwargs: `api_name`, `v1`, `overrides`, `allow_multiple_exports`; accepted.
    """

    def __init__(self, *args: str, **kwargs: Any) -> None:
        self._names = args
        self._names_v1 = tuple(kwargs.get("v1", args))

    def __call__(self, func: Any) -> Any:
        """Marks `func` and returns it."""
        func._tf_api_names = self._names
        func._tf_api_names_v1 = self._names_v1
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Would make a constant public; the name space is made from Headwater's own exports."""


tf_export = api_export
estimator_export = functools.partial(api_export, api_name="estimator")
keras_export = functools.partial(api_export, api_name="keras")


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Returns the first public name of a marked function or class.

    Args:
      symbol: the function or class.
      api_name: accepted.
      add_prefix_to_v1_names: accepted.

    Returns:
      The name, or None.
    """
    names = getattr(symbol, "_tf_api_names", None) or getattr(symbol, "_tf_api_names_v1", None)
    return names[0] if names else None


def kwarg_only(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function one that takes keyword arguments only."""

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: "
                f"{list(f.__code__.co_varnames[: f.__code__.co_argcount])}). "
                "Please pass these args as kwargs instead."
            )
        return f(**kwargs)

    return wrapper
