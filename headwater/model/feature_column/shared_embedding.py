"""Columns of trained vectors that several categorical columns share."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import InitializerLike
from headwater.graph import Tensor, export, get_default_graph, name_scope
from headwater.model.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    _CategoricalColumn,
    _DenseColumn,
    _SequenceDenseColumn,
    num_buckets_of,
    sparse_tensors_of,
    spec_of,
)
from headwater.model.feature_column.checks import check_embedding
from headwater.model.feature_column.combined import WeightedCategoricalColumn
from headwater.model.feature_column.embedding import default_initializer
from headwater.model.feature_column.sequence_checks import (
    require_no_steps,
    require_steps,
    sequence_length_of,
)
from headwater.model.nn.safe_embedding import safe_embedding_lookup_sparse
from headwater.model.variables.checkpoint_source import restore_initially
from headwater.model.variables.variable_scope import get_variable


class _SharedEmbeddingColumn(
    _DenseColumn,
    _SequenceDenseColumn,
    namedtuple(
        "_SharedEmbeddingColumn",
        "categorical_column dimension combiner initializer shared_embedding_collection_name "
        "ckpt_to_load_from tensor_name_in_ckpt max_norm trainable",
    ),
):
    """Vectors in a variable that is found by a collection; see `shared_embedding_columns`."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        return self.shared_embedding_collection_name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return spec_of(self.categorical_column)

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.categorical_column)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _looked_up(
        self, inputs: Any, weight_collections: Sequence[str] | None, trainable: bool | None
    ) -> tuple[IdWeightPair, Tensor]:
        with name_scope(None, default_name=self.name):
            pair = sparse_tensors_of(self.categorical_column, inputs, None)
            weights = self._shared_weights(weight_collections, trainable)
            if self.ckpt_to_load_from is not None:
                restore_initially(weights, self.ckpt_to_load_from, self.tensor_name_in_ckpt)
            vectors = safe_embedding_lookup_sparse(
                weights,
                sparse_ids=pair.id_tensor,
                sparse_weights=pair.weight_tensor,
                combiner=self.combiner,
                name=f"{self.name}_weights",
                max_norm=self.max_norm,
            )
        return pair, vectors

    def _shared_weights(
        self, weight_collections: Sequence[str] | None, trainable: bool | None
    ) -> Any:
        collection = self.shared_embedding_collection_name
        shape = (num_buckets_of(self.categorical_column), self.dimension)
        found = get_default_graph().get_collection(collection)
        if not found:
            weights = get_variable(
                name="embedding_weights",
                shape=shape,
                dtype=dtypes.float32,
                initializer=self.initializer,
                trainable=self.trainable and trainable is not False,
                collections=weight_collections,
            )
            get_default_graph().add_to_collection(collection, weights)
            return weights
        advice = (
            "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not "
            "add any variables to this collection. The feature_column library already adds a "
            "variable under the hood."
        )
        if len(found) > 1:
            raise ValueError(f"Collection {found} can only contain one variable. {advice}")
        if found[0].get_shape() != shape:
            raise ValueError(
                f"Shared embedding collection {collection} contains variable {found[0].name} of "
                f"unexpected shape {found[0].get_shape()}. Expected shape is {shape}. {advice}"
            )
        return found[0]

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        require_no_steps("embedding_column", self, old=True)
        return self._looked_up(inputs, weight_collections, trainable)[1]

    def _get_sequence_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        require_steps("embedding_column", self)
        pair, vectors = self._looked_up(inputs, weight_collections, trainable)
        return TensorSequenceLengthPair(vectors, sequence_length_of(pair))


class SharedEmbeddingColumnCreator:
    """Makes columns that share a variable, which is made at its first use.

    Args:
        dimension: the length of the vectors.
        initializer: their initializer.
        ckpt_to_load_from: a checkpoint that they start from.
        tensor_name_in_ckpt: their name in it.
        num_buckets: the number of ids.
        trainable: whether optimizers change them by default.
        name: the name of the variable.
    """

    def __init__(
        self,
        dimension: int,
        initializer: InitializerLike,
        ckpt_to_load_from: str | None,
        tensor_name_in_ckpt: str | None,
        num_buckets: int,
        trainable: bool,
        name: str = "shared_embedding_column_creator",
    ) -> None:
        self._dimension = dimension
        self._initializer = initializer
        self._ckpt_to_load_from = ckpt_to_load_from
        self._tensor_name_in_ckpt = tensor_name_in_ckpt
        self._num_buckets = num_buckets
        self._trainable = trainable
        self._name = name
        self._embedding_weights: dict[Any, Any] = {}

    def __call__(
        self, categorical_column: Any, combiner: str, max_norm: float | None
    ) -> SharedEmbeddingColumn:
        """A column of the shared vectors."""
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm)

    @property
    def embedding_weights(self) -> Any:
        """The variable in the default graph."""
        graph = get_default_graph()
        if graph not in self._embedding_weights:
            weights = get_variable(
                name=self._name,
                shape=(self._num_buckets, self._dimension),
                dtype=dtypes.float32,
                initializer=self._initializer,
                trainable=self._trainable,
            )
            if self._ckpt_to_load_from is not None:
                restore_initially(weights, self._ckpt_to_load_from, self._tensor_name_in_ckpt)
            self._embedding_weights[graph] = weights
        return self._embedding_weights[graph]

    @property
    def dimension(self) -> int:
        """The length of the vectors."""
        return self._dimension


