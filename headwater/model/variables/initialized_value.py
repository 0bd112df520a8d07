"""Values of variables that fall back to the initial value before initialization."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.control.cond import cond

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# These do not read the value, or (reads of handles) TensorFlow does not replace them.
_KEPT = ("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If", "StatelessIf")


def initialized_tensor(variable: TensorLike, name: str | None = None) -> Tensor:
    """A boolean scalar: whether a variable of any kind, or a mutable tensor, has a value."""
    if hasattr(variable, "is_initialized"):
        return variable.is_initialized(name=name)
    return build.IsVariableInitialized(variable, name=name)


def value_or_initial(variable: TensorLike) -> Tensor:
    """The value of a variable, or its initial value where it has none yet."""
    return cond(initialized_tensor(variable), variable.read_value, lambda: variable.initial_value)


def guarded(initial_value: Tensor, variable: Operation) -> Tensor:
    """An initial value that does not fail where it depends on variables without a value.

    The nodes on the way from such a variable to `initial_value` are copied for `variable`, the new
    one; the copies take the initial values of those that have none.
    """
    if not _reads_variables(initial_value.op):
        return initial_value
    return _Copies(variable.name).of(initial_value)


def _reads_variables(op: Operation) -> bool:
    """Whether a variable is among the ancestors; False, too, where they form a cycle."""
    path: set[Operation] = set()
    done: set[Operation] = set()
    found = False
    stack = [(op, False)]
    while stack:
        op, left = stack.pop()
        if left:
            path.discard(op)
            done.add(op)
            continue
        if op in path:
            return False
        if op in done:
            continue
        found = found or op.type in _VARIABLES
        path.add(op)
        stack.append((op, True))
        if op.type in _KEPT:
            continue
        for source in (*(t.op for t in op.inputs), *op.control_inputs):
            if source in path:
                return False
            stack.append((source, False))
    return found


class _Copies:
    """Copies of ops that read the safe values of variables."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._tensors: dict[Tensor, Tensor] = {}

    def of(self, tensor: Tensor) -> Tensor:
        """The safe form of a tensor: itself if nothing has to be copied."""
        if tensor not in self._tensors:
            self._tensors[tensor] = self._safe(tensor)
        return self._tensors[tensor]

    def _safe(self, tensor: Tensor) -> Tensor:
        op = tensor.op
        if op.type in _KEPT:
            return tensor
        if op.type in _VARIABLES:
            variable = _variable_of(op)
            return tensor if variable is None else variable.initialized_value()
        inputs = [self.of(t) for t in op.inputs]
        if all(new is old for new, old in zip(inputs, op.inputs)):
            return tensor
        with name_scope(None):
            copy = op.graph.create_op(
                "Switch" if op.type == "RefSwitch" else op.type,
                inputs,
                attrs=dict(op._attrs),
                name=f"{op.name}_{self._suffix}",
            )
        for old, new in zip(op.outputs, copy.outputs):
            self._tensors[old] = new
        return copy.outputs[tensor.value_index]


def _variable_of(op: Operation) -> Any:
    """The variable in the collections whose op this is."""
    graph = get_default_graph()
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in graph.get_collection(key):
            if getattr(variable, "name", None) in (op.name, op.name + ":0"):
                return variable
    return None
