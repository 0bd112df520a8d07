"""Categorical columns of sequences: ids per step."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike
from headwater.graph import export
from headwater.model.feature_column.base import (
    CategoricalOfBothEras,
    IdWeightPair,
    num_buckets_of,
    sparse_tensors_of,
    spec_of,
)
from headwater.model.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
)
from headwater.model.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from headwater.ops.array.shape import shape
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.sparse.reshape import sparse_reshape


class SequenceCategoricalColumn(
    CategoricalOfBothEras,
    namedtuple("SequenceCategoricalColumn", "categorical_column"),
):
    """Ids of the steps of sequences; see `sequence_categorical_column_with_identity`."""

    @property
    def name(self) -> str:
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return spec_of(self.categorical_column)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    @property
    def num_buckets(self) -> int:
        return num_buckets_of(self.categorical_column)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        ids, weights = sparse_tensors_of(
            self.categorical_column, transformation_cache, state_manager
        )
        sizes = shape(ids)
        # The ids of one step become the last dimension.
        target = [sizes[0], sizes[1], reduce_prod(sizes[2:])]
        ids = sparse_reshape(ids, target)
        if weights is not None:
            weights = sparse_reshape(weights, target)
        return IdWeightPair(ids, weights)

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


@export("feature_column.sequence_categorical_column_with_identity")
def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """A column of sequences of integers that are ids; see `categorical_column_with_identity`.

    Args:
        key: the name of the feature.
        num_buckets: the number of ids.
        default_value: the id of integers out of range; None means that a run with one fails.

    Returns:
        A SequenceCategoricalColumn.

    Raises:
        ValueError: if the number is not positive, or the default is out of range.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


@export("feature_column.sequence_categorical_column_with_hash_bucket")
def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """A column of hashed sequences; see `categorical_column_with_hash_bucket`.

    Args:
        key: the name of the feature.
        hash_bucket_size: the number of ids.
        dtype: the type of the feature, string or an integer.

    Returns:
        A SequenceCategoricalColumn.

    Raises:
        ValueError: if the number of ids is not positive, or the type is another one.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


@export("feature_column.sequence_categorical_column_with_vocabulary_file")
def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """A column of sequences of words; see `categorical_column_with_vocabulary_file`.

    Args:
        key: the name of the feature.
        vocabulary_file: the path of the file, a word per line.
        vocabulary_size: how many lines are used; None for all.
        num_oov_buckets: how many ids unknown words get.
        default_value: the id of unknown words if there are no buckets; None means -1.
        dtype: the type of the feature, string or an integer.

    Returns:
        A SequenceCategoricalColumn.

    Raises:
        ValueError: if an argument is invalid.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
        )
    )


@export("feature_column.sequence_categorical_column_with_vocabulary_list")
def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """A column of sequences of words; see `categorical_column_with_vocabulary_list`.

    Args:
        key: the name of the feature.
        vocabulary_list: the words in the order of their ids.
        dtype: the type of the feature; None means that of the words.
        default_value: the id of unknown words if there are no buckets.
        num_oov_buckets: how many ids unknown words get.

    Returns:
        A SequenceCategoricalColumn.

    Raises:
        ValueError: if an argument is invalid.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )
