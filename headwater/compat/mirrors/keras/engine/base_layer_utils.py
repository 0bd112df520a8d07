"""tensorflow.python.keras.engine.base_layer_utils: variables of layers, tensors of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike
from headwater.graph import Tensor
from headwater.keras.backend.tensors import placeholder
from headwater.keras.engine.network import Network
from headwater.keras.engine.op_layers import is_of_model
from headwater.keras.engine.op_layers import make_history as create_keras_history
from headwater.model.layers import node, variables
from headwater.model.layers.node import CallContext
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization

__all__ = [
    "CallContext",
    "call_context",
    "create_keras_history",
    "default",
    "generate_placeholders_from_shape",
    "have_all_keras_metadata",
    "is_in_eager_or_tf_function",
    "is_in_keras_graph",
    "is_in_tf_function",
    "is_subclassed",
    "make_variable",
    "needs_keras_history",
    "uses_keras_history",
]


def make_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: Any = None,
    trainable: bool | None = None,
    caching_device: Any = None,
    validate_shape: bool = True,
    constraint: Callable[[Any], Any] | None = None,
    use_resource: bool | None = None,
    collections: Sequence[str] | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    partitioner: Any = None,
) -> Any:
    """Makes a variable below the present name scope, without a variable scope.

    Args:
        name: the name.
        shape: the shape.
        dtype: the type.
        initializer: an initializer or its class, or an initial value.
        trainable: whether optimizers change it.
        caching_device: the device where reads are kept.
        validate_shape: whether the initial value must have the shape.
        constraint: a function from a new value to the one that is kept.
        use_resource: whether it is a resource variable; it is by default.
        collections: the collections that it is added to.
        synchronization: a VariableSynchronization.
        aggregation: a VariableAggregation.
        partitioner: has no effect.

    Returns:
        The variable.
    """
    if isinstance(initializer, type):
        initializer = initializer()
    return variables.make_variable(
        name,
        shape=shape,
        dtype=as_dtype(dtype).base_dtype,
        initializer=initializer,
        trainable=trainable,
        caching_device=caching_device,
        validate_shape=validate_shape,
        constraint=constraint,
        use_resource=True if use_resource is None else use_resource,
        collections=collections,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def call_context() -> CallContext:
    """Returns the calls of layers that are under way."""
    return node.call_context


def have_all_keras_metadata(tensors: NestedTensors) -> bool:
    """Tells whether all tensors are outputs of layers of a model."""
    return all(hasattr(x, "_keras_history") for x in nest.flatten(tensors))


def uses_keras_history(tensors: NestedTensors) -> bool:
    """Tells whether a tensor depends on a tensor of a model."""
    return any(is_of_model(x, set()) for x in nest.flatten(tensors) if isinstance(x, Tensor))


def needs_keras_history(tensors: NestedTensors, ignore_call_context: bool = False) -> bool:
    """Tells whether tensors depend on a model, and ops outside of layers have made them.

    Args:
        tensors: a structure of tensors.
        ignore_call_context: whether they count inside the call of a layer, too.
    """
    if node.call_context.layers and not ignore_call_context:
        return False
    if have_all_keras_metadata(tensors):
        return False
    return uses_keras_history(tensors)


def generate_placeholders_from_shape(shape: ShapeLike) -> Tensor:
    """Returns a placeholder of the default floating-point type."""
    return placeholder(TensorShape(shape).as_list())


def is_subclassed(layer: Any) -> bool:
    """Tells whether a layer or model is of a class that a program has defined."""
    module = type(layer).__module__
    return not module.startswith(__name__.partition(".")[0] + ".") and not (
        isinstance(layer, Network) and layer._is_graph_network
    )


def is_in_keras_graph() -> bool:
    """False: models are built in the graph of the program."""
    return False


def is_in_tf_function() -> bool:
    """False: functions become ops of the graph before their layers are called."""
    return False


def is_in_eager_or_tf_function() -> bool:
    """False, as `is_in_tf_function` is."""
    return False


def default(method: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a method as one that subclasses are expected to override."""
    method._is_default = True  # type: ignore[attr-defined]
    return method
