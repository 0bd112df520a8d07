"""Regularizers by name."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.keras.regularizers.penalties import L1L2, l1, l1_l2, l2
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object

_REGULARIZERS: dict[str, Any] = {"L1L2": L1L2, "l1": l1, "l1_l2": l1_l2, "l2": l2}


@export("keras.regularizers.serialize")
def serialize(regularizer: Any) -> Any:
    """The configuration of a regularizer.

    Args:
        regularizer: an object.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(regularizer)


@export("keras.regularizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a regularizer of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}, or a name.
        custom_objects: {name: class or function} of the program.

    Returns:
        An object.

    Raises:
        ValueError: if the name is unknown.
    """
    if config == "l1_l2":
        return L1L2(l1=0.01, l2=0.01)
    found = deserialize_keras_object(
        config, _REGULARIZERS, custom_objects, printable_module_name="regularizer"
    )
    return found() if found in (l1, l2) else found


@export("keras.regularizers.get")
def get(identifier: Any) -> Any:
    """Finds a regularizer.

    Args:
        identifier: a name, a function or a configuration; None for none.

    Returns:
        A function, or None.

    Raises:
        ValueError: if the name is unknown, or it is none of these.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError("Could not interpret regularizer identifier:", identifier)
