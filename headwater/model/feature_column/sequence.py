"""Layers of sequence columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.feature_column.base import (
    SequenceDenseColumn,
)
from headwater.model.feature_column.checks import (
    check_batch_sizes,
)
from headwater.model.feature_column.layer import _BaseFeaturesLayer, require_features
from headwater.model.feature_column.transformation import FeatureTransformationCache
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.control.identity import identity
from headwater.ops.control.rank_checks import assert_rank
from headwater.ops.control.value_checks import assert_equal


@export("keras.experimental.SequenceFeatures")
class SequenceFeatures(_BaseFeaturesLayer):
    """A layer that makes a tensor [batch, steps, values of all columns] of features.

    Args:
        feature_columns: a sequence column or an iterable of them; they are sorted by name.
        trainable: whether optimizers change the variables by default.
        name: the name, part of the names of the variables.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if an item is no SequenceDenseColumn.
    """

    def __init__(
        self,
        feature_columns: Any,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            feature_columns=feature_columns,
            expected_column_type=SequenceDenseColumn,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    @property
    def _is_feature_layer(self) -> bool:
        return True

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        return (input_shape[0], input_shape[1], num_elements)

    def call(self, features: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
        """Computes the tensor.

        Args:
            features: {name: SparseTensor}.

        Returns:
            A float32 tensor, and the int64 vector of the numbers of steps, which is that of every
            column.

        Raises:
            ValueError: if `features` is no dict.
        """
        require_features(features)
        cache = FeatureTransformationCache(features)
        parts, lengths = [], []
        for column in self._feature_columns:
            with name_scope(column.name):
                dense, length = column.get_sequence_dense_tensor(cache, self._state_manager)
                parts.append(self._process_dense_tensor(column, dense))
                lengths.append(length)
        check_batch_sizes(lengths, self._feature_columns)
        length = all_equal(lengths)
        return self._verify_and_concat_tensors(parts), length


def all_equal(tensors: Sequence[Tensor]) -> Tensor:
    """The first of tensors, checked to be equal to all others.

    Args:
        tensors: tensors of the same type.

    Returns:
        A tensor.
    """
    with name_scope(None, "assert_all_equal", values=list(tensors)):
        if len(tensors) == 1:
            return tensors[0]
        checks = [assert_equal(tensors[0], tensor) for tensor in tensors[1:]]
        with control_dependencies(checks):
            return identity(tensors[0])


def concatenate_context_input(context_input: TensorLike, sequence_input: TensorLike) -> Tensor:
    """Puts the values of whole examples beside those of each of their steps.

    Args:
        context_input: a float32 matrix [batch, n].
        sequence_input: a float32 tensor [batch, steps, m].

    Returns:
        A float32 tensor [batch, steps, n + m].

    Raises:
        ValueError: if a rank or a type is another one.
    """
    sequence = convert_to_tensor(sequence_input)
    context = convert_to_tensor(context_input)
    checks = [_checked(sequence, 3, "sequence_input")]
    with control_dependencies(checks):
        _check_float(sequence, "sequence_input")
    with control_dependencies([_checked(context, 2, "context_input")]):
        _check_float(context, "context_input")
    steps = shape_tensor(sequence)[1]
    repeated = tile(expand_dims(context, 1), stack([1, steps, 1]))
    return concat([sequence, repeated], 2)


def _checked(tensor: Tensor, rank: int, name: str) -> Any:
    return assert_rank(tensor, rank, message=f"{name} must have rank {rank}", data=[tensor])


def _check_float(tensor: Tensor, name: str) -> None:
    if tensor.dtype.base_dtype != dtypes.float32:
        raise ValueError(f"{name} must have dtype float32; got {tensor.dtype}.")
