"""Makes the body of a function of elements one of stacked elements."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.typing import Shape
from headwater.graph.builders import build, node_of_parts
from headwater.graph.constant_value import constant_value
from headwater.graph.functions import FunctionGraph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.row_functions import element_wise, parsing, structural
from headwater.graph.row_functions.row_op import (
    RULES,
    NotRowWise,
    RowOp,
    Value,
    repeated,
)

# Their import registers the rules.
RULE_MODULES = (element_wise, parsing, structural)

# Ops that all elements may share although they have a state: they only read.
_READS = frozenset({"ReadVariableOp", "VarHandleOp", "Placeholder", "PlaceholderV2"})

# More values than this are not worth to be computed when the body is made.
_LARGEST_CONSTANT = 1 << 12


def row_body(body: FunctionGraph, count: int) -> FunctionGraph | None:
    """A body whose first arguments are stacked elements, and whose results are stacked.

    Args:
        body: the body of a function of elements.
        count: how many of its arguments are components of an element; the others are the same for
            all elements.

    Returns:
        A FunctionGraph; None if an op of the body has no rule.
    """
    if not count:
        return None
    try:
        return _Copy(body, count).graph
    except (NotRowWise, ValueError, TypeError):
        # The errors are those of shapes that do not fit, or of types that an op does not have.
        return None


class _Copy:
    def __init__(self, body: FunctionGraph, count: int) -> None:
        self.graph = FunctionGraph(f"{body.name}_rows")
        self.graph._functions = body._functions
        self._values: dict[Tensor, Value] = {}
        self._ops: dict[Operation, list[Operation]] = {}
        for i, tensor in enumerate(body.inputs):
            if tensor._dtype.name == "variant":
                raise NotRowWise
            stacked = i < count
            if stacked and tensor._shape is None:
                raise NotRowWise
            shape: Shape = tensor._shape
            if stacked and shape is not None:
                shape = (None, *shape)
            copied = self.graph.add_input(tensor._dtype.base_dtype, shape, tensor._op._name)
            self._values[tensor] = Value(copied, stacked)
            self._ops[tensor._op] = []
        self._sample = self.graph.inputs[0]
        with self.graph.as_default():
            for op in _needed(body):
                if op not in self._ops:
                    self._copy(op)
            self.graph.outputs = [self._result(tensor) for tensor in body.outputs]

    def _copy(self, op: Operation) -> None:
        before = set(self.graph.get_operations())
        controls = [new for source in op._control_inputs for new in self._ops.get(source, ())]
        with self.graph.control_dependencies(controls):
            results = self._results(op)
        self._values.update(zip(op._outputs, results))
        self._ops[op] = [new for new in self.graph.get_operations() if new not in before]

    def _results(self, op: Operation) -> list[Value]:
        known = _constant(op)
        if known is not None:
            return [known]
        if any(tensor not in self._values for tensor in op._inputs):
            # A loop.
            raise NotRowWise
        inputs = [self._values[tensor] for tensor in op._inputs]
        if any(value.stacked for value in inputs):
            rule = RULES.get(op._record.name)
            if rule is None:
                raise NotRowWise
            return rule(RowOp(op, inputs, self.graph, self._sample))
        record = op._record
        if record.body is not None or (record.stateful and record.name not in _READS):
            raise NotRowWise
        tensors = [value.tensor for value in inputs]
        name = self.graph.new_name(op._name)
        copied = node_of_parts(self.graph, record, tensors, dict(op._attrs), name)
        return [Value(tensor, False) for tensor in copied._outputs]

    def _result(self, tensor: Tensor) -> Tensor:
        value = self._values[tensor]
        if value.sparse is not None:
            raise NotRowWise
        if value.stacked:
            return value.tensor
        if tensor._shape is None:
            raise NotRowWise
        sizes = RowOp(tensor._op, [], self.graph, self._sample).size()
        return repeated(value.tensor, len(tensor._shape), sizes)


def _constant(op: Operation) -> Value | None:
    """The value of an op whose only output is known."""
    if len(op._outputs) != 1 or op._record.name == "Const" or not op._inputs:
        return None
    known = constant_value(op._outputs[0])
    if known is None or known.size > _LARGEST_CONSTANT:
        return None
    return Value(build.Const(value=known, dtype=op._outputs[0]._dtype.base_dtype), False)


def _needed(body: FunctionGraph) -> Sequence[Operation]:
    """The ops that the results need, and those that check something, in order."""
    needed: set[Operation] = set()
    stack = [tensor._op for tensor in body.outputs]
    stack += [op for op in body.get_operations() if op._record.checks or not op._outputs]
    stack += [
        op
        for op in body.get_operations()
        if op._record.stateful and not op._record.variable and op._record.name not in _READS
    ]
    while stack:
        op = stack.pop()
        if op not in needed:
            needed.add(op)
            stack.extend(tensor._op for tensor in op._inputs)
            stack.extend(op._control_inputs)
    return [op for op in body.get_operations() if op in needed]
