"""The stacks and TensorArrays of a loop that runs as a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from headwater.engine.analysis.control_flow import SWITCHES
from headwater.engine.compiling.expected import outline
from headwater.engine.compiling.lowering import Environment
from headwater.engine.loops.body import LoopBody
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node
from headwater.graph import Operation
from headwater.graph.constant_value import static_size
from headwater.ops.control.traced_resources import Iteration, NotUniform, Repeated

# Ops that hand on the handle of a TensorArray, or make one for its gradients.
_HAND_ON = frozenset(("Enter", "Identity", "TensorArrayGradV3"))


class Arrays:
    """The stacks and TensorArrays of a loop, and the traced objects that replace them.

    Args:
        loop: the loop.
        values: the values of a run.
        padded: whether they have more rows than elements, so that one program is for several sizes.
        elements: by the index of a stack, the value that all of its elements are known to have.

    Attributes:
        resources: the stacks and TensorArrays.
        fits: whether all of them can be part of a program.
    """

    def __init__(
        self,
        loop: LoopBody,
        values: Values,
        padded: bool = False,
        elements: Mapping[int, np.ndarray] | None = None,
    ) -> None:
        self._padded = padded
        self.resources: list[Any] = []
        self._positions: dict[int, int] = {}
        # Indices of handles, and the positions of their resources.
        self._handles: dict[int, int] = {}
        # Position of an array, name of a call of tf.gradients, position of the gradient array.
        self._gradients: list[tuple[int, str, int]] = []
        for index in loop.constant_indices:
            if hasattr(values[index], "in_program"):
                self._handles[index] = self._position(values[index])
        handles = dict(self._handles)
        for node in loop.body_nodes:
            if not isinstance(node, Node):
                continue
            if node.record.name in SWITCHES and node.inputs[0] in handles:
                handles.update(dict.fromkeys(node.outputs, handles[node.inputs[0]]))
            elif "source" in node.op._attrs and node.record.opaque:
                position = handles.get(node.inputs[0])
                if position is not None:
                    source = node.op._attrs["source"]
                    gradient = self.resources[position].gradient(source)
                    self._gradients.append((position, source, self._position(gradient)))
        self._elements = {self._handles[index]: value for index, value in (elements or {}).items()}
        self._shapes: list[Any] = []
        try:
            self._shapes.extend(resource.rows_shape(padded) for resource in self.resources)
        except NotUniform:
            self.fits = False
        else:
            self.fits = True

    @cached_property
    def parts(self) -> list[Any]:
        """The rows and marks as arguments of a program."""
        return [part for r in self.resources for part in r.in_program(self._padded)]

    def states_of(self, parts: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The states that have the given parts."""
        rest = iter(parts)
        return [tuple(islice(rest, resource.part_count)) for resource in self.resources]

    def keep_outlines(self) -> None:
        """Keeps only types and shapes of the elements, for a program that is compiled later."""
        self.parts = list(map(_outline, self.parts))

    def _position(self, resource: Any) -> int:
        position = self._positions.setdefault(id(resource), len(self.resources))
        if position == len(self.resources):
            self.resources.append(resource)
        return position

    @cached_property
    def key(self) -> Any:
        """What a program depends on, hashable."""
        capacities = [r.capacity(self._padded) for r in self.resources]
        grow = [r.room is not None for r in self.resources]
        elements = {position: value.tolist() for position, value in self._elements.items()}
        counts = [r.part_count for r in self.resources]
        return repr((self._shapes, counts, capacities, grow, self._gradients, elements))

    def description(self, numbers: Mapping[int, int]) -> tuple[Any, ...]:
        """What a program on disk depends on: plain values, with the numbers of the handles."""
        handles = [(numbers[index], position) for index, position in self._handles.items()]
        return self.key, self._padded, handles, [r.kind() for r in self.resources]

    def sizes(self) -> tuple[int, ...]:
        """How many elements there are."""
        return tuple(map(len, self.resources))

    def bind(
        self,
        environment: Environment,
        states: Sequence[Any],
        capacity: int,
        fixed: Iterable[Any],
    ) -> list[Any]:
        """Puts traced objects into an environment and returns them.

        Args:
            environment: the environment.
            states: their states.
            capacity: the size of new stacks.
            fixed: values that are the same in every iteration.
        """
        iteration = Iteration(fixed)
        twins = [
            resource.traced(state, capacity, iteration, self._padded, self._elements.get(position))
            for position, (resource, state) in enumerate(zip(self.resources, states))
        ]
        for index, position in self._handles.items():
            environment.traced[index] = twins[position]
        for position, source, gradient in self._gradients:
            twins[position].gradients[source] = twins[gradient]
        return twins

    @property
    def room(self) -> int | None:
        """The number of iterations for which there is room; None if it is unlimited."""
        return min((r.room for r in self.resources if r.room is not None), default=None)

    def leave(self, states: Sequence[Any]) -> None:
        """Stores the new states after a program."""
        for resource, state in zip(self.resources, states):
            if state[0] is not None:
                resource.after_program(state)


def _outline(part: Any) -> Any:
    return Repeated(outline(part.element)) if isinstance(part, Repeated) else outline(part)


def sizes_vary(entering: Iterable[Operation]) -> bool:
    """Whether a TensorArray that enters a loop has a size that static shapes do not tell.

    Args:
        entering: the Enter ops.
    """
    for op in entering:
        while op._record.name in _HAND_ON or op._record.name in SWITCHES:
            op = op._inputs[0]._op
        if op._record.name == "TensorArrayV3" and static_size(op._inputs[0]) is None:
            return True
    return False


def switches_of_handles(loop: LoopBody) -> set[Node]:
    """The Switches in the body of a loop that hand on a stack or a TensorArray.

    Gradients of loops in branches have them. Their outputs are known by who takes them.
    """
    found: set[Node] = set()
    takers: dict[int, list[Any]] = {i: [loop] for i in loop.next_indices}
    takers.update((i, [loop]) for i, _ in loop.exits)
    for node in reversed(loop.body_nodes):
        if isinstance(node, Node) and node.record.name in SWITCHES:
            taken = [(taker, i) for i in node.outputs for taker in takers.get(i, ())]
            if taken and all(n in found or _takes_handle(n, i) for n, i in taken):
                found.add(node)
        for index in node.reads:
            takers.setdefault(index, []).append(node)
    return found


def _takes_handle(taker: Any, index: int) -> bool:
    return isinstance(taker, Node) and taker.record.opaque and taker.inputs[0] == index
