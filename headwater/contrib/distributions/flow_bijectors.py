"""Bijectors that are made of networks: masked autoregressive flows and real NVP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.typing import Activation, DTypeLike, InitializerLike, NestedTensors, TensorLike
from headwater.contrib.distributions.composed_bijectors import ConditionalBijector
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.layers.core import Dense, dense
from headwater.model.template import Template, make_template
from headwater.model.variables.random_initializers import GlorotNormal
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.split import split
from headwater.ops.array.stack import unstack
from headwater.ops.control.identity import stop_gradient
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.relu import relu

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo
    from headwater.model.variables.variable_store import Reuse


@export("contrib.distributions.bijectors.MaskedAutoregressiveFlow")
class MaskedAutoregressiveFlow(ConditionalBijector):
    """The bijector y[i] = x[i] exp(log_scale(y[:i])) + shift(y[:i]).

    Papamakarios, Pavlakou and Murray, "Masked autoregressive flow for density estimation", 2017.

    Args:
        shift_and_log_scale_fn: from y to the pair shift, log_scale (or None); their i-th elements
            must depend on earlier elements of y only.
        is_constant_jacobian: whether log_scale is the same everywhere.
        validate_args: whether arguments are checked when the graph runs.
        unroll_loop: whether the steps of `forward` stand in the graph one by one.
        name: the name.
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _forward(self, x: TensorLike, **condition_kwargs: Any) -> Tensor:
        def step(y: Tensor) -> Tensor:
            shift, log_scale = self._shift_and_log_scale_fn(y, **condition_kwargs)
            result = x if log_scale is None else x * build.Exp(log_scale)
            return result if shift is None else result + shift

        if self._unroll_loop:
            count = x.get_shape()[-1].value
            if count is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if "
                    f"`unroll_loop=True`. `x.shape: {x.get_shape()}`"
                )
            y = build.ZerosLike(x, name="y0")
            for _ in range(count):
                y = step(y)
            return y
        sizes: Tensor = shape(x)
        count = sizes[-1]
        _, result = while_loop(
            lambda i, _: build.Less(i, count),
            lambda i, y: (i + 1, step(y)),
            (0, build.ZerosLike(x, name="y0")),
        )
        return result

    def _inverse(self, y: Tensor, **condition_kwargs: Any) -> Tensor:
        x = y
        shift, log_scale = self._shift_and_log_scale_fn(y, **condition_kwargs)
        if shift is not None:
            x = x - shift
        return x if log_scale is None else x * build.Exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Tensor, **condition_kwargs: Any) -> Tensor:
        _, log_scale = self._shift_and_log_scale_fn(y, **condition_kwargs)
        if log_scale is None:
            return convert_to_tensor(0.0, dtype=y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)


@export("contrib.distributions.bijectors.RealNVP")
class RealNVP(ConditionalBijector):
    """The bijector that keeps the first elements and scales and shifts the others by them.

    Dinh, Sohl-Dickstein and Bengio, "Density estimation using real NVP", 2016.

    Args:
        num_masked: how many elements stay.
        shift_and_log_scale_fn: from these and the number of the others to the pair shift,
            log_scale (or None).
        is_constant_jacobian: whether log_scale is the same everywhere.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        ValueError: if `num_masked` is negative.
    """

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._input_depth: int | None = None
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _functions(self, x: Tensor, **condition_kwargs: Any) -> tuple[Any, Any, Any, Any]:
        depth = x.get_shape().with_rank_at_least(1)[-1].value
        if depth is None:
            raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
        if self._num_masked >= depth:
            raise ValueError("Number of masked units must be smaller than the event size.")
        self._input_depth = depth
        first, rest = x[..., : self._num_masked], x[..., self._num_masked :]
        shift, log_scale = self._shift_and_log_scale_fn(
            first, depth - self._num_masked, **condition_kwargs
        )
        return first, rest, shift, log_scale

    def _forward(self, x: Tensor, **condition_kwargs: Any) -> Tensor:
        first, rest, shift, log_scale = self._functions(x, **condition_kwargs)
        if log_scale is not None:
            rest = rest * build.Exp(log_scale)
        if shift is not None:
            rest = rest + shift
        return concat([first, rest], axis=-1)

    def _inverse(self, y: Tensor, **condition_kwargs: Any) -> Tensor:
        first, rest, shift, log_scale = self._functions(y, **condition_kwargs)
        if shift is not None:
            rest = rest - shift
        if log_scale is not None:
            rest = rest * build.Exp(-log_scale)
        return concat([first, rest], axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor, **condition_kwargs: Any) -> Tensor:
        log_scale = self._functions(y, **condition_kwargs)[3]
        if log_scale is None:
            return convert_to_tensor(0.0, dtype=y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)

    def _forward_log_det_jacobian(self, x: Tensor, **condition_kwargs: Any) -> Tensor:
        log_scale = self._functions(x, **condition_kwargs)[3]
        if log_scale is None:
            return convert_to_tensor(0.0, dtype=x.dtype, name="fldj")
        return reduce_sum(log_scale, axis=-1)


def _block_mask(num_blocks: int, n_in: int, n_out: int, exclusive: bool) -> np.ndarray:
    """1 where an output may depend on an input: on inputs of earlier blocks, or of its own."""
    mask = np.zeros([n_in, n_out])
    into, out = n_in // num_blocks, n_out // num_blocks
    for k in range(num_blocks):
        mask[k * into : (k + 1) * into, (k + exclusive) * out :] = 1
    return mask


