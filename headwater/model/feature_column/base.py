"""The interfaces of feature columns: those of the first releases and of FeatureColumn V2.

The columns of this package have both. Programs may define columns of either.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.base.tensor_shape import TensorShape
from headwater.graph import SparseTensor, Tensor

if TYPE_CHECKING:
    from headwater.model.feature_column.state import StateManager


class IdWeightPair(NamedTuple):
    """The ids of a batch, and their weights or None for weights of 1."""

    id_tensor: SparseTensor
    weight_tensor: SparseTensor | None


class TensorSequenceLengthPair(NamedTuple):
    """A tensor of shape [batch, steps, ...], and the number of steps of each example."""

    dense_tensor: Tensor
    sequence_length: Tensor


# The classes below have the types as attributes of the same names.
_Ids = IdWeightPair
_Steps = TensorSequenceLengthPair


class _Sortable(metaclass=abc.ABCMeta):
    """Columns are ordered by their text."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the column, part of the names of its variables."""

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


class _FeatureColumn(_Sortable):
    """A column as `input_layer` and `linear_model` use it."""

    @property
    def _var_scope_name(self) -> str:
        """The name of the variable scope."""
        return self.name

    @abc.abstractmethod
    def _transform_feature(self, inputs: Any) -> Any:
        """What the column makes of the features, computed once per batch.

        Args:
            inputs: a `_LazyBuilder`, whose `get` returns raw features and those of other columns.
        """

    @property
    @abc.abstractmethod
    def _parse_example_spec(self) -> dict[str, Any]:
        """The features that `tf.io.parse_example` has to read."""

    def _reset_config(self) -> None:
        """Forgets what the column keeps for the current graph."""


class _DenseColumn(_FeatureColumn):
    """A column whose values are a dense tensor."""

    @property
    @abc.abstractmethod
    def _variable_shape(self) -> TensorShape:
        """The shape of one example's values."""

    @abc.abstractmethod
    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        """The values of a batch."""


class _CategoricalColumn(_FeatureColumn):
    """A column whose values are ids."""

    IdWeightPair = IdWeightPair

    @property
    @abc.abstractmethod
    def _num_buckets(self) -> int:
        """The number of ids."""

    @abc.abstractmethod
    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> _Ids:
        """The ids of a batch."""


class _SequenceDenseColumn(_FeatureColumn):
    """A column whose values are a dense tensor per step."""

    TensorSequenceLengthPair = TensorSequenceLengthPair

    @abc.abstractmethod
    def _get_sequence_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> _Steps:
        """The values of a batch, and the numbers of steps."""


class FeatureColumn(_Sortable):
    """A column of version 2: its variables belong to the layer that uses it."""

    @abc.abstractmethod
    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """What the column makes of the features, computed once per batch.

        Args:
            transformation_cache: a FeatureTransformationCache.
            state_manager: the StateManager of the layer.
        """

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """The features that `tf.io.parse_example` has to read."""

    def create_state(self, state_manager: StateManager) -> None:
        """Makes the variables of the column; none by default.

        Args:
            state_manager: the StateManager of the layer.
        """

    @property
    @abc.abstractmethod
    def _is_v2_column(self) -> bool:
        """Whether the column works without the interface of the first releases."""

    @property
    @abc.abstractmethod
    def parents(self) -> list[Any]:
        """The columns and the names of features that this column is made from."""


class DenseColumn(FeatureColumn):
    """A column whose values are a dense tensor."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> TensorShape:
        """The shape of one example's values."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        """The values of a batch."""


class CategoricalColumn(FeatureColumn):
    """A column whose values are ids."""

    IdWeightPair = IdWeightPair

    @property
    @abc.abstractmethod
    def num_buckets(self) -> int:
        """The number of ids."""

    @abc.abstractmethod
    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> _Ids:
        """The ids of a batch."""


class SequenceDenseColumn(FeatureColumn):
    """A column whose values are a dense tensor per step."""

    TensorSequenceLengthPair = TensorSequenceLengthPair

    @abc.abstractmethod
    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> _Steps:
        """The values of a batch, and the numbers of steps."""


class BothEras(FeatureColumn, _FeatureColumn):
    """A column of version 2 that `input_layer` and `linear_model` take as well."""

    @property
    def _is_v2_column(self) -> bool:
        columns = [parent for parent in self.parents if not isinstance(parent, str)]
        return all(getattr(column, "_is_v2_column", False) for column in columns)

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.parse_example_spec

    def _transform_feature(self, inputs: Any) -> Any:
        return self.transform_feature(inputs, None)


class DenseOfBothEras(BothEras, DenseColumn, _DenseColumn):
    """A dense column of both interfaces."""

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def _get_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return self.get_dense_tensor(inputs, None)


class CategoricalOfBothEras(BothEras, CategoricalColumn, _CategoricalColumn):
    """A categorical column of both interfaces."""

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets

    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> _Ids:
        return self.get_sparse_tensors(inputs, None)


class SequenceOfBothEras(BothEras, SequenceDenseColumn, _SequenceDenseColumn):
    """A sequence column of both interfaces."""

    def _get_sequence_dense_tensor(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> _Steps:
        return self.get_sequence_dense_tensor(inputs, None)


def num_buckets_of(column: Any) -> int:
    """The number of ids of a categorical column of either interface."""
    return column.num_buckets if isinstance(column, CategoricalColumn) else column._num_buckets


def spec_of(column: Any) -> dict[str, Any]:
    """The features that a column of either interface reads."""
    if isinstance(column, FeatureColumn):
        return column.parse_example_spec
    return column._parse_example_spec


def sparse_tensors_of(column: Any, transformation_cache: Any, state_manager: Any) -> _Ids:
    """The ids of a categorical column of either interface."""
    if isinstance(column, CategoricalColumn):
        return column.get_sparse_tensors(transformation_cache, state_manager)
    return column._get_sparse_tensors(transformation_cache)
