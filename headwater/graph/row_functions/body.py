"""Makes the body of a function of elements one of stacked elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from headwater.base import logging
from headwater.base.typing import Shape
from headwater.graph.builders import build, node_of_parts
from headwater.graph.constant_value import constant_value
from headwater.graph.functions import FunctionGraph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.row_functions import (
    conditional,
    element_wise,
    images,
    parsing,
    random,
    structural,
)
from headwater.graph.row_functions.conditional import Guards, merged_guards, predicate_of
from headwater.graph.row_functions.row_op import (
    RULES,
    NotRowWise,
    RowOp,
    RowRule,
    Value,
    repeated,
)

# Their import registers the rules.
RULE_MODULES = (conditional, element_wise, images, parsing, random, structural)

# Ops that all elements may share although they are stateful: they only read, or check.
_SHARED = frozenset({"ReadVariableOp", "VarHandleOp", "Placeholder", "PlaceholderV2", "Assert"})

# More values than this are not worth to be computed when the body is made.
_LARGEST_CONSTANT = 1 << 12


# The ops of tf.cond, whose rules look at single values too.
_CONDITIONAL = frozenset({"Switch", "Merge"})


# A body for rows, and for each of its ops with a state the op of the original body that has it.
RowBody: TypeAlias = tuple[FunctionGraph, dict[Operation, Operation]]


def row_body(body: FunctionGraph, count: int) -> RowBody | None:
    """A body whose first arguments are stacked elements, and whose results are stacked.

    Args:
        body: the body of a function of elements.
        count: how many of its arguments are components of an element; the others are the same for
            all elements.

    Returns:
        A RowBody; None if an op of the body has no rule.
    """
    if not count:
        return None
    try:
        copy = _Copy(body, count)
    except NotRowWise:
        return None
    return copy.graph, copy.sources


class _Copy:
    def __init__(self, body: FunctionGraph, count: int) -> None:
        self.graph = FunctionGraph(f"{body.name}_rows")
        self.graph._functions = body._functions
        # The ops with a state, each with the one of the original body.
        self.sources: dict[Operation, Operation] = {}
        self._values: dict[Tensor, Value] = {}
        self._guards: dict[Tensor, Guards] = {}
        self._op_guards: dict[Operation, Guards] = {}
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
            self._guards[tensor] = {}
        self._sample = self.graph.inputs[0]
        # The bodies of the functions whose calls are being copied.
        self._calls: list[FunctionGraph] = []
        with self.graph.as_default():
            self._copy_needed(body)
            self.graph.outputs = [self._result(tensor) for tensor in body.outputs]

    def _copy_needed(self, body: FunctionGraph) -> None:
        for op in _needed(body):
            if op not in self._ops:
                self._copy(op)

    def _copy(self, op: Operation) -> None:
        before = set(self.graph.get_operations())
        controls = [new for source in op._control_inputs for new in self._ops.get(source, ())]
        if any(tensor not in self._values for tensor in op._inputs):
            # A loop.
            raise NotRowWise
        chosen = self._note_guards(op)
        with self.graph.control_dependencies(controls):
            if op._record.body is None:
                results = self._results(op, chosen)
            else:
                results = self._call_results(op, op._record.body(op))
        self._values.update(zip(op._outputs, results))
        self._ops[op] = [new for new in self.graph.get_operations() if new not in before]

    def _note_guards(self, op: Operation) -> tuple[int, Value] | None:
        """Notes on which predicates the outputs depend; of a Merge, returns what chooses."""
        sources = [self._guards[tensor] for tensor in op._inputs]
        sources += [self._op_guards.get(source, {}) for source in op._control_inputs]
        chosen = None
        if op._record.name == "Merge":
            if len(op._inputs) != 2:
                raise NotRowWise
            guards, predicate, position = merged_guards(*sources[:2])
            chosen = position, self._values[predicate]
        else:
            guards = {p: side for source in sources for p, side in source.items()}
        self._op_guards[op] = guards
        for i, tensor in enumerate(op._outputs):
            switched = {predicate_of(op): i} if op._record.name == "Switch" else {}
            self._guards[tensor] = {**guards, **switched}
        return chosen

    def _call_results(self, op: Operation, body: FunctionGraph) -> list[Value]:
        """The results of an op that calls a function, of which it becomes a copy."""
        if body in self._calls:
            # A function that calls itself.
            raise NotRowWise
        self._calls.append(body)
        for tensor, given in zip(body.inputs, op._inputs):
            self._values[tensor] = self._values[given]
            self._guards[tensor] = self._op_guards[op]
            self._ops[tensor._op] = []
        self._copy_needed(body)
        results = [self._values[tensor] for tensor in body.outputs]
        self._guards.update(
            (tensor, self._guards[found]) for tensor, found in zip(op._outputs, body.outputs)
        )
        # Another call of the function is another copy.
        for inner in body.get_operations():
            self._ops.pop(inner, None)
        self._calls.pop()
        return results

    def _results(self, op: Operation, chosen: tuple[int, Value] | None) -> list[Value]:
        known = _constant(op)
        if known is not None:
            return [known]
        inputs = [self._values[tensor] for tensor in op._inputs]
        record = op._record
        keeps = bool(record.state) and not record.resource and not record.variable
        if keeps or record.name in _CONDITIONAL or any(value.stacked for value in inputs):
            rule = RULES.get(record.name)
            # What only some elements draw cannot be drawn for all.
            if rule is None or (keeps and (self._op_guards[op] or self._calls)):
                raise NotRowWise
            results = _ruled(rule, RowOp(op, inputs, self.graph, self._sample, chosen))
            if keeps:
                self.sources[results[0].tensor._op] = op
            return results
        if record.stateful and record.name not in _SHARED:
            raise NotRowWise
        tensors = [value.tensor for value in inputs]
        name = self.graph.new_name(op._name)
        copied = node_of_parts(self.graph, record, tensors, dict(op._attrs), name)
        return [Value(tensor, False) for tensor in copied._outputs]

    def _result(self, tensor: Tensor) -> Tensor:
        value = self._values[tensor]
        if value.sparse is not None or self._guards[tensor]:
            raise NotRowWise
        if value.stacked:
            return value.tensor
        if tensor._shape is None:
            raise NotRowWise
        sizes = RowOp(tensor._op, [], self.graph, self._sample).size()
        return repeated(value.tensor, len(tensor._shape), sizes)


def _ruled(rule: RowRule, op: RowOp) -> list[Value]:
    """The results of a rule. A broken one costs speed, but no result, and is not silent.

    Raises:
        NotRowWise: if the rule does not apply.
    """
    try:
        return rule(op)
    except (ValueError, TypeError) as error:
        logging.warning(
            "Elements are computed one by one: the rule for rows of %s (%s) failed with %s: %s",
            op.op._name,
            op.op._record.name,
            type(error).__name__,
            error,
        )
        raise NotRowWise from error


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
    ops = body.get_operations()
    wanted = {tensor._op for tensor in body.outputs}
    wanted.update(op for op in ops if op._record.checks or not op._outputs)
    wanted.update(
        op
        for op in ops
        if op._record.stateful and not op._record.variable and op._record.name not in _SHARED
    )
    # The inputs of a branch of tf.cond are younger than the op that uses them.
    order: dict[Operation, None] = {}
    begun: set[Operation] = set()
    stack = [op for op in reversed(ops) if op in wanted]
    while stack:
        op = stack[-1]
        if op in begun:
            order.setdefault(stack.pop())
            continue
        begun.add(op)
        sources = [*(tensor._op for tensor in op._inputs), *op._control_inputs]
        stack.extend(source for source in reversed(sources) if source not in begun)
    return list(order)