@export("contrib.distributions.bijectors.masked_dense")
def masked_dense(
    inputs: TensorLike,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: InitializerLike | None = None,
    reuse: Reuse = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """A dense layer whose outputs depend on earlier blocks of the inputs only.

    Germain et al., "MADE: masked autoencoder for distribution estimation", 2015.

    Args:
        inputs: a tensor [..., n] with a known n.
        units: the number of outputs.
        num_blocks: the number of blocks.
        exclusive: whether an output does not depend on its own block.
        kernel_initializer: the initializer of the weights; Glorot's normal one if None.
        reuse: whether the variables exist already.
        name: the name of the layer.
        *args: further arguments of `tf.layers.Dense`.
        **kwargs: further arguments of `tf.layers.Dense`.

    Returns:
        A tensor [..., units].

    Raises:
        NotImplementedError: if n is not known.
    """
    depth = inputs.get_shape().with_rank_at_least(1)[-1].value
    if depth is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    mask = _block_mask(num_blocks or 1, depth, units, exclusive)
    initializer = GlorotNormal() if kernel_initializer is None else kernel_initializer

    def masked(
        sizes: Sequence[int],
        dtype: DTypeLike | None = None,
        partition_info: PartitionInfo | None = None,
    ) -> Any:
        return mask.astype(as_dtype(dtype).as_numpy_dtype) * initializer(
            sizes, dtype, partition_info
        )

    def constraint(x: TensorLike) -> Any:
        return mask.astype(x.dtype.as_numpy_dtype) * x

    with name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        make: Callable[..., Any] = Dense
        layer = make(
            units,
            *args,
            kernel_initializer=masked,
            kernel_constraint=constraint,
            name=name,
            dtype=inputs.dtype.base_dtype,
            _scope=name,
            _reuse=reuse,
            **kwargs,
        )
        return layer.apply(inputs)


@export("contrib.distributions.bijectors.masked_autoregressive_default_template")
def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Activation = relu,
    log_scale_min_clip: float = -5.0,
    log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A function for `MaskedAutoregressiveFlow`: masked dense layers.

    Args:
        hidden_layers: the numbers of units of the hidden layers.
        shift_only: whether there is no log_scale.
        activation: the activation function of hidden layers.
        log_scale_min_clip: the least log_scale.
        log_scale_max_clip: the largest log_scale.
        log_scale_clip_gradient: whether gradients are 0 where log_scale is cut off.
        name: the name of the template.
        *args: further arguments of `tf.layers.Dense`.
        **kwargs: further arguments of `tf.layers.Dense`.

    Returns:
        A function from y to the pair shift, log_scale.
    """
    name = name or "masked_autoregressive_default_template"
    values = [log_scale_min_clip, log_scale_max_clip]
    with name_scope(name, None, values):

        def function(x: TensorLike) -> tuple[Tensor | None, ...]:
            depth = x.get_shape().with_rank_at_least(1)[-1].value
            if depth is None:
                raise NotImplementedError(
                    "Rightmost dimension must be known prior to graph execution."
                )
            known = x.get_shape()
            sizes = known.as_list() if known.is_fully_defined() else shape(x)
            for k, units in enumerate(hidden_layers):
                x = masked_dense(x, units, depth, k == 0, *args, activation=activation, **kwargs)
            x = masked_dense(
                x, (1 if shift_only else 2) * depth, depth, *args, activation=None, **kwargs
            )
            if shift_only:
                return reshape(x, sizes), None
            pair = reshape(x, concat([sizes, [2]], axis=0))
            shift, log_scale = unstack(pair, num=2, axis=-1)
            clip: TensorLike
            if log_scale_clip_gradient:
                clip = clip_by_value
            else:
                clip = _clip_keeping_gradient
            return shift, clip(log_scale, log_scale_min_clip, log_scale_max_clip)

        return make_template(name, function)


def _clip_keeping_gradient(x: TensorLike, least: TensorLike, largest: TensorLike) -> Tensor:
    """`x`, cut off, with the gradient of `x`."""
    with name_scope(None, "clip_by_value_preserve_grad", [x, least, largest]):
        clipped: Tensor = clip_by_value(x, least, largest)
        return x + stop_gradient(clipped - x)


@export("contrib.distributions.bijectors.real_nvp_default_template")
def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Activation = relu,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A function for `RealNVP`: dense layers.

    Args:
        hidden_layers: the numbers of units of the hidden layers.
        shift_only: whether there is no log_scale.
        activation: the activation function of hidden layers.
        name: the name of the template.
        *args: further arguments of `tf.layers.dense`.
        **kwargs: further arguments of `tf.layers.dense`.

    Returns:
        A function from values and a number of outputs to the pair shift, log_scale.
    """
    name = name or "real_nvp_default_template"
    with name_scope(name):

        def function(x: Tensor, output_units: int) -> NestedTensors:
            layer: Callable[..., Any] = dense
            for units in hidden_layers:
                x = layer(x, units, *args, activation=activation, **kwargs)
            x = layer(x, (1 if shift_only else 2) * output_units, *args, activation=None, **kwargs)
            if shift_only:
                return x, None
            shift, log_scale = split(x, 2, axis=-1)
            return shift, log_scale

        return make_template(name, function)
