"""Optimizers by name."""

from __future__ import annotations

from typing import Any

from headwater.base.export import LazyExport, export
from headwater.base.namespace import all_exports_below
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.keras.optimizers.wrapped import TFOptimizer
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.train.optimizers.optimizer import Optimizer


@export("keras.optimizers.serialize")
def serialize(optimizer: Any) -> Any:
    """The configuration of an optimizer.

    Args:
        optimizer: an optimizer.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(optimizer)


@export("keras.optimizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes an optimizer of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}.
        custom_objects: {name: class} of the program.

    Returns:
        An optimizer.

    Raises:
        ValueError: if the name is unknown.
    """
    known = {}
    for name, value in all_exports_below("keras.optimizers").items():
        cls = value.resolve() if isinstance(value, LazyExport) else value
        if isinstance(cls, type) and issubclass(cls, OptimizerV2):
            known[name.lower()] = cls
    if config["class_name"].lower() in known:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(
        config, known, custom_objects, printable_module_name="optimizer"
    )


@export("keras.optimizers.get")
def get(identifier: Any) -> Any:
    """Finds an optimizer.

    Args:
        identifier: a name, a configuration, or an optimizer of tf.keras or tf.train.

    Returns:
        An optimizer.

    Raises:
        ValueError: if the name is unknown, or it is none of these.
    """
    if isinstance(identifier, (OptimizerV2, TFOptimizer)):
        return identifier
    if isinstance(identifier, Optimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError("Could not interpret optimizer identifier:", identifier)
