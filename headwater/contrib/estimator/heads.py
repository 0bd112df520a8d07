"""The heads of `tf.contrib.estimator`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.head.base import _Head
from headwater.estimator.head.binary import binary_logistic_head
from headwater.estimator.head.multi import MultiObjectiveHead
from headwater.estimator.head.multi_class import multi_class_softmax_head
from headwater.estimator.head.multi_label import MultiLabelSigmoidHead
from headwater.estimator.head.regression import (
    logistic_loss,
    mean_squared_error_head,
    poisson_loss,
)
from headwater.model.losses.weighting import Reduction
from headwater.ops.math.exponential import exp, sigmoid


@export("contrib.estimator.multi_class_head")
def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> _Head:
    """Makes a head for several classes with the softmax cross entropy.

    Args:
        n_classes: the number of classes, more than two.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    return multi_class_softmax_head(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


@export("contrib.estimator.binary_classification_head")
def binary_classification_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> _Head:
    """Makes a head for two classes with the sigmoid cross entropy.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        thresholds: probabilities; accuracy, precision and recall are computed for each; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head.

    Raises:
        TypeError: if the vocabulary is no list.
        ValueError: if another argument is wrong.
    """
    return binary_logistic_head(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


@export("contrib.estimator.regression_head")
def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> _Head:
    """Makes a head for regression.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        label_dimension: how many numbers a label has.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        loss_fn: a function of labels and logits; None for the squared error.
        inverse_link_fn: a function that makes predictions of logits; or None.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    return mean_squared_error_head(
        weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name
    )


@export("contrib.estimator.poisson_regression_head")
def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> _Head:
    """Makes a head for a Poisson regression: logits are logarithms of predictions.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        label_dimension: how many numbers a label has.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        compute_full_loss: whether the loss has the term of Stirling's approximation.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    return mean_squared_error_head(
        weight_column,
        label_dimension,
        loss_reduction,
        poisson_loss(compute_full_loss),
        exp,
        name,
    )


@export("contrib.estimator.logistic_regression_head")
def logistic_regression_head(
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    name: str | None = None,
) -> _Head:
    """Makes a head for a logistic regression, whose labels are between 0 and 1.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    return mean_squared_error_head(weight_column, 1, loss_reduction, logistic_loss, sigmoid, name)


@export("contrib.estimator.multi_label_head")
def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    classes_for_class_based_metrics: Sequence[Any] | None = None,
    name: str | None = None,
) -> _Head:
    """Makes a head for classes that do not exclude one another.

    Args:
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        thresholds: probabilities; accuracy, precision and recall are computed for each; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        classes_for_class_based_metrics: numbers or names of classes with metrics of their own; or
            None.
        name: the name, which the names of metrics end with; or None.

    Returns:
        A head. Its labels are indicators [D0, ..., DN, n_classes], or a SparseTensor of classes.

    Raises:
        ValueError: if an argument is wrong.
    """
    return MultiLabelSigmoidHead(
        n_classes,
        weight_column,
        thresholds,
        label_vocabulary,
        loss_reduction,
        loss_fn,
        classes_for_class_based_metrics,
        name,
    )


@export("contrib.estimator.multi_head")
def multi_head(heads: Sequence[_Head], head_weights: Sequence[float] | None = None) -> _Head:
    """Makes one head of several.

    Args:
        heads: heads with names; the first one is the default of an exported model.
        head_weights: the weights of their losses; or None.

    Returns:
        A head. Its labels are by the name of a head.

    Raises:
        ValueError: if there are none, one has no name, or there is not a weight for each.
    """
    return MultiObjectiveHead(heads, head_weights)
