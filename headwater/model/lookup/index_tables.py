"""Tables of words by their numbers, and of numbers by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.older_calls import renamed
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, size_tensor
from headwater.model.lookup.hash_table import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StaticHashTable,
)
from headwater.model.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from headwater.ops.math.cast import cast

if TYPE_CHECKING:
    from headwater.model.lookup.interface import LookupInterface


def _check_file(vocabulary_file: TensorLike) -> None:
    empty = isinstance(vocabulary_file, (str, bytes)) and not vocabulary_file
    if vocabulary_file is None or empty:
        raise ValueError("vocabulary_file must be specified and must not be empty.")


def _check_buckets(num_oov_buckets: int) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")


def _check_key_dtype(dtype: DType) -> None:
    if not (dtype.is_integer or dtype == dtypes.string):
        raise TypeError("Only integer and string keys are supported.")


def _check_hasher(hasher_spec: HasherSpec) -> None:
    if not isinstance(hasher_spec, HasherSpec):
        raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")


@export("contrib.lookup.index_table_from_file")
def index_table_from_file(
    vocabulary_file: str | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    """Returns a table of the line numbers of the words of a file.

    Args:
        vocabulary_file: the path of the file, text or a string scalar.
        num_oov_buckets: how many numbers behind those of the file unknown words get.
        vocab_size: how many lines are read; None for all.
        default_value: the number of unknown words if there are no buckets.
        hasher_spec: how the buckets are chosen.
        key_dtype: the type of the words, string or an integer.
        name: the name of the nodes.
        key_column_index: the column of the words, or a member of TextFileIndex.
        value_column_index: the column of the numbers, or a member of TextFileIndex.
        delimiter: the character between columns.

    Returns:
        A table of int64 by word.

    Raises:
        ValueError: if the file name is empty, or the number of buckets or the size is invalid.
        TypeError: if the type of the words is not supported.
    """
    _check_file(vocabulary_file)
    _check_buckets(num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        shown = vocabulary_file
        raise ValueError(
            f"vocab_size must be greater than 0, got {vocab_size}. vocabulary_file: {shown}"
        )
    key_dtype = as_dtype(key_dtype)
    _check_key_dtype(key_dtype)
    _check_hasher(hasher_spec)
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            initializer = TextFileIdTableInitializer(
                filename=vocabulary_file,
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                vocab_size=vocab_size,
                delimiter=delimiter,
                name="table_init",
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
            )
            table: StaticHashTable = StaticHashTable(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def _with_buckets(
    table: StaticHashTable, num_oov_buckets: int, hasher_spec: HasherSpec, key_dtype: DType
) -> LookupInterface:
    if num_oov_buckets or table.key_dtype != key_dtype:
        return IdTableWithHashBuckets(
            table, num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype
        )
    return table


@export("contrib.lookup.index_table_from_tensor")
@renamed(vocabulary_list="mapping")
def index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """Returns a table of the places of the elements of a vector.

    Args:
        mapping: a vector of words.
        num_oov_buckets: how many numbers behind those of the vector unknown words get.
        default_value: the number of unknown words if there are no buckets.
        hasher_spec: how the buckets are chosen.
        dtype: the type of the words, string or an integer.
        name: the name of the nodes.

    Returns:
        A table of int64 by word.

    Raises:
        ValueError: if there is no mapping, or the number of buckets is negative.
        TypeError: if the type of the words is not supported.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    _check_buckets(num_oov_buckets)
    dtype = as_dtype(dtype)
    _check_key_dtype(dtype)
    _check_hasher(hasher_spec)
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(mapping)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = "integer" if dtype.is_integer else "non-integer"
            raise ValueError(f"Expected {kind}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}.")
        numbers = _numbers(keys)
        with name_scope(None, "hash_table"):
            table_keys = cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            initializer = KeyValueTensorInitializer(
                table_keys, numbers, table_keys.dtype.base_dtype, dtypes.int64, name="table_init"
            )
            table = StaticHashTable(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def _numbers(values: Tensor) -> Tensor:
    """0, 1, 2... for the elements of a vector, as int64."""
    count = size_tensor(values)
    return cast(build.Range(0, count, 1, name="range"), dtypes.int64)


@export("contrib.lookup.index_to_string_table_from_file")
def index_to_string_table_from_file(
    vocabulary_file: str,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """Returns a table of the lines of a file by their numbers.

    Args:
        vocabulary_file: the path of the file, text or a string scalar.
        vocab_size: how many lines are read; None for all.
        default_value: the word of unknown numbers.
        name: the name of the nodes.
        key_column_index: the column of the numbers, or a member of TextFileIndex.
        value_column_index: the column of the words, or a member of TextFileIndex.
        delimiter: the character between columns.

    Returns:
        A table of strings by int64.

    Raises:
        ValueError: if the file name is empty or the size is invalid.
    """
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        initializer = TextFileStringTableInitializer(
            filename=vocabulary_file,
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name="table_init",
        )
        return StaticHashTable(initializer, default_value)


@export("contrib.lookup.index_to_string_table_from_tensor")
@renamed(vocabulary_list="mapping")
def index_to_string_table_from_tensor(
    mapping: TensorLike, default_value: str = "UNK", name: str | None = None
) -> StaticHashTable:
    """Returns a table of the elements of a vector by their places.

    Args:
        mapping: a vector of strings.
        default_value: the word of unknown numbers.
        name: the name of the nodes.

    Returns:
        A table of strings by int64.

    Raises:
        ValueError: if there is no mapping.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    with name_scope(name, "index_to_string"):
        values = convert_to_tensor(mapping, dtypes.string)
        initializer = KeyValueTensorInitializer(
            _numbers(values), values, dtypes.int64, dtypes.string, name="table_init"
        )
        return StaticHashTable(initializer, default_value)
