"""Functions that act element by element, comparisons and activations."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor, build
from headwater.keras.backend.settings import floatx
from headwater.keras.backend.tensors import to_tensor
from headwater.model.nn.batch_normalization import l2_normalize as make_l2_normalize
from headwater.ops.math import comparison, exponential, extrema, powers, rounding, trigonometry
from headwater.ops.math import sign as signs
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where
from headwater.ops.nn import elu as elus
from headwater.ops.nn import relu as relus
from headwater.ops.nn import softmax as softmaxes
from headwater.ops.nn import softplus as softpluses


@export("keras.backend.square")
def square(x: TensorLike) -> Tensor:
    """Returns the square of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return powers.square(x)


@export("keras.backend.abs")
def abs_(x: TensorLike) -> Tensor:
    """Returns the absolute value of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return signs.absolute(x)


@export("keras.backend.exp")
def exp(x: TensorLike) -> Tensor:
    """Returns the exponential of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponential.exp(x)


@export("keras.backend.log")
def log(x: TensorLike) -> Tensor:
    """Returns the natural logarithm of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponential.log(x)


@export("keras.backend.round")
def round_(x: TensorLike) -> Tensor:
    """Returns each element, rounded to the nearest even integer where two are as near.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return rounding.round_(x)


@export("keras.backend.sign")
def sign(x: TensorLike) -> Tensor:
    """Returns the sign of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return signs.sign(x)


@export("keras.backend.sin")
def sin(x: TensorLike) -> Tensor:
    """Returns the sine of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return trigonometry.sin(x)


@export("keras.backend.cos")
def cos(x: TensorLike) -> Tensor:
    """Returns the cosine of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return trigonometry.cos(x)


@export("keras.backend.softplus")
def softplus(x: TensorLike) -> Tensor:
    """Returns log(exp(x) + 1).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return softpluses.softplus(x)


@export("keras.backend.softsign")
def softsign(x: TensorLike) -> Tensor:
    """Returns x / (abs(x) + 1).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return softpluses.softsign(x)


@export("keras.backend.sigmoid")
def sigmoid(x: TensorLike) -> Tensor:
    """Returns 1 / (1 + exp(-x)).

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponential.sigmoid(x)


@export("keras.backend.tanh")
def tanh(x: TensorLike) -> Tensor:
    """Returns the hyperbolic tangent of each element.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    return exponential.tanh(x)


@export("keras.backend.equal")
def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x == y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.equal(x, y)


@export("keras.backend.not_equal")
def not_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x != y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.not_equal(x, y)


@export("keras.backend.greater")
def greater(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x > y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.greater(x, y)


@export("keras.backend.greater_equal")
def greater_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x >= y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.greater_equal(x, y)


@export("keras.backend.less")
def less(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x < y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.less(x, y)


@export("keras.backend.less_equal")
def less_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns x <= y element by element.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor of booleans.
    """
    return comparison.less_equal(x, y)


@export("keras.backend.maximum")
def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns the larger of two elements.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor.
    """
    return extrema.maximum(x, y)


@export("keras.backend.minimum")
def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """Returns the smaller of two elements.

    Args:
        x: a tensor.
        y: a tensor.

    Returns:
        A tensor.
    """
    return extrema.minimum(x, y)


@export("keras.backend.sqrt")
def sqrt(x: TensorLike) -> Tensor:
    """Returns the square root of each element, 0 for negative ones.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    kind = x.dtype.base_dtype
    zero = to_tensor(0.0, kind)
    largest = to_tensor(float("inf"), kind)
    return powers.sqrt(extrema.clip_by_value(x, zero, largest))


@export("keras.backend.pow")
def pow_(x: TensorLike, a: Any) -> Tensor:
    """Returns each element to a power.

    Args:
        x: a tensor.
        a: the exponent.

    Returns:
        A tensor of its shape.
    """
    return powers.power(x, a)


@export("keras.backend.clip")
def clip(x: TensorLike, min_value: float | None, max_value: float | None) -> Tensor:
    """Limits elements to a range.

    Args:
        x: a tensor.
        min_value: the lower bound.
        max_value: the upper bound; no less than the lower one is used.

    Returns:
        A tensor of its shape.
    """
    if max_value is not None and min_value is not None and max_value < min_value:
        max_value = min_value
    if max_value is None:
        max_value = float("inf")
    kind = x.dtype.base_dtype
    low = to_tensor(min_value, kind)
    return extrema.clip_by_value(x, low, to_tensor(max_value, kind))


@export("keras.backend.relu")
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

    Example:
        >>> print(tf.keras.backend.relu(tf.constant([-2.0, 3.0]), alpha=0.5).eval())
        [-1.  3.]
    """
    if alpha != 0.0:
        if max_value is None and threshold == 0:
            return relus.leaky_relu(x, alpha=alpha)
        negative = build.Relu(-x + threshold) if threshold != 0 else build.Relu(-x)
    limited = max_value is not None
    if threshold != 0:
        x = x * cast(comparison.greater(x, threshold), floatx())
    elif max_value == 6:
        x = build.Relu6(x)
        limited = False
    else:
        x = build.Relu(x)
    if limited:
        kind = x.dtype.base_dtype
        zero = to_tensor(0, kind)
        x = extrema.clip_by_value(x, zero, to_tensor(max_value, kind))
    if alpha != 0.0:
        x = x - to_tensor(alpha, x.dtype.base_dtype) * negative
    return x


@export("keras.backend.elu")
def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """Returns x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Args:
        x: a tensor.
        alpha: the limit of negative results.

    Returns:
        A tensor of its shape.
    """
    result = elus.elu(x)
    if alpha == 1:
        return result
    return where(comparison.greater(x, 0), result, alpha * result)


@export("keras.backend.softmax")
def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns exp(x) / sum(exp(x)) along an axis.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor of its shape.
    """
    return softmaxes.softmax(x, axis=axis)


@export("keras.backend.hard_sigmoid")
def hard_sigmoid(x: TensorLike) -> Tensor:
    """Returns 0.2 * x + 0.5, limited to the range from 0 to 1.

    Args:
        x: a tensor.

    Returns:
        A tensor of its shape.
    """
    kind = x.dtype.base_dtype
    slope = to_tensor(0.2, kind)
    middle = to_tensor(0.5, kind)
    return extrema.clip_by_value(build.Add(build.Mul(x, slope), middle), 0.0, 1.0)


@export("keras.backend.l2_normalize")
def l2_normalize(x: TensorLike, axis: AxisLike = None) -> Tensor:
    """Scales a tensor to Euclidean length 1 along axes.

    Args:
        x: a tensor.
        axis: the axes.

    Returns:
        A tensor of its shape.
    """
    return make_l2_normalize(x, axis=axis)
