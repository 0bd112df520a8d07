"""tensorflow.python.ops.variable_scope: what is not public of it."""

from __future__ import annotations

from headwater.model.variables.variable_kinds import make_variable as default_variable_creator
from headwater.model.variables.variable_scope import pure_variable_scope as _pure_variable_scope
from headwater.model.variables.variable_scope import scope_stack as get_variable_scope_store
from headwater.model.variables.variable_store import VariableStore as _VariableStore
from headwater.model.variables.variable_store import variable_store as _get_default_variable_store

__all__ = [
    "_VariableStore",
    "_get_default_variable_store",
    "_pure_variable_scope",
    "default_variable_creator",
    "get_variable_scope_store",
]
