"""Losses per example: functions of targets and predictions."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.keras.backend import cross_entropies
from headwater.keras.backend.elementwise import clip
from headwater.keras.backend.settings import epsilon, floatx
from headwater.model.nn.batch_normalization import l2_normalize
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.math.arithmetic import squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import maximum
from headwater.ops.math.logical import logical_or
from headwater.ops.math.powers import square
from headwater.ops.math.reduce_functions import reduce_all, reduce_max, reduce_mean, reduce_sum
from headwater.ops.math.sign import absolute
from headwater.ops.nn.softplus import softplus


def _converted(y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor]:
    y_pred = convert_to_tensor(y_pred)
    return cast(y_true, y_pred.dtype), y_pred


def _signs(y_true: Tensor) -> Tensor:
    """Targets of -1 and 1, if they are 0 and 1."""
    zeros = equal(y_true, 0.0)
    ones = equal(y_true, 1.0)
    binary = reduce_all(logical_or(zeros, ones))
    return smart_cond(binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


@export(
    "keras.losses.mean_squared_error",
    "keras.losses.mse",
    "keras.losses.MSE",
    "keras.metrics.mean_squared_error",
    "keras.metrics.mse",
    "keras.metrics.MSE",
)
def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of squared differences.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return reduce_mean(squared_difference(y_pred, y_true), axis=-1)


@export(
    "keras.losses.mean_absolute_error",
    "keras.losses.mae",
    "keras.losses.MAE",
    "keras.metrics.mean_absolute_error",
    "keras.metrics.mae",
    "keras.metrics.MAE",
)
def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of absolute differences.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return reduce_mean(absolute(y_pred - y_true), axis=-1)


@export(
    "keras.losses.mean_absolute_percentage_error",
    "keras.losses.mape",
    "keras.losses.MAPE",
    "keras.metrics.mean_absolute_percentage_error",
    "keras.metrics.mape",
    "keras.metrics.MAPE",
)
def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of absolute differences in percent of the targets.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    share = absolute((y_true - y_pred) / clip(absolute(y_true), epsilon(), None))
    return 100.0 * reduce_mean(share, axis=-1)


@export(
    "keras.losses.mean_squared_logarithmic_error",
    "keras.losses.msle",
    "keras.losses.MSLE",
    "keras.metrics.mean_squared_logarithmic_error",
    "keras.metrics.msle",
    "keras.metrics.MSLE",
)
def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of squared differences of log(1 + y).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    first = log(clip(y_pred, epsilon(), None) + 1.0)
    second = log(clip(y_true, epsilon(), None) + 1.0)
    return reduce_mean(squared_difference(first, second), axis=-1)


@export("keras.losses.squared_hinge", "keras.metrics.squared_hinge")
def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of squares of max(1 - y_true * y_pred, 0).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    y_true = _signs(y_true)
    return reduce_mean(square(maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)


@export("keras.losses.hinge", "keras.metrics.hinge")
def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of max(1 - y_true * y_pred, 0).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    y_true = _signs(y_true)
    return reduce_mean(maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


@export("keras.losses.categorical_hinge")
def categorical_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns max(1 + the largest wrong prediction - the right one, 0).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    right = reduce_sum(y_true * y_pred, axis=-1)
    wrong = reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return maximum(0.0, wrong - right + 1.0)


@export("keras.losses.logcosh")
def logcosh(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of log(cosh(y_pred - y_true)).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    x = y_pred - y_true
    return reduce_mean(x + softplus(-2.0 * x) - cast(log(2.0), x.dtype), axis=-1)


@export(
    "keras.losses.kullback_leibler_divergence",
    "keras.losses.kld",
    "keras.losses.KLD",
    "keras.metrics.kullback_leibler_divergence",
    "keras.metrics.kld",
    "keras.metrics.KLD",
)
def kullback_leibler_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the sum of y_true * log(y_true / y_pred).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    y_true = clip(y_true, epsilon(), 1)
    y_pred = clip(y_pred, epsilon(), 1)
    return reduce_sum(y_true * log(y_true / y_pred), axis=-1)


@export("keras.losses.poisson", "keras.metrics.poisson")
def poisson(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Returns the mean of y_pred - y_true * log(y_pred).

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor without their last axis.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return reduce_mean(y_pred - y_true * log(y_pred + epsilon()), axis=-1)


@export("keras.losses.binary_crossentropy", "keras.metrics.binary_crossentropy")
def binary_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: TensorLike = 0,
) -> Tensor:
    """Returns the mean over the last axis of the cross entropies of independent targets.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.
        from_logits: whether predictions are logits, rather than probabilities.
        label_smoothing: how far targets are moved to the mean, from 0 to 1.

    Returns:
        A tensor without their last axis.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    smoothing = convert_to_tensor(label_smoothing, dtype=floatx())
    given = y_true
    y_true = smart_cond(
        smoothing, lambda: given * (1.0 - smoothing) + 0.5 * smoothing, lambda: given
    )
    losses = cross_entropies.binary_crossentropy(y_true, y_pred, from_logits=from_logits)
    return reduce_mean(losses, axis=-1)


