"""What features have to be read for columns of the first era."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.base import logging
from headwater.contrib.layers.feature_columns.base import _FeatureColumn, export_column
from headwater.ops.array.constant import placeholder
from headwater.ops.array.sparse_inputs import sparse_placeholder
from headwater.ops.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)


@export_column("create_feature_spec_for_parsing")
def create_feature_spec_for_parsing(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """The features that `tf.parse_example` has to read.

    Args:
        feature_columns: the columns, or a dict of them.

    Returns:
        {name: FixedLenFeature or VarLenFeature}.

    Raises:
        TypeError: if an item is no column.
    """
    if isinstance(feature_columns, Mapping):
        feature_columns = feature_columns.values()
    config: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, _FeatureColumn):
            raise TypeError(
                "feature_columns should only contain instances of _FeatureColumn. "
                f"Given column is {column}"
            )
        config.update(column.config)
    return config


def create_sequence_feature_spec(
    sequence_feature_columns: Iterable[Any], allow_missing_by_default: bool = False
) -> dict[str, Any]:
    """The features that `tf.parse_single_sequence_example` has to read per step.

    Args:
        sequence_feature_columns: the columns.
        allow_missing_by_default: whether an example may be without a feature.

    Returns:
        {name: FixedLenSequenceFeature or VarLenFeature}.

    Raises:
        TypeError: if a feature is of another kind.
    """
    spec = create_feature_spec_for_parsing(sequence_feature_columns)
    sequence_spec: dict[str, Any] = {}
    for key, feature in spec.items():
        if isinstance(feature, FixedLenFeature):
            allow_missing = allow_missing_by_default
            if feature.default_value is not None:
                logging.warning(
                    'Found default value %s for feature "%s". Ignoring this value and setting '
                    "`allow_missing=True` instead.",
                    feature.default_value,
                    key,
                )
                allow_missing = True
            feature = FixedLenSequenceFeature(feature.shape, feature.dtype, allow_missing)
        elif not isinstance(feature, VarLenFeature):
            raise TypeError(f"Unsupported feature type: {type(feature).__name__}")
        sequence_spec[key] = feature
    return sequence_spec


@export_column("make_place_holder_tensors_for_base_features")
def make_place_holder_tensors_for_base_features(
    feature_columns: Iterable[Any],
) -> dict[str, Any]:
    """Placeholders for the features that columns read.

    Args:
        feature_columns: the columns.

    Returns:
        {name: a placeholder, sparse for features of any length}.

    Raises:
        TypeError: if an item is no column.
    """
    placeholders: dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        name = f"Placeholder_{key}"
        if isinstance(feature, VarLenFeature):
            placeholders[key] = sparse_placeholder(feature.dtype, name=name)
        else:
            shape = [None, *feature.shape]
            placeholders[key] = placeholder(feature.dtype, shape=shape, name=name)
    return placeholders
