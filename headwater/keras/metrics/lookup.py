"""Metrics by name and by configuration."""

from __future__ import annotations

from typing import Any

from headwater.base.export import LazyExport, export
from headwater.base.namespace import all_exports_below
from headwater.keras.losses import functions as losses
from headwater.keras.metrics.functions import accuracy
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object


def _known() -> dict[str, Any]:
    """Metrics by their public names, and by names that only `get` knows."""
    found = {
        name: value.resolve() if isinstance(value, LazyExport) else value
        for name, value in all_exports_below("keras.metrics").items()
        if name not in ("get", "serialize", "deserialize")
    }
    found.update(accuracy=accuracy, acc=accuracy, ACC=accuracy)
    found.update(bce=losses.binary_crossentropy, BCE=losses.binary_crossentropy)
    found.update(
        categorical_hinge=losses.categorical_hinge,
        cosine_similarity=losses.cosine_similarity,
        logcosh=losses.logcosh,
    )
    return found


@export("keras.metrics.serialize")
def serialize(metric: Any) -> Any:
    """The name of a function, or the configuration of a metric.

    Args:
        metric: a function or an object.

    Returns:
        A string or {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(metric)


@export("keras.metrics.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Finds a metric.

    Args:
        config: its name or configuration.
        custom_objects: {name: class or function} of the program.

    Returns:
        A function or an object.

    Raises:
        ValueError: if the name is unknown.
    """
    return deserialize_keras_object(
        config, _known(), custom_objects, printable_module_name="metric function"
    )


@export("keras.metrics.get")
def get(identifier: Any) -> Any:
    """Finds a metric.

    Args:
        identifier: a name, a function or a configuration.

    Returns:
        A function or an object.

    Raises:
        ValueError: if the name is unknown, or it is none of these.
    """
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric function identifier: {identifier}")
