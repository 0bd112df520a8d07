"""The signatures that public functions show: those of TensorFlow 1.15, which has no annotations.

Libraries read them with `inspect` and compare them with what they expect.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def signature(parameters: str) -> Callable[[Function], Function]:
    """A decorator for a function that accepts more than it shows, such as older arguments.

    Args:
      parameters: the parameters to show, as they stand in a `def`; defaults are evaluated among
        the globals of the function.

    Returns:
      The decorator, which returns the function itself.
    """

    def decorate(function: Function) -> Function:
        names = inspect.unwrap(function).__globals__
        shown = eval(f"lambda {parameters}: None", names)
        function.__signature__ = inspect.signature(shown)  # type: ignore[attr-defined]
        return function

    return decorate


def with_defaults(**defaults: Any) -> Callable[[type], Any]:
    """A decorator for a class whose `__init__` shows other defaults than that of its base.

    Args:
      **defaults: {parameter: what stands for the default of the base and means the same}.

    Returns:
      The decorator, which returns the class itself.
    """

    def decorate(cls: Any) -> Any:
        inherited = cls.__init__

        @functools.wraps(inherited)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            inherited(self, *args, **kwargs)

        found = inspect.signature(inherited)
        shown = [
            p.replace(default=defaults.get(p.name, p.default)) for p in found.parameters.values()
        ]
        init.__signature__ = found.replace(parameters=shown)  # type: ignore[attr-defined]
        cls.__init__ = init
        return cls

    return decorate


def show_plainly(function: Any) -> None:
    """Removes the annotations of a function, and shows the parameters that a wrapper stands for.

    Args:
      function: the function; anything else stays as it is.
    """
    if not isinstance(function, FunctionType):
        return
    if hasattr(function, "__wrapped__") or hasattr(function, "__signature__"):
        # inspect.getfullargspec does not look below wrappers.
        function.__signature__ = _plain(inspect.signature(function))  # type: ignore[attr-defined]
    function.__annotations__ = {}
    # `tf_inspect` looks at the innermost one.
    show_plainly(getattr(function, "__wrapped__", None))


def show_module_plainly(module: ModuleType) -> None:
    """Does the same for all functions that a module defines."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) == module.__name__:
            show_plainly(value)


def _plain(found: inspect.Signature) -> inspect.Signature:
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return found.replace(parameters=parameters, return_annotation=found.empty)
