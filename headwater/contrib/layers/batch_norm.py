"""Batch normalization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Activation, DTypeLike, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.layer_steps import (
    add_to_variable_collections,
    check_format,
    variable_getter,
)
from headwater.contrib.layers.layer_utils import (
    collect_named_outputs,
    constant_value,
    get_variable_collections,
    smart_cond,
)
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    shape_tensor,
)
from headwater.graph.default_graph import add_to_collections
from headwater.graph.graph_keys import GraphKeys
from headwater.model.layers.normalization import BatchNormalization
from headwater.model.nn.batch_normalization import batch_normalization
from headwater.model.nn.moments import moments, weighted_moments
from headwater.model.variables.initializers import Ones, Zeros
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.nn.fused_batch_norm import fused_batch_norm
from headwater.train.moving_averages import assign_moving_average

_GETTER = variable_getter()
_INITIAL: dict[str, type] = {
    "beta": Zeros,
    "gamma": Ones,
    "moving_mean": Zeros,
    "moving_variance": Ones,
}


@dataclass
class _Options:
    """The arguments that the implementations share."""

    decay: float
    center: bool
    scale: bool
    epsilon: float
    activation_fn: Activation | None
    param_initializers: dict[str, Any]
    param_regularizers: dict[str, Any]
    updates_collections: Any
    is_training: Any
    variables_collections: Any
    outputs_collections: Any
    trainable: bool
    channels_first: bool
    zero_debias: bool

    def parameter(self, name: str, shape: TensorShape, dtype: DTypeLike) -> Any:
        """Makes beta or gamma."""
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=self.param_initializers.get(name) or _INITIAL[name](),
            regularizer=self.param_regularizers.get(name),
            collections=get_variable_collections(self.variables_collections, name),
            trainable=self.trainable,
        )

    def averages(self, shape: TensorShape, dtype: DTypeLike) -> list[Any]:
        """Makes moving_mean and moving_variance, which are never partitioned."""
        with variable_scope(get_variable_scope()) as scope:
            scope.set_partitioner(None)
            return [
                model_variable(
                    name,
                    shape=shape,
                    dtype=dtype,
                    initializer=self.param_initializers.get(name) or _INITIAL[name](),
                    trainable=False,
                    collections=get_variable_collections(self.variables_collections, name),
                )
                for name in ("moving_mean", "moving_variance")
            ]

    def moved(self, averages: list[Any], mean: Tensor, variance: Tensor) -> tuple[Any, Any]:
        """Moves the averages towards the values of a batch."""
        return (
            assign_moving_average(averages[0], mean, self.decay, zero_debias=self.zero_debias),
            assign_moving_average(averages[1], variance, self.decay, zero_debias=False),
        )

    def delay_updates(self, averages: list[Any], mean: Tensor, variance: Tensor) -> None:
        """Adds the updates of the averages to the collections for updates."""
        updates = smart_cond(
            self.is_training,
            lambda: self.moved(averages, mean, variance),
            lambda: tuple(averages),
        )
        for update in updates:
            add_to_collections(self.updates_collections, update)

    def finished(self, outputs: Tensor, name: str) -> Any:
        """Applies the activation and adds the output to its collections."""
        if self.activation_fn is not None:
            outputs = self.activation_fn(outputs)
        return collect_named_outputs(self.outputs_collections, name, outputs)


@export("contrib.layers.batch_norm", "contrib.slim.batch_norm")
@add_arg_scope
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Activation | None = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    batch_weights: TensorLike | None = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Callable[..., Any] | None = None,
) -> Tensor:
    """Normalizes a batch to mean 0 and variance 1 per channel.

    While training, mean and variance are those of the batch, and moving averages of them are kept
    for later; the updates of the averages must be run with the training op.

    Args:
        inputs: a floating-point tensor of rank 2 or more.
        decay: the part of a moving average that an update keeps.
        center: whether an offset `beta` is added.
        scale: whether the result is multiplied by a factor `gamma`.
        epsilon: a small number that is added to the variance.
        activation_fn: a function of the outputs; None for none.
        param_initializers: initializers of "beta", "gamma", "moving_mean", "moving_variance".
        param_regularizers: functions from "beta" and "gamma" to a loss.
        updates_collections: the collections for the updates; None runs them with the outputs.
        is_training: whether the values of the batch are used: a Python value or a tensor.
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variables: a list, or a dict by variable.
        outputs_collections: the collections for the output.
        trainable: whether optimizers change `beta` and `gamma` by default.
        batch_weights: a vector of the weights of the examples, or None.
        fused: whether inputs of rank 2 and 4 are computed by the fused op; None means that they
            are.
        data_format: "NHWC" or "NCHW".
        zero_debias_moving_mean: whether the moving mean is corrected for its start at zero.
        scope: the variable scope.
        renorm: whether batch renormalization is used (Ioffe, 2017).
        renorm_clipping: limits for it: "rmax", "rmin", "dmax".
        renorm_decay: the decay of its averages.
        adjustment: a function from the shape of the inputs to a factor and an offset that are
            applied while training.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the data format is unknown, the rank or the number of channels is unknown,
            or the arguments do not fit together.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    plain = updates_collections is GraphKeys.UPDATE_OPS and not zero_debias_moving_mean
    fusible = batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
    channels_first = check_format(data_format, "NCHW", "NHWC") == "channels_first"
    options = _Options(
        decay,
        center,
        scale,
        epsilon,
        activation_fn,
        param_initializers or {},
        param_regularizers or {},
        updates_collections,
        is_training,
        variables_collections,
        outputs_collections,
        trainable,
        channels_first,
        zero_debias_moving_mean,
    )
    # The class BatchNormalization does the rest of what the fused op can do.
    if fused is not False and fusible and (rank == 2 or not plain):
        with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as variables:
            return options.finished(_fused(inputs, options), variables.name)
    with variable_scope(
        scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        if batch_weights is None and plain:
            layer = _layer(
                options, variables, reuse, renorm, renorm_clipping, renorm_decay, adjustment, fused
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                variable = getattr(layer, name)
                if variable is not None:
                    add_to_variable_collections(variable, variables_collections, name)
        else:
            if renorm:
                raise ValueError(
                    "renorm is not supported with batch_weights, updates_collections or "
                    "zero_debias_moving_mean"
                )
            outputs = _weighted(inputs, batch_weights, options)
        return options.finished(outputs, variables.name)


def _layer(
    options: _Options,
    variables: Any,
    reuse: Any,
    renorm: bool,
    renorm_clipping: dict[str, Any] | None,
    renorm_decay: float,
    adjustment: Any,
    fused: bool | None,
) -> BatchNormalization:
    initial = {
        name: options.param_initializers.get(name, make()) for name, make in _INITIAL.items()
    }
    return BatchNormalization(
        axis=1 if options.channels_first else -1,
        momentum=options.decay,
        epsilon=options.epsilon,
        center=options.center,
        scale=options.scale,
        beta_initializer=initial["beta"],
        gamma_initializer=initial["gamma"],
        moving_mean_initializer=initial["moving_mean"],
        moving_variance_initializer=initial["moving_variance"],
        beta_regularizer=options.param_regularizers.get("beta"),
        gamma_regularizer=options.param_regularizers.get("gamma"),
        trainable=options.trainable,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_decay,
        adjustment=adjustment,
        name=variables.name,
        _scope=variables,
        _reuse=reuse,
        fused=fused,
    )


def _needs_batch(is_training: Any) -> bool:
    """Whether the values of the batch may be needed."""
    known = constant_value(is_training)
    return known is None or bool(known)


def _fused(inputs: Tensor, options: _Options) -> Tensor:
    """Normalizes inputs of rank 2 or 4 by the fused op."""
    given = inputs
    if given.shape.ndims == 2:
        channels = given.shape[-1].value
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        form = [-1, channels, 1, 1] if options.channels_first else [-1, 1, 1, channels]
        inputs = build.Reshape(inputs, form)
    shape = inputs.shape[1:2] if options.channels_first else inputs.shape[-1:]
    if not shape.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined `C` dimension {shape}.")
    beta = (
        options.parameter("beta", shape, dtypes.float32)
        if options.center
        else constant_node(0.0, dtypes.float32, shape=shape)
    )
    gamma = (
        options.parameter("gamma", shape, dtypes.float32)
        if options.scale
        else constant_node(1.0, dtypes.float32, shape=shape)
    )
    averages = options.averages(shape, dtypes.float32)
    attrs: dict[str, Any] = {
        "epsilon": options.epsilon,
        "data_format": "NCHW" if options.channels_first else "NHWC",
    }
    outputs, mean, variance = smart_cond(
        options.is_training,
        lambda: fused_batch_norm(inputs, gamma, beta, **attrs),
        lambda: fused_batch_norm(
            inputs,
            gamma,
            beta,
            mean=averages[0],
            variance=averages[1],
            is_training=False,
            **attrs,
        ),
    )
    if _needs_batch(options.is_training):
        if options.updates_collections is None:
            outputs = _after_updates(outputs, averages, mean, variance, options)
        else:
            options.delay_updates(averages, mean, variance)
    outputs.set_shape(inputs.shape)
    return build.Reshape(outputs, shape_tensor(given)) if given.shape.ndims == 2 else outputs


def _after_updates(
    outputs: Tensor, averages: list[Any], mean: Tensor, variance: Tensor, options: _Options
) -> Tensor:
    def updated() -> Tensor:
        with control_dependencies(options.moved(averages, mean, variance)):
            return build.Identity(outputs)

    return smart_cond(options.is_training, updated, lambda: outputs)


def _weighted(inputs: Tensor, batch_weights: TensorLike | None, options: _Options) -> Tensor:
    """Normalizes by separate ops, with weights of the examples and any way of updating."""
    shape = inputs.shape
    rank = shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    dtype = inputs.dtype.base_dtype
    if batch_weights is not None:
        batch_weights = convert_to_tensor(batch_weights)
        shape[0:1].assert_is_compatible_with(batch_weights.shape)
        batch_weights = build.Reshape(batch_weights, [-1] + [1] * (rank - 1))
    axes = [0, *range(2, rank)] if options.channels_first else list(range(rank - 1))
    vector = shape[1:2] if options.channels_first else shape[-1:]
    if not vector.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {vector}.")
    beta = options.parameter("beta", vector, dtype) if options.center else None
    gamma = options.parameter("gamma", vector, dtype) if options.scale else None
    averages = options.averages(vector, dtype)
    mean, variance = averages
    if _needs_batch(options.is_training):
        mean, variance = _batch_moments(inputs, axes, batch_weights, options)
        mean, variance = _with_updates(averages, mean, variance, options)
    if options.channels_first:
        # The parameters are reshaped rather than broadcast along the last axis.
        form = [1, vector[0].value] + [1] * (rank - 2)
        mean, variance = build.Reshape(mean, form), build.Reshape(variance, form)
        beta = None if beta is None else build.Reshape(beta, form)
        gamma = None if gamma is None else build.Reshape(gamma, form)
    outputs = batch_normalization(inputs, mean, variance, beta, gamma, options.epsilon)
    outputs.set_shape(shape)
    return outputs


def _batch_moments(
    inputs: Tensor, axes: list[int], batch_weights: TensorLike | None, options: _Options
) -> Any:
    keep = options.channels_first
    if batch_weights is None:
        found = moments(inputs, axes, keep_dims=keep)
    else:
        found = weighted_moments(inputs, axes, batch_weights, keep_dims=keep)
    return [build.Reshape(value, [-1]) for value in found] if keep else found


def _with_updates(averages: list[Any], mean: Tensor, variance: Tensor, options: _Options) -> Any:
    """The mean and variance to normalize with, after the updates have been arranged."""

    def updated() -> tuple[Tensor, Tensor]:
        with control_dependencies(options.moved(averages, mean, variance)):
            return build.Identity(mean), build.Identity(variance)

    if options.updates_collections is None:
        return smart_cond(options.is_training, updated, lambda: tuple(averages))
    options.delay_updates(averages, mean, variance)
    return smart_cond(options.is_training, lambda: (mean, variance), lambda: tuple(averages))
