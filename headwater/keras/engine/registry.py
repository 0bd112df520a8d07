"""Layers by the names of their classes."""

from __future__ import annotations

from typing import Any

from headwater.base.export import LazyExport
from headwater.base.namespace import all_exports_below
from headwater.graph import export
from headwater.keras.engine.op_layers import AddLoss, AddMetric, TensorFlowOpLayer
from headwater.keras.utils.serialization import deserialize_keras_object


def layer_classes() -> dict[str, Any]:
    """{name: class of layers or models} of tf.keras."""
    found = {
        **all_exports_below("keras.experimental"),
        **all_exports_below("keras.layers"),
        **all_exports_below("keras.models"),
    }
    classes = {
        name: value.resolve() if isinstance(value, LazyExport) else value
        for name, value in found.items()
        if "." not in name
    }
    # These have no public names.
    classes.update(TensorFlowOpLayer=TensorFlowOpLayer, AddLoss=AddLoss, AddMetric=AddMetric)
    return {name: value for name, value in classes.items() if isinstance(value, type)}


@export("keras.layers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a layer or model of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}.
        custom_objects: {name: class or function} that the configuration names.

    Returns:
        The layer.
    """
    return deserialize_keras_object(
        config,
        module_objects=layer_classes(),
        custom_objects=custom_objects,
        printable_module_name="layer",
    )


@export("keras.layers.serialize")
def serialize(layer: Any) -> dict[str, Any]:
    """The configuration of a layer.

    Args:
        layer: the layer.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return {"class_name": type(layer).__name__, "config": layer.get_config()}
