"""Activation functions given by their Keras names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import find_export
from headwater.base.typing import TensorLike
from headwater.graph import build

_UNARY = {
    "elu": "Elu",
    "exponential": "Exp",
    "relu": "Relu",
    "selu": "Selu",
    "sigmoid": "Sigmoid",
    "softmax": "Softmax",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}


def linear(x: TensorLike) -> Any:
    """The identity, without a node."""
    return x


def activation_of(identifier: Any, default: str = "tanh") -> Callable[..., Any]:
    """The function that an argument `activation` stands for.

    Args:
        identifier: a function, the name of one, or None.
        default: the name to take for None.

    Returns:
        A function of one tensor.

    Raises:
        ValueError: if the name is unknown.
        TypeError: if it is neither.
    """
    if callable(identifier):
        return identifier
    name = default if identifier is None else identifier
    if not isinstance(name, str):
        raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
    if name == "linear":
        return linear
    if name in _UNARY:
        # The public function where there is one: programs compare it with `tf.nn.relu`.
        try:
            return find_export(f"nn.{name}")
        except KeyError:
            return getattr(build, _UNARY[name])
    raise ValueError(f"Unknown activation function:{name}")


def activation_name(function: Callable[..., Any]) -> str:
    """The name under which the configuration of a cell keeps an activation."""
    return getattr(function, "__name__", None) or type(function).__name__
