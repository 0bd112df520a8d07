"""Functions of tf.contrib.opt without public names."""

from __future__ import annotations

import inspect
from typing import Any

from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.contrib.opt import matrix_functions, shampoo
from headwater.train.optimizers import weight_decay

_TRAINING = "tensorflow.contrib.opt.python.training"
for _function in (matrix_functions.matrix_square_root, matrix_functions.matrix_inverse_pth_root):
    internal(f"{_TRAINING}.matrix_functions.{_function.__name__}")(_function)


@internal(f"{_TRAINING}.weight_decay_optimizers.ShampooWOptimizer")
class ShampooWOptimizer(weight_decay.DecoupledWeightDecayExtension, shampoo.ShampooOptimizer):
    """ShampooOptimizer with decoupled weight decay.

    Args:
        weight_decay: a number or tensor.
        global_step: as in ShampooOptimizer, like all others.
    """

    def __init__(
        self, weight_decay: TensorLike, global_step: TensorLike, *args: Any, **kwargs: Any
    ) -> None:
        names = list(inspect.signature(shampoo.ShampooOptimizer.__init__).parameters)[2:]
        kwargs = {"name": "ShampooW", **dict(zip(names, args)), **kwargs}
        super().__init__(weight_decay, global_step=global_step, **kwargs)
