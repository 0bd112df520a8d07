"""Columns of the places of words in vocabularies: lists and files."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, logging
from headwater.base.dtypes import DType
from headwater.base.typing import DTypeLike
from headwater.graph import SparseTensor, export
from headwater.io.file_io import file_exists
from headwater.io.file_object import GFile
from headwater.model.feature_column.categorical import KeyedCategoricalColumn
from headwater.model.feature_column.checks import (
    assert_key_is_string,
    assert_string_or_int,
    check_types_agree,
)
from headwater.model.lookup.index_tables import index_table_from_file, index_table_from_tensor
from headwater.ops.math.cast import cast


class _VocabularyColumn(KeyedCategoricalColumn):
    """A column of the places of words in a vocabulary."""

    def _table(self, key_dtype: DType) -> Any:
        raise NotImplementedError

    def _ids(self, feature: SparseTensor) -> SparseTensor:
        check_types_agree(self.key, self.dtype, feature)
        assert_string_or_int(feature.dtype, prefix=f"column_name: {self.key} input_tensor")
        key_dtype = self.dtype
        if feature.dtype.is_integer:
            # Tables have int64 keys only.
            key_dtype = dtypes.int64
            feature = cast(feature, dtypes.int64)
        return self._table(key_dtype).lookup(feature)


class VocabularyFileCategoricalColumn(
    _VocabularyColumn,
    namedtuple(
        "VocabularyFileCategoricalColumn",
        "key vocabulary_file vocabulary_size num_oov_buckets dtype default_value",
    ),
):
    """Words of a file; see `categorical_column_with_vocabulary_file`."""

    def _table(self, key_dtype: DType) -> Any:
        return index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets


class VocabularyListCategoricalColumn(
    _VocabularyColumn,
    namedtuple(
        "VocabularyListCategoricalColumn",
        "key vocabulary_list dtype default_value num_oov_buckets",
    ),
):
    """Words of a list; see `categorical_column_with_vocabulary_list`."""

    def _table(self, key_dtype: DType) -> Any:
        return index_table_from_tensor(
            tuple(self.vocabulary_list),
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets


@export("feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """A column of the line numbers of words in a file.

    Args:
        key: the name of the feature; "" and -1 mean no value in dense ones.
        vocabulary_file: the path of the file, a word per line.
        vocabulary_size: how many lines are used; None for all.
        num_oov_buckets: how many ids behind those of the file unknown words get, by hashing.
        default_value: the id of unknown words if there are no buckets; None means -1.
        dtype: the type of the feature, string or an integer.

    Returns:
        A VocabularyFileCategoricalColumn.

    Raises:
        ValueError: if the file does not exist, a number is invalid, or both buckets and a default
            are given.
    """
    return categorical_column_with_vocabulary_file_v2(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


def categorical_column_with_vocabulary_file_v2(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = dtypes.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
) -> VocabularyFileCategoricalColumn:
    """`categorical_column_with_vocabulary_file` with the order of arguments of version 2.

    Args:
        key: the name of the feature.
        vocabulary_file: the path of the file.
        vocabulary_size: how many lines are used; None for all.
        dtype: the type of the feature.
        default_value: the id of unknown words.
        num_oov_buckets: how many ids unknown words get.

    Returns:
        A VocabularyFileCategoricalColumn.

    Raises:
        ValueError: if an argument is invalid.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        vocabulary_size = _count_lines(key, vocabulary_file)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    dtype = dtypes.as_dtype(dtype)
    assert_string_or_int(dtype, prefix=f"column_name: {key}")
    assert_key_is_string(key)
    return VocabularyFileCategoricalColumn(
        key=key,
        vocabulary_file=vocabulary_file,
        vocabulary_size=vocabulary_size,
        num_oov_buckets=0 if num_oov_buckets is None else num_oov_buckets,
        dtype=dtype,
        default_value=-1 if default_value is None else default_value,
    )


def _count_lines(key: str, vocabulary_file: str) -> int:
    if not file_exists(vocabulary_file):
        raise ValueError(f"vocabulary_file in {key} does not exist.")
    with GFile(vocabulary_file, mode="rb") as lines:
        count = sum(1 for _ in lines)
    logging.info(
        "vocabulary_size = %d in %s is inferred from the number of elements in the "
        "vocabulary_file %s.",
        count,
        key,
        vocabulary_file,
    )
    return count


def _check_buckets(key: str, num_oov_buckets: int | None, has_default: bool) -> None:
    if not num_oov_buckets:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@export("feature_column.categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A column of the places of words in a list.

    Args:
        key: the name of the feature; "" and -1 mean no value in dense ones.
        vocabulary_list: the words, strings or integers, in the order of their ids.
        dtype: the type of the feature; None means that of the words.
        default_value: the id of unknown words if there are no buckets.
        num_oov_buckets: how many ids behind those of the list unknown words get, by hashing.

    Returns:
        A VocabularyListCategoricalColumn.

    Raises:
        ValueError: if the list is empty or has a word twice, a type does not fit, or both buckets
            and a default are given.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    vocabulary_dtype = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    assert_string_or_int(vocabulary_dtype, prefix=f"column_name: {key} vocabulary")
    dtype = vocabulary_dtype if dtype is None else dtypes.as_dtype(dtype)
    if dtype.is_integer != vocabulary_dtype.is_integer:
        raise ValueError(
            f"dtype {dtype} and vocabulary dtype {vocabulary_dtype} do not match, "
            f"column_name: {key}"
        )
    assert_string_or_int(dtype, prefix=f"column_name: {key}")
    assert_key_is_string(key)
    return VocabularyListCategoricalColumn(
        key=key,
        vocabulary_list=tuple(vocabulary_list),
        dtype=dtype,
        default_value=default_value,
        num_oov_buckets=num_oov_buckets,
    )
