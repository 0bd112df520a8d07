"""Columns of numbers, and of numbers in buckets."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.contrib.layers.bucketization import bucketize
from headwater.contrib.layers.feature_columns.base import (
    TransformedByInputs,
    _LinearEmbeddingLookupArguments,
    export_column,
)
from headwater.contrib.layers.feature_columns.reshaping import reshaped_real_values
from headwater.graph import SparseTensor, Tensor, build, shape_tensor
from headwater.model.feature_column.base import (
    IdWeightPair,
    _CategoricalColumn,
    _DenseColumn,
)
from headwater.model.variables.initializers import Zeros
from headwater.ops.array.fill import zeros
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)


class _Normalized(TransformedByInputs):
    """A column of numbers with a normalizer."""

    column_name: str
    normalizer: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def key(self) -> str:
        return self._key_without_properties(["normalizer"])

    @property
    def normalizer_fn(self) -> Callable[[Any], Any] | None:
        """The function that is applied first, or None."""
        return self.normalizer

    def _transform_feature(self, inputs: Any) -> Any:
        feature = inputs.get(self.name)
        return feature if self.normalizer is None else self.normalizer(feature)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        return reshaped_real_values(self._to_dense_tensor(input_tensor), output_rank, self.name)


class _RealValuedVarLenColumn(
    _Normalized,
    namedtuple("_RealValuedVarLenColumn", "column_name default_value dtype normalizer is_sparse"),
):
    """Any number of numbers; see `_real_valued_var_len_column`."""

    @property
    def config(self) -> dict[str, Any]:
        if self.is_sparse:
            return {self.column_name: VarLenFeature(self.dtype)}
        return {
            self.column_name: FixedLenSequenceFeature(
                [], self.dtype, allow_missing=True, default_value=self.default_value
            )
        }

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        if isinstance(input_tensor, SparseTensor):
            raise ValueError(
                f"Set is_sparse to False if you want a dense Tensor for column_name: {self.name}"
            )
        return input_tensor


class _RealValuedColumn(
    _Normalized,
    _DenseColumn,
    namedtuple("_RealValuedColumn", "column_name dimension default_value dtype normalizer"),
):
    """Numbers; see `real_valued_column`."""

    def __new__(
        cls, column_name: str, dimension: int, default_value: Any, dtype: DType, normalizer: Any
    ) -> _RealValuedColumn:
        if default_value is not None:
            default_value = tuple(default_value)
        return super().__new__(cls, column_name, dimension, default_value, dtype, normalizer)

    @property
    def config(self) -> dict[str, Any]:
        default = None if self.default_value is None else list(self.default_value)
        return {self.column_name: FixedLenFeature([self.dimension], self.dtype, default)}

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        if isinstance(input_tensor, Tensor) and input_tensor.dtype == dtypes.float32:
            return input_tensor
        return cast(input_tensor, dtypes.float32)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return inputs.get(self)


class _BucketizedColumn(
    TransformedByInputs,
    _CategoricalColumn,
    _DenseColumn,
    namedtuple("_BucketizedColumn", "source_column boundaries"),
):
    """Numbers in buckets; see `bucketized_column`."""

    def __new__(cls, source_column: Any, boundaries: Sequence[float]) -> _BucketizedColumn:
        if not isinstance(source_column, _RealValuedColumn):
            raise TypeError(
                "source_column must be an instance of _RealValuedColumn. "
                f"source_column: {source_column}"
            )
        if source_column.dimension is None:
            raise ValueError(
                f"source_column must have a defined dimension. source_column: {source_column}"
            )
        if not isinstance(boundaries, (list, tuple)) or not boundaries:
            raise ValueError(
                f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}"
            )
        kept = []
        for low, high in itertools.pairwise(boundaries):
            if low == high:
                continue
            if low > high:
                raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
            kept.append(low)
        kept.append(boundaries[-1])
        return super().__new__(cls, source_column, tuple(kept))

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """The number of buckets."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, Any]:
        return self.source_column.config

    @property
    def key(self) -> str:
        return f"{self}"

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        if output_rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        hot = one_hot(cast(input_tensor, dtypes.int64), self.length, 1.0, 0.0, name="one_hot")
        return build.Reshape(hot, [-1, self._num_buckets], name="reshape")

    def to_sparse_tensor(self, input_tensor: Tensor) -> SparseTensor:
        """The ids of the buckets; each number has ids of its own.

        Args:
            input_tensor: a matrix of the places of buckets.

        Returns:
            A SparseTensor.
        """
        width = self.source_column.dimension
        batch_size = shape_tensor(input_tensor, name="shape")[0]
        if width > 1:
            rows = expand_dims(range_(0, batch_size), 1, name="expand_dims")
            rows = build.Reshape(tile(rows, [1, width], name="tile"), [-1], name="reshape")
            places = tile(range_(0, width), [batch_size], name="tile")
            ids = build.Reshape(input_tensor, [-1], name="reshape") + self.length * places
        else:
            rows = range_(0, batch_size)
            places = zeros([batch_size], dtype=dtypes.int32)
            ids = build.Reshape(input_tensor, [-1], name="reshape")
        indices = cast(transpose(stack((rows, places))), dtypes.int64)
        dense_shape = cast(stack([batch_size, width]), dtypes.int64)
        return SparseTensor(indices, ids, dense_shape)

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        return _LinearEmbeddingLookupArguments(
            input_tensor=self.to_sparse_tensor(input_tensor),
            weight_tensor=None,
            vocab_size=self._num_buckets,
            initializer=Zeros(),
            combiner="sum",
        )

    def _transform_feature(self, inputs: Any) -> Tensor:
        source = inputs.get(self.source_column)
        return bucketize(source, list(self.boundaries), name="bucketize")

    @property
    def _num_buckets(self) -> int:
        return self.length * self.source_column.dimension

    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        return IdWeightPair(self.to_sparse_tensor(inputs.get(self)), None)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self._num_buckets])

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return self._to_dnn_input_layer(inputs.get(self), weight_collections, bool(trainable))


