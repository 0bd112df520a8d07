"""Errors of columns that are used with steps where they have none, and the reverse; lengths."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import SparseTensor, Tensor, build, name_scope
from headwater.model.feature_column.base import IdWeightPair
from headwater.model.feature_column.sequence_categorical import SequenceCategoricalColumn
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.segments import segment_max


def require_no_steps(kind: str, column: Any, old: bool = False) -> None:
    """Checks that the ids of a dense column have no steps.

    Args:
        kind: the name of the kind of column in the error.
        column: the column.
        old: whether it is used by the first interface.

    Raises:
        ValueError: if they have.
    """
    source = column.categorical_column
    if isinstance(source, SequenceCategoricalColumn):
        type_name = "_SequenceCategoricalColumn" if old else "SequenceCategoricalColumn"
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must not be of type {type_name}. "
            "Suggested fix A: If you wish to use DenseFeatures, use a non-sequence "
            "categorical_column_with_*. Suggested fix B: If you wish to create sequence input, "
            "use SequenceFeatures instead of DenseFeatures. "
            f"Given (type {type(source)}): {source}"
        )


def require_steps(kind: str, column: Any) -> None:
    """Checks that the ids of a dense column have steps.

    Args:
        kind: the name of the kind of column in the error.
        column: the column.

    Raises:
        ValueError: if they have none.
    """
    source = column.categorical_column
    if not isinstance(source, SequenceCategoricalColumn):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must be of type "
            "SequenceCategoricalColumn to use SequenceFeatures. Suggested fix: Use one of "
            f"sequence_categorical_column_with_*. Given (type {type(source)}): {source}"
        )


def sequence_length_of(pair: IdWeightPair) -> Tensor:
    """The number of steps of each example of ids."""
    return sequence_length_from_sparse_tensor(pair.id_tensor)


def sequence_length_from_sparse_tensor(sp_tensor: SparseTensor, num_elements: int = 1) -> Tensor:
    """The number of steps of each row: the last column with a value, and one.

    Args:
        sp_tensor: a SparseTensor of shape [batch, steps, ...].
        num_elements: how many columns are one step.

    Returns:
        An int64 vector of the batch size.
    """
    with name_scope(None, "sequence_length") as scope:
        rows = sp_tensor.indices[:, 0]
        columns = sp_tensor.indices[:, 1] + ones_like(rows)
        lengths = segment_max(columns, segment_ids=rows)
        lengths = cast(build.Ceil(lengths / num_elements), dtypes.int64)
        batch_size = shape(sp_tensor, out_type=dtypes.int64)[:1]
        # The last rows may have no values, which a segment reduction leaves out.
        missing = batch_size - shape(lengths, out_type=dtypes.int64)[:1]
        padding = zeros(missing, dtype=lengths.dtype)
        return concat([lengths, padding], axis=0, name=scope)
