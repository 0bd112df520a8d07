"""Numbers per step."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import (
    build,
    export,
    shape_tensor,
)
from headwater.model.feature_column.base import (
    SequenceOfBothEras,
    TensorSequenceLengthPair,
)
from headwater.model.feature_column.checks import (
    assert_key_is_string,
    check_shape,
)
from headwater.model.feature_column.sequence_checks import sequence_length_from_sparse_tensor
from headwater.ops.array.concat import concat
from headwater.ops.parsing.features import VarLenFeature
from headwater.ops.sparse.dense import sparse_tensor_to_dense


class SequenceNumericColumn(
    SequenceOfBothEras,
    namedtuple("SequenceNumericColumn", "key shape default_value dtype normalizer_fn"),
):
    """Numbers of the steps of sequences; see `sequence_numeric_column`."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        feature = transformation_cache.get(self.key, state_manager)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        sparse = transformation_cache.get(self, state_manager)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        target = concat([shape_tensor(dense)[:1], [-1], self.variable_shape.as_list()], axis=0)
        dense = build.Reshape(dense, target)
        # In a matrix, one step is as many columns as it has numbers.
        is_matrix = sparse.shape.ndims == 2
        num_elements = math.prod(self.shape) if is_matrix else 1
        length = sequence_length_from_sparse_tensor(sparse, num_elements=num_elements)
        return TensorSequenceLengthPair(dense, length)

    @property
    def parents(self) -> list[Any]:
        return [self.key]


@export("feature_column.sequence_numeric_column")
def sequence_numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """A column of sequences of numbers.

    Args:
        key: the name of the feature, which is sparse.
        shape: the shape of the numbers of one step.
        default_value: the number of steps that an example does not have.
        dtype: the type in parsed examples.
        normalizer_fn: a function of the SparseTensor, applied first.

    Returns:
        A SequenceNumericColumn.

    Raises:
        TypeError: if a dimension is no integer, or `normalizer_fn` is no function.
        ValueError: if a dimension is not positive, or the type is not that of numbers.
    """
    assert_key_is_string(key)
    shape = check_shape(shape=shape, key=key)
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
