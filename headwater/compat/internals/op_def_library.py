"""op_def_library: nodes made by the name of the op type, with arguments by keyword."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.graph.builders import Builder
from headwater.graph.registry import is_registered, lookup


@internal("framework.op_def_library.OpDefLibrary")
class OpDefLibrary:
    """Makes nodes of all registered op types."""

    def add_op(self, op_def: Any) -> None:
        """Ignores an OpDef: op types are looked up in the registry."""

    def add_op_list(self, op_list: Any) -> None:
        """Ignores an OpList: op types are looked up in the registry."""

    def apply_op(self, op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
        """Makes a node.

        Args:
          op_type_name: the op type.
          name: the name of the node.
          **keywords: inputs and attrs by name.

        Returns:
          The Operation if it has no outputs, one output (or list), or a list of outputs.

        Raises:
          RuntimeError: if the op type is not registered.
          TypeError: if an argument is missing, unknown, or of a wrong type.
          ValueError: if a value does not fit.
        """
        if not is_registered(op_type_name):
            raise RuntimeError(f"Unrecognized Op name {op_type_name}")
        schema = lookup(op_type_name).schema
        for attr in schema.inferred_attrs:
            if attr in keywords:
                raise TypeError(f"Should not specify value for inferred attr '{attr}'.")
        for arg in schema.inputs:
            if arg.name not in keywords:
                raise TypeError(f"No argument for input {arg.name}")
        free = [attr.name for attr in schema.attrs if attr.name not in schema.inferred_attrs]
        for attr in free:
            if attr not in keywords:
                raise TypeError(f"No argument for attr {attr}")
        extra = sorted(set(keywords) - {arg.name for arg in schema.inputs} - set(free))
        if extra:
            raise TypeError(f"apply_op() got unexpected keyword arguments: {', '.join(extra)}")
        result = Builder(lookup(op_type_name))(name=name, **keywords)
        if not isinstance(result, tuple):
            return result
        return tuple(result) if any(isinstance(part, list) for part in result) else list(result)


_library = OpDefLibrary()
internal("framework.op_def_library.apply_op")(_library.apply_op)
internal("framework.test_ops._op_def_lib")(_library)
