"""Columns of counts of ids: one-hot and multi-hot vectors."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.graph import Tensor, export
from headwater.model.feature_column.base import (
    DenseOfBothEras,
    SequenceOfBothEras,
    TensorSequenceLengthPair,
    num_buckets_of,
    sparse_tensors_of,
    spec_of,
)
from headwater.model.feature_column.sequence_checks import (
    require_no_steps,
    require_steps,
    sequence_length_of,
)
from headwater.ops.array.one_hot import one_hot
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.sparse.merge import sparse_merge
from headwater.ops.sparse.slice import sparse_slice


class IndicatorColumn(
    DenseOfBothEras, SequenceOfBothEras, namedtuple("IndicatorColumn", "categorical_column")
):
    """Counts of ids; see `indicator_column`."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return spec_of(self.categorical_column)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        ids, weights = sparse_tensors_of(
            self.categorical_column, transformation_cache, state_manager
        )
        width = num_buckets_of(self.categorical_column)
        if weights is not None:
            weighted = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=width)
            # Ids of -1 are outside of the slice.
            weighted = sparse_slice(weighted, [0, 0], weighted.dense_shape)
            return sparse_tensor_to_dense(weighted)
        dense_ids = sparse_tensor_to_dense(ids, default_value=-1)
        hot = one_hot(dense_ids, depth=width, on_value=1.0, off_value=0.0)
        return reduce_sum(hot, axis=[-2])

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, num_buckets_of(self.categorical_column)])

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        require_no_steps("indicator_column", self)
        return transformation_cache.get(self, state_manager)

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        require_no_steps("indicator_column", self, old=True)
        return inputs.get(self)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        require_steps("indicator_column", self)
        dense = transformation_cache.get(self, state_manager)
        pair = sparse_tensors_of(self.categorical_column, transformation_cache, state_manager)
        return TensorSequenceLengthPair(dense, sequence_length_of(pair))

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


@export("feature_column.indicator_column")
def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """A dense column of how often each id occurs, or of the sums of its weights.

    Args:
        categorical_column: the column of the ids.

    Returns:
        An IndicatorColumn.
    """
    return IndicatorColumn(categorical_column)
