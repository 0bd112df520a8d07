"""The steps that all layers share: variables under the names of slim, normalizer, activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import Activation, TensorLike
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.layer_utils import get_variable_collections
from headwater.graph import Tensor
from headwater.graph.default_graph import add_to_collections
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.random_initializers import xavier_initializer
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization

# The default initializer of weights.
XAVIER = xavier_initializer()


def variable_getter(rename: dict[str, str] | None = None) -> Callable[..., Any]:
    """A custom getter that makes model variables, under other names than those of the layer class.

    Args:
        rename: the new last part of the name by the old one.

    Returns:
        A custom getter for a variable scope.
    """

    def getter(
        getter: Callable[..., Any],
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        **_: Any,
    ) -> Any:
        scope, slash, last = name.rpartition("/")
        return model_variable(
            scope + slash + (rename or {}).get(last, last),
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            partitioner=partitioner,
            custom_getter=getter,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )

    return getter


def add_to_variable_collections(variable: Any, variables_collections: Any, kind: str) -> None:
    """Adds a variable of a layer to the collections of its kind.

    Args:
        variable: the variable; all its parts are added if it has parts.
        variables_collections: a list of keys, or a dict from kind to such lists.
        kind: such as "weights".
    """
    keys = get_variable_collections(variables_collections, kind)
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    for part in parts if keys else ():
        add_to_collections(list(keys), part)


def normalized_and_activated(
    outputs: TensorLike,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: dict[str, Any] | None,
    activation_fn: Activation | None,
) -> Tensor:
    """Applies a normalizer, such as `batch_norm`, and an activation.

    Args:
        outputs: a tensor.
        normalizer_fn: a function of the tensor, or None.
        normalizer_params: its further arguments.
        activation_fn: a function of the result, or None.

    Returns:
        A tensor.
    """
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)


def check_format(data_format: str, first: str, last: str) -> str:
    """The notation of tf.layers for a data format.

    Args:
        data_format: such as "NHWC".
        first: the format with channels first.
        last: the format with channels last.

    Returns:
        "channels_first" or "channels_last".

    Raises:
        ValueError: if it is neither of the two.
    """
    if data_format not in (first, last):
        raise ValueError(f"data_format has to be either {first} or {last}.")
    return "channels_first" if data_format == first else "channels_last"
