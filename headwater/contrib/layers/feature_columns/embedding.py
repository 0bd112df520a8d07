"""Columns of trained vectors."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import InitializerLike
from headwater.contrib.layers.feature_columns.base import (
    TransformedByInputs,
    _DeepEmbeddingLookupArguments,
    _LinearEmbeddingLookupArguments,
    export_column,
)
from headwater.contrib.layers.feature_columns.lookups import embedded
from headwater.contrib.layers.feature_columns.sparse import _SparseColumn
from headwater.contrib.layers.feature_columns.weighted import _WeightedSparseColumn
from headwater.graph import Tensor
from headwater.model.feature_column.base import _DenseColumn
from headwater.model.feature_column.checks import check_checkpoint
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.ops.parsing.features import VarLenFeature


class _EmbeddingColumn(
    TransformedByInputs,
    _DenseColumn,
    namedtuple(
        "_EmbeddingColumn",
        "sparse_id_column dimension combiner initializer ckpt_to_load_from tensor_name_in_ckpt "
        "shared_embedding_name shared_vocab_size max_norm trainable",
    ),
):
    """Vectors of ids; see `embedding_column`."""

    def __new__(
        cls,
        sparse_id_column: Any,
        dimension: int,
        combiner: str = "mean",
        initializer: InitializerLike | None = None,
        ckpt_to_load_from: str | None = None,
        tensor_name_in_ckpt: str | None = None,
        shared_embedding_name: str | None = None,
        shared_vocab_size: int | None = None,
        max_norm: float | None = None,
        trainable: bool = True,
    ) -> _EmbeddingColumn:
        if initializer is not None and not callable(initializer):
            raise ValueError(
                "initializer must be callable if specified. "
                f"Embedding of column_name: {sparse_id_column.name}"
            )
        check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        if initializer is None:
            logging.warning(
                "The default stddev value of initializer was changed from "
                '"1/sqrt(vocab_size)" to "1/sqrt(dimension)" in core implementation '
                "(tf.feature_column.embedding_column)."
            )
            initializer = TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(sparse_id_column.length))
        return super().__new__(
            cls,
            sparse_id_column,
            dimension,
            combiner,
            initializer,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            shared_embedding_name,
            shared_vocab_size,
            max_norm,
            trainable,
        )

    @property
    def name(self) -> str:
        kind = "embedding" if self.shared_embedding_name is None else "shared_embedding"
        return f"{self.sparse_id_column.name}_{kind}"

    @property
    def length(self) -> int:
        """The number of ids."""
        if self.shared_vocab_size is None:
            return self.sparse_id_column.length
        return self.shared_vocab_size

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def key(self) -> str:
        return self._key_without_properties(["initializer"])

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.sparse_id_column)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> _DeepEmbeddingLookupArguments:
        return _DeepEmbeddingLookupArguments(
            input_tensor=self.sparse_id_column.id_tensor(input_tensor),
            weight_tensor=self.sparse_id_column.weight_tensor(input_tensor),
            vocab_size=self.length,
            dimension=self.dimension,
            initializer=self.initializer,
            combiner=self.combiner,
            shared_embedding_name=self.shared_embedding_name,
            hash_key=None,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        raise ValueError(
            f"Column {self} is not supported in linear models. Please use sparse_column."
        )

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return embedded(self, arguments, weight_collections, trainable)


class _ScatteredEmbeddingColumn(
    TransformedByInputs,
    _DenseColumn,
    namedtuple(
        "_ScatteredEmbeddingColumn",
        "column_name size dimension hash_key combiner initializer",
    ),
):
    """Vectors of hashed parameters; see `scattered_embedding_column`."""

    def __new__(
        cls,
        column_name: str,
        size: int,
        dimension: int,
        hash_key: int | None,
        combiner: str = "sqrtn",
        initializer: InitializerLike | None = None,
    ) -> _ScatteredEmbeddingColumn:
        if initializer is not None and not callable(initializer):
            raise ValueError(
                f"initializer must be callable if specified. column_name: {column_name}"
            )
        if initializer is None:
            initializer = TruncatedNormal(mean=0.0, stddev=0.1)
        return super().__new__(cls, column_name, size, dimension, hash_key, combiner, initializer)

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: VarLenFeature(dtypes.string)}

    @property
    def key(self) -> str:
        return self._key_without_properties(["initializer"])

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.column_name)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> _DeepEmbeddingLookupArguments:
        return _DeepEmbeddingLookupArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=None,
            hash_key=self.hash_key,
            max_norm=None,
            trainable=True,
        )

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return embedded(self, arguments, weight_collections, trainable)


class _HashedEmbeddingColumn(_ScatteredEmbeddingColumn):
    """Vectors of hashed parameters; see `hashed_embedding_column`."""

    @property
    def name(self) -> str:
        return f"{self.column_name}_hashed_embedding"


@export_column("embedding_column")
def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> _EmbeddingColumn:
    """A dense column of trained vectors, combined over the ids of an example.

    Args:
        sparse_id_column: the column of the ids.
        dimension: the length of the vectors.
        combiner: "mean", "sqrtn" or "sum".
        initializer: the initializer of the vectors; a truncated normal one with a standard
            deviation of 1 / sqrt(number of ids) if None.
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: vectors with a larger L2 norm are scaled down to it.
        trainable: whether optimizers change the vectors by default.

    Returns:
        A column.

    Raises:
        ValueError: if the initializer is no function, or only one of checkpoint and name is given.
    """
    return _EmbeddingColumn(
        sparse_id_column,
        dimension,
        combiner or "mean",
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm=max_norm,
        trainable=trainable,
    )


@export_column("shared_embedding_columns")
def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> tuple[_EmbeddingColumn, ...]:
    """Dense columns of trained vectors that several columns of the same ids share.

    Args:
        sparse_id_columns: columns of ids of the same number and vocabulary.
        dimension: the length of the vectors.
        combiner: "mean", "sqrtn" or "sum".
        shared_embedding_name: the name of the variable; by default made from those of the columns.
        initializer: the initializer of the vectors; see `embedding_column`.
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: vectors with a larger L2 norm are scaled down to it.
        trainable: whether optimizers change the vectors by default.

    Returns:
        A column for each of `sparse_id_columns`.

    Raises:
        TypeError: if the columns are no sequence of columns of ids.
        ValueError: if there is none, or they are not compatible.
    """
    _check_shared(sparse_id_columns)
    options: dict[str, Any] = {
        "ckpt_to_load_from": ckpt_to_load_from,
        "tensor_name_in_ckpt": tensor_name_in_ckpt,
        "max_norm": max_norm,
        "trainable": trainable,
    }
    if len(sparse_id_columns) == 1:
        column = sparse_id_columns[0]
        return (
            _EmbeddingColumn(
                column,
                dimension,
                combiner or "mean",
                initializer,
                shared_embedding_name=shared_embedding_name,
                **options,
            ),
        )
    name = shared_embedding_name or _shared_name(sparse_id_columns)
    shared_vocab_size = sparse_id_columns[0].length
    return tuple(
        _EmbeddingColumn(
            column,
            dimension,
            combiner or "mean",
            initializer,
            shared_embedding_name=name,
            shared_vocab_size=shared_vocab_size,
            **options,
        )
        for column in sparse_id_columns
    )


def _check_shared(columns: Any) -> None:
    if not isinstance(columns, Sequence) or isinstance(columns, (str, bytes)):
        raise TypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(columns)}."
        )
    if len(columns) < 1:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in columns:
        if not isinstance(column, (_SparseColumn, _WeightedSparseColumn)):
            raise TypeError(
                "Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, "
                f"but {column} is not."
            )
    if not all(columns[0].is_compatible(column) for column in columns[1:]):
        raise ValueError("The input sparse id columns are not compatible.")


def _shared_name(columns: Sequence[Any]) -> str:
    names = [column.name for column in sorted(columns, key=lambda column: column.key)]
    joined = "_".join(names[:3])
    if len(names) > 3:
        joined += f"_plus_{len(names) - 3}_others"
    return f"{joined}_shared_embedding"


def _checked_scattered(column_name: str, size: int, dimension: int, combiner: str | None) -> str:
    if dimension < 1 or size < 1:
        raise ValueError(
            "Dimension and size must be greater than 0. "
            f"dimension: {dimension}, size: {size}, column_name: {column_name}"
        )
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            "Combiner must be one of 'mean', 'sqrtn' or 'sum'. "
            f"combiner: {combiner}, column_name: {column_name}"
        )
    return combiner


@export_column("scattered_embedding_column")
def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int | None,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
) -> _ScatteredEmbeddingColumn:
    """A dense column of vectors whose elements are parameters found by hashing.

    Args:
        column_name: the name of the feature.
        size: the number of parameters.
        dimension: the length of the vectors.
        hash_key: where hashing starts.
        combiner: "mean", "sqrtn" or "sum".
        initializer: the initializer of the parameters.

    Returns:
        A column.

    Raises:
        ValueError: if a number is not positive, or the combiner is unknown.
    """
    combiner = _checked_scattered(column_name, size, dimension, combiner)
    return _ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


@export_column("hashed_embedding_column")
def hashed_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    combiner: str | None = None,
    initializer: InitializerLike | None = None,
) -> _ScatteredEmbeddingColumn:
    """`scattered_embedding_column` with the hash of the first releases.

    Args:
        column_name: the name of the feature.
        size: the number of parameters.
        dimension: the length of the vectors.
        combiner: "mean", "sqrtn" or "sum".
        initializer: the initializer of the parameters.

    Returns:
        A column.
    """
    combiner = _checked_scattered(column_name, size, dimension, combiner)
    # A key of 0 stands for the hash of the first releases.
    return _HashedEmbeddingColumn(column_name, size, dimension, 0, combiner, initializer)
