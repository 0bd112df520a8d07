"""Losses on logits that are compositions of elementwise ops."""

from __future__ import annotations

import math

from headwater.base.signatures import signature
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    zeros_like,
)
from headwater.ops.nn.axes import one_of
from headwater.ops.nn.loss_arguments import labels_and_logits


def _require_same_shape(x_name: str, x: Tensor, y_name: str, y: Tensor) -> None:
    try:
        y.shape.merge_with(x.shape)
    except ValueError:
        raise ValueError(
            f"{x_name} and {y_name} must have the same shape ({x.shape} vs {y.shape})"
        ) from None


@export("nn.sigmoid_cross_entropy_with_logits")
@signature("_sentinel=None, labels=None, logits=None, name=None")
def sigmoid_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Tensor:
    """Returns the cross entropy of independent probabilities and sigmoid(logits).

    With x = logits and z = labels that is max(x, 0) - x * z + log(1 + exp(-abs(x))), which cannot
    overflow.

    Args:
        _sentinel: not an argument: the others go by name. (In the order of TensorFlow 0.x, two
            positional arguments are `logits, targets`.)
        labels: probabilities, a tensor of the type and shape of `logits`.
        logits: a tensor of floating-point numbers.
        name: the name of the last node.
        targets: name of `labels` in TensorFlow 0.x.

    Returns:
        A tensor of the type and shape of `logits`.

    Raises:
        ValueError: if arguments are missing or not given by name, or if the shapes differ.

    Example:
        >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 1.0], logits=[100.0, 0.0])
        >>> print(loss.eval().round(3))
        [0.    0.693]
    """
    labels = one_of("labels", labels, "targets", targets)
    labels, logits, (name,) = labels_and_logits(
        "sigmoid_cross_entropy_with_logits", _sentinel, labels, logits, [name]
    )
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_same_shape("logits", logits, "labels", labels)
        zeros = zeros_like(logits)
        positive = build.GreaterEqual(logits, zeros)
        relu = build.Select(positive, logits, zeros)
        negative_abs = build.Select(positive, build.Neg(logits), logits)
        linear = build.Sub(relu, build.Mul(logits, labels, name="mul"), name="sub")
        return build.Add(linear, build.Log1p(build.Exp(negative_abs)), name=scope)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    pos_weight: TensorLike = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Tensor:
    """Returns the sigmoid cross entropy with positive labels weighted.

    With x = logits, z = labels and q = pos_weight that is
    (1 - z) * x + (1 + (q - 1) * z) * (log(1 + exp(-abs(x))) + max(-x, 0)).

    Args:
        labels: probabilities, a tensor of the type and shape of `logits`.
        logits: a tensor of floating-point numbers.
        pos_weight: what an error on a positive label counts.
        name: the name of the last node.
        targets: older name of `labels`.

    Returns:
        A tensor of the type and shape of `logits`.

    Raises:
        ValueError: if the shapes differ, or both `labels` and `targets` are given.
    """
    labels = one_of("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_same_shape("logits", logits, "labels", labels)
        weight = 1 + (pos_weight - 1) * labels
        linear = (1 - labels) * logits
        log_term = build.Log1p(build.Exp(build.Neg(build.Abs(logits))))
        return build.Add(linear, weight * (log_term + build.Relu(build.Neg(logits))), name=scope)


@export("nn.log_poisson_loss")
def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the Poisson likelihood loss exp(log_input) - log_input * targets.

    Args:
        targets: counts, a tensor of the type and shape of `log_input`.
        log_input: the logarithm of the prediction.
        compute_full_loss: whether to add log(targets!) by Stirling's formula, where targets > 1.
        name: the name scope.

    Returns:
        A tensor of the type and shape of `log_input`.

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _require_same_shape("log_input", log_input, "targets", targets)
        result = build.Exp(log_input) - log_input * targets
        if not compute_full_loss:
            return result
        half = constant_node(0.5, targets.dtype)
        two_pi = constant_node(2 * math.pi, targets.dtype)
        stirling = targets * build.Log(targets) - targets
        stirling += half * build.Log(two_pi * targets)
        zeros = zeros_like(targets)
        ones = ones_like(targets)
        small = build.LogicalAnd(build.GreaterEqual(targets, zeros), build.LessEqual(targets, ones))
        return result + build.Select(small, zeros, stirling)
