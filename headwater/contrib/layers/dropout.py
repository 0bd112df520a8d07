"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import ShapeLike, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import variable_getter
from headwater.contrib.layers.layer_utils import collect_named_outputs
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.core import Dropout
from headwater.model.variables.variable_scope import variable_scope

_GETTER = variable_getter()


@export("contrib.layers.dropout", "contrib.slim.dropout")
@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: TensorLike = 0.5,
    noise_shape: ShapeLike | None = None,
    is_training: Any = True,
    outputs_collections: str | Sequence[str] | None = None,
    scope: Any = None,
    seed: int | None = None,
) -> Tensor:
    """Sets random inputs to zero while training, and scales the others up.

    Args:
        inputs: a floating-point tensor.
        keep_prob: the probability that an input is kept.
        noise_shape: the shape of the random decisions, which are broadcast; that of `inputs` if
            None.
        is_training: whether inputs are dropped: a Python value or a tensor.
        outputs_collections: the collections for the output.
        scope: the variable scope.
        seed: the op seed.

    Returns:
        A tensor like `inputs`.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=_GETTER) as variables:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(
            rate=1 - keep_prob,
            noise_shape=noise_shape,
            seed=seed,
            name=variables.name,
            _scope=variables,
        )
        outputs = layer.apply(inputs, training=is_training)
        return collect_named_outputs(outputs_collections, variables.name, outputs)
