"""Variables of the layers that an object has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def is_layer(obj: Any) -> bool:
    """Whether an object is a layer."""
    return hasattr(obj, "_is_layer") and not isinstance(obj, type)


def has_weights(obj: Any) -> bool:
    """Whether an object has variables as layers have them."""
    return (
        hasattr(type(obj), "trainable_weights")
        and hasattr(type(obj), "non_trainable_weights")
        and not isinstance(obj, type)
    )


def filter_empty_layer_containers(layer_list: Iterable[Any]) -> list[Any]:
    """Layers, and those inside of containers, each once.

    Args:
        layer_list: layers and tracked lists and dicts.

    Returns:
        The layers in the order of a depth-first walk.
    """
    seen: set[int] = set()
    found: list[Any] = []
    stack = list(layer_list)[::-1]
    while stack:
        obj = stack.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        if is_layer(obj) or not hasattr(obj, "layers"):
            found.append(obj)
        else:
            stack.extend(obj.layers[::-1])
    return found


def gather_trainable_weights(
    trainable: bool, sub_layers: Iterable[Any], extra_variables: Iterable[Any]
) -> list[Any]:
    """The trainable variables of an object.

    Args:
        trainable: whether the object is trained at all.
        sub_layers: its layers.
        extra_variables: its variables outside of the layers.
    """
    if not trainable:
        return []
    found = [weight for layer in sub_layers for weight in layer.trainable_weights]
    return found + [variable for variable in extra_variables if variable.trainable]


def gather_non_trainable_weights(
    trainable: bool, sub_layers: Iterable[Any], extra_variables: Iterable[Any]
) -> list[Any]:
    """The other variables of an object; see `gather_trainable_weights`."""
    extra = list(extra_variables)
    layers = list(sub_layers)
    found = [weight for layer in layers for weight in layer.non_trainable_weights]
    if trainable:
        return found + [variable for variable in extra if not variable.trainable]
    trained = [weight for layer in layers for weight in layer.trainable_weights]
    return (
        trained
        + [variable for variable in extra if variable.trainable]
        + found
        + [variable for variable in extra if not variable.trainable]
    )
