"""Columns of numbers: as they are, and in buckets."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import SparseTensor, Tensor, build, export, shape_tensor
from headwater.model.feature_column.base import (
    CategoricalOfBothEras,
    DenseOfBothEras,
    IdWeightPair,
)
from headwater.model.feature_column.checks import (
    assert_key_is_string,
    check_default_value,
    check_shape,
)
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.parsing.features import FixedLenFeature


class NumericColumn(
    DenseOfBothEras,
    namedtuple("NumericColumn", "key shape default_value dtype normalizer_fn"),
):
    """Numbers; see `numeric_column`."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        tensor = transformation_cache.get(self.key, state_manager)
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. "
                f"SparseTensor is not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return cast(tensor, dtypes.float32)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        return transformation_cache.get(self, state_manager)

    @property
    def parents(self) -> list[Any]:
        return [self.key]


class BucketizedColumn(
    CategoricalOfBothEras,
    DenseOfBothEras,
    namedtuple("BucketizedColumn", "source_column boundaries"),
):
    """Numbers in buckets; see `bucketized_column`."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.source_column.parse_example_spec

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        source = transformation_cache.get(self.source_column, state_manager)
        return build.Bucketize(source, boundaries=list(self.boundaries))

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, self._buckets))

    @property
    def _buckets(self) -> int:
        return len(self.boundaries) + 1

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        buckets = transformation_cache.get(self, state_manager)
        return one_hot(
            cast(buckets, dtypes.int64), depth=self._buckets, on_value=1.0, off_value=0.0
        )

    @property
    def num_buckets(self) -> int:
        return self._buckets * self.source_column.shape[0]

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        buckets = transformation_cache.get(self, state_manager)
        batch_size = shape_tensor(buckets)[0]
        width = self.source_column.shape[0]
        rows = tile(expand_dims(range_(0, batch_size), 1), [1, width])
        rows = build.Reshape(rows, (-1,))
        places = tile(range_(0, width), [batch_size])
        # Each number has ids of its own.
        ids = build.Reshape(buckets, (-1,)) + self._buckets * places
        indices = cast(transpose(stack((rows, places))), dtypes.int64)
        dense_shape = cast(stack([batch_size, width]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, dense_shape), None)

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]


@export("feature_column.numeric_column")
def numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[Tensor], Tensor] | None = None,
) -> NumericColumn:
    """A column of numbers.

    Args:
        key: the name of the feature.
        shape: the shape of one example's numbers.
        default_value: the numbers of examples without the feature; None means that all have it.
        dtype: the type in parsed examples; the column's values are float32.
        normalizer_fn: a function of the tensor, applied first.

    Returns:
        A NumericColumn.

    Raises:
        TypeError: if the default does not fit the type, a dimension is no integer, or
            `normalizer_fn` is no function.
        ValueError: if the default does not fit the shape, a dimension is not positive, or the type
            is not that of numbers.
    """
    assert_key_is_string(key)
    shape = check_shape(shape, key)
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = check_default_value(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


@export("feature_column.bucketized_column")
def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> BucketizedColumn:
    """A column of the buckets of numbers; a boundary belongs to the bucket above it.

    Args:
        source_column: a `numeric_column` with a shape of one dimension.
        boundaries: the boundaries in increasing order; n of them make n + 1 buckets.

    Returns:
        A BucketizedColumn, which is dense (one-hot) and categorical.

    Raises:
        ValueError: if `source_column` is no such column, or the boundaries are not in order.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)):
        raise ValueError("boundaries must be a sorted list.")
    for low, high in itertools.pairwise(boundaries):
        if low >= high:
            raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
