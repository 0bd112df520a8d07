"""Hash tables that are filled once, and tables of numbers with buckets for unknown keys."""

from __future__ import annotations

import uuid
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export, export_value
from headwater.base.typing import DTypeLike, InitializerLike, TensorLike
from headwater.graph import Operation, SparseTensor, Tensor, build, convert_to_tensor, name_scope
from headwater.model.lookup.interface import (
    InitializableLookupTableBase,
    LookupInterface,
    signature_mismatch,
)
from headwater.ops.math.cast import cast


@export("contrib.lookup.HashTable")
class HashTable(InitializableLookupTableBase):
    """A hash table that is filled once, before it is used.

    Args:
        initializer: what fills the table.
        default_value: the value of missing keys.
        shared_name: the name under which sessions share the table.
        name: the name of the node.
    """

    def __init__(
        self,
        initializer: InitializerLike,
        default_value: TensorLike,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self._shared_name = shared_name
        self._given_name = name or "hash_table"
        super().__init__(default_value, initializer)
        self._value_shape = self._default_value.shape

    def _make(self) -> Tensor:
        return build.HashTableV2(
            shared_name=self._shared_name,
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
            name=self._given_name,
        )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and all values.

        Args:
            name: the name of the node.
        """
        with name_scope(name, f"{self.name}_Export", [self._handle]) as scope:
            keys, values = build.LookupTableExportV2(
                self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=scope
            )
        return keys, values


@export("lookup.StaticHashTable")
class StaticHashTable(HashTable):
    """A hash table that is filled once, before it is used; equal files make one table.

    Args:
        initializer: what fills the table.
        default_value: the value of missing keys.
        name: the name of the node.
    """

    def __init__(
        self, initializer: InitializerLike, default_value: TensorLike, name: str | None = None
    ) -> None:
        shared_name = initializer._shared_name or f"hash_table_{uuid.uuid4()}"
        super().__init__(initializer, default_value, shared_name, name)


@export("contrib.lookup.HasherSpec")
class HasherSpec(namedtuple("HasherSpec", ["hasher", "key"])):
    """The hash function that assigns unknown keys to buckets.

    Args:
        hasher: "fasthash", "stronghash" or "legacy".
        key: the key of the strong function, two integers.
    """

    __slots__ = ()


FastHashSpec = HasherSpec("fasthash", None)
export_value("contrib.lookup.FastHashSpec", FastHashSpec)


@export("contrib.lookup.StrongHashSpec")
class StrongHashSpec(HasherSpec):
    """The strong, keyed hash function.

    Args:
        key: two unsigned integers.

    Raises:
        ValueError: if the key has another size.
        TypeError: if it is not made of integers.
    """

    __slots__ = ()

    def __new__(cls, key: TensorLike) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"key must have size 2, got {len(key)}.")
        if not all(isinstance(part, (int, np.integer)) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


def hash_function(spec: HasherSpec) -> Callable[..., Tensor]:
    """The op of a hasher: a function of (strings, num_buckets=, name=).

    Raises:
        TypeError: if it is not a HasherSpec.
        ValueError: if its hasher is unknown.
    """
    if not isinstance(spec, HasherSpec):
        raise TypeError(f"hasher_spec must be of type HasherSpec, got {spec}")
    if spec.hasher == "fasthash":
        return build.StringToHashBucketFast
    if spec.hasher == "legacy":
        return build.StringToHashBucket
    if spec.hasher == "stronghash":
        return partial(build.StringToHashBucketStrong, key=spec.key)
    raise ValueError(f"Unknown hasher {spec.hasher}")


def _as_strings(keys: TensorLike) -> Tensor:
    return keys if keys.dtype.base_dtype == dtypes.string else build.AsString(keys)


@export("contrib.lookup.IdTableWithHashBuckets")
class IdTableWithHashBuckets(LookupInterface):
    """A table of ids that assigns unknown keys to buckets after its own ids.

    Args:
        table: a table of int64; None if all keys are to get buckets.
        num_oov_buckets: the number of buckets.
        hasher_spec: how they are chosen.
        name: the name of the table.
        key_dtype: the type of the keys that are looked up; None for that of the table.

    Raises:
        TypeError: if the table is not of int64, or keys and table do not fit.
        ValueError: if there is neither a table nor a bucket.
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: DTypeLike | None = None,
    ) -> None:
        self._given_name = name.rstrip("/") if name else None
        if table is not None:
            key_dtype = as_dtype(table.key_dtype if key_dtype is None else key_dtype)
            supported = (dtypes.int64, dtypes.string)
            if table.key_dtype not in supported:
                raise TypeError(
                    f"Invalid key dtype, expected one of {supported}, but got {key_dtype}."
                )
            if table.key_dtype.is_integer != key_dtype.is_integer:
                kind = "integer" if key_dtype.is_integer else "non-integer"
                raise TypeError(f"Invalid key dtype, expected {kind} but got {table.key_dtype}.")
            _check_int64_values(table)
        elif num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0 if no table is supplied.")
        else:
            key_dtype = as_dtype(dtypes.string if key_dtype is None else key_dtype)
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        self._hasher_spec = hasher_spec
        super().__init__(key_dtype, dtypes.int64)

    @property
    def initializer(self) -> Operation:
        """The op that fills the table."""
        if self._table is None:
            with name_scope(None, "init"):
                return build.NoOp()
        return self._table.initializer

    @property
    def init(self) -> Operation:
        """The op that fills the table, by its old name."""
        return self.initializer

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the table; None if there is none."""
        return None if self._table is None else self._table.resource_handle

    @property
    def name(self) -> str:
        """The name of the table."""
        if self._given_name:
            return self._given_name.split("/")[-1]
        return self._table.name if self._table is not None else "hash_bucket"

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of entries and buckets as an int64 scalar."""
        with name_scope(name, f"{self.name}_Size"):
            if self._table is None:
                return convert_to_tensor(0, dtype=dtypes.int64) + self._num_oov_buckets
            return self._table.size() + self._num_oov_buckets

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Returns the numbers or buckets of keys.

        Args:
            keys: a tensor or SparseTensor of keys.
            name: the name of the nodes.

        Returns:
            An int64 tensor or SparseTensor of the same shape.

        Raises:
            TypeError: if the keys are of a wrong type.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise signature_mismatch(self._key_dtype, keys.dtype)
        values = keys.values if isinstance(keys, SparseTensor) else keys
        if self._table is not None and self._table.key_dtype == dtypes.int64:
            values = cast(values, dtypes.int64)
        if self._num_oov_buckets == 0:
            ids = self._table.lookup(values, name=name)
        else:
            with name_scope(name, f"{self.name}_Lookup"):
                ids = self._ids(values)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def _ids(self, values: Tensor) -> Tensor:
        function = hash_function(self._hasher_spec)
        buckets = function(
            _as_strings(values), num_buckets=self._num_oov_buckets, name="hash_bucket"
        )
        if self._table is None:
            return buckets
        ids = self._table.lookup(values)
        buckets = build.Add(buckets, self._table.size())
        known = build.NotEqual(ids, self._table.default_value)
        return build.SelectV2(known, ids, buckets)


def _check_int64_values(table: StaticHashTable) -> None:
    if table.value_dtype.base_dtype != dtypes.int64:
        raise TypeError(
            f"Invalid value dtype, expected {dtypes.int64} but got {table.value_dtype}."
        )


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(IdTableWithHashBuckets):
    """A vocabulary, with buckets for out-of-vocabulary words.

    Args:
        initializer: what fills the vocabulary with int64; None if all keys are to get buckets.
        num_oov_buckets: the number of buckets.
        lookup_key_dtype: the type of the keys that are looked up.
        name: the name of the table.

    Raises:
        ValueError: if there is no bucket.
        TypeError: if the values are not int64.
    """

    def __init__(
        self,
        initializer: InitializerLike,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike = None,
        name: str | None = None,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        table = None
        if initializer is not None:
            _check_int64_values(initializer)
            table = StaticHashTable(initializer, default_value=-1)
        super().__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)
