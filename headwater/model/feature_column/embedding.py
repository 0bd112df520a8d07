"""Columns of trained vectors for ids."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import InitializerLike
from headwater.graph import Tensor, export
from headwater.model.feature_column.base import (
    DenseOfBothEras,
    IdWeightPair,
    SequenceOfBothEras,
    TensorSequenceLengthPair,
    num_buckets_of,
    sparse_tensors_of,
    spec_of,
)
from headwater.model.feature_column.checks import check_embedding
from headwater.model.feature_column.sequence_checks import (
    require_no_steps,
    require_steps,
    sequence_length_of,
)
from headwater.model.feature_column.state import StateManager
from headwater.model.nn.safe_embedding import safe_embedding_lookup_sparse
from headwater.model.variables.checkpoint_source import restore_initially
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.model.variables.variable_scope import get_variable


class EmbeddingColumn(
    DenseOfBothEras,
    SequenceOfBothEras,
    namedtuple(
        "EmbeddingColumn",
        "categorical_column dimension combiner initializer ckpt_to_load_from "
        "tensor_name_in_ckpt max_norm trainable",
    ),
):
    """Vectors of ids; see `embedding_column`."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return spec_of(self.categorical_column)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self.categorical_column, state_manager)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    @property
    def _embedding_shape(self) -> tuple[int, int]:
        return num_buckets_of(self.categorical_column), self.dimension

    def create_state(self, state_manager: StateManager) -> None:
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=self._embedding_shape,
            dtype=dtypes.float32,
            trainable=self.trainable,
            use_resource=True,
            initializer=self.initializer,
        )

    def _combined(self, pair: IdWeightPair, weights: Any) -> Tensor:
        """The vectors of an example's ids, combined."""
        if self.ckpt_to_load_from is not None:
            restore_initially(weights, self.ckpt_to_load_from, self.tensor_name_in_ckpt)
        return safe_embedding_lookup_sparse(
            weights,
            sparse_ids=pair.id_tensor,
            sparse_weights=pair.weight_tensor,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )

    def _looked_up(self, transformation_cache: Any, state_manager: Any) -> Any:
        pair = sparse_tensors_of(self.categorical_column, transformation_cache, state_manager)
        weights = state_manager.get_variable(self, name="embedding_weights")
        return pair, self._combined(pair, weights)

    def _looked_up_in_scope(
        self, inputs: Any, weight_collections: Sequence[str] | None, trainable: bool | None
    ) -> Any:
        """The vectors from a variable of the current variable scope."""
        pair = sparse_tensors_of(self.categorical_column, inputs, None)
        weights = get_variable(
            name="embedding_weights",
            shape=self._embedding_shape,
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=self.trainable and trainable is not False,
            collections=weight_collections,
        )
        return pair, self._combined(pair, weights)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        require_no_steps("embedding_column", self)
        return self._looked_up(transformation_cache, state_manager)[1]

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        require_no_steps("embedding_column", self, old=True)
        return self._looked_up_in_scope(inputs, weight_collections, trainable)[1]

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        require_steps("embedding_column", self)
        pair, vectors = self._looked_up(transformation_cache, state_manager)
        return TensorSequenceLengthPair(vectors, sequence_length_of(pair))

    def _get_sequence_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        require_steps("embedding_column", self)
        pair, vectors = self._looked_up_in_scope(inputs, weight_collections, trainable)
        return TensorSequenceLengthPair(vectors, sequence_length_of(pair))

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


def default_initializer(dimension: int) -> TruncatedNormal:
    """The initializer of embeddings: a standard deviation of 1 / sqrt(dimension).

    Args:
        dimension: the length of the vectors.

    Returns:
        An initializer.
    """
    return TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))


@export("feature_column.embedding_column")
def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """A dense column of trained vectors, combined over the ids of an example.

    Args:
        categorical_column: the column of the ids.
        dimension: the length of the vectors.
        combiner: "mean", "sqrtn" or "sum"; see `tf.nn.embedding_lookup_sparse`.
        initializer: the initializer of the vectors; a truncated normal one with a standard
            deviation of 1 / sqrt(dimension) if None.
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: vectors with a larger L2 norm are scaled down to it.
        trainable: whether optimizers change the vectors by default.

    Returns:
        An EmbeddingColumn.

    Raises:
        ValueError: if the dimension is not positive, the initializer is no function, or only one of
            checkpoint and name is given.
    """
    name = getattr(categorical_column, "name", categorical_column)
    check_embedding(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        f" Embedding of column_name: {name}",
    )
    return EmbeddingColumn(
        categorical_column=categorical_column,
        dimension=dimension,
        combiner=combiner,
        initializer=default_initializer(dimension) if initializer is None else initializer,
        ckpt_to_load_from=ckpt_to_load_from,
        tensor_name_in_ckpt=tensor_name_in_ckpt,
        max_norm=max_norm,
        trainable=trainable,
    )
