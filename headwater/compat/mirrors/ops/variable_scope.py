"""tensorflow.python.ops.variable_scope: what is not public of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headwater.graph import get_default_graph
from headwater.model.variables.partitions import PartitionInfo as _PartitionInfo
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_kinds import make_variable as default_variable_creator
from headwater.model.variables.variable_scope import SCOPES_KEY as _VARSCOPESTORE_KEY
from headwater.model.variables.variable_scope import pure_variable_scope as _pure_variable_scope
from headwater.model.variables.variable_scope import scope_stack as get_variable_scope_store
from headwater.model.variables.variable_scope_object import VariableScope as _VariableScope
from headwater.model.variables.variable_store import STORE_KEY as _VARSTORE_KEY
from headwater.model.variables.variable_store import VariableStore as _VariableStore
from headwater.model.variables.variable_store import variable_store as _get_default_variable_store

__all__ = [
    "EagerVariableStore",
    "_PartitionInfo",
    "_VARSCOPE_KEY",
    "_VARSCOPESTORE_KEY",
    "_VARSTORE_KEY",
    "_VariableScope",
    "_VariableStore",
    "_get_default_variable_store",
    "_pure_variable_scope",
    "default_variable_creator",
    "get_variable_scope_store",
    "with_variable_store",
]

# Its name in TensorFlow 1.0.
_VARSCOPE_KEY = _VARSCOPESTORE_KEY


@contextlib.contextmanager
def with_variable_store(store: _VariableStore) -> Iterator[None]:
    """Makes `tf.get_variable` find and keep variables of the default graph in a store."""
    stores = get_default_graph().get_collection_ref(_VARSTORE_KEY)
    before = list(stores)
    stores[:] = [store]
    try:
        yield
    finally:
        stores[:] = before


class EagerVariableStore:
    """Keeps the variables that `tf.get_variable` makes below `as_default`.

    Args:
      store: the store of another one, to share its variables; None makes a new one.

    Raises:
      ValueError: if it is not of another EagerVariableStore.
    """

    def __init__(self, store: _VariableStore | None = None) -> None:
        if store is None:
            store = _VariableStore()
            store._store_eager_variables = True
        elif not store._store_eager_variables:
            raise ValueError(
                "Cannot construct EagerVariableStore from a VariableStore object that does not "
                "hold eager variables."
            )
        self._store = store

    def as_default(self) -> Any:
        """Returns a with block in which `tf.get_variable` uses this store."""
        return with_variable_store(self._store)

    def variables(self) -> list[Any]:
        """The variables, sorted by name."""
        return sorted(self._store._vars.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Any]:
        """Those that optimizers change, sorted by name."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """Those that optimizers do not change, sorted by name."""
        return [variable for variable in self.variables() if not variable.trainable]

    def copy(self) -> EagerVariableStore:
        """Makes a store with new variables that begin with the values of these."""
        result = EagerVariableStore()
        for name, variable in self._store._vars.items():
            result._store._vars[name] = Variable(
                variable.read_value(),
                name=name,
                trainable=variable.trainable,
                use_resource=True,
            )
        return result
