"""The specifications for parsing tf.Examples of canned estimators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.model.feature_column.numeric import NumericColumn, numeric_column
from headwater.model.feature_column.parse_spec import make_parse_example_spec
from headwater.ops.parsing.features import FixedLenFeature


@export("estimator.classifier_parse_example_spec")
def classifier_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = dtypes.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """What `tf.parse_example` needs to know of the features and the label of a classifier.

    Args:
        feature_columns: feature columns.
        label_key: the name of the label.
        label_dtype: its type, int64 or string.
        label_default: its value where an Example has none; or None.
        weight_column: the name or column of the weights; or None.

    Returns:
        FixedLenFeatures and others by name.

    Raises:
        ValueError: if the label or the weights are features too.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


@export("estimator.regressor_parse_example_spec")
def regressor_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = dtypes.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """What `tf.parse_example` needs to know of the features and the label of a regressor.

    Args:
        feature_columns: feature columns.
        label_key: the name of the label.
        label_dtype: its type.
        label_default: its value where an Example has none; or None.
        label_dimension: how many numbers it has.
        weight_column: the name or column of the weights; or None.

    Returns:
        FixedLenFeatures and others by name.

    Raises:
        ValueError: if the label or the weights are features too.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(
    feature_columns: Iterable[Any], label_key: str, label: Any, weight_column: Any
) -> dict[str, Any]:
    spec: dict[str, Any] = make_parse_example_spec(feature_columns)
    if label_key in spec:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {spec.keys()}"
        )
    spec[label_key] = label
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = numeric_column(weight_column)
    if not isinstance(weight_column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(weight_column)} value: {weight_column}"
        )
    if weight_column.key in spec:
        raise ValueError(
            "weight_column should not be used as feature. weight_column: "
            f"{weight_column.key}, features: {spec.keys()}"
        )
    spec.update(weight_column.parse_example_spec)
    return spec
