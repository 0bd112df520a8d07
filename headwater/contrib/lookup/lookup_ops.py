"""Tables as `tf.contrib.lookup` has them, with functions that newer ones have replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.model.lookup.hash_table import (
    FastHashSpec,
    HasherSpec,
    HashTable,
    IdTableWithHashBuckets,
    StrongHashSpec,
)
from headwater.model.lookup.index_tables import (
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)
from headwater.model.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
)
from headwater.model.lookup.interface import (
    InitializableLookupTableBase,
    LookupInterface,
    TableInitializerBase,
    tables_initializer,
)
from headwater.train.mutable_tables import MutableDenseHashTable, MutableHashTable

if TYPE_CHECKING:
    from headwater.graph import SparseTensor, Tensor

__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "InitializableLookupTableBase",
    "KeyValueTensorInitializer",
    "LookupInterface",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StrongHashSpec",
    "TableInitializerBase",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
    "tables_initializer",
]


@export("contrib.lookup.string_to_index_table_from_file")
def string_to_index_table_from_file(
    vocabulary_file: TensorLike = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """Returns a table of the line numbers of the words of a file: the old index_table_from_file.

    Args:
        vocabulary_file: the path of the file.
        num_oov_buckets: how many numbers behind those of the file unknown words get.
        vocab_size: how many lines are read; None for all.
        default_value: the number of unknown words if there are no buckets.
        hasher_spec: how the buckets are chosen.
        name: the name of the nodes.

    Returns:
        A table of int64 by string.
    """
    return index_table_from_file(
        vocabulary_file,
        num_oov_buckets=num_oov_buckets,
        vocab_size=vocab_size,
        default_value=default_value,
        hasher_spec=hasher_spec,
        key_dtype=dtypes.string,
        name=name,
    )


@export("contrib.lookup.string_to_index_table_from_tensor")
def string_to_index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """Returns a table of the places of strings in a vector: the old index_table_from_tensor.

    Args:
        mapping: a vector of strings.
        num_oov_buckets: how many numbers behind those of the vector unknown words get.
        default_value: the number of unknown words if there are no buckets.
        hasher_spec: how the buckets are chosen.
        name: the name of the nodes.

    Returns:
        A table of int64 by string.
    """
    return index_table_from_tensor(
        mapping,
        num_oov_buckets=num_oov_buckets,
        default_value=default_value,
        hasher_spec=hasher_spec,
        dtype=dtypes.string,
        name=name,
    )


@export("contrib.lookup.string_to_index")
def string_to_index(
    tensor: TensorLike, mapping: TensorLike, default_value: int = -1, name: str | None = None
) -> Tensor | SparseTensor:
    """Returns the indices of strings in a vector; its table has to be initialized.

    Args:
        tensor: a string tensor.
        mapping: a vector of strings.
        default_value: the number of strings that the vector does not have.
        name: the name of the nodes.

    Returns:
        An int64 tensor of the same shape.
    """
    table = index_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(tensor)


@export("contrib.lookup.index_to_string")
def index_to_string(
    tensor: TensorLike, mapping: TensorLike, default_value: str = "UNK", name: str | None = None
) -> Tensor | SparseTensor:
    """Returns the strings at given indices of a vector; its table has to be initialized.

    Args:
        tensor: an int64 tensor.
        mapping: a vector of strings.
        default_value: the string of places that the vector does not have.
        name: the name of the nodes.

    Returns:
        A string tensor of the same shape.
    """
    table = index_to_string_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(tensor)
