"""The bases of tables and of their initializers, and the op that initializes all tables."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Operation,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    group,
    name_scope,
)
from headwater.graph.default_graph import add_to_collection, get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.trackable.auto import CapturableResource
from headwater.model.trackable.base import Trackable


@export("tables_initializer", "initializers.tables_initializer")
def tables_initializer(name: str = "init_all_tables") -> Operation:
    """Returns the op that initializes all tables of the graph.

    Args:
        name: the name of the node.

    Returns:
        An Operation without results.
    """
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    if initializers:
        return group(*initializers, name=name)
    return build.NoOp(name=name)


@export("initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """Returns the op that initializes all tables of the graph: the old tables_initializer.

    Args:
        name: the name of the node.

    Returns:
        An Operation without results.
    """
    return tables_initializer(name)


@export("contrib.lookup.LookupInterface")
class LookupInterface(Trackable):
    """A table.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return ""

    def check_table_dtypes(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        """Checks types against those of the table.

        Args:
            key_dtype: the type of keys.
            value_dtype: the type of values.

        Raises:
            TypeError: if they are not those of the table.
        """
        check_table_dtypes(self, as_dtype(key_dtype), as_dtype(value_dtype))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of entries."""
        raise NotImplementedError

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """Returns the values of keys."""
        raise NotImplementedError


class ResourceTable(LookupInterface):
    """A table with a handle of its own."""

    _handle: Tensor

    @property
    def resource_handle(self) -> Tensor:
        """The handle of the table."""
        return self._handle

    @property
    def table_ref(self) -> Tensor:
        """The handle of the table, by its old name."""
        return self._handle

    @property
    def name(self) -> str:
        """The last part of the name of the node that makes the table."""
        return self._handle.op.name.split("/")[-1]

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of entries as an int64 scalar."""
        with name_scope(name, f"{self.name}_Size", [self._handle]):
            return build.LookupTableSizeV2(self._handle)


def check_table_dtypes(table: LookupInterface, key_dtype: DType, value_dtype: DType) -> None:
    """Raises TypeError if the types are not those of the table."""
    if key_dtype.base_dtype != table.key_dtype:
        raise TypeError(f"Invalid key dtype, expected {table.key_dtype} but got {key_dtype}.")
    if value_dtype.base_dtype != table.value_dtype:
        raise TypeError(f"Invalid value dtype, expected {table.value_dtype} but got {value_dtype}.")


def signature_mismatch(wanted: DType, found: DType) -> TypeError:
    """The error of keys of a wrong type."""
    return TypeError(f"Signature mismatch. Keys must be dtype {wanted}, got {found}.")


@export("contrib.lookup.TableInitializerBase")
class TableInitializerBase(Trackable):
    """The base of table initializers.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Operation:
        """Returns the op that fills a table."""
        raise NotImplementedError

    @property
    def _shared_name(self) -> str:
        """The name that tables with equal contents share; "" if there is none."""
        return ""


@export("contrib.lookup.InitializableLookupTableBase")
class InitializableLookupTableBase(ResourceTable, CapturableResource):
    """A table that an initializer fills once.

    Args:
        default_value: the value of missing keys.
        initializer: what fills the table.
    """

    def __init__(self, default_value: TensorLike, initializer: TableInitializerBase) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.shape.merge_with(())
        self._initializer = initializer
        if isinstance(initializer, Trackable):
            self._track_trackable(initializer, "_initializer")
        self._handle = self._make()
        self._init_op = initializer.initialize(self)

    def _make(self) -> Tensor:
        raise NotImplementedError

    def _create_resource(self) -> Tensor:
        return self._make()

    def _initialize(self) -> Operation:
        return self._initializer.initialize(self)

    @property
    def initializer(self) -> Operation:
        """The op that fills the table."""
        return self._init_op

    @property
    def init(self) -> Operation:
        """The op that fills the table, by its old name."""
        return self._init_op

    @property
    def default_value(self) -> Tensor:
        """The value of missing keys."""
        return self._default_value

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
            keys: a tensor or SparseTensor of keys.
            name: the name of the nodes.

        Returns:
            A tensor or SparseTensor of values, of the same shape.

        Raises:
            TypeError: if the keys are of a wrong type.
        """
        key_tensor = keys.values if isinstance(keys, SparseTensor) else keys
        dtype = getattr(key_tensor, "dtype", None)
        found = self._key_dtype if dtype is None else as_dtype(dtype).base_dtype
        if found != self._key_dtype:
            raise signature_mismatch(self._key_dtype, found)
        with name_scope(
            name, f"{self.name}_Lookup", [self._handle, key_tensor, self._default_value]
        ):
            values = build.LookupTableFindV2(self._handle, key_tensor, self._default_value)
        if isinstance(key_tensor, Tensor):
            values.set_shape(key_tensor.get_shape())
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values


def collect_initializer(op: Operation) -> Operation:
    """Adds an op to the collection of table initializers; returns it."""
    add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
    return op
