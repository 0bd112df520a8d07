"""Folds batch normalizations into the weights of the layers before them.

Source: Krishnamoorthi, "Quantizing deep convolutional networks for efficient inference" (2018),
section 3.2.2: weights are scaled by the moving averages, so that they do not change from batch to
batch; the output is corrected to the statistics of the batch until the averages are frozen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headwater.base import dtypes
from headwater.contrib.graph_editor.reroute import replace_inputs
from headwater.contrib.quantize.batch_norms import NormalizedLayer, fused_layers, unfused_layers
from headwater.contrib.quantize.fake_quantization import quantization_step
from headwater.graph import Graph, Operation, Tensor, build, convert_to_tensor, name_scope
from headwater.graph.gradients import RegisterGradient
from headwater.model.nn.convolution import depthwise_conv2d
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast

_CORRECTION = "batch_norm_correction"
_GRADIENT = "FoldFusedBatchNormGrad"


class Correction(NamedTuple):
    """What leads from the moving averages to the statistics of the batch.

    Attributes:
        scale: factor of the weights.
        reciprocal: factor of the output that takes it back.
        offset: is added to the output.
    """

    scale: Tensor
    reciprocal: Tensor
    offset: Tensor


def fold_batch_norms(graph: Graph, is_training: bool, freeze_delay: int | None = None) -> None:
    """Folds the batch normalizations of a graph into the layers before them, in place.

    Args:
        graph: the graph.
        is_training: whether they normalize by the statistics of the batch.
        freeze_delay: after so many steps the moving averages take their place and stay as they
            are; None never.
    """
    with graph.as_default(), name_scope(None):
        fused = fused_layers(graph)
        for found in fused:
            if found.moving_mean is not None:
                _use_statistics(found)
        for found in fused:
            _fold_fused(graph, found, freeze_delay)
        for found in unfused_layers(graph, is_training):
            correction = None
            gamma = ones(found.mean.get_shape()) if found.gamma is None else found.gamma
            if found.moving_mean is not None:
                scope = _joined(found.scope, _CORRECTION)
                correction = _correction(graph, found, gamma, scope, freeze_delay)
            _fold(found, found.scale, found.bias, correction, scope=None)


def _joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


def _use_statistics(found: NormalizedLayer) -> None:
    """Lets a fused op serve for the mean and the variance of the batch only."""
    assert found.fused is not None
    found.fused._attrs["_gradient_op_type"] = _GRADIENT
    variance = found.variance
    with name_scope(found.fused.name.rpartition("/")[0] + "/"):
        elements = cast(size(found.fused.inputs[0]) / size(variance), variance.dtype)
        # The op divides by one element less.
        ratio = (elements - 1) / elements
        found.variance = build.Mul(variance, ratio, name="Undo_Bessel_Correction")


@RegisterGradient(_GRADIENT)
def _gradient_of_statistics(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient of mean and variance of a batch; nothing takes the normalized values."""
    images, (_, mean, *_) = op.inputs[0], op.outputs
    grad_mean, grad_variance = grads[1:3]
    count = cast(size(images) / size(mean), dtypes.float32)
    from_mean = grad_mean / count
    from_variance = 2 * grad_variance * (images - mean) / (count - 1)
    return (from_mean + from_variance, None, None, None, None)


def _fold_fused(graph: Graph, found: NormalizedLayer, freeze_delay: int | None) -> None:
    assert found.gamma is not None
    with name_scope(_joined(found.scope, "BatchNorm_Fold")) as scope:
        scale = found.gamma * build.Rsqrt(found.variance + found.epsilon)
        bias = build.Sub(found.beta, found.mean * scale, name="bias")
        correction = None
        if found.moving_mean is not None:
            correction = _correction(graph, found, found.gamma, _CORRECTION, freeze_delay)
    _fold(found, scale, bias, correction, scope)


