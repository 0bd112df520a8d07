"""SoftmaxCrossEntropyWithLogits: the loss against class probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, AxisLike, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.nn.axes import one_of
from headwater.ops.nn.loss_arguments import labels_and_logits


def shape_softmax_cross_entropy(c: shapes.ShapeContext) -> list[Shape]:
    features, labels = c.shape("features"), c.shape("labels")
    try:
        both = shapes.broadcast_shapes(features, labels)
    except ValueError as error:
        c.fail(f"Dimensions must be equal, but are {error}")
    if features is None or labels is None or both is None:
        return [(None,), (None, None)]
    if len(both) != 2:
        c.fail(f"Shape must be broadcasted with rank 2, but is rank {len(both)}")
    return [both[:1], both]


def kernel_softmax_cross_entropy(
    xp: ArrayModule, features: Array, labels: Array
) -> tuple[Array, ...]:
    try:
        shape = np.broadcast_shapes(features.shape, labels.shape)
    except ValueError:
        raise errors.InvalidArgumentError(
            None,
            None,
            "logits and labels must be broadcastable: "
            f"logits_size={shapes.show(features.shape)} labels_size={shapes.show(labels.shape)}",
        ) from None
    if len(shape) != 2:
        raise errors.InvalidArgumentError(
            None,
            None,
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional",
        )
    kind = features.dtype
    if 0 in shape:
        return xp.zeros(shape[:1], kind), xp.zeros(shape, kind)
    if features.shape != shape:
        features = xp.broadcast_to(features, shape)
    shifted = features - xp.max(features, axis=-1, keepdims=True)
    powers = xp.exp(shifted)
    total = xp.sum(powers, axis=-1, keepdims=True, dtype=kind)
    loss = xp.sum(labels * (xp.log(total) - shifted), axis=-1, dtype=kind)
    return loss, powers / total - labels


def gradient_softmax_cross_entropy(
    op: Operation, grad_loss: Tensor, grad_grad: TensorLike
) -> tuple[Tensor, ...]:
    logits = op.inputs[0]
    grad = _scaled(grad_loss, op.outputs[1])
    if grad_grad is not None and not _is_zero(grad_grad):
        # The output `backprop` is softmax - labels, so this is the gradient of softmax.
        softmax = build.Softmax(logits)
        inner = build.BatchMatMulV2(
            build.ExpandDims(grad_grad, 1), build.ExpandDims(softmax, 2), name="MatMul"
        )
        inner = build.Squeeze(inner, squeeze_dims=[1])
        second = build.Mul(build.Sub(grad_grad, inner, name="sub"), softmax, name="mul")
        grad = build.AddV2(grad, second, name="add")
    return grad, _scaled(grad_loss, build.Neg(build.LogSoftmax(logits)))


def _scaled(per_row: Tensor, matrix: Tensor) -> Tensor:
    return build.Mul(build.ExpandDims(per_row, -1), matrix, name="mul")


def _is_zero(tensor: Tensor) -> bool:
    if tensor.op.type == "ZerosLike":
        return True
    value = constant_value(tensor)
    return value is not None and not np.any(value)


def reference_softmax_cross_entropy(
    features: Array, labels: Array
) -> tuple[np.ndarray, np.ndarray]:
    features, labels = np.broadcast_arrays(features, labels)
    wide = features.astype(np.float64)
    log_softmax = wide - np.logaddexp.reduce(wide, axis=-1)[:, None]
    loss = np.einsum("ij,ij->i", labels, -log_softmax)
    return loss.astype(features.dtype), (np.exp(log_softmax) - labels).astype(features.dtype)


def samples_softmax_cross_entropy() -> Iterator[Sample]:
    features = np.array([[1.0, 2.0, 3.5], [-0.5, 0.25, 0.5]], np.float32)
    labels = np.array([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], np.float32)
    # The output `backprop` has no gradient with respect to the labels.
    yield Sample(features, labels, gradient=(0,))
    yield Sample(features.astype(np.float64), labels.astype(np.float64), gradient=(0,))
    yield Sample(features.astype(np.float16), labels.astype(np.float16), gradient=(), rtol=4e-3)
    yield Sample(features, labels[:1], gradient=())
    yield Sample(np.array([[1000.0, 900.0]], np.float32), labels[:1, :2], gradient=())


register_op(
    "SoftmaxCrossEntropyWithLogits",
    inputs="features: T, labels: T",
    outputs="loss: T, backprop: T",
    attrs="T: {half, bfloat16, float, double}",
    shape=shape_softmax_cross_entropy,
    kernel=kernel_softmax_cross_entropy,
    gradient=gradient_softmax_cross_entropy,
    reference=reference_softmax_cross_entropy,
    samples=samples_softmax_cross_entropy,
)


@export("nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: AxisLike = None,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """Returns the cross entropy of class probabilities and softmax(logits), per row.

    Args:
        labels: the probability of each class; gradients flow into them.
        logits: unscaled log probabilities, of the same shape, floating-point.
        axis: the axis of the classes; None is the last one.
        name: the name scope.
        dim: older name of `axis`.

    Returns:
        A tensor of the type of `logits`, without the axis of the classes.

    Raises:
        ValueError: if both `axis` and `dim` are given, or the shapes do not fit.
    """
    axis = one_of("axis", axis, "dim", dim, -1)
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = build.Cast(logits, DstT=dtypes.float32) if half else logits
        if labels.dtype.base_dtype is not precise.dtype.base_dtype:
            labels = build.Cast(labels, DstT=precise.dtype.base_dtype)
        static = logits.shape.as_list() if logits.shape.ndims is not None else None
        rank = rank_tensor(precise)
        if axis != -1:
            precise = _axis_last(precise, axis, rank)
            labels = _axis_last(labels, axis, rank)
        shape = shape_tensor(precise)
        matrix = _matrix(precise)
        labels = _matrix(labels)
        cost = build.SoftmaxCrossEntropyWithLogits(matrix, labels, name=scope).loss
        outer = build.Slice(shape, [0], [build.Sub(rank, 1)])
        cost = build.Reshape(cost, outer)
        if static is not None:
            del static[axis]
            cost.set_shape(static)
        return build.Cast(cost, DstT=logits.dtype) if half else cost


def _axis_last(x: Tensor, axis: int, rank: Tensor) -> Tensor:
    """`x` with an axis moved to the end."""
    before = build.Range(0, axis, 1, name="range")
    behind = build.Range(axis + 1, rank, 1, name="range")
    order = build.ConcatV2([before, behind, [axis]], 0, name="concat")
    return build.Transpose(x, order, name="transpose")


def _matrix(x: Tensor) -> Tensor:
    """`x` with all axes but the last one joined."""
    rank = rank_tensor(x)
    last = build.Slice(shape_tensor(x), [build.Sub(rank, 1)], [1])
    result = build.Reshape(x, build.ConcatV2([[-1], last], 0, name="concat"))
    if x.shape.is_fully_defined():
        result.set_shape([x.shape[:-1].num_elements(), x.shape[-1]])
    return result


@export("nn.softmax_cross_entropy_with_logits")
@inserted(2, -1)
def softmax_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: AxisLike = -1,
    name: str | None = None,
    axis: AxisLike | None = None,
) -> Tensor:
    """Returns the cross entropy of constant class probabilities and softmax(logits), per row.

    Args:
        _sentinel: not an argument: the others go by name. (In the order of TensorFlow 0.x, two
            positional arguments are `logits, labels`.)
        labels: the probability of each class; no gradients flow into them.
        logits: unscaled log probabilities, of the same shape, floating-point.
        dim: the axis of the classes.
        name: the name scope.
        axis: newer name of `dim`.

    Returns:
        A tensor of the type of `logits`, without the axis of the classes.

    Raises:
        ValueError: if arguments are missing or not given by name.

    Example:
        >>> loss = tf.nn.softmax_cross_entropy_with_logits(labels=[[0.5, 0.5]], logits=[[0.0, 0.0]])
        >>> print(loss.eval().round(3))
        [0.693]
    """
    labels, logits, (dim, name) = labels_and_logits(
        "softmax_cross_entropy_with_logits", _sentinel, labels, logits, [dim, name]
    )
    dim = one_of("axis", axis, "dim", None, dim)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = build.StopGradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels, logits, axis=dim, name=scope)
