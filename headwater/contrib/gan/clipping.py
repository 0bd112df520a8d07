"""tf.contrib.gan.features: optimizers that keep the norms of variables below a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.wrappers import VariableClippingOptimizer


@export("contrib.gan.features.clip_variables")
def clip_variables(
    optimizer: Optimizer, variables: Sequence[Any], weight_clip: float
) -> VariableClippingOptimizer:
    """Makes an optimizer that clips variables after each step.

    Args:
        optimizer: the optimizer that makes the steps.
        variables: the variables.
        weight_clip: the largest absolute value of their elements.

    Returns:
        An optimizer.

    Raises:
        ValueError: if the limit is negative.
    """
    if weight_clip < 0:
        raise ValueError(
            "`discriminator_weight_clip` must be positive. Instead, was %s", weight_clip
        )
    # The norm over no dimension is that of each element alone.
    return VariableClippingOptimizer(
        opt=optimizer,
        vars_to_clip_dims={variable: [] for variable in variables},
        max_norm=weight_clip,
        use_locking=True,
        colocate_clip_ops_with_vars=True,
    )


@export("contrib.gan.features.clip_discriminator_weights")
def clip_discriminator_weights(
    optimizer: Optimizer, model: Any, weight_clip: float
) -> VariableClippingOptimizer:
    """Makes an optimizer that clips the variables of a discriminator after each step.

    Args:
        optimizer: the optimizer that makes the steps.
        model: a GANModel, or another tuple with `discriminator_variables`.
        weight_clip: the largest absolute value of their elements.

    Returns:
        An optimizer.

    Raises:
        ValueError: if the limit is negative.
    """
    return clip_variables(optimizer, model.discriminator_variables, weight_clip)