class SharedEmbeddingColumn(
    DenseColumn,
    SequenceDenseColumn,
    _DenseColumn,
    _SequenceDenseColumn,
    namedtuple(
        "SharedEmbeddingColumn",
        "categorical_column shared_embedding_column_creator combiner max_norm",
    ),
):
    """Vectors in a variable that a creator holds; see `shared_embedding_columns_v2`."""

    @property
    def _is_v2_column(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return spec_of(self.categorical_column)

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return _refuse()

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self.categorical_column, state_manager)

    def _transform_feature(self, inputs: Any) -> Any:
        return _refuse()

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.shared_embedding_column_creator.dimension])

    @property
    def _variable_shape(self) -> TensorShape:
        return _refuse()

    def _looked_up(
        self, transformation_cache: Any, state_manager: Any
    ) -> tuple[IdWeightPair, Tensor]:
        with name_scope(None, default_name=self.name):
            pair = sparse_tensors_of(self.categorical_column, transformation_cache, state_manager)
            vectors = safe_embedding_lookup_sparse(
                self.shared_embedding_column_creator.embedding_weights,
                sparse_ids=pair.id_tensor,
                sparse_weights=pair.weight_tensor,
                combiner=self.combiner,
                name=f"{self.name}_weights",
                max_norm=self.max_norm,
            )
        return pair, vectors

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        require_no_steps("embedding_column", self)
        return self._looked_up(transformation_cache, state_manager)[1]

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return _refuse()

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
        return _refuse()

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


def _refuse() -> Any:
    raise ValueError(
        "SharedEmbeddingColumns are not supported in `linear_model` or `input_layer`. Please use "
        "`DenseFeatures` or `LinearModel` instead."
    )


def _shared(
    categorical_columns: Sequence[Any], name: str | None, kind: type, kind_text: str
) -> tuple[int, str]:
    """The number of ids, and the name of the variable, of columns that share vectors."""
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    num_buckets = num_buckets_of(ordered[0])
    if not isinstance(ordered[0], kind):
        raise ValueError(
            f"All categorical_columns must be subclasses of {kind_text}. "
            f"Given: {ordered[0]}, of type: {type(ordered[0])}"
        )
    first = _without_weights(ordered[0])
    for column in map(_without_weights, ordered[1:]):
        if not isinstance(column, type(first)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, "
                "or be weighted_categorical_column of the same type. "
                f"Given column: {first} of type: {type(first)} does not match given column: "
                f"{column} of type: {type(column)}"
            )
        if num_buckets != num_buckets_of(column):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same "
                f"number of buckets. Given column: {first} with buckets: {num_buckets} does  not "
                f"match column: {column} with buckets: {num_buckets_of(column)}"
            )
    joined = "_".join(column.name for column in ordered)
    return num_buckets, name or f"{joined}_shared_embedding"


def _without_weights(column: Any) -> Any:
    return column.categorical_column if isinstance(column, WeightedCategoricalColumn) else column


@export("feature_column.shared_embedding_columns")
def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[_SharedEmbeddingColumn]:
    """Dense columns of trained vectors that several columns of the same ids share.

    Args:
        categorical_columns: columns of one type with the same number of ids.
        dimension: the length of the vectors.
        combiner: "mean", "sqrtn" or "sum"; see `tf.nn.embedding_lookup_sparse`.
        initializer: the initializer of the vectors; a truncated normal one with a standard
            deviation of 1 / sqrt(dimension) if None.
        shared_embedding_collection_name: the collection of the variable, and the name of its
            scope; by default made from the names of the columns.
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: vectors with a larger L2 norm are scaled down to it.
        trainable: whether optimizers change the vectors by default.

    Returns:
        A column for each of `categorical_columns`.

    Raises:
        ValueError: if the columns differ, or an argument is invalid.
    """
    check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = default_initializer(dimension) if initializer is None else initializer
    _, collection = _shared(
        categorical_columns,
        shared_embedding_collection_name,
        _CategoricalColumn,
        "_CategoricalColumn",
    )
    return [
        _SharedEmbeddingColumn(
            categorical_column=column,
            initializer=initializer,
            dimension=dimension,
            combiner=combiner,
            shared_embedding_collection_name=collection,
            ckpt_to_load_from=ckpt_to_load_from,
            tensor_name_in_ckpt=tensor_name_in_ckpt,
            max_norm=max_norm,
            trainable=trainable,
        )
        for column in categorical_columns
    ]


def shared_embedding_columns_v2(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """`shared_embedding_columns` for layers of version 2.

    Args:
        categorical_columns: columns of one type with the same number of ids.
        dimension: the length of the vectors.
        combiner: how the vectors of an example are combined.
        initializer: the initializer of the vectors.
        shared_embedding_collection_name: the name of the variable.
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: vectors with a larger L2 norm are scaled down to it.
        trainable: whether optimizers change the vectors by default.

    Returns:
        A column for each of `categorical_columns`.

    Raises:
        ValueError: if the columns differ, or an argument is invalid.
    """
    check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = default_initializer(dimension) if initializer is None else initializer
    num_buckets, name = _shared(
        categorical_columns,
        shared_embedding_collection_name,
        CategoricalColumn,
        "CategoricalColumn",
    )
    creator = SharedEmbeddingColumnCreator(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        num_buckets,
        trainable,
        name,
    )
    return [
        creator(categorical_column=column, combiner=combiner, max_norm=max_norm)
        for column in categorical_columns
    ]
