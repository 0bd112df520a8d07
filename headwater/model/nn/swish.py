"""Swish."""

from __future__ import annotations

from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
)
from headwater.graph.registry import register_gradient

_GRADIENT = "CustomGradient-swish"


@export("nn.swish")
def swish(features: TensorLike) -> Tensor:
    """Returns features * sigmoid(features).

    Args:
        features: a tensor of floating-point numbers.

    Returns:
        A tensor of the same type and shape.

    Source: P. Ramachandran, B. Zoph, Q. Le, "Searching for Activation Functions", 2017.
    """
    features = convert_to_tensor(features)
    sigmoid = build.Sigmoid(features)
    value = build.Identity(build.Mul(features, sigmoid, name="mul"))
    # Only `features` is kept for the gradient; the sigmoid is computed again.
    product = value.op.inputs[0]
    return build.IdentityN([product, features], _gradient_op_type=_GRADIENT)[0]


def gradient_swish(op: Operation, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    features = op.inputs[1]
    with control_dependencies([grad]):
        sigmoid: Tensor = build.Sigmoid(features)
    derivative = sigmoid * (1.0 + features * (1.0 - sigmoid))
    return None, build.Mul(grad, derivative, name="mul")


register_gradient(_GRADIENT, gradient_swish)
