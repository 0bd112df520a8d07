"""Columns made from columns of ids: with weights, and one-hot."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.contrib.layers.feature_columns.base import (
    TransformedByInputs,
    _LinearEmbeddingLookupArguments,
    export_column,
)
from headwater.contrib.layers.reshaping import inner_flatten
from headwater.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headwater.graph import SparseTensor, Tensor, build, shape_tensor
from headwater.model.feature_column.base import (
    IdWeightPair,
    _CategoricalColumn,
    _DenseColumn,
)
from headwater.model.variables.initializers import Zeros
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.one_hot import one_hot
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.parsing.features import VarLenFeature
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.sparse.merge import sparse_merge
from headwater.ops.sparse.slice import sparse_slice


class _WeightedSparseColumn(
    TransformedByInputs,
    _CategoricalColumn,
    namedtuple("_WeightedSparseColumn", "sparse_id_column weight_column_name dtype"),
):
    """Ids with weights; see `weighted_sparse_column`."""

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        """The number of ids."""
        return self.sparse_id_column.length

    @property
    def config(self) -> dict[str, Any]:
        return {
            **self.sparse_id_column.config,
            self.weight_column_name: VarLenFeature(self.dtype),
        }

    @property
    def lookup_config(self) -> Any:
        """The vocabulary."""
        return self.sparse_id_column.lookup_config

    @property
    def key(self) -> str:
        return f"{self}"

    def id_tensor(self, input_tensor: Any) -> Any:
        """The ids of a transformed feature."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """The weights of a transformed feature."""
        return input_tensor[1]

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        raise ValueError(
            "WeightedSparseColumn is not supported in DNN. Please use embedding_column or "
            f"one_hot_column. column: {self}"
        )

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        return _LinearEmbeddingLookupArguments(
            input_tensor=self.id_tensor(input_tensor),
            weight_tensor=self.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=Zeros(),
            combiner=self.sparse_id_column.combiner,
        )

    def _transform_feature(self, inputs: Any) -> Any:
        ids = inputs.get(self.sparse_id_column)
        weights = inputs.get(self.weight_column_name)
        if not isinstance(weights, SparseTensor):
            weights = dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = cast(weights, dtypes.float32)
        return ids, weights

    @property
    def _num_buckets(self) -> int:
        return self.length

    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        return IdWeightPair(*inputs.get(self))

    def is_compatible(self, other_column: Any) -> bool:
        """Whether two columns may share an embedding."""
        if isinstance(other_column, _WeightedSparseColumn):
            other_column = other_column.sparse_id_column
        return self.sparse_id_column.is_compatible(other_column)


class _OneHotColumn(
    TransformedByInputs, _DenseColumn, namedtuple("_OneHotColumn", "sparse_id_column")
):
    """Counts of ids; see `one_hot_column`."""

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """The number of ids."""
        return self.sparse_id_column.length

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def key(self) -> str:
        return f"{self}"

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.sparse_id_column)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = False,
        output_rank: int = 2,
    ) -> Tensor:
        ids = inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is not None:
            return self._weighted(ids, weights)
        dense_ids = sparse_tensor_to_dense(ids, default_value=-1)
        hot = one_hot(dense_ids, depth=self.length, on_value=1.0, off_value=0.0)
        return reduce_sum(hot, axis=[output_rank - 1])

    def _weighted(self, ids: Any, weights: Any) -> Tensor:
        weighted = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
        # Ids of -1 are outside of the slice.
        shape = weighted.dense_shape
        dense = sparse_tensor_to_dense(sparse_slice(weighted, zeros_like(shape), shape))
        batch_shape = shape_tensor(dense)[:-1]
        return build.Reshape(dense, concat([batch_shape, [self.length]], 0))

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape((self.length,))

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return self._to_dnn_input_layer(inputs.get(self))


@export_column("weighted_sparse_column")
def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: DTypeLike = dtypes.float32
) -> _WeightedSparseColumn:
    """A column of ids with a weight per id.

    Args:
        sparse_id_column: the column of the ids.
        weight_column_name: the name of the feature with the weights.
        dtype: the type of the weights, a number.

    Returns:
        A column.

    Raises:
        ValueError: if the type is not that of numbers.
    """
    dtype = as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


@export_column("one_hot_column")
def one_hot_column(sparse_id_column: Any) -> _OneHotColumn:
    """A dense column of how often each id occurs, or of the sums of its weights.

    Args:
        sparse_id_column: the column of the ids.

    Returns:
        A column.
    """
    return _OneHotColumn(sparse_id_column)
