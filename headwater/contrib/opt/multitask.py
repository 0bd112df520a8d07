"""Optimizers for alternating losses, each with zero gradients for some variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Operation, Tensor, build, export
from headwater.ops.control.cond import cond
from headwater.ops.math.clip_by_norm import clip_by_global_norm, global_norm
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer

_METHODS = ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse")


@export("contrib.opt.MultitaskOptimizerWrapper")
class MultitaskOptimizerWrapper:
    """An optimizer that leaves a variable and its slots unchanged if its gradient is all zeros.

    Without it a step of one loss would move the variables of the others by their momentum.

    Args:
        opt: the optimizer, which is changed.

    Raises:
        TypeError: if `opt` is not an optimizer.
    """

    def __init__(self, opt: Optimizer) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in _METHODS:
            setattr(opt, name, _unless_zero(getattr(opt, name)))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(self._opt, name)


def _unless_zero(apply: Callable[..., Any]) -> Callable[..., Operation]:
    def wrapper(grad: Tensor, *args: Any, **kwargs: Any) -> Operation:
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        zero = build.Equal(_count_nonzero(values), np.int64(0))
        return cond(zero, build.NoOp, lambda: apply(grad, *args, **kwargs))

    return wrapper


def _count_nonzero(values: Tensor) -> Tensor:
    flat = build.Reshape(build.NotEqual(values, np.zeros((), values.dtype.as_numpy_dtype)), [-1])
    return build.Sum(build.Cast(flat, DstT="int64"), [0])


@export("contrib.opt.clip_gradients_by_global_norm")
def clip_gradients_by_global_norm(
    gradients_variables: GradsAndVars, clip_norm: TensorLike = 20.0
) -> tuple[list[tuple[Any, Any]], Tensor]:
    """Clips gradients by the norm of those that are not all zeros.

    Args:
        gradients_variables: pairs (gradient or None, variable).
        clip_norm: the largest norm.

    Returns:
        (pairs of clipped gradients and variables, the norm before).
    """
    gradients, variables = zip(*gradients_variables)
    clipped = []
    norms = [g for g in gradients if g is not None]
    norm = global_norm(norms)
    fitting, _ = clip_by_global_norm(norms, clip_norm, use_norm=norm)
    rest = iter(fitting)
    for gradient, _ in zip(gradients, variables):
        clipped.append(None if gradient is None else next(rest))
    return list(zip(clipped, variables)), norm
