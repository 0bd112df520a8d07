"""`tf.contrib.feature_column.sequence_input_layer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor, build, shape_tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.feature_column import sequence_categorical
from headwater.model.feature_column.base import _SequenceDenseColumn
from headwater.model.feature_column.checks import check_batch_sizes, normalized_columns
from headwater.model.feature_column.sequence import all_equal
from headwater.model.feature_column.sequence_numeric import sequence_numeric_column
from headwater.model.feature_column.transformation import _LazyBuilder
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat

for _function in (
    sequence_categorical.sequence_categorical_column_with_hash_bucket,
    sequence_categorical.sequence_categorical_column_with_identity,
    sequence_categorical.sequence_categorical_column_with_vocabulary_file,
    sequence_categorical.sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
):
    export(f"contrib.feature_column.{_function.__name__}")(_function)


@export("contrib.feature_column.sequence_input_layer")
def sequence_input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
) -> tuple[Tensor, Tensor]:
    """Makes a tensor [batch, steps, values of all columns] of features; columns sorted by name.

    Args:
        features: {name: SparseTensor, batch first, then steps}.
        feature_columns: an iterable of sequence columns.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.

    Returns:
        A float32 tensor, and the int64 vector of the numbers of steps.

    Raises:
        ValueError: if an item is no sequence column, or two have the same name.
    """
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, _SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a "
                "sequence_categorical_column with an embedding_column or indicator_column. "
                f"Given (type {type(column)}): {column}"
            )
    collections = list(dict.fromkeys([*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES]))
    with variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        builder = _LazyBuilder(features)
        parts, lengths = [], []
        columns = sorted(columns, key=lambda column: column.name)
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                dense, length = column._get_sequence_dense_tensor(
                    builder, weight_collections=collections, trainable=trainable
                )
                sizes = shape_tensor(dense)
                num_elements = column._variable_shape.num_elements()
                parts.append(build.Reshape(dense, [sizes[0], sizes[1], num_elements]))
                lengths.append(length)
        check_batch_sizes(parts, columns)
        check_batch_sizes(lengths, columns)
        length = all_equal(lengths)
        return concat(parts, -1), length
