"""Shared by the layers of one family: documentation, and functions that apply a layer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor


def export_layer(name: str) -> Callable[[Any], Any]:
    """Exports a class of layers that differs from its base by class attributes only.

    Its documentation is its own first line and the arguments of its base.

    Args:
        name: the name below tf.layers.

    Returns:
        A decorator of the class.
    """

    def decorator(layer_class: type) -> type:
        arguments = (inspect.getdoc(layer_class.__base__) or "").partition("Args:\n")[2]
        layer_class.__doc__ = f"{layer_class.__doc__}\n\nArgs:\n{arguments}\n"
        return export(f"layers.{name}")(layer_class)

    return decorator


def apply_layer(layer_class: type, **arguments: Any) -> Tensor:
    """Makes a layer and applies it to inputs.

    Args:
        layer_class: the class of the layer.
        **arguments: the arguments of a function such as tf.layers.conv2d: `inputs`, those of the
            class, and `reuse` if the layer has variables.

    Returns:
        The output of the layer.
    """
    inputs = arguments.pop("inputs")
    if "reuse" in arguments:
        arguments["_reuse"] = arguments.pop("reuse")
        arguments["_scope"] = arguments["name"]
    return layer_class(**arguments).apply(inputs)