def _real_valued_var_len_column(
    column_name: str,
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Callable[[Any], Any] | None = None,
    is_sparse: bool = False,
) -> _RealValuedVarLenColumn:
    """A column of any number of numbers per example.

    Args:
        column_name: the name of the feature.
        default_value: what fills up shorter examples of dense features.
        dtype: the type.
        normalizer: a function of the feature, applied first.
        is_sparse: whether the feature is a SparseTensor.

    Returns:
        A column.

    Raises:
        TypeError: if the default is no scalar of the type.
        ValueError: if the type is not that of numbers, or a default is missing.
    """
    dtype = as_dtype(dtype)
    _check_number(dtype, column_name)
    if default_value is None and not is_sparse:
        raise ValueError(
            "default_value must be provided when is_sparse=False to parse a padded Tensor. "
            f"column_name: {column_name}"
        )
    if isinstance(default_value, (list, tuple)):
        raise ValueError(
            f"Only scalar default value. default_value: {default_value}, column_name: {column_name}"
        )
    if default_value is not None:
        default_value = _converted(default_value, dtype, column_name, default_value)
    return _RealValuedVarLenColumn(column_name, default_value, dtype, normalizer, is_sparse)


def _check_number(dtype: DType, column_name: str) -> None:
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}"
        )


def _converted(value: Any, dtype: DType, column_name: str, given: Any) -> Any:
    if dtype.is_integer and isinstance(value, int):
        return value
    if dtype.is_floating and isinstance(value, (int, float)):
        return float(value)
    raise TypeError(
        "default_value must be compatible with dtype. "
        f"default_value: {given}, dtype: {dtype}, column_name: {column_name}"
    )


@export_column("real_valued_column")
def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Callable[[Any], Any] | None = None,
) -> _RealValuedColumn:
    """A column of a fixed number of numbers per example.

    Args:
        column_name: the name of the feature.
        dimension: how many numbers an example has.
        default_value: a number or a list of them for examples without the feature.
        dtype: the type.
        normalizer: a function of the feature, applied first.

    Returns:
        A column.

    Raises:
        TypeError: if the dimension is no integer, or the default does not fit the type.
        ValueError: if the dimension is not positive, the type is not that of numbers, or the
            default has another length.
    """
    if dimension is None:
        raise TypeError(
            "dimension must be an integer. Use the _real_valued_var_len_column for variable "
            f"length features.dimension: {dimension}, column_name: {column_name}"
        )
    if not isinstance(dimension, int):
        raise TypeError(
            f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise ValueError(
            f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}"
        )
    dtype = as_dtype(dtype)
    _check_number(dtype, column_name)
    default = _defaults(default_value, dimension, dtype, column_name)
    return _RealValuedColumn(column_name, dimension, default, dtype, normalizer)


def _defaults(given: Any, dimension: int, dtype: DType, column_name: str) -> list[Any] | None:
    if given is None:
        return None
    if isinstance(given, (int, float)):
        return [_converted(given, dtype, column_name, given)] * dimension
    if isinstance(given, list):
        if len(given) != dimension:
            raise ValueError(
                "The length of default_value must be equal to dimension. "
                f"default_value: {given}, dimension: {dimension}, column_name: {column_name}"
            )
        return [_converted(value, dtype, column_name, given) for value in given]
    raise TypeError(
        "default_value must be compatible with dtype. "
        f"default_value: {given}, dtype: {dtype}, column_name: {column_name}"
    )


@export_column("bucketized_column")
def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> _BucketizedColumn:
    """A column of the buckets of numbers; a boundary belongs to the bucket above it.

    Args:
        source_column: a column of `real_valued_column`.
        boundaries: the boundaries in order; n of them make n + 1 buckets.

    Returns:
        A column.

    Raises:
        TypeError: if `source_column` is no such column.
        ValueError: if the boundaries are not in order.
    """
    return _BucketizedColumn(source_column, boundaries)
