"""`tf.feature_column.make_parse_example_spec`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.graph import export
from headwater.model.feature_column.base import FeatureColumn, _FeatureColumn


@export("feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """The features that `tf.io.parse_example` has to read for columns.

    Args:
        feature_columns: the columns.

    Returns:
        {name: FixedLenFeature or VarLenFeature}.

    Raises:
        ValueError: if an item is no column, or two read a feature in different ways.
    """
    return _spec(feature_columns, _FeatureColumn, "_FeatureColumn")


def make_parse_example_spec_v2(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """`make_parse_example_spec` for columns of version 2.

    Args:
        feature_columns: the columns.

    Returns:
        {name: FixedLenFeature or VarLenFeature}.

    Raises:
        ValueError: if an item is no column, or two read a feature in different ways.
    """
    return _spec(feature_columns, FeatureColumn, "FeatureColumn")


def _spec(feature_columns: Iterable[Any], kind: Any, kind_text: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, kind):
            raise ValueError(f"All feature_columns must be {kind_text} instances. Given: {column}")
        if isinstance(column, FeatureColumn) and kind is FeatureColumn:
            config = column.parse_example_spec
        else:
            config = column._parse_example_spec
        for key, value in config.items():
            if key in result and value != result[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. "
                    f"Given {value} and {result[key]}"
                )
        result.update(config)
    return result
