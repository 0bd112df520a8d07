"""Whether an op has the neighbours it should have; public in releases before 1.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from headwater.graph import Operation, export

Match = Callable[[Operation], bool]


def _test_of(condition: Any) -> Match:
    """Returns the test that a condition stands for.

    Args:
      condition: an op, a regular expression of its name, a function of it, or True for any op.

    Raises:
      ValueError: if it is something else.
    """
    if isinstance(condition, Operation):
        return lambda op: op is condition
    if callable(condition):
        return condition
    if isinstance(condition, (str, re.Pattern)):
        pattern = re.compile(condition)
        return lambda op: pattern.search(op.name) is not None
    if condition is True:
        return lambda op: True
    raise ValueError(f"Cannot finalize the positive filter: {condition}")


def _matcher(condition: Any) -> OpMatcher:
    return condition if isinstance(condition, OpMatcher) else OpMatcher(condition)


def _all_match(matchers: list[OpMatcher | None], ops: list[Operation]) -> bool:
    """Tells whether each op has a matcher and satisfies it; None matches any op."""
    return len(matchers) == len(ops) and all(
        matcher is None or matcher(op) for matcher, op in zip(matchers, ops)
    )


def _matchers(conditions: Any) -> list[OpMatcher | None]:
    return [None if condition is None else _matcher(condition) for condition in conditions]


@export("contrib.graph_editor.OpMatcher")
class OpMatcher:
    """Tells of an op whether it and the ops around it satisfy conditions.

    Args:
      positive_filter: the condition for the op: an op, a regular expression of its name, a
        function of it, or True for any op.

    Raises:
      ValueError: if it is something else.
    """

    def __init__(self, positive_filter: Any) -> None:
        self._test = _test_of(positive_filter)
        self._inputs: list[OpMatcher | None] | None = None
        self._control_inputs: list[OpMatcher | None] | None = None
        self._outputs: list[list[OpMatcher | None]] | None = None

    def __call__(self, op: Operation) -> bool:
        """Tells whether an op satisfies all conditions.

        Args:
          op: the op.

        Raises:
          TypeError: if it is no op.
        """
        if not isinstance(op, Operation):
            raise TypeError(f"Expect tf.Operation, got: {type(op)}")
        return (
            self._test(op)
            and (
                self._inputs is None
                or _all_match(self._inputs, [tensor.op for tensor in op.inputs])
            )
            and (
                self._control_inputs is None
                or _all_match(self._control_inputs, list(op.control_inputs))
            )
            and (
                self._outputs is None
                or (
                    len(self._outputs) == len(op.outputs)
                    and all(
                        _all_match(matchers, tensor.consumers())
                        for matchers, tensor in zip(self._outputs, op.outputs)
                    )
                )
            )
        )

    def input_ops(self, *args: Any) -> OpMatcher:
        """Asks for ops that make the inputs, in their order.

        Args:
          *args: a condition for each input; None for any op.

        Returns:
          This matcher.
        """
        self._inputs = _matchers(args)
        return self

    def control_input_ops(self, *args: Any) -> OpMatcher:
        """Asks for ops that the op waits for.

        Args:
          *args: a condition for each of them; None for any op.

        Returns:
          This matcher.
        """
        self._control_inputs = _matchers(args)
        return self

    def output_ops(self, *args: Any) -> OpMatcher:
        """Asks for ops that use the outputs.

        Args:
          *args: a condition, or a list of conditions for each user, for each output.

        Returns:
          This matcher.
        """
        self._outputs = [
            _matchers(users if isinstance(users, list | tuple) else [users]) for users in args
        ]
        return self


@export("contrib.graph_editor.op_type")
def op_type(op_types: str | Collection[str], op: Operation | None = None) -> Any:
    """Tells whether an op is of one of some types.

    Args:
      op_types: the types.
      op: the op; None gives a function of an op.

    Returns:
      A bool, or a function.
    """
    types = [op_types] if isinstance(op_types, str) else op_types
    if op is None:
        return lambda found: found.node_def.op in types
    return op.node_def.op in types
