"""SparseSoftmaxCrossEntropyWithLogits: the loss against class indices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes

_NO_SECOND_DERIVATIVE = (
    "Currently there is no way to take the second derivative of "
    "sparse_softmax_cross_entropy_with_logits due to the fused implementation's interaction with "
    "tf.gradients()"
)


def shape_sparse_softmax_cross_entropy(c: shapes.ShapeContext) -> list[Shape]:
    features = c.with_rank("features", 2)
    labels = c.with_rank("labels", 1)
    batch = c.merge_dims(features[0], labels[0])
    return [(batch,), (batch, features[1])]


def _check(features: Array, labels: Array) -> None:
    text = ""
    if features.ndim != 2:
        text = f"logits must be 2-D, but got shape {shapes.show(features.shape)}"
    elif labels.ndim != 1:
        text = f"labels must be 1-D, but got shape {shapes.show(labels.shape)}"
    elif features.shape[0] != labels.shape[0]:
        text = (
            "logits and labels must have the same first dimension, got logits shape "
            f"{shapes.show(features.shape)} and labels shape {shapes.show(labels.shape)}"
        )
    elif features.shape[1] == 0:
        text = f"Must have at least one class, but got logits shape {shapes.show(features.shape)}"
    if text:
        raise errors.InvalidArgumentError(None, None, text)


def _outside(labels: Array, classes: int) -> Exception:
    first = labels[(labels < 0) | (labels >= classes)][0]
    return errors.InvalidArgumentError(
        None,
        None,
        f"Received a label value of {first} which is outside the valid range of [0, {classes}).  "
        f"Label values: {' '.join(str(label) for label in labels)}",
        hint="labels are class indices from 0 to num_classes - 1.",
    )


def kernel_sparse_softmax_cross_entropy(
    xp: ArrayModule, features: Array, labels: Array
) -> tuple[Array, ...]:
    _check(features, labels)
    kind, classes = features.dtype, features.shape[1]
    if features.shape[0] == 0:
        return xp.zeros((0,), kind), xp.zeros((0, classes), kind)
    valid = xp.logical_and(labels >= 0, labels < classes)
    require(xp, valid, lambda: _outside(labels, classes))
    shifted = features - xp.max(features, axis=1, keepdims=True)
    powers = xp.exp(shifted)
    total = xp.sum(powers, axis=1, keepdims=True, dtype=kind)
    column = labels[:, None]
    chosen = xp.take_along_axis(shifted, column, axis=1)
    loss = (xp.log(total) - chosen)[:, 0]
    one_hot = (xp.arange(classes, dtype=labels.dtype) == column).astype(kind)
    return loss, powers / total - one_hot


def gradient_sparse_softmax_cross_entropy(
    op: Operation, grad: Tensor, _: Tensor
) -> tuple[Tensor | None, ...]:
    backprop = build.PreventGradient(op.outputs[1], message=_NO_SECOND_DERIVATIVE)
    return build.Mul(build.ExpandDims(grad, -1), backprop, name="mul"), None


def reference_sparse_softmax_cross_entropy(
    features: Array, labels: Array
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.arange(len(labels))
    wide = features.astype(np.float64)
    log_softmax = wide - np.logaddexp.reduce(wide, axis=-1)[:, None]
    backprop = np.exp(log_softmax)
    backprop[rows, labels] -= 1
    return (-log_softmax[rows, labels]).astype(features.dtype), backprop.astype(features.dtype)


def samples_sparse_softmax_cross_entropy() -> Iterator[Sample]:
    features = np.array([[1.0, 2.0, 3.5], [-0.5, 0.25, 0.5]], np.float32)
    # The output `backprop` has no gradient.
    yield Sample(features, np.array([0, 2], np.int64), gradient=())
    yield Sample(features.astype(np.float64), np.array([1, 1], np.int32), gradient=())
    half = features.astype(np.float16)
    yield Sample(half, np.array([1, 1], np.int32), gradient=(), rtol=4e-3, atol=1e-3)
    yield Sample(np.array([[1000.0, 900.0]], np.float32), np.array([1], np.int32), gradient=())


register_op(
    "SparseSoftmaxCrossEntropyWithLogits",
    inputs="features: T, labels: Tlabels",
    outputs="loss: T, backprop: T",
    attrs="T: {half, bfloat16, float, double}, Tlabels: {int32, int64} = int64",
    shape=shape_sparse_softmax_cross_entropy,
    kernel=kernel_sparse_softmax_cross_entropy,
    gradient=gradient_sparse_softmax_cross_entropy,
    reference=reference_sparse_softmax_cross_entropy,
    samples=samples_sparse_softmax_cross_entropy,
)
