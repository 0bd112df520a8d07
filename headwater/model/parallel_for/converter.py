"""From the ops of one iteration to ops of all iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.graph import Operation, Tensor, build, get_default_graph, name_scope
from headwater.graph.registry import lookup
from headwater.model.parallel_for import batch_rules, rules
from headwater.model.parallel_for.call import RULES, Call, NoRule, Value
from headwater.ops.array.constant import constant
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop

# Loops and branches have no form of one axis more.
_CONTROL_FLOW = frozenset(
    ("Enter", "Exit", "NextIteration", "LoopCond", "Switch", "Merge", "RefSwitch", "RefMerge")
)


# The modules that register rules.
_RULE_MODULES = (rules, batch_rules)


class NotConvertible(ValueError):
    """The function has an op that can neither be converted nor run once for each index."""


class _Reduction(NamedTuple):
    """What stands behind a placeholder of `PForConfig`."""

    tensor: Tensor
    reduce: Callable[[Tensor], Tensor]


class Converter:
    """Converts the ops of one iteration.

    Args:
        index: the index of the iteration, a placeholder.
        count: the number of iterations, a number or a tensor.
        body: the ops that depend on the index, and others that the function has made.
        reduction: what stands behind a placeholder of the function's `pfor_config`, or None.
    """

    def __init__(
        self,
        index: Tensor,
        count: Any,
        body: Sequence[Operation],
        reduction: Callable[[Tensor], Any],
    ) -> None:
        self._count = count
        self._body = frozenset(body)
        self._reduction = reduction
        self._values: dict[Tensor, Value] = {
            index: Value(build.Range(0, count, 1), True),
        }
        self._done: dict[Operation, Operation] = {}

    def stacked(self, value: Tensor | Operation) -> Any:
        """The values of all iterations along a new first axis.

        Args:
            value: a tensor of one iteration, or an op that each iteration runs.

        Returns:
            A tensor, or an op that runs the op of each iteration.

        Raises:
            NotConvertible: if there are loops or branches.
        """
        if isinstance(value, Operation):
            self._convert_all(value)
            return self._done.get(value, value)
        self._convert_all(value.op)
        return self._call(value.op).as_stacked(self._value(value))

    def _value(self, tensor: Tensor) -> Value:
        return self._values.get(tensor, Value(tensor, False))

    def _call(self, op: Operation) -> Call:
        return Call(op, [self._value(x) for x in op.inputs], self._count)

    def _convert_all(self, last: Operation) -> None:
        """Converts an op and what it depends on, inputs first."""
        waiting = [last]
        while waiting:
            op = waiting[-1]
            needed = [each for each in self._needed(op) if not self._is_converted(each)]
            if needed:
                waiting.extend(needed)
            else:
                waiting.pop()
                if not self._is_converted(op):
                    self._convert(op)

    def _needed(self, op: Operation) -> list[Operation]:
        reductions = [self._reduction(output) for output in op.outputs]
        behind = [reduction[0].op for reduction in reductions if reduction is not None]
        return [x.op for x in op.inputs] + behind

    def _is_converted(self, op: Operation) -> bool:
        if op not in self._body or op in self._done:
            return True
        return bool(op.outputs) and all(output in self._values for output in op.outputs)

    def _convert(self, op: Operation) -> None:
        if op.type in _CONTROL_FLOW:
            raise NotConvertible(f"No converter defined for {op.type}\n{op.node_def}")
        reduction = self._reduction(op.outputs[0]) if op.outputs else None
        if reduction is not None:
            tensor, reduce = reduction
            stacked = self._call(tensor.op).as_stacked(self._value(tensor))
            self._values[op.outputs[0]] = Value(reduce(stacked), False)
            return
        call = self._call(op)
        with name_scope(f"{op.name}/pfor/"):
            if not any(x.is_stacked for x in call.inputs) and _gives_the_same(op):
                results = [Value(output, False) for output in op.outputs]
                self._done[op] = op
            else:
                results = self._by_rule(call) or self._one_by_one(call)
        self._values.update(zip(op.outputs, results, strict=True))

    def _by_rule(self, call: Call) -> list[Value] | None:
        """The results of an op of one axis more; None if there is no rule for the op."""
        rule = RULES.get(call.op.type)
        if rule is None:
            return None
        try:
            results = rule(call)
        except NoRule:
            return None
        return results if isinstance(results, list) else [results]

    def _one_by_one(self, call: Call) -> list[Value]:
        """The results of an op that runs once for each index."""
        op = call.op
        if any(not output.dtype.is_numpy_compatible for output in op.outputs):
            raise NotConvertible(f"No converter defined for {op.type}\n{op.node_def}")

        def step(i: Tensor, *arrays: TensorArray) -> Any:
            inputs = [
                build.GatherV2(x.tensor, i, 0) if x.is_stacked else x.tensor for x in call.inputs
            ]
            single = get_default_graph().create_op(op.type, inputs, attrs=op._attrs)
            with get_default_graph().control_dependencies([single]):
                following = build.AddV2(i, 1)
            written = [array.write(i, output) for array, output in zip(arrays, single.outputs)]
            return (following, *written)

        arrays = [
            TensorArray(
                dtype=output.dtype, size=self._count, dynamic_size=False, element_shape=output.shape
            )
            for output in op.outputs
        ]
        last, *filled = while_loop(lambda i, *_: i < self._count, step, (constant(0), *arrays))
        self._done[op] = last.op
        return [Value(array.stack(), True) for array in filled]


def _gives_the_same(op: Operation) -> bool:
    """Whether an op gives the same in every iteration if its inputs are the same."""
    gives_handles = bool(op.outputs) and all(x.dtype == dtypes.resource for x in op.outputs)
    # A layer may make its variables in the first call.
    return not lookup(op.type).stateful or gives_handles or op.type == "ReadVariableOp"
