"""tensorflow.contrib.layers.python.layers.feature_column: what has no public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.layers import column_ops as feature_column_ops
from headwater.contrib.layers.feature_columns import (
    base,
    crossed,
    embedding,
    lookups,
    parsing,
    real_valued,
    reshaping,
    sparse,
    weighted,
)

_LAYERS = "tensorflow.contrib.layers.python.layers"
_COLUMN = f"{_LAYERS}.feature_column"
_target: Any

for _target in (
    base._FeatureColumn,
    base._LazyBuilderByColumnsToTensor,
    base._LinearEmbeddingLookupArguments,
    base._DeepEmbeddingLookupArguments,
    sparse._SparseColumn,
    sparse._SparseColumnIntegerized,
    sparse._SparseColumnHashed,
    sparse._SparseColumnKeys,
    sparse._SparseColumnVocabulary,
    sparse._SparseIdLookupConfig,
    weighted._WeightedSparseColumn,
    weighted._OneHotColumn,
    embedding._EmbeddingColumn,
    embedding._ScatteredEmbeddingColumn,
    embedding._HashedEmbeddingColumn,
    real_valued._RealValuedColumn,
    real_valued._RealValuedVarLenColumn,
    real_valued._BucketizedColumn,
    real_valued._real_valued_var_len_column,
    crossed._CrossedColumn,
):
    internal(f"{_COLUMN}.{_target.__name__}")(_target)
internal(f"{_COLUMN}._create_sequence_feature_spec_for_parsing")(
    parsing.create_sequence_feature_spec
)
internal(f"{_COLUMN}._embeddings_from_arguments")(lookups.embedded)
internal(f"{_COLUMN}._reshape_real_valued_tensor")(reshaping.reshaped_real_values)
internal(f"{_LAYERS}.feature_column_ops._Transformer")(feature_column_ops._Transformer)
