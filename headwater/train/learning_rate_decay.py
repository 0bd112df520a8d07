"""Learning rates that depend on the number of steps taken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_n_to_tensor,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.ops.array.constant import constant
from headwater.ops.control.case import case
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.random.normal import random_normal


def _rate(learning_rate: TensorLike) -> Tensor:
    return convert_to_tensor(learning_rate, name="initial_learning_rate")


@export("train.exponential_decay")
def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """A learning rate that shrinks by a factor in each interval.

    learning_rate * decay_rate ** (global_step / decay_steps)

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        decay_steps: the length of the interval.
        decay_rate: the factor.
        staircase: whether the rate stays constant within each interval.
        name: the name of the node.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.

    Example:
        >>> rate = tf.train.exponential_decay(1.0, global_step=20, decay_steps=10, decay_rate=0.5)
        >>> print(rate.eval())
        0.25
    """
    values = [learning_rate, global_step, decay_steps, decay_rate]
    with name_scope(name, "ExponentialDecay", values) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        steps, factor = cast(decay_steps, dtype), cast(decay_rate, dtype)
        intervals = cast(global_step, dtype) / steps
        if staircase:
            intervals = build.Floor(intervals)
        return build.Mul(rate, build.Pow(factor, intervals), name=scope)


@export("train.natural_exp_decay")
def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """A learning rate that shrinks exponentially.

    learning_rate * exp(-decay_rate * global_step / decay_steps).

    Args:
        learning_rate: the rate at step 0, a scalar.
        global_step: the number of steps made, an integer scalar.
        decay_steps: after how many steps the exponent has changed by `decay_rate`.
        decay_rate: the rate of the decay.
        staircase: whether the number of decays is rounded down to an integer.
        name: the name scope.

    Returns:
        A scalar of the type of `learning_rate`.
    """
    factor = build.Exp(build.Neg(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


@export("train.inverse_time_decay")
def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """A learning rate that shrinks with the inverse of the number of steps.

    learning_rate / (1 + decay_rate * global_step / decay_steps).

    Args:
        learning_rate: the rate at step 0, a scalar.
        global_step: the number of steps made, an integer scalar.
        decay_steps: after how many steps the divisor has grown by `decay_rate`.
        decay_rate: the rate of the decay.
        staircase: whether the number of decays is rounded down to an integer.
        name: the name scope.

    Returns:
        A scalar of the type of `learning_rate`.
    """
    values = [learning_rate, global_step, decay_rate]
    with name_scope(name, "InverseTimeDecay", values) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        steps, factor = cast(decay_steps, dtype), cast(decay_rate, dtype)
        intervals = cast(global_step, dtype) / steps
        if staircase:
            intervals = build.Floor(intervals)
        one = cast(constant(1), dtype)
        return build.RealDiv(rate, build.Add(one, build.Mul(factor, intervals)), name=scope)


@export("train.polynomial_decay")
def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """A learning rate that decays to an end value along a polynomial.

    (learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate
    where step = min(global_step, decay_steps).

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        decay_steps: the number of steps to the end value.
        end_learning_rate: the end value.
        power: the power of the polynomial.
        cycle: whether the rate rises again after `decay_steps`; the interval then becomes the
            smallest multiple of `decay_steps` that has not been passed.
        name: the name of the node.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.
    """
    values = [learning_rate, global_step, decay_steps, end_learning_rate, power]
    with name_scope(name, "PolynomialDecay", values) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        end, exponent = cast(end_learning_rate, dtype), cast(power, dtype)
        step, steps = cast(global_step, dtype), cast(decay_steps, dtype)
        if cycle:
            times = cond(
                build.Equal(step, 0),
                lambda: constant(1.0, dtype=dtype),
                lambda: build.Ceil(step / decay_steps),
            )
            steps = build.Mul(steps, times)
        else:
            step = build.Minimum(step, decay_steps)
        part = step / steps
        fallen = build.Mul(rate - end, build.Pow(1 - part, exponent))
        return build.Add(fallen, end, name=scope)


@export("train.piecewise_constant", "train.piecewise_constant_decay")
def piecewise_constant(
    x: TensorLike, boundaries: Sequence[float], values: TensorLike, name: str | None = None
) -> Tensor:
    """A value that is constant between boundaries.

    Args:
        x: a scalar, usually the global step.
        boundaries: increasing numbers of the type of `x`.
        values: one value more than boundaries: values[0] for x <= boundaries[0], values[1] for
            boundaries[0] < x <= boundaries[1] and so on.
        name: the name scope.

    Returns:
        A scalar tensor of the type of the values.

    Raises:
        ValueError: if there is not one value more than boundaries, or if types differ.
    """
    bounds = convert_n_to_tensor(boundaries)
    numbers = convert_n_to_tensor(values)
    if len(bounds) != len(numbers) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    x = convert_to_tensor(x)
    for i, bound in enumerate(bounds):
        if bound.dtype.base_dtype is x.dtype.base_dtype:
            continue
        if bound.dtype.base_dtype is dtypes.int32 and x.dtype.base_dtype is dtypes.int64:
            bounds[i] = cast(bound, dtypes.int64)
        else:
            raise ValueError(
                f"Boundaries ({bound.dtype}) must have the same dtype as x ({x.dtype})."
            )
    for number in numbers[1:]:
        if number.dtype.base_dtype is not numbers[0].dtype.base_dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({numbers[0].dtype.base_dtype} vs {number.dtype.base_dtype})."
            )
    with name_scope(name, "PiecewiseConstant", [x, bounds, numbers]):
        pairs = [
            (x <= bounds[0], partial(_same, numbers[0])),
            (x > bounds[-1], partial(_same, numbers[-1])),
        ]
        for low, high, number in zip(bounds, bounds[1:], numbers[1:]):
            pairs.append(((x > low) & (x <= high), partial(_same, number)))
        return case(pairs, partial(_same, numbers[0]), exclusive=True)


def _same(value: Tensor) -> Tensor:
    return value


@export("train.cosine_decay")
def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """A learning rate that falls along half a period of the cosine (Loshchilov and Hutter, 2017).

    learning_rate * ((1 - alpha) * (1 + cos(pi * min(global_step / decay_steps, 1))) / 2 + alpha)

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        decay_steps: the number of steps to the end value.
        alpha: the end value as a part of the first rate.
        name: the name scope.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.
    """
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate = _rate(learning_rate)
        steps = cast(decay_steps, rate.dtype)
        step = build.Minimum(cast(global_step, rate.dtype), steps)
        part = step / steps
        angle = constant(math.pi, dtype=rate.dtype) * part
        wave = 0.5 * (1.0 + build.Cos(angle))
        return build.Mul(rate, (1 - alpha) * wave + alpha)


@export("train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """`cosine_decay` with warm restarts (Loshchilov and Hutter, 2017).

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        first_decay_steps: the length of the first period.
        t_mul: how much longer each period is than the one before.
        m_mul: the rate at the start of a period as a part of that of the period before.
        alpha: the smallest rate as a part of the first one.
        name: the name of the node.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.
    """
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        steps, low = cast(first_decay_steps, dtype), cast(alpha, dtype)
        longer, lower = cast(t_mul, dtype), cast(m_mul, dtype)
        done = cast(global_step, dtype) / steps

        def of_equal_periods() -> tuple[Tensor, Tensor]:
            restarts = build.Floor(done)
            return restarts, done - restarts

        def of_growing_periods() -> tuple[Tensor, Tensor]:
            # The lengths of the periods before the current one form a geometric series.
            restarts = build.Floor(build.Log(1.0 - done * (1.0 - longer)) / build.Log(longer))
            before = (1.0 - longer**restarts) / (1.0 - longer)
            return restarts, (done - before) / longer**restarts

        equal = build.Equal(longer, 1.0)
        restarts, part = cond(equal, of_equal_periods, of_growing_periods)
        high = 0.5 * lower**restarts
        wave = high * (1.0 + build.Cos(constant(math.pi, dtype=dtype) * part))
        return build.Mul(rate, (1 - low) * wave + low, name=scope)


@export("train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """A learning rate that falls linearly, times a cosine (Bello et al., 2017).

    learning_rate * ((alpha + 1 - t) * (1 + cos(2 pi num_periods t)) / 2 + beta)
    where t = min(global_step / decay_steps, 1).

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        decay_steps: the number of steps of the decay.
        num_periods: the number of periods of the cosine.
        alpha: is added to the linear part.
        beta: is added to the product.
        name: the name of the node.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.
    """
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        steps, periods = cast(decay_steps, dtype), cast(num_periods, dtype)
        more, low = cast(alpha, dtype), cast(beta, dtype)
        step = build.Minimum(cast(global_step, dtype), steps)
        falling = (steps - step) / steps
        return build.Mul(rate, _waves(falling, step, steps, periods, more, low), name=scope)


@export("train.noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise on the linear part (Bello et al., 2017).

    The noise is normal, of variance initial_variance / (1 + global_step) ** variance_decay.

    Args:
        learning_rate: the first rate, a floating-point number or scalar tensor.
        global_step: the number of steps, an integer scalar or variable.
        decay_steps: the number of steps of the decay.
        initial_variance: the variance of the noise at the start.
        variance_decay: how fast the variance falls.
        num_periods: the number of periods of the cosine.
        alpha: is added to the linear part.
        beta: is added to the product.
        name: the name of the node.

    Returns:
        A scalar tensor of the type of `learning_rate`.

    Raises:
        ValueError: if there is no `global_step`.
    """
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        dtype = rate.dtype
        steps = cast(decay_steps, dtype)
        variance, fall = cast(initial_variance, dtype), cast(variance_decay, dtype)
        periods, more, low = cast(num_periods, dtype), cast(alpha, dtype), cast(beta, dtype)
        step = build.Minimum(cast(global_step, dtype), steps)
        falling = (steps - step) / steps
        deviation = build.Sqrt(variance / build.Pow(1.0 + step, fall))
        noisy = falling + random_normal(falling.get_shape(), stddev=deviation, dtype=dtype)
        return build.Mul(rate, _waves(noisy, step, steps, periods, more, low), name=scope)


def _waves(
    falling: Tensor, step: Tensor, steps: Tensor, periods: Tensor, more: Tensor, low: Tensor
) -> Tensor:
    """The linear part times the cosine."""
    part = step / steps
    turns = 2.0 * periods * part
    angle = constant(math.pi, dtype=step.dtype) * turns
    wave = 0.5 * (1.0 + build.Cos(angle))
    return (more + falling) * wave + low
