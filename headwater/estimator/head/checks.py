"""Checks of the labels, logits and weights that heads are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.arguments import fn_args
from headwater.graph import (
    Tensor,
    control_dependencies,
    convert_to_tensor,
    name_scope,
)
from headwater.graph.constant_value import static_value
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.feature_column.base import DenseColumn, _DenseColumn
from headwater.model.feature_column.numeric import NumericColumn, numeric_column
from headwater.model.feature_column.transformation import FeatureTransformationCache, _LazyBuilder
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import identity
from headwater.ops.control.rank_checks import assert_rank_at_least
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_greater,
    assert_less_equal,
    assert_non_negative,
)
from headwater.ops.math.cast import cast

NO_LABELS = (
    "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that "
    "your data contain your label feature. Check that your input_fn properly parses and returns "
    "labels."
)
_SPARSE_LABELS = (
    "SparseTensor labels are not supported. labels must be a Tensor of shape "
    "[D0, D1, ..., DN, {0}], e.g. [batch_size, {0}]. Suggested Fix (1): Check the label feature in "
    "your data. Each example must contain {0} value(s). If not, your choice of label was probably "
    "incorrect. Suggested Fix (2): In your input_fn, use tf.sparse_tensor_to_dense() to turn "
    "labels into a Tensor."
)
_LOGITS_SHAPE = "logits shape must be [D0, D1, ... DN, logits_dimension]"


def _data(*values: Any) -> list[Any]:
    """What an error shows besides its message."""
    return list(values)


def check_loss_reduction(loss_reduction: str, known: tuple[str, ...], more: str = "") -> None:
    """Checks that a reduction is known and makes a scalar.

    Raises:
        ValueError: if not.
    """
    if loss_reduction not in known or loss_reduction == "none":
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}{more}")


def check_thresholds(thresholds: Any) -> tuple[float, ...]:
    """The thresholds of a binary classifier as a tuple.

    Raises:
        ValueError: if one is not between 0 and 1.
    """
    thresholds = tuple(thresholds) if thresholds else ()
    for threshold in thresholds:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds not in (0, 1): {(thresholds,)}.")
    return thresholds


def check_n_classes(n_classes: Any) -> Any:
    """The number of classes, more than two, checked.

    Raises:
        ValueError: if there are two or fewer.
    """
    as_tensor = convert_to_tensor(n_classes)
    static = static_value(as_tensor)
    if static is None:
        check = assert_greater(as_tensor, 2, message="n_classes must be greater than 2")
        with control_dependencies([check]):
            return identity(as_tensor)
    if static <= 2:
        raise ValueError(f"n_classes must be > 2: {n_classes}.")
    return n_classes


_LOSS_FN_ARGUMENTS = ("labels", "logits", "features", "loss_reduction")


def check_loss_fn(loss_fn: Callable[..., Any] | None) -> None:
    """Checks the parameters of a loss function.

    Raises:
        ValueError: if one is missing or unknown.
    """
    if loss_fn is None:
        return
    names = fn_args(loss_fn)
    for required in ("labels", "logits"):
        if required not in names:
            raise ValueError(f"loss_fn must contain argument: {required}. Given arguments: {names}")
    unknown = list(set(names) - set(_LOSS_FN_ARGUMENTS))
    if unknown:
        raise ValueError(f"loss_fn has unexpected args: {unknown}")


def call_loss_fn(
    loss_fn: Callable[..., Any], labels: Tensor, logits: Tensor, features: Any, dimension: int = 1
) -> Tensor:
    """Calls a loss function and checks the shape of its result.

    Args:
        loss_fn: a function of labels, logits and, if it takes them, features.
        labels: the labels.
        logits: the logits, [D0, ..., DN, logits_dimension].
        features: the features.
        dimension: the last dimension of the loss.

    Returns:
        A tensor [D0, ..., DN, dimension].
    """
    names = fn_args(loss_fn)
    kwargs = {"features": features} if "features" in names else {}
    if "loss_reduction" in names:
        kwargs["loss_reduction"] = "none"
    with name_scope(None, "call_loss_fn", [labels, logits]):
        loss = loss_fn(labels=labels, logits=logits, **kwargs)
        logits_shape = shape(logits, name="logits_shape")
        expected = concat([logits_shape[:-1], [dimension]], axis=0, name="expected_loss_shape")
        loss_shape = shape(loss, name="loss_shape")
        check = assert_equal(
            loss_shape,
            expected,
            data=_data(
                f"loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. ",
                "logits_shape: ",
                logits_shape,
                "loss_shape: ",
                loss_shape,
            ),
            name="check_loss_shape",
        )
        with control_dependencies([check]):
            return identity(loss)


def checked_logits(logits: Any, dimension: int) -> Tensor:
    """The logits as floats, checked.

    Args:
        logits: a tensor [D0, ..., DN, dimension].
        dimension: how many logits an example has.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the static shape is another one.
    """
    with name_scope(None, "logits", (logits,)) as scope:
        logits = cast(logits, dtypes.float32)
        logits_shape = shape(logits)
        check_rank = assert_rank_at_least(
            logits, 2, data=_data(logits_shape), message=_LOGITS_SHAPE
        )
        with control_dependencies([check_rank]):
            static = logits.shape
            known = None if static.ndims is None else static.as_list()[-1]
            if known is not None:
                if known != dimension:
                    raise ValueError(f"{_LOGITS_SHAPE}, got {static}.")
                return logits
            check = assert_equal(
                dimension, logits_shape[-1], data=_data(logits_shape), message=_LOGITS_SHAPE
            )
            with control_dependencies([check]):
                return identity(logits, name=scope)


def labels_like_logits(labels: Any, logits: Tensor, dimension: int) -> Tensor:
    """The labels, checked, with a last dimension where it is missing.

    Args:
        labels: a tensor [D0, ..., DN, dimension], or [D0, ..., DN] for a dimension of 1.
        logits: the logits.
        dimension: how many numbers the label of an example has.

    Returns:
        A tensor [D0, ..., DN, dimension].

    Raises:
        ValueError: if the labels are missing or sparse, or their static shape does not fit.
    """
    if labels is None:
        raise ValueError(NO_LABELS)
    with name_scope(None, "labels", (labels, logits)) as scope:
        if isinstance(labels, SparseTensor) or type(labels).__name__ == "SparseTensorValue":
            raise ValueError(_SPARSE_LABELS.format(dimension))
        labels = convert_to_tensor(labels)
        if (
            labels.shape.ndims is not None
            and logits.shape.ndims is not None
            and labels.shape.ndims == logits.shape.ndims - 1
        ):
            labels = expand_dims(labels, -1)
        labels_shape = shape(labels)
        logits_shape = shape(logits)
        message = (
            f"labels shape must be [D0, D1, ... DN, {dimension}]. Suggested Fix: check your "
            "n_classes argument to the estimator and/or the shape of your label."
        )
        check_rank = assert_rank_at_least(labels, 2, message=message)
        with control_dependencies([check_rank]):
            static = labels.shape
            if static.ndims is not None:
                known = static.as_list()[-1]
                if known is not None and known != dimension:
                    raise ValueError(
                        f"Mismatched label shape. Expected labels dimension={dimension}.  Received "
                        f"{known}. Suggested Fix:If your classifier expects one-hot encoding "
                        "label,check your n_classes argument to the estimator and/or the shape of "
                        "your label. Otherwise, check the shape of your label."
                    )
            expected = concat([logits_shape[:-1], [dimension]], axis=0)
            check = assert_equal(
                expected,
                labels_shape,
                message=message,
                data=_data("expected_labels_shape: ", expected, "labels_shape: ", labels_shape),
            )
            with control_dependencies([check]):
                return identity(labels, name=scope)


def _weight_values(column: Any, features: Mapping[str, Any], kind: str) -> Tensor:
    if isinstance(column, str):
        column = numeric_column(key=column, shape=(1,))
    if isinstance(column, NumericColumn):
        return column._get_dense_tensor(_LazyBuilder(features))
    if isinstance(column, _DenseColumn) and not isinstance(column, DenseColumn):
        return column._get_dense_tensor(_LazyBuilder(features))
    if isinstance(column, DenseColumn):
        return column.get_dense_tensor(FeatureTransformationCache(features), None)
    raise TypeError(f"Weight column must be either a string or {kind}. Given type: {type(column)}.")


def weights_like_logits(
    features: Mapping[str, Any],
    weight_column: Any,
    logits: Tensor,
    per_logit: bool = False,
    kind: str = "_NumericColumn",
) -> Any:
    """The weights of examples, checked.

    Args:
        features: the features by name.
        weight_column: the name or column of the weights; None for weights of 1.
        logits: the logits, [D0, ..., DN, logits_dimension].
        per_logit: whether there may be a weight per logit.
        kind: how errors name the type of the column.

    Returns:
        A float tensor [D0, ..., DN, 1] or of the shape of the logits; or 1.0.

    Raises:
        ValueError: if the weights are not numbers.
        TypeError: if the column is something else.
    """
    message = "weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]"
    if per_logit:
        message = (
            "weights shape must be [D0, D1, ... DN], [D0, D1, ... DN, 1] or "
            "[D0, D1, ... DN, logits_dimension]"
        )
    if weight_column is None:
        return 1.0
    with name_scope(None, "weights", (*features.values(), logits)) as scope:
        weights = _weight_values(weight_column, features, kind)
        if not (weights.dtype.is_floating or weights.dtype.is_integer):
            raise ValueError(
                f"Weight column should be castable to float. Given dtype: {weights.dtype}"
            )
        weights = cast(weights, dtypes.float32, name="weights")
        weights_shape = shape(weights, name="weights_shape")
        logits_shape = shape(logits, name="logits_shape")
        data = _data("logits_shape: ", logits_shape, "weights_shape: ", weights_shape)
        if (
            weights.shape.ndims is not None
            and logits.shape.ndims is not None
            and weights.shape.ndims == logits.shape.ndims - 1
        ):
            check = assert_equal(logits_shape[:-1], weights_shape, message=message, data=data)
            with control_dependencies([check]):
                return expand_dims(weights, -1, name=scope)
        expected = concat([logits_shape[:-1], [1]], axis=0)
        if per_logit and weights.shape.ndims is not None and weights.shape.as_list()[-1] != 1:
            expected = logits_shape
        check = assert_equal(expected, weights_shape, message=message, data=data)
        with control_dependencies([check]):
            return identity(weights, name=scope)


def labels_in_range(labels: Tensor, n_classes: Any, message: str | None = None) -> Tensor:
    """Labels, checked at run time.

    Args:
        labels: a tensor of numbers.
        n_classes: the number of classes.
        message: what the error says.

    Returns:
        A tensor equal to `labels`.
    """
    with name_scope(None, "assert_range", (labels,)):
        last = convert_to_tensor(n_classes - 1, dtype=labels.dtype)
        checks = [
            assert_less_equal(labels, last, message=message or "Labels must <= n_classes - 1"),
            assert_non_negative(labels, message=message or "Labels must >= 0"),
        ]
        with control_dependencies(checks):
            return identity(labels)
