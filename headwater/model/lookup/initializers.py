"""Table initializers: keys and values from tensors, or from a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, build, convert_to_tensor, name_scope
from headwater.graph.default_graph import add_to_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.lookup.interface import (
    TableInitializerBase,
    check_table_dtypes,
    collect_initializer,
)
from headwater.model.trackable.auto import TrackableAsset

if TYPE_CHECKING:
    from headwater.model.lookup.hash_table import HashTable


@export("lookup.KeyValueTensorInitializer", "contrib.lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with keys and values from tensors.

    Args:
        keys: a vector of keys.
        values: a vector of values.
        key_dtype: the type of the keys; None to take it from them.
        value_dtype: the type of the values; None to take it from them.
        name: the name of the nodes.
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: HashTable) -> Operation:
        """Returns the op that fills a table.

        Args:
            table: the table.

        Raises:
            TypeError: if the types are not those of the table.
        """
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        handle = table.resource_handle
        with name_scope(self._name, values=(handle, self._keys, self._values)):
            return collect_initializer(build.LookupTableImportV2(handle, self._keys, self._values))


@export("lookup.TextFileIndex", "contrib.lookup.TextFileIndex")
class TextFileIndex:
    """Special columns of a text file: the whole line, and its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@export("lookup.TextFileInitializer", "contrib.lookup.TextFileInitializer")
class TextFileInitializer(TableInitializerBase):
    """Fills a table from the lines of a text file.

    Args:
        filename: the path of the file, text or a string scalar.
        key_dtype: the type of the keys.
        key_index: the column of the keys, or a member of TextFileIndex.
        value_dtype: the type of the values.
        value_index: the column of the values, or a member of TextFileIndex.
        vocab_size: how many lines are read; None for all.
        delimiter: the character between columns.
        name: the name of the nodes.

    Raises:
        ValueError: if an index or the size is negative, or a type is invalid for its column.
    """

    def __init__(
        self,
        filename: TensorLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
    ) -> None:
        if isinstance(filename, (str, bytes)) and not filename:
            raise ValueError(f"Filename required for {name}.")
        key_dtype, value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        _check_column("key", "Keys", key_index, key_dtype)
        _check_column("value", "Values", value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._filename_arg = filename
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name if name is not None else "text_file_init"
        asset = TrackableAsset(convert_to_tensor(filename, dtypes.string, name="asset_path"))
        self._track_trackable(asset, "_filename")
        self._filename = asset.asset_path
        add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        super().__init__(key_dtype, value_dtype)

    @property
    def _shared_name(self) -> str:
        size = "" if self._vocab_size is None else f"_{self._vocab_size}"
        file = self._filename_arg
        if hasattr(file, "op"):
            file = file.name
        elif isinstance(file, bytes):
            file = file.decode("utf-8", "replace")
        return f"hash_table_{file}{size}_{self._key_index}_{self._value_index}"

    def initialize(self, table: HashTable) -> Operation:
        """Returns the op that fills a table.

        Args:
            table: the table.

        Raises:
            TypeError: if the types are not those of the table.
        """
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        handle = table.resource_handle
        with name_scope(self._name, "text_file_init", (handle,)):
            op = build.InitializeTableFromTextFileV2(
                handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
            )
        return collect_initializer(op)


def _check_column(name: str, plural: str, index: int, dtype: DType) -> None:
    if index < -2:
        raise ValueError(f"Invalid {name} index {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(f"Signature mismatch. {plural} must be dtype {dtypes.int64}, got {dtype}.")
    if index == TextFileIndex.WHOLE_LINE and dtype != dtypes.string:
        if name == "value":
            raise ValueError(
                f"Signature mismatch. {plural} must be dtype {dtypes.string}, got {dtype}."
            )
        if not dtype.is_integer:
            raise ValueError(
                f"Signature mismatch. {plural} must be integer or string, got {dtype}."
            )


@export("contrib.lookup.TextFileStringTableInitializer")
class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table of strings by int64 from a text file: by default, lines by their numbers.

    Args:
        filename: the path of the file.
        key_column_index: the column of the keys, or a member of TextFileIndex.
        value_column_index: the column of the values, or a member of TextFileIndex.
        vocab_size: how many lines are read; None for all.
        delimiter: the character between columns.
        name: the name of the nodes.
    """

    def __init__(
        self,
        filename: TensorLike,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename,
            dtypes.int64,
            key_column_index,
            dtypes.string,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


@export("contrib.lookup.TextFileIdTableInitializer")
class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table of int64 by string from a text file: by default, line numbers by their lines.

    Args:
        filename: the path of the file.
        key_column_index: the column of the keys, or a member of TextFileIndex.
        value_column_index: the column of the values, or a member of TextFileIndex.
        vocab_size: how many lines are read; None for all.
        delimiter: the character between columns.
        name: the name of the nodes.
        key_dtype: the type of the keys.
    """

    def __init__(
        self,
        filename: TensorLike,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: DTypeLike = dtypes.string,
    ) -> None:
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            dtypes.int64,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )
