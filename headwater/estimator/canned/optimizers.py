"""The optimizers that canned estimators take by name."""

from __future__ import annotations

from typing import Any

from headwater.train.optimizers.adagrad import AdagradOptimizer
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.ftrl import FtrlOptimizer
from headwater.train.optimizers.gradient_descent import GradientDescentOptimizer
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.rms_prop import RMSPropOptimizer

_CLASSES: dict[str, type[Any]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Optimizer:
    """The optimizer that an argument stands for.

    Args:
        opt: an Optimizer, a function without parameters that returns one, or a name: "Adagrad",
            "Adam", "Ftrl", "RMSProp" or "SGD".
        learning_rate: the learning rate of an optimizer given by name.

    Returns:
        An Optimizer.

    Raises:
        ValueError: if it is something else, or a name comes without a learning rate.
    """
    if isinstance(opt, str):
        if opt not in _CLASSES:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: {tuple(sorted(_CLASSES))}"
            )
        if not learning_rate:
            raise ValueError("learning_rate must be specified when opt is string.")
        optimizer: Optimizer = _CLASSES[opt](learning_rate=learning_rate)
        return optimizer
    if callable(opt):
        opt = opt()
    if not isinstance(opt, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return opt
