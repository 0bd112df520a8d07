"""Columns of ids: hashed features, and features that are ids already."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike
from headwater.graph import SparseTensor, build, control_dependencies, export, shape_tensor
from headwater.model.feature_column.base import CategoricalOfBothEras, IdWeightPair
from headwater.model.feature_column.checks import (
    assert_key_is_string,
    assert_string_or_int,
    check_types_agree,
)
from headwater.model.feature_column.transformation import to_sparse_input
from headwater.ops.array.fill import fill
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_greater_equal, assert_less
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where
from headwater.ops.parsing.features import VarLenFeature
from headwater.ops.strings.as_string import as_string
from headwater.ops.strings.hash_bucket import string_to_hash_bucket_fast


class KeyedCategoricalColumn(CategoricalOfBothEras):
    """A categorical column that reads one feature."""

    key: str
    dtype: dtypes.DType

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        feature = to_sparse_input(transformation_cache.get(self.key, state_manager))
        return self._ids(feature)

    def _ids(self, feature: SparseTensor) -> SparseTensor:
        """The ids of a feature."""
        raise NotImplementedError

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(transformation_cache.get(self, state_manager), None)

    @property
    def parents(self) -> list[Any]:
        return [self.key]


class HashedCategoricalColumn(
    KeyedCategoricalColumn,
    namedtuple("HashedCategoricalColumn", "key hash_bucket_size dtype"),
):
    """Hashed strings or integers; see `categorical_column_with_hash_bucket`."""

    def _ids(self, feature: SparseTensor) -> SparseTensor:
        assert_string_or_int(feature.dtype, prefix=f"column_name: {self.key} input_tensor")
        check_types_agree(self.key, self.dtype, feature)
        values = feature.values if self.dtype == dtypes.string else as_string(feature.values)
        ids = string_to_hash_bucket_fast(values, self.hash_bucket_size, name="lookup")
        return SparseTensor(feature.indices, ids, feature.dense_shape)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


class IdentityCategoricalColumn(
    KeyedCategoricalColumn,
    namedtuple("IdentityCategoricalColumn", "key number_buckets default_value"),
):
    """Integers that are ids; see `categorical_column_with_identity`."""

    dtype = dtypes.int64

    def _ids(self, feature: SparseTensor) -> SparseTensor:
        if not feature.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {feature.dtype}")
        values = cast(feature.values, dtypes.int64, name="values")
        limit = cast(self.number_buckets, dtypes.int64, name="num_buckets")
        zero = cast(0, dtypes.int64, name="zero")
        if self.default_value is None:
            too_large = assert_less(
                values,
                limit,
                data=(values, limit),
                message=f'Bucket index for categorical column "{self.key}" exceeds number of '
                "buckets",
                name="assert_less_than_num_buckets",
            )
            negative = assert_greater_equal(
                values,
                zero,
                data=(values,),
                message=f'Negative bucket index for categorical column "{self.key}"',
                name="assert_greater_or_equal_0",
            )
            with control_dependencies([too_large, negative]):
                values = identity(values)
        else:
            wrong = build.LogicalOr(values < zero, values >= limit, name="out_of_range")
            defaults = fill(
                shape_tensor(values), cast(self.default_value, dtypes.int64), name="default_values"
            )
            values = where(wrong, defaults, values)
        return SparseTensor(feature.indices, values, feature.dense_shape)

    @property
    def num_buckets(self) -> int:
        return self.number_buckets


@export("feature_column.categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """A column of hashed strings or integers; different ones may get the same id.

    Args:
        key: the name of the feature, dense or sparse; "" and -1 mean no value in dense ones.
        hash_bucket_size: the number of ids.
        dtype: the type of the feature, string or an integer.

    Returns:
        A HashedCategoricalColumn.

    Raises:
        ValueError: if the number of ids is not positive, or the type is another one.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    assert_key_is_string(key)
    dtype = dtypes.as_dtype(dtype)
    assert_string_or_int(dtype, prefix=f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


@export("feature_column.categorical_column_with_identity")
def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """A column of integers that are ids from 0 to `num_buckets` - 1.

    Args:
        key: the name of the feature; -1 means no value in dense ones.
        num_buckets: the number of ids.
        default_value: the id of integers out of range; None means that a run with one fails.

    Returns:
        An IdentityCategoricalColumn.

    Raises:
        ValueError: if the number is not positive, or the default is out of range.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    assert_key_is_string(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)
