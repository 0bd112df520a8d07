"""ops._gradient_registry: the registered gradients, which programs look up and replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from headwater.compat.internals import internal
from headwater.graph.gradients import is_trainable
from headwater.graph.registry import (
    NOT_DIFFERENTIABLE,
    VJP,
    register_gradient,
    registered_gradients,
)
from headwater.graph.vjp import build_vjp

_TYPE = "type"


class _Entry(dict[str, Any]):
    """What is kept for one name; a new "type" replaces the gradient function."""

    def __init__(self, name: str, function: Callable[..., Any] | None) -> None:
        super().__init__({_TYPE: function, "location": None})
        self._name = name

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        if key == _TYPE:
            _set(self._name, value)


def _set(name: str, function: Callable[..., Any] | None) -> None:
    if function is None:
        registered_gradients()[name] = NOT_DIFFERENTIABLE
    else:
        registered_gradients()[name] = VJP if function is build_vjp else function


class _Entries(MutableMapping[str, Any]):
    """The registered gradients as {name: {"type": function, or None if there is no gradient}}."""

    def __getitem__(self, name: str) -> _Entry:
        found = registered_gradients()[name]
        if found is NOT_DIFFERENTIABLE:
            return _Entry(name, None)
        return _Entry(name, build_vjp if found is VJP else found)

    def __setitem__(self, name: str, entry: dict[str, Any]) -> None:
        _set(name, entry[_TYPE])

    def __delitem__(self, name: str) -> None:
        del registered_gradients()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(registered_gradients())

    def __len__(self) -> int:
        return len(registered_gradients())


class GradientRegistry:
    """Gradient functions by op type or free name."""

    def __init__(self) -> None:
        self._name = "gradient"
        self._registry = _Entries()

    def register(self, candidate: Callable[..., Any] | None, name: str | None = None) -> None:
        """Registers a function.

        Args:
            candidate: the function; None for no gradient.
            name: the name; that of the function by default.

        Raises:
            KeyError: if the name has a gradient.
        """
        own: str = getattr(candidate, "__name__", "")
        register_gradient(name or own, NOT_DIFFERENTIABLE if candidate is None else candidate)

    def list(self) -> Any:
        """Returns the names."""
        return self._registry.keys()

    def lookup(self, name: str) -> Callable[..., Any] | None:
        """Returns the function of a name.

        Args:
            name: the name.

        Raises:
            LookupError: if there is none.
        """
        if name not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        found: Callable[..., Any] | None = self._registry[name][_TYPE]
        return found


internal("framework.ops._gradient_registry")(GradientRegistry())


@internal("ops.gradients_util._IsBackpropagatable", "ops.gradients_util.IsTrainable")
def is_backpropagatable(tensor: Any) -> bool:
    """Tells whether gradients flow through a tensor."""
    return is_trainable(tensor.dtype)
