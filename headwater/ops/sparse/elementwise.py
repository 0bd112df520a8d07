"""Sparse arguments of functions that work element by element and keep zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.dispatch import add_handler, make_dispatching
from headwater.graph import SparseTensor

# As in TensorFlow, these apply to the values even if they do not map 0 to 0.
_FUNCTIONS = ("math.bessel_i0e", "math.bessel_i1e")


def _of_values(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    named = dict(kwargs)
    x = args[0] if args else named.pop("x", None)
    if not isinstance(x, SparseTensor):
        return NotImplemented
    return SparseTensor(x.indices, function(x.values, *args[1:], **named), x.dense_shape)


make_dispatching(_FUNCTIONS)
for _name in _FUNCTIONS:
    add_handler(_name, _of_values)
