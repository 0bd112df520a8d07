"""Categorical columns made from others: weighted and crossed ones."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike
from headwater.graph import SparseTensor, convert_to_tensor_or_sparse_tensor, export
from headwater.model.feature_column.base import (
    CategoricalColumn,
    CategoricalOfBothEras,
    IdWeightPair,
    _CategoricalColumn,
    num_buckets_of,
    sparse_tensors_of,
    spec_of,
)
from headwater.model.feature_column.categorical import HashedCategoricalColumn
from headwater.model.feature_column.transformation import to_sparse_input
from headwater.ops.math.cast import cast
from headwater.ops.parsing.features import VarLenFeature
from headwater.ops.sparse.cross import sparse_cross_hashed

_CATEGORICAL = (CategoricalColumn, _CategoricalColumn)


class WeightedCategoricalColumn(
    CategoricalOfBothEras,
    namedtuple("WeightedCategoricalColumn", "categorical_column weight_feature_key dtype"),
):
    """Ids with weights; see `weighted_categorical_column`."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        config = dict(spec_of(self.categorical_column))
        if self.weight_feature_key in config:
            raise ValueError(
                f"Parse config {config[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        config[self.weight_feature_key] = VarLenFeature(self.dtype)
        return config

    @property
    def num_buckets(self) -> int:
        return num_buckets_of(self.categorical_column)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        weights = self._checked_weights(weights)
        ids = transformation_cache.get(self.categorical_column, state_manager)
        return ids, weights

    def _checked_weights(self, weights: Any) -> SparseTensor:
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        if not isinstance(weights, SparseTensor):
            # A weight of 0 stays: only values that are no weights are left out.
            weights = to_sparse_input(weights, ignore_value=0.0)
        return weights if weights.dtype.is_floating else cast(weights, dtypes.float32)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(*transformation_cache.get(self, state_manager))

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]


class CrossedColumn(
    CategoricalOfBothEras,
    namedtuple("CrossedColumn", "keys hash_bucket_size hash_key"),
):
    """Combinations of features; see `crossed_column`."""

    @property
    def name(self) -> str:
        names = [key if isinstance(key, str) else key.name for key in self._leaves()]
        return "_X_".join(sorted(names))

    def _leaves(self) -> list[Any]:
        """The keys, those of crossed columns among them included."""
        leaves: list[Any] = []
        for key in self.keys:
            leaves.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return leaves

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        config: dict[str, Any] = {}
        for key in self.keys:
            config.update(
                {key: VarLenFeature(dtypes.string)} if isinstance(key, str) else spec_of(key)
            )
        return config

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        crossed = [self._feature(k, transformation_cache, state_manager) for k in self._leaves()]
        return sparse_cross_hashed(
            inputs=crossed, num_buckets=self.hash_bucket_size, hash_key=self.hash_key
        )

    def _feature(self, key: Any, transformation_cache: Any, state_manager: Any) -> Any:
        if isinstance(key, str):
            return transformation_cache.get(key, state_manager)
        if not isinstance(key, _CATEGORICAL):
            raise ValueError(f"Unsupported column type. Given: {key}")
        pair = sparse_tensors_of(key, transformation_cache, state_manager)
        if pair.weight_tensor is not None:
            raise ValueError(
                "crossed_column does not support weight_tensor, but the given column populates "
                f"weight_tensor. Given column: {key.name}"
            )
        return pair.id_tensor

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(transformation_cache.get(self, state_manager), None)

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)


@export("feature_column.weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: DTypeLike = dtypes.float32
) -> WeightedCategoricalColumn:
    """A categorical column with a weight per id.

    Args:
        categorical_column: the column of the ids.
        weight_feature_key: the name of the feature with the weights, of the shape of the ids.
        dtype: the type of the weights, a number.

    Returns:
        A WeightedCategoricalColumn.

    Raises:
        ValueError: if the type is not that of numbers.
    """
    if dtype is None or not _is_number(dtypes.as_dtype(dtype)):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtypes.as_dtype(dtype))


def _is_number(dtype: dtypes.DType) -> bool:
    return dtype.is_integer or dtype.is_floating


@export("feature_column.crossed_column")
def crossed_column(
    keys: Iterable[Any], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """A column of hashed combinations of features.

    Args:
        keys: at least two names of features of strings, or categorical columns other than hashed
            ones.
        hash_bucket_size: the number of ids.
        hash_key: where hashing starts; None means the common one.

    Returns:
        A CrossedColumn.

    Raises:
        ValueError: if there are too few keys or ids, or a key is not supported.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    given = keys
    if not keys or len(tuple(keys)) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {given}")
    for key in keys:
        if not isinstance(key, (str, *_CATEGORICAL)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing "
                "before crossing will increase probability of collision. Instead, use the "
                f"feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
