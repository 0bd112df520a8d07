"""tensorflow.python.feature_column: classes and functions without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.model.feature_column import (
    base,
    categorical,
    checks,
    combined,
    dense_features,
    embedding,
    indicator,
    input_layer,
    layer,
    linear_layer,
    linear_model,
    numeric,
    parse_spec,
    sequence,
    sequence_categorical,
    sequence_checks,
    serialization,
    shared_embedding,
    state,
    transformation,
    vocabulary,
)

_OLD = "feature_column.feature_column"
_NEW = "feature_column.feature_column_v2"
_LIBRARY = "feature_column.feature_column_lib"
_target: Any

for _target in (
    base._FeatureColumn,
    base._DenseColumn,
    base._CategoricalColumn,
    base._SequenceDenseColumn,
    transformation._LazyBuilder,
    linear_model._LinearModel,
    shared_embedding._SharedEmbeddingColumn,
):
    internal(f"{_OLD}.{_target.__name__}", f"{_LIBRARY}.{_target.__name__}")(_target)
internal(f"{_OLD}.InputLayer", f"{_LIBRARY}.InputLayer")(input_layer.InputLayer)
internal(f"{_OLD}._get_expanded_variable_list")(linear_model.expanded)
internal(f"{_OLD}._normalize_feature_columns")(checks.normalized_columns)

# Columns of version 2 have the first interface too.
for _target in (
    numeric.numeric_column,
    numeric.bucketized_column,
    categorical.categorical_column_with_hash_bucket,
    categorical.categorical_column_with_identity,
    vocabulary.categorical_column_with_vocabulary_file,
    vocabulary.categorical_column_with_vocabulary_list,
    combined.weighted_categorical_column,
    combined.crossed_column,
    indicator.indicator_column,
    embedding.embedding_column,
):
    internal(f"{_OLD}._{_target.__name__}", f"{_NEW}.{_target.__name__}")(_target)
for _target in (
    numeric.NumericColumn,
    numeric.BucketizedColumn,
    categorical.HashedCategoricalColumn,
    categorical.IdentityCategoricalColumn,
    vocabulary.VocabularyFileCategoricalColumn,
    vocabulary.VocabularyListCategoricalColumn,
    combined.WeightedCategoricalColumn,
    combined.CrossedColumn,
    indicator.IndicatorColumn,
    embedding.EmbeddingColumn,
    sequence_categorical.SequenceCategoricalColumn,
):
    internal(f"{_OLD}._{_target.__name__}", f"{_NEW}.{_target.__name__}")(_target)

for _target in (
    base.FeatureColumn,
    base.DenseColumn,
    base.CategoricalColumn,
    base.SequenceDenseColumn,
    state.StateManager,
    transformation.FeatureTransformationCache,
    layer._BaseFeaturesLayer,
    linear_layer.LinearModel,
    linear_layer._LinearModelLayer,
    shared_embedding.SharedEmbeddingColumn,
    shared_embedding.SharedEmbeddingColumnCreator,
    shared_embedding.shared_embedding_columns_v2,
    vocabulary.categorical_column_with_vocabulary_file_v2,
    parse_spec.make_parse_example_spec_v2,
    checks.is_feature_column_v2,
    transformation._transform_features_v2,
):
    internal(f"{_NEW}.{_target.__name__}", f"{_LIBRARY}.{_target.__name__}")(_target)
internal(f"{_OLD}._transform_features", f"{_NEW}._transform_features")(
    transformation._transform_features
)
internal(f"{_NEW}._StateManagerImpl")(state.LayerStateManager)
internal(f"{_NEW}._normalize_feature_columns")(checks.normalized_columns_v2)
internal(f"{_NEW}.DenseFeatures", f"{_LIBRARY}.DenseFeatures")(dense_features.DenseFeatures)
internal(f"{_OLD}.input_layer", f"{_NEW}.input_layer")(input_layer.input_layer)
internal(f"{_NEW}.shared_embedding_columns", f"{_OLD}.shared_embedding_columns")(
    shared_embedding.shared_embedding_columns
)

for _target in (
    sequence.SequenceFeatures,
    sequence.SequenceNumericColumn,
    sequence.concatenate_context_input,
    sequence.sequence_numeric_column,
    sequence_categorical.sequence_categorical_column_with_hash_bucket,
    sequence_categorical.sequence_categorical_column_with_identity,
    sequence_categorical.sequence_categorical_column_with_vocabulary_file,
    sequence_categorical.sequence_categorical_column_with_vocabulary_list,
):
    internal(
        f"feature_column.sequence_feature_column.{_target.__name__}",
        f"{_LIBRARY}.{_target.__name__}",
    )(_target)

for _target in (
    checks.assert_key_is_string,
    checks.assert_string_or_int,
    checks.check_default_value,
    sequence_checks.sequence_length_from_sparse_tensor,
):
    internal(f"feature_column.utils.{_target.__name__}")(_target)
for _name in (
    "deserialize_feature_column",
    "deserialize_feature_columns",
    "serialize_feature_column",
    "serialize_feature_columns",
):
    internal(f"feature_column.serialization.{_name}")(getattr(serialization, _name))