@export("keras.losses.categorical_crossentropy", "keras.metrics.categorical_crossentropy")
def categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: TensorLike = 0,
) -> Tensor:
    """Returns the cross entropy of probabilities and target probabilities.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.
        from_logits: whether predictions are logits, rather than probabilities.
        label_smoothing: how far targets are moved to the mean, from 0 to 1.

    Returns:
        A tensor without their last axis.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    smoothing = convert_to_tensor(label_smoothing, dtype=floatx())
    given = y_true

    def smoothed() -> Tensor:
        count = cast(shape_of(y_true)[1], y_pred.dtype)
        return given * (1.0 - smoothing) + (smoothing / count)

    y_true = smart_cond(smoothing, smoothed, lambda: given)
    return cross_entropies.categorical_crossentropy(y_true, y_pred, from_logits=from_logits)


@export(
    "keras.losses.sparse_categorical_crossentropy", "keras.metrics.sparse_categorical_crossentropy"
)
def sparse_categorical_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """Returns the cross entropy of probabilities and the numbers of classes.

    Args:
        y_true: the numbers of the classes.
        y_pred: the predictions.
        from_logits: whether predictions are logits, rather than probabilities.
        axis: the axis of the classes.

    Returns:
        A tensor without the axis of the classes.
    """
    return cross_entropies.sparse_categorical_crossentropy(
        y_true, y_pred, from_logits=from_logits, axis=axis
    )


@export(
    "keras.losses.cosine_similarity",
    "keras.losses.cosine",
    "keras.losses.cosine_proximity",
    "keras.metrics.cosine",
    "keras.metrics.cosine_proximity",
)
def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """Returns the cosine of the angle between targets and predictions.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.
        axis: the axis of a vector.

    Returns:
        A tensor without this axis.
    """
    y_true = l2_normalize(y_true, axis=axis)
    y_pred = l2_normalize(y_pred, axis=axis)
    return reduce_sum(y_true * y_pred, axis=axis)


def huber_loss(y_true: TensorLike, y_pred: TensorLike, delta: float = 1.0) -> Tensor:
    """Returns half the squared error up to delta, and a linear function beyond.

    Args:
        y_true: the targets.
        y_pred: the predictions, of the same shape.
        delta: where the function becomes linear.

    Returns:
        A tensor of their shape.
    """
    y_pred = cast(y_pred, floatx())
    y_true = cast(y_true, floatx())
    error = absolute(build.Sub(y_pred, y_true))
    quadratic = build.Minimum(error, delta)
    linear = build.Sub(error, quadratic)
    half = convert_to_tensor(0.5, dtype=quadratic.dtype)
    return build.Add(build.Mul(half, build.Mul(quadratic, quadratic)), build.Mul(delta, linear))
