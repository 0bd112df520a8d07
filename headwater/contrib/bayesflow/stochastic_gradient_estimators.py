"""Estimators of gradients of losses that depend on samples: the score function, with baselines.

The formulas are those of Williams (1992), Mnih and Gregor (2014) and Mnih and Rezende (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.control.identity import stop_gradient
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_mean, reduce_sum
from headwater.train.moving_averages import ExponentialMovingAverage

# Functions of (stochastic tensor, value, loss) and of (stochastic tensor, loss).
Estimator = Callable[[Any, TensorLike, TensorLike], Tensor]
OfLoss = Callable[[Any, TensorLike], Any]


@export("contrib.bayesflow.stochastic_gradient_estimators.score_function")
def score_function(
    stochastic_tensor: Any,
    value: TensorLike,
    loss: TensorLike,
    baseline: TensorLike | None = None,
    name: str = "ScoreFunction",
) -> Tensor:
    """Returns the logarithm of the density of a value, times the loss.

    Its gradient with respect to the parameters of the distribution is an estimate of that of the
    expected loss.

    Args:
        stochastic_tensor: the stochastic tensor.
        value: its value.
        loss: the loss, which counts as a constant.
        baseline: is subtracted from the loss; nothing if None.
        name: the name scope.

    Returns:
        A tensor.
    """
    with name_scope(name, values=[value, loss, baseline]):
        value = convert_to_tensor(value)
        advantage = convert_to_tensor(loss)
        if baseline is not None:
            advantage = advantage - convert_to_tensor(baseline)
        return _scored(stochastic_tensor, value, advantage)


def _scored(stochastic_tensor: Any, value: TensorLike, advantage: TensorLike) -> Tensor:
    log_prob: Tensor = stochastic_tensor.distribution.log_prob(value)
    return log_prob * stop_gradient(advantage)


@export("contrib.bayesflow.stochastic_gradient_estimators.get_score_function_with_advantage")
def get_score_function_with_advantage(
    advantage_fn: OfLoss | None = None, name: str = "ScoreFunctionWithAdvantage"
) -> Estimator:
    """Returns a score function that multiplies with a function of the loss.

    Args:
        advantage_fn: a function of the stochastic tensor and of the loss.
        name: the name scope.

    Returns:
        A function of the stochastic tensor, its value and the loss.
    """

    def estimate(stochastic_tensor: Any, value: TensorLike, loss: TensorLike) -> Tensor:
        with name_scope(name, values=[value, loss]):
            advantage = advantage_fn(stochastic_tensor, loss)  # type: ignore[misc]
            return _scored(stochastic_tensor, value, advantage)

    return estimate


@export(
    "contrib.bayesflow.stochastic_gradient_estimators.get_score_function_with_constant_baseline"
)
def get_score_function_with_constant_baseline(
    baseline: TensorLike, name: str = "ScoreFunction"
) -> Estimator:
    """Returns a score function with a baseline that does not change.

    Args:
        baseline: the baseline.
        name: the name scope.

    Returns:
        A function of the stochastic tensor, its value and the loss.
    """

    def estimate(stochastic_tensor: Any, value: TensorLike, loss: TensorLike) -> Tensor:
        return score_function(stochastic_tensor, value, loss, baseline, name)

    return estimate


@export("contrib.bayesflow.stochastic_gradient_estimators.get_score_function_with_baseline")
def get_score_function_with_baseline(
    baseline_fn: OfLoss | None = None, name: str = "ScoreFunction"
) -> Estimator:
    """Returns a score function with a baseline that is computed from the loss.

    Args:
        baseline_fn: a function of the stochastic tensor and of the loss; the moving average of
            the mean loss if None.
        name: the name scope.

    Returns:
        A function of the stochastic tensor, its value and the loss.
    """
    baseline_of = get_mean_baseline() if baseline_fn is None else baseline_fn

    def estimate(stochastic_tensor: Any, value: TensorLike, loss: TensorLike) -> Tensor:
        with name_scope(name):
            baseline = baseline_of(stochastic_tensor, loss)
            return score_function(stochastic_tensor, value, loss, baseline)

    return estimate


@export("contrib.bayesflow.stochastic_gradient_estimators.get_mean_baseline")
def get_mean_baseline(ema_decay: float = 0.99, name: str | None = None) -> OfLoss:
    """Returns a baseline that is the moving average of the mean loss.

    Args:
        ema_decay: the decay of the average.
        name: the variable scope.

    Returns:
        A function of the stochastic tensor and of the loss.
    """

    def baseline(_: Any, loss: TensorLike) -> Tensor:
        with variable_scope(name, default_name="MeanBaseline"):
            mean = reduce_mean(loss)
            average = ExponentialMovingAverage(decay=ema_decay, zero_debias=True)
            update = average.apply([mean])
            with control_dependencies([update]):
                # The average is read after the update.
                return average.average(mean) + 0

    return baseline


@export("contrib.bayesflow.stochastic_gradient_estimators.get_vimco_advantage_fn")
def get_vimco_advantage_fn(have_log_loss: bool = False) -> OfLoss:
    """Returns the advantage of each of several samples over all others.

    The logarithm of the mean loss is compared with that in which the loss of the sample is
    replaced by the geometric mean of the others.

    Args:
        have_log_loss: whether losses are given as logarithms.

    Returns:
        A function of the stochastic tensor and of the losses, whose first axis is that of samples.
    """

    def advantage(_: Any, loss: TensorLike) -> Tensor:
        with name_scope("VIMCOAdvantage", values=[loss]):
            loss = convert_to_tensor(loss)
            log_loss = loss if have_log_loss else build.Log(loss)
            count = cast(shape_tensor(log_loss)[0], log_loss.dtype)
            total = reduce_logsumexp(log_loss, axis=[0], keepdims=True)
            geometric = (reduce_sum(log_loss, axis=[0], keepdims=True) - log_loss) / (count - 1)
            # The sum of the others, then with the geometric mean in place of the sample.
            others = log_loss + _log_expm1(total - log_loss)
            replaced = others + build.Softplus(geometric - others)
            return total - replaced

    return advantage


def _log_expm1(x: Tensor) -> Tensor:
    """log(exp(x) - 1) for x > 0, without overflow."""
    return x + build.Log1p(-build.Exp(-x))
