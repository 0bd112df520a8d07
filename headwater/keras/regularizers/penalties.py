"""tf.keras.regularizers: the L1 and L2 penalties of weights."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.keras.backend.settings import cast_to_floatx
from headwater.ops.array.constant import constant
from headwater.ops.math.reduce_functions import reduce_sum


@export("keras.regularizers.Regularizer")
class Regularizer:
    """The base of regularizers: functions from a weight tensor to a scalar loss."""

    def __call__(self, x: TensorLike) -> Tensor | float:
        """Returns the loss of a weight tensor, 0."""
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Regularizer:
        """Returns the regularizer of a configuration that `get_config` has returned."""
        return cls(**config)


@export("keras.regularizers.L1L2")
class L1L2(Regularizer):
    """The regularizer l1 * sum(abs(x)) + l2 * sum(square(x)).

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = cast_to_floatx(l1)
        self.l2 = cast_to_floatx(l2)

    def __call__(self, x: TensorLike) -> Tensor:
        """Returns the loss of a weight tensor, a scalar of its type."""
        if not self.l1 and not self.l2:
            return constant(0.0)
        weights = convert_to_tensor(x)
        loss: Any = 0.0
        if self.l1:
            loss += self.l1 * reduce_sum(build.Abs(weights))
        if self.l2:
            loss += self.l2 * reduce_sum(build.Square(weights))
        result: Tensor = loss
        return result

    def get_config(self) -> dict[str, float]:
        """Returns the arguments of the constructor."""
        return {"l1": float(self.l1), "l2": float(self.l2)}


@export("keras.regularizers.l1")
def l1(l: float = 0.01) -> L1L2:  # noqa: E741 - the original's name
    """Returns the regularizer l * sum(abs(x)).

    Args:
        l: the factor.

    Returns:
        A function from weights to a scalar.
    """
    return L1L2(l1=l)


@export("keras.regularizers.l2")
def l2(l: float = 0.01) -> L1L2:  # noqa: E741 - the original's name
    """Returns the regularizer l * sum(square(x)).

    Args:
        l: the factor.

    Returns:
        A function from weights to a scalar.
    """
    return L1L2(l2=l)


@export("keras.regularizers.l1_l2")
def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Returns the regularizer l1 * sum(abs(x)) + l2 * sum(square(x)).

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.

    Returns:
        A function from weights to a scalar.
    """
    return L1L2(l1=l1, l2=l2)
