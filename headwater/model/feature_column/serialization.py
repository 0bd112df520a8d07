"""Feature columns as configurations, in which models of tf.keras keep them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.model.feature_column import (
    categorical,
    combined,
    embedding,
    indicator,
    numeric,
    sequence_categorical,
    sequence_numeric,
    vocabulary,
)
from headwater.model.feature_column.base import FeatureColumn
from headwater.model.layers.resolvers import resolver

_CLASSES = {
    cls.__name__: cls
    for cls in (
        categorical.HashedCategoricalColumn,
        categorical.IdentityCategoricalColumn,
        combined.CrossedColumn,
        combined.WeightedCategoricalColumn,
        embedding.EmbeddingColumn,
        indicator.IndicatorColumn,
        numeric.BucketizedColumn,
        numeric.NumericColumn,
        sequence_categorical.SequenceCategoricalColumn,
        sequence_numeric.SequenceNumericColumn,
        vocabulary.VocabularyFileCategoricalColumn,
        vocabulary.VocabularyListCategoricalColumn,
    )
}
_COLUMNS = ("categorical_column", "source_column")


def serialize_feature_column(fc: Any) -> Any:
    """The configuration of a column.

    Args:
        fc: a column of this package, one with `_get_config`, or the name of a feature.

    Returns:
        {"class_name": ..., "config": ...}; a name is returned as it is.

    Raises:
        ValueError: if it is not a column.
    """
    if isinstance(fc, str):
        return fc
    if not isinstance(fc, FeatureColumn):
        raise ValueError(f"Instance: {fc} is not a FeatureColumn")
    own = getattr(fc, "_get_config", None)
    config = own() if own is not None else _config(fc)
    return {"class_name": type(fc).__name__, "config": config}


def serialize_feature_columns(feature_columns: Sequence[Any]) -> list[Any]:
    """The configurations of columns."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_column(
    config: Any,
    custom_objects: dict[str, Any] | None = None,
    columns_by_name: dict[Any, Any] | None = None,
) -> Any:
    """Makes a column of its configuration.

    Args:
        config: what `serialize_feature_column` has returned.
        custom_objects: functions and classes of the program by their names.
        columns_by_name: the columns that have been made; one that is needed again is taken there.

    Returns:
        A column; the name of a feature is returned as it is.

    Raises:
        ValueError: if the class of the column is unknown.
    """
    if isinstance(config, str):
        return config
    made = {} if columns_by_name is None else columns_by_name
    name, values = config["class_name"], config["config"]
    cls = (custom_objects or {}).get(name) or _CLASSES.get(name)
    if cls is None:
        raise ValueError(f"Unknown feature_column_v2: {name}")
    if hasattr(cls, "_from_config"):
        column = cls._from_config(
            values, custom_objects=custom_objects or {}, columns_by_name=columns_by_name
        )
    else:
        column = cls(**{key: _value(key, x, custom_objects, made) for key, x in values.items()})
    return made.setdefault((name, column.name), column)


def deserialize_feature_columns(
    configs: Sequence[Any], custom_objects: dict[str, Any] | None = None
) -> list[Any]:
    """Makes columns of their configurations; equal ones are one object."""
    made: dict[Any, Any] = {}
    return [deserialize_feature_column(config, custom_objects, made) for config in configs]


def _config(column: Any) -> dict[str, Any]:
    if type(column) not in _CLASSES.values():
        raise NotImplementedError("Must be implemented in subclasses.")
    values: dict[str, Any] = column._asdict()
    for key, value in values.items():
        if key in _COLUMNS:
            values[key] = serialize_feature_column(value)
        elif key == "keys":
            values[key] = tuple(serialize_feature_columns(value))
        elif isinstance(value, dtypes.DType):
            values[key] = value.name
        elif callable(value):
            values[key] = resolver("serialize")(value)
    return values


def _value(
    key: str, value: Any, custom_objects: dict[str, Any] | None, made: dict[Any, Any]
) -> Any:
    if key in _COLUMNS:
        return deserialize_feature_column(value, custom_objects, made)
    if key == "keys":
        return tuple(deserialize_feature_column(item, custom_objects, made) for item in value)
    if key == "dtype":
        return dtypes.as_dtype(value)
    if key == "initializer":
        return resolver("initializers")(value)
    if key == "normalizer_fn":
        return resolver("functions")((value, custom_objects))
    return tuple(value) if isinstance(value, list) else value
