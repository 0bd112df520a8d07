"""`optimize_loss`: an optimizer with its learning rate, clipping, noise and summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    convert_to_tensor,
    ones_like,
)
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import assert_global_step, get_global_step
from headwater.model.variables.initializers import Constant, Zeros
from headwater.model.variables.variable_lists import trainable_variables
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.control.rank_checks import assert_scalar
from headwater.ops.math.cast import cast
from headwater.ops.math.clip_by_norm import clip_by_global_norm, global_norm
from headwater.ops.math.select import where
from headwater.ops.random.normal import truncated_normal
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar
from headwater.train.moving_averages import assign_moving_average
from headwater.train.optimizers.adagrad import AdagradOptimizer
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.ftrl import FtrlOptimizer
from headwater.train.optimizers.gradient_descent import GradientDescentOptimizer
from headwater.train.optimizers.momentum import MomentumOptimizer
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.rms_prop import RMSPropOptimizer

GradientsAndVariables = list[tuple[Any, Any]]

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]

for _module in ("contrib.layers", "contrib.slim"):
    export_value(f"{_module}.OPTIMIZER_CLS_NAMES", OPTIMIZER_CLS_NAMES)
    export_value(f"{_module}.OPTIMIZER_SUMMARIES", OPTIMIZER_SUMMARIES)


@export("contrib.layers.optimize_loss", "contrib.slim.optimize_loss")
def optimize_loss(
    loss: TensorLike,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: dict[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[..., Any] | None = None,
    update_ops: Sequence[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """Makes a training op of a loss and an optimizer.

    Args:
        loss: a scalar tensor.
        global_step: the variable that counts the steps, or None for that of the graph.
        learning_rate: a float or scalar tensor; None if the optimizer has its own.
        optimizer: a key of `OPTIMIZER_CLS_NAMES`, a class of optimizers, an optimizer, or a
            function that returns one for a learning rate (or for nothing if that is None).
        gradient_noise_scale: the scale of truncated normal noise that is added to the gradients;
            None for no noise.
        gradient_multipliers: factors of gradients, by variable or name of a variable.
        clip_gradients: the largest global norm of the gradients as a float, or a function from
            gradients and variables to such pairs, such as `adaptive_clipping_fn` makes; None
            leaves them alone.
        learning_rate_decay_fn: a function from learning rate and global step to a learning rate.
        update_ops: ops to run before the loss; None means those of the collection UPDATE_OPS.
        variables: the variables to train; None means all trainable ones.
        name: the variable scope.
        summaries: what is summarized, among `OPTIMIZER_SUMMARIES`; None means loss, learning rate
            and global norm.
        colocate_gradients_with_ops: whether gradients are on the devices of their ops.
        increment_global_step: whether the global step is incremented.

    Returns:
        The loss, as a tensor that has the training step as control input.

    Raises:
        ValueError: if an argument has no such value.
    """
    loss = convert_to_tensor(loss)
    assert_scalar(loss)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = get_collection(GraphKeys.UPDATE_OPS)
        if update_ops:
            loss = with_dependencies(list(dict.fromkeys(update_ops)), loss)
        rate = _rate_of(learning_rate)
        wanted = _checked_summaries(summaries)
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in wanted:
                scalar("learning_rate", rate)
        made = _optimizer_of(optimizer, learning_rate, rate)
        pairs = made.compute_gradients(
            loss,
            trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            pairs = with_noise(pairs, gradient_noise_scale)
        if gradient_multipliers is not None:
            pairs = multiplied(pairs, gradient_multipliers)
        norms = "global_gradient_norm" in wanted or "gradient_norm" in wanted
        if norms:
            scalar("global_norm/gradient_norm", global_norm([gradient for gradient, _ in pairs]))
        pairs = clipped(pairs, clip_gradients)
        if "loss" in wanted:
            scalar("loss", loss)
        _summarize_gradients(pairs, wanted)
        if clip_gradients is not None and norms:
            norm = global_norm([gradient for gradient, _ in pairs])
            scalar("global_norm/clipped_gradient_norm", norm)
        step = made.apply_gradients(
            pairs, global_step=global_step if increment_global_step else None, name="train"
        )
        return with_dependencies([step], loss)


def _rate_of(learning_rate: Any) -> Any:
    """The learning rate as a variable or tensor, or None."""
    if learning_rate is None:
        return None
    if isinstance(learning_rate, Tensor) and learning_rate.shape.ndims == 0:
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type "
            f"{type(learning_rate)}"
        )
    if learning_rate < 0.0:
        raise ValueError("Invalid learning_rate %s.", learning_rate)
    return get_variable("learning_rate", [], trainable=False, initializer=Constant(learning_rate))


def _checked_summaries(summaries: Sequence[str] | None) -> Sequence[str]:
    if summaries is None:
        return ("loss", "learning_rate", "global_gradient_norm")
    for summary in summaries:
        if summary not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided "
                f"{summary}."
            )
    return summaries


def _optimizer_of(optimizer: Any, learning_rate: Any, rate: Any) -> Optimizer:
    if isinstance(optimizer, Optimizer):
        return optimizer
    kind = "class" if isinstance(optimizer, type) and issubclass(optimizer, Optimizer) else None
    kind = "string" if isinstance(optimizer, str) else kind
    if kind and rate is None:
        raise ValueError(
            f"Learning rate is None, but should be specified if optimizer is {kind} ({optimizer})."
        )
    if kind == "string":
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided "
                f"{optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if kind == "class":
        return optimizer(learning_rate=rate)
    if not callable(optimizer):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass "
            f"of Optimizer or function with one argument. Got {optimizer}."
        )
    made = optimizer() if learning_rate is None else optimizer(rate)
    if not isinstance(made, Optimizer):
        raise ValueError(
            f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}."
        )
    return made


def _scaled(gradient: Any, factor: Any) -> Any:
    """A gradient, dense or sparse or None, times a factor."""
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def with_noise(pairs: GradientsAndVariables, scale: float) -> GradientsAndVariables:
    """Adds noise from a truncated normal distribution to gradients."""
    noisy: GradientsAndVariables = []
    for gradient, variable in pairs:
        if gradient is not None:
            sparse = isinstance(gradient, IndexedSlices)
            shape = gradient.dense_shape if sparse else gradient.get_shape()
            noise = truncated_normal(shape) * scale
            gradient = convert_to_tensor(gradient) + noise if sparse else gradient + noise
        noisy.append((gradient, variable))
    return noisy


def multiplied(pairs: GradientsAndVariables, multipliers: dict[Any, Any]) -> GradientsAndVariables:
    """Multiplies the gradients of some variables; the keys are variables or their names."""
    result: GradientsAndVariables = []
    for gradient, variable in pairs:
        key = variable if variable in multipliers else variable.name
        if gradient is not None and key in multipliers:
            factor = multipliers[key]
            if not isinstance(gradient, IndexedSlices):
                factor = cast(factor, gradient.dtype)
            gradient = _scaled(gradient, factor)
        result.append((gradient, variable))
    if not result:
        raise ValueError(
            "Empty list of (gradient, var) pairs encountered. This is most likely to be caused by "
            "an improper value of gradient_multipliers."
        )
    return result


def clipped(pairs: GradientsAndVariables, clip_gradients: Any) -> GradientsAndVariables:
    """Clips gradients to a global norm, or with a function; not at all with None."""
    if clip_gradients is None:
        return pairs
    if isinstance(clip_gradients, float):
        clipped, _ = clip_by_global_norm([gradient for gradient, _ in pairs], clip_gradients)
        return [(gradient, variable) for gradient, (_, variable) in zip(clipped, pairs)]
    if callable(clip_gradients):
        return clip_gradients(pairs)
    raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")


def _summarize_gradients(pairs: GradientsAndVariables, wanted: Sequence[str]) -> None:
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is not None:
            name = variable.name.replace(":", "_")
            if "gradients" in wanted:
                histogram(f"gradients/{name}", values)
            if "gradient_norm" in wanted:
                scalar(f"gradient_norm/{name}", global_norm([values]))


@export("contrib.layers.adaptive_clipping_fn", "contrib.slim.adaptive_clipping_fn")
def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[GradientsAndVariables], GradientsAndVariables]:
    """Clips gradients whose norm is unusually large.

    The limit is `std_factor` standard deviations above the average of the logarithm of the norm;
    larger gradients are scaled down to the average.

    Args:
        std_factor: the number of standard deviations.
        decay: the part of a moving average that an update keeps.
        static_max_norm: a fixed limit of the norm, besides.
        global_step: the number of steps, for faster averages at the beginning; or None.
        report_summary: whether there is a summary of the limit.
        epsilon: a small number that is added to norms before the logarithm is taken.
        name: the variable scope.

    Returns:
        A function from (gradient, variable) pairs to such pairs, for `optimize_loss`.
    """

    def gradient_clipping(grads_and_vars: GradientsAndVariables) -> GradientsAndVariables:
        norm = global_norm([gradient for gradient, _ in grads_and_vars])
        limit, log_mean = norm_limit(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            scalar("global_norm/adaptive_max_gradient_norm", limit)
        factor = where(norm < limit, ones_like(norm), build.Exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = build.Minimum(static_max_norm / norm, factor)
        return [(_scaled(gradient, factor), variable) for gradient, variable in grads_and_vars]

    return gradient_clipping


def norm_limit(
    norm: Tensor,
    std_factor: float,
    decay: Any,
    global_step: Any,
    epsilon: float,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """The largest norm that is not clipped, and the average logarithm of the norm."""
    with variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm: Tensor = build.Log(norm + epsilon)
        if global_step is not None:
            steps: Tensor = cast(global_step, dtypes.float32)
            decay = build.Minimum(decay, steps / (steps + 1.0))
        mean = _average("mean", log_norm, decay)
        squares = _average("sq_mean", build.Square(log_norm), decay)
        variance = squares - build.Square(mean)
        deviation: Tensor = build.Sqrt(build.Maximum(epsilon, variance))
        return build.Exp(mean + std_factor * deviation), mean


def _average(name: str, value: Tensor, decay: Any) -> Any:
    variable = get_variable(
        name, shape=value.shape, dtype=value.dtype, initializer=Zeros(), trainable=False
    )
    return assign_moving_average(variable, value, decay, zero_debias=False)
