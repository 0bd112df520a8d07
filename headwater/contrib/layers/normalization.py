"""Normalization of each example: over layers, groups of channels, and single channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import Activation, DTypeLike, ShapeLike, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.layer_steps import check_format
from headwater.contrib.layers.layer_utils import collect_named_outputs, get_variable_collections
from headwater.graph import Tensor, build, convert_to_tensor, shape_tensor
from headwater.model.nn.batch_normalization import batch_normalization
from headwater.model.nn.moments import moments, normalize_moments, sufficient_statistics
from headwater.model.variables.initializers import Ones, Zeros
from headwater.model.variables.variable_scope import variable_scope


def _parameter(
    name: str,
    wanted: bool,
    shape: ShapeLike,
    dtype: DTypeLike,
    initializers: dict[str, Any] | None,
    variables_collections: Any,
    trainable: bool,
) -> Any:
    """Makes beta or gamma; None if it is not wanted."""
    if not wanted:
        return None
    default = Zeros() if name == "beta" else Ones()
    return model_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=(initializers or {}).get(name, default),
        collections=get_variable_collections(variables_collections, name),
        trainable=trainable,
    )


def _rank(inputs: Tensor) -> int:
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    return rank


@export("contrib.layers.layer_norm", "contrib.slim.layer_norm")
@add_arg_scope
def layer_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    activation_fn: Activation | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Tensor:
    """Normalizes each example to mean 0 and variance 1 (Ba, Kiros and Hinton, 2016).

    Args:
        inputs: a floating-point tensor of known rank.
        center: whether an offset `beta` is added.
        scale: whether the result is multiplied by a factor `gamma`.
        activation_fn: a function of the outputs; None for none.
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variables: a list, or a dict by variable.
        outputs_collections: the collections for the output.
        trainable: whether optimizers change the variables by default.
        begin_norm_axis: the first of the axes over which mean and variance are taken.
        begin_params_axis: the first of the axes that `beta` and `gamma` have.
        scope: the variable scope.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the rank or a length is unknown, or an axis is out of range.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as variables:
        inputs = convert_to_tensor(inputs)
        rank = _rank(inputs)
        dtype = inputs.dtype.base_dtype
        if begin_norm_axis < 0:
            begin_norm_axis += rank
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) "
                f"must be < rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{inputs.shape}"
            )
        beta = _parameter("beta", center, shape, dtype, None, variables_collections, trainable)
        gamma = _parameter("gamma", scale, shape, dtype, None, variables_collections, trainable)
        mean, variance = moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if dtype == dtypes.float16 else 1e-12
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


@export("contrib.layers.instance_norm", "contrib.slim.instance_norm")
@add_arg_scope
def instance_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Activation | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """Normalizes each channel of each example (Ulyanov, Vedaldi and Lempitsky, 2016).

    Args:
        inputs: a floating-point tensor of known rank.
        center: whether an offset `beta` is added.
        scale: whether the result is multiplied by a factor `gamma`.
        epsilon: a small number that is added to the variance.
        activation_fn: a function of the outputs; None for none.
        param_initializers: initializers of "beta" and "gamma".
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variables: a list, or a dict by variable.
        outputs_collections: the collections for the output.
        trainable: whether optimizers change the variables by default.
        data_format: "NHWC" or "NCHW".
        scope: the variable scope.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the data format, the rank or the number of channels is unknown.
    """
    inputs = convert_to_tensor(inputs)
    rank = _rank(inputs)
    first = check_format(data_format, "NCHW", "NHWC") == "channels_first"
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as variables:
        axis = 1 if first else rank - 1
        shape = inputs.shape[axis : axis + 1]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
        dtype = inputs.dtype.base_dtype
        form = [1, shape[0].value] + [1] * (rank - 2)
        beta, gamma = None, None
        if center:
            beta = _parameter(
                "beta", True, shape, dtype, param_initializers, variables_collections, trainable
            )
            beta = build.Reshape(beta, form) if first else beta
        if scale:
            gamma = _parameter(
                "gamma", True, shape, dtype, param_initializers, variables_collections, trainable
            )
            gamma = build.Reshape(gamma, form) if first else gamma
        axes = [i for i in range(1, rank) if i != axis]
        mean, variance = moments(inputs, axes, keep_dims=True)
        outputs = batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon, name="instancenorm"
        )
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


@export("contrib.layers.group_norm", "contrib.slim.group_norm")
@add_arg_scope
def group_norm(
    inputs: TensorLike,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Activation | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Tensor:
    """Normalizes groups of channels of each example (Wu and He, 2018).

    Args:
        inputs: a floating-point tensor of known rank.
        groups: the number of groups.
        channels_axis: the axis of the channels.
        reduction_axes: the other axes over which mean and variance are taken.
        center: whether an offset `beta` is added.
        scale: whether the result is multiplied by a factor `gamma`.
        epsilon: a small number that is added to the variance.
        activation_fn: a function of the outputs; None for none.
        param_initializers: initializers of "beta" and "gamma".
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variables: a list, or a dict by variable.
        outputs_collections: the collections for the output.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.
        mean_close_to_zero: whether mean and variance are computed in one pass, which is more exact
            for means near zero.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the rank or a length is unknown, an axis is out of range, or the channels
            cannot be split into the groups.
    """
    inputs = convert_to_tensor(inputs)
    _rank(inputs)
    static, dynamic = inputs.shape.as_list(), shape_tensor(inputs)
    given = [dynamic[i] if length is None else length for i, length in enumerate(static)]
    axis, others = _group_axes(inputs, channels_axis, reduction_axes)
    channels = static[axis]
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups != 0:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    before, after = given[:axis], given[axis + 1 :]
    parts = [groups, channels // groups]
    form = [1] * len(before) + parts + [1] * len(after)
    inputs = build.Reshape(inputs, [*before, *parts, *after])
    axes = [axis + 1] + [a + 1 if a > axis else a for a in others]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as variables:
        dtype = inputs.dtype.base_dtype
        beta, gamma = None, None
        if center:
            beta = _parameter(
                "beta",
                True,
                [channels],
                dtype,
                param_initializers,
                variables_collections,
                trainable,
            )
            beta = build.Reshape(beta, form)
        if scale:
            gamma = _parameter(
                "gamma",
                True,
                [channels],
                dtype,
                param_initializers,
                variables_collections,
                trainable,
            )
            gamma = build.Reshape(gamma, form)
        if mean_close_to_zero:
            counts, sums, squares, _ = sufficient_statistics(inputs, axes, keep_dims=True)
            mean, variance = normalize_moments(counts, sums, squares, shift=None)
        else:
            mean, variance = moments(inputs, axes, keep_dims=True)
        gain: Tensor = build.Rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset = offset + beta
        outputs = build.Reshape(inputs * gain + offset, given)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


def _group_axes(
    inputs: Tensor, channels_axis: int, reduction_axes: Sequence[int]
) -> tuple[int, list[int]]:
    """The axis of the channels and the reduced ones, counted from the front."""
    rank = _rank(inputs)
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    axis = channels_axis + rank if channels_axis < 0 else channels_axis
    if inputs.shape[axis].value is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {axis}.")
    others = [a + rank if a < 0 else a for a in reduction_axes]
    for a in others:
        if a > rank:
            raise ValueError("Axis is out of bounds.")
        if inputs.shape[a].value is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {a}.")
        if a == axis:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    return axis, others