def _correction(
    graph: Graph, found: NormalizedLayer, gamma: Tensor, scope: str, freeze_delay: int | None
) -> Correction:
    assert found.moving_mean is not None and found.moving_variance is not None
    with name_scope(scope):
        average = build.Rsqrt(found.moving_variance + found.epsilon)
        batch = build.Rsqrt(found.variance + found.epsilon)
        scale = build.Identity(
            build.RealDiv(average, batch, name="scale_compute"), name="correction_scale"
        )
        reciprocal = build.Reciprocal(scale, name="reciprocal_compute")
        difference = found.mean * batch - found.moving_mean * average
        offset = build.Mul(gamma, difference, name="offset_compute")
        shape = found.mean.get_shape()
        if freeze_delay is None:
            return Correction(scale, reciprocal, zeros(shape))
        step = quantization_step(graph)
        frozen = build.GreaterEqual(step, np.int64(freeze_delay), name="use_moving_average")
        for name, decay in zip(("freeze_moving_mean", "freeze_moving_var"), found.decays):
            _freeze(frozen, decay, name)
        return Correction(
            scale,
            cond(frozen, lambda: ones(shape), lambda: reciprocal, name="correction_recip"),
            cond(frozen, lambda: offset, lambda: zeros(shape), name="correction_offset"),
        )


def _freeze(frozen: Tensor, decay: Tensor, name: str) -> None:
    """Replaces the decay of a moving average by zero once it is frozen."""
    users = [op for op in decay.consumers() if op.type == "Mul"]
    replace_inputs(
        decay, cond(frozen, lambda: convert_to_tensor(0.0), lambda: decay, name=name), users
    )


def _fold(
    found: NormalizedLayer,
    scale: Tensor | None,
    bias: Tensor | None,
    correction: Correction | None,
    scope: str | None,
) -> None:
    """Puts a layer with scaled weights in the place of a layer and its normalization."""
    factor = None if correction is None else correction.scale
    if found.layer.type == "DepthwiseConv2dNative":
        # The scales are in the order of the outputs: input channel, then multiplier.
        shape = found.weights.get_shape().as_list()[2:]
        with name_scope(scope):
            scale = build.Reshape(scale, shape, name="scale_reshape")
            if factor is not None:
                factor = build.Reshape(factor, shape, name="correction_reshape")
    prefix = _joined(found.scope, "")
    weights = found.weights
    if factor is not None:
        weights = build.Mul(factor, weights, name=f"{prefix}correction_mult")
    weights = build.Mul(weights, scale, name=f"{prefix}mul_fold")
    result = _with_weights(found.layer, weights)
    if found.to_batch is not None:
        inputs = (result, *found.to_batch.inputs[1:])
        result = _copy(found.to_batch, inputs, f"{prefix}BatchToSpaceND_Fold")
    if correction is not None:
        result = build.Mul(correction.reciprocal, result, name=f"{prefix}post_conv_mul")
        result = build.Add(result, correction.offset, name=f"{prefix}correction_add")
    result = build.Add(result, bias, name=f"{prefix}add_fold")
    replace_inputs(found.output, result, found.output.consumers())


def _with_weights(layer: Operation, weights: Tensor) -> Tensor:
    """The output of a layer with other weights."""
    images, name = layer.inputs[0], f"{layer.name}_Fold"
    if layer.type != "DepthwiseConv2dNative":
        return _copy(layer, (images, weights), name)
    strides, padding = layer.get_attr("strides"), layer.get_attr("padding").decode()
    return depthwise_conv2d(images, weights, strides, padding, name=name)


def _copy(op: Operation, inputs: tuple[Tensor, ...], name: str) -> Tensor:
    """The result of an op like another one, with other inputs."""
    attrs = {k: v for k, v in op._attrs.items() if not k.startswith("_") and k[0].islower()}
    result: Tensor = getattr(build, op.type)(*inputs, **attrs, name=name)
    return result
