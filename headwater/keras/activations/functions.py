"""Activations, and finding them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Activation, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend import elementwise
from headwater.keras.utils.serialization import deserialize_keras_object
from headwater.ops.math import exponential as exponentials
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum
from headwater.ops.nn import softmax as softmaxes
from headwater.ops.nn import softplus as softpluses

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


@export("keras.activations.softmax")
def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns exp(x) / sum(exp(x)) along an axis.

    Args:
        x: a tensor of rank 2 or more.
        axis: the axis; a tensor of rank 2 takes the last one.

    Returns:
        A tensor of its shape.

    Raises:
        ValueError: if the rank is 1.
    """
    rank = x.shape.ndims
    if rank == 2:
        return softmaxes.softmax(x)
    if rank is not None and rank > 2:
        exponent = exponentials.exp(x - reduce_max(x, axis, True))
        return exponent / reduce_sum(exponent, axis, True)
    raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")


@export("keras.activations.elu")
def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """Returns x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Args:
        x: a tensor.
        alpha: the limit of negative results.

    Returns:
        A tensor of its shape.
    """
    return elementwise.elu(x, alpha)


@export("keras.activations.selu")
def selu(x: TensorLike) -> Tensor:
    """Returns scale * elu(x, alpha), which keeps mean 0 and variance 1 (Klambauer et al., 2017).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return _SELU_SCALE * elementwise.elu(x, _SELU_ALPHA)


@export("keras.activations.softplus")
def softplus(x: TensorLike) -> Tensor:
    """Returns log(exp(x) + 1).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return softpluses.softplus(x)


@export("keras.activations.softsign")
def softsign(x: TensorLike) -> Tensor:
    """Returns x / (abs(x) + 1).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return softpluses.softsign(x)


@export("keras.activations.relu")
def relu(
    x: TensorLike, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0
) -> Tensor:
    """Rectifies: x from the threshold to max_value, alpha * (x - threshold) below.

    Args:
        x: a tensor.
        alpha: the slope below the threshold.
        max_value: the largest result; None for no limit.
        threshold: where x begins to pass.

    Returns:
        A tensor of its shape.
    """
    return elementwise.relu(x, alpha=alpha, max_value=max_value, threshold=threshold)


@export("keras.activations.tanh")
def tanh(x: TensorLike) -> Tensor:
    """Returns the hyperbolic tangent.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponentials.tanh(x)


@export("keras.activations.sigmoid")
def sigmoid(x: TensorLike) -> Tensor:
    """Returns 1 / (1 + exp(-x)).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponentials.sigmoid(x)


@export("keras.activations.exponential")
def exponential(x: TensorLike) -> Tensor:
    """Returns exp(x).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponentials.exp(x)


@export("keras.activations.hard_sigmoid")
def hard_sigmoid(x: TensorLike) -> Tensor:
    """Returns 0.2 * x + 0.5, limited to the range from 0 to 1.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return elementwise.hard_sigmoid(x)


@export("keras.activations.linear")
def linear(x: TensorLike) -> TensorLike:
    """Returns its argument.

    Args:
        x: a tensor.

    Returns:
        The same tensor.
    """
    return x


ACTIVATIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        elu,
        exponential,
        hard_sigmoid,
        linear,
        relu,
        selu,
        sigmoid,
        softmax,
        softplus,
        softsign,
        tanh,
    )
}


@export("keras.activations.serialize")
def serialize(activation: Activation) -> str:
    """The name of an activation.

    Args:
        activation: a function.

    Returns:
        A string.
    """
    name: str = activation.__name__
    return name


@export("keras.activations.deserialize")
def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Activation:
    """Finds an activation.

    Args:
        name: its name.
        custom_objects: {name: function} of the program.

    Returns:
        A function.

    Raises:
        ValueError: if the name is unknown.
    """
    found: Activation = deserialize_keras_object(
        name, ACTIVATIONS, custom_objects, printable_module_name="activation function"
    )
    return found


@export("keras.activations.get")
def get(identifier: Any) -> Activation:
    """Finds an activation.

    Args:
        identifier: a name, a function or a configuration; None for `linear`.

    Returns:
        A function.

    Raises:
        ValueError: if the name is unknown.
        TypeError: if it is none of these.
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
