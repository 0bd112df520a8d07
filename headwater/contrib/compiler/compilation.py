"""jit_scope and compile. Headwater compiles all that it can, so both only mark nodes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.graph import (
    Graph,
    Operation,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    group,
)
from headwater.graph.sparse_tensor import is_sparse
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.control.identity import identity


class _Scopes:
    """The scopes of a graph: how many there were, and how many are open."""

    def __init__(self) -> None:
        self.count = 0
        self.depth = 0


_scopes: weakref.WeakKeyDictionary[Graph, _Scopes] = weakref.WeakKeyDictionary()


@export("xla.experimental.jit_scope", "contrib.compiler.jit.experimental_jit_scope")
@signature("*args, **kwds")
@contextmanager
def jit_scope(
    compile_ops: bool | Callable[[Any], bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """A with block whose ops are marked for XLA.

    Args:
        compile_ops: whether they are to be compiled; or a function of a NodeDef that tells it.
        separate_compiled_gradients: whether gradients are compiled apart from the ops.

    Yields:
        Nothing.
    """
    graph = get_default_graph()
    scopes = _scopes.setdefault(graph, _Scopes())

    def compiled(op: Operation) -> bool:
        return bool(compile_ops(op.node_def) if callable(compile_ops) else compile_ops)

    attrs: dict[str, Any] = {
        "_XlaCompile": compiled,
        "_XlaSeparateCompiledGradients": separate_compiled_gradients,
    }
    if not scopes.depth:
        # A nested block belongs to the scope of the outer one.
        attrs["_XlaScope"] = f"jit_scope_{scopes.count}".encode()
        scopes.count += 1
    scopes.depth += 1
    try:
        with graph._attr_scope(attrs):
            yield
    finally:
        scopes.depth -= 1


@export("xla.experimental.compile", "contrib.compiler.xla.compile")
def compile(computation: Callable[..., Any], inputs: list[Any] | None = None) -> Any:
    """Builds a computation that XLA compiles.

    Args:
        computation: a function of tensors that returns tensors, and ops after them; or one
            dictionary or nested list of tensors.
        inputs: its arguments, a list of values or nested values; or None.

    Returns:
        The tensors in the structure that the function returns, a list for one tensor; they wait
        for the ops. An op if there are no tensors.

    Raises:
        TypeError: if `inputs` is not a list.
        ValueError: if the function returns an op before a tensor.
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    flat = [
        value if is_sparse(value) else identity(value, name=f"input_{i}")
        for i, value in enumerate(nest.flatten(list(inputs or [])))
    ]
    arguments = nest.pack_sequence_as(list(inputs or []), flat)
    scope = get_variable_scope()
    with variable_scope(scope, use_resource=True):
        outputs = computation(*arguments)
    return _marked(outputs)


def _marked(outputs: Any) -> Any:
    """The outputs as nodes with names."""
    if outputs is None or isinstance(outputs, Operation):
        return group(*([] if outputs is None else [outputs]), name="output_0")
    if isinstance(outputs, dict) or any(nest.is_sequence(part) for part in _listed(outputs)):
        flat = [convert_to_tensor(value) for value in nest.flatten(outputs)]
        named = [identity(value, name=f"output_{i}") for i, value in enumerate(flat)]
        return nest.pack_sequence_as(outputs, named)
    parts = _listed(outputs)
    ops = [part for part in parts if isinstance(part, Operation)]
    if any(isinstance(part, Operation) for part in parts[: len(parts) - len(ops)]):
        raise ValueError(
            "XLA computation function must return zero or more Tensor values followed by zero or "
            "more Operations."
        )
    tensors = [convert_to_tensor(part) for part in parts[: len(parts) - len(ops)]]
    if not tensors:
        return group(*ops, name="output_0")
    with control_dependencies(ops):
        return [identity(tensor, name=f"output_{i}") for i, tensor in enumerate(tensors)]


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
