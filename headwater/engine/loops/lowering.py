"""Lowering of loops: iterations as a function that JAX traces."""

from __future__ import annotations

import enum
import functools
import itertools
import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from headwater.base import checks
from headwater.base.dead import DEAD
from headwater.base.lazy import jax, jnp
from headwater.engine.analysis.control_flow import MERGES, SWITCHES
from headwater.engine.compiling.lowering import Environment, NeedsValue
from headwater.engine.compiling.products import while_loop
from headwater.engine.compiling.tracing import trace_to_end
from headwater.engine.loops.arrays import Arrays
from headwater.engine.loops.body import LoopBody
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.nodes.node import Node
from headwater.ops.control.traced_resources import Repeated


class Selecting(Environment):
    """The values of a loop while it is traced.

    The predicate of a Switch is not known here: both branches are computed and a Merge selects.
    Updates and checks of a branch take effect only if the branch is taken.
    """

    def __init__(self, traced: dict[int, Any], known: dict[int, Any]) -> None:
        super().__init__(traced, known)
        # Traced conditions under which values are alive.
        self._alive: dict[int, Any] = {}

    def aliveness(self, indices: Iterable[int]) -> Any:
        """The condition under which all of some values are alive; None if they always are."""
        found = {id(self._alive[i]): self._alive[i] for i in indices if i in self._alive}
        alive = None
        for condition in found.values():
            alive = condition if alive is None else alive & condition
        return alive

    def set_alive(self, indices: Iterable[int], alive: Any) -> None:
        """Notes the condition under which values are alive."""
        if alive is not None:
            self._alive.update(dict.fromkeys(indices, alive))

    def run(self, node: Any) -> None:
        """Traces a node, or a loop inside of the loop."""
        if not isinstance(node, Node):
            _lower_inner(node, self)
            return
        if node.record.name in SWITCHES and node.inputs[1] not in self.known:
            self._switch(node)
        elif node.record.name in MERGES:
            self._merge(node)
        else:
            self._run_if_alive(node, self.aliveness(node.reads))
        for output, tested in node.alive:
            self[tested] = DEAD if self[output] is DEAD else NOTHING
            if output in self._alive:
                self._alive[tested] = self._alive[output]

    def _switch(self, node: Node) -> None:
        data, predicate = (self[i] for i in node.inputs)
        alive = self.aliveness(node.reads)
        for output, taken in zip(node.outputs, (~predicate, predicate)):
            self[output] = data
            self._alive[output] = taken if alive is None else taken & alive

    def _merge(self, node: Node) -> None:
        inputs = [i for i in node.inputs if self[i] is not DEAD]
        if not any(i in self._alive for i in inputs):
            super().run(node)
            return
        value, which = self[inputs[0]], jnp.int32(node.inputs.index(inputs[0]))
        for index in inputs[1:]:
            other, alive = self[index], self._alive.get(index, True)
            if np.shape(other) != np.shape(value):
                # The result would have no static shape.
                raise NeedsValue(node, index)
            value = jnp.where(alive, other, value)
            which = jnp.where(alive, np.int32(node.inputs.index(index)), which)
        self[node.outputs[0]], self[node.outputs[1]] = value, which
        self.set_alive(node.outputs, self._merged_aliveness(inputs))

    def _merged_aliveness(self, inputs: list[int]) -> Any:
        if any(i not in self._alive for i in inputs):
            return None
        return functools.reduce(operator.or_, (self._alive[i] for i in inputs))

    def _run_if_alive(self, node: Node, alive: Any) -> None:
        if node.record.opaque:
            self[node.inputs[0]].alive = alive
        if alive is None:
            super().run(node)
            return
        changed = [*node.updates, *([] if node.state is None else [node.state])]
        before = [self[i] for i in changed]
        with checks.collected() as conditions:
            super().run(node)
        for condition in conditions:
            checks.require(jnp, condition | ~alive, AssertionError)
        for index, old in zip(changed, before):
            self[index] = jnp.where(alive, self[index], old)
        self.set_alive(node.outputs, alive)


# Where a part of the state of a stack or TensorArray is; see `Carry.places`.
Place: TypeAlias = int | Repeated | None


class Carry:
    """The carried values of a traced loop, and its iteration as a function of them.

    Carried are the loop variables, the updated variables of the graph, and the parts of the states
    of stacks and TensorArrays that iterations change. Parts that begin as the same object, such as
    the numbers of elements of most stacks, are carried once if iterations treat them alike.

    Args:
        loop: the loop.
        inside: what is the same in every iteration, and the variables of the graph.
        variables: the loop variables at the start.
        arrays: the stacks and TensorArrays; None in an inner loop.
        states: their elements at the start.
        capacity: the size of stacks.

    Attributes:
        start: the carried values at the start: variables, slots, and parts.
        places: for each state, which of the carried parts its parts are; None for one that is not
            carried, because iterations only read it; Repeated for one of the `elements`.
        elements: the elements that iterations push again and again.
    """

    def __init__(
        self,
        loop: LoopBody,
        inside: Selecting,
        variables: Sequence[Any],
        arrays: Arrays | None = None,
        states: Sequence[Any] = (),
        capacity: int = 0,
    ) -> None:
        self._loop = loop
        self._inside = inside = Selecting(inside.traced, {**loop.constants, **inside.known})
        with checks.collected() as self._conditions:
            for node in loop.once_nodes:
                inside.run(node)
        self._arrays = arrays
        self._capacity = capacity
        self._twins: list[Any] = []
        self._states = list(states)
        self.places: list[tuple[Place, ...]] = []
        self.elements: list[Any] = []
        slots = [jnp.asarray(inside[i]) for i in loop.updated_slots]
        parts: list[Any] = []
        self.start = ([jnp.asarray(v) for v in variables], slots, parts)
        if states:
            self._find_parts()

    def _find_parts(self) -> None:
        """Traces iterations to find which parts of states change, and the shapes of new ones."""
        flat = [part for state in self._states for part in state]
        after = _numbered(list(map(id, flat)))
        same: list[int] = []
        while after != same:
            same = after
            self._set_places(same)
            shapes, after, fates = self._outcome(_firsts(flat, same), same)
        # By their numbers, the places of carried parts.
        places: dict[int, Place] = {}
        for start, shape, number, fate in zip(flat, shapes, same, fates):
            if number in places:
                continue
            if isinstance(fate, Repeated):
                places[number] = Repeated(len(self.elements))
                self.elements.append(fate.element)
            elif fate is Fate.UNCHANGED:
                places[number] = None
            else:
                places[number] = len(self.start[2])
                self.start[2].append(_zeros(shape) if start is None else start)
        self._set_places([places[number] for number in same])

    def _outcome(self, parts: list[Any], same: list[int]) -> tuple[Any, list[int], list[Any]]:
        """What comes of the parts of states in an iteration.

        Args:
            parts: the parts at its start.
            same: which of them each part of each state is.

        Returns:
            The shapes of the parts of states afterwards; which of those that were the same are so
            still, as numbers; the fate of each, Repeated for what is pushed again and again.
        """
        after: list[int] = []
        fates: list[Any] = []

        def iteration(parts: list[Any]) -> Any:
            states = self._states_after((*self.start[:2], parts))[0]
            found = [part for state in states for part in state]
            after.extend(_numbered([(number, id(p)) for number, p in zip(same, found)]))
            fates.extend(_fate(parts[number], new) for number, new in zip(same, found))
            return found

        shapes = trace_to_end(lambda f: jax.eval_shape(f, parts), iteration)
        return shapes, after, fates

    def _set_places(self, places: Sequence[Place]) -> None:
        rest = iter(places)
        self.places = [tuple(itertools.islice(rest, len(state))) for state in self._states]

    def environment(self, carried: Any) -> Selecting:
        """The values at the start of an iteration."""
        variables, slots, parts = carried
        environment = Selecting(dict(self._inside.traced), dict(self._inside.known))
        environment.traced.update(zip(self._loop.variable_indices, variables))
        environment.traced.update(zip(self._loop.updated_slots, slots))
        if self._arrays is not None:
            states = whole_states(self._states, self.places, parts)
            fixed = self._inside.traced.values()
            self._twins = self._arrays.bind(environment, states, self._capacity, fixed)
        return environment

    def test(self, carried: Any) -> Any:
        """The predicate of the loop."""
        environment = self.environment(carried)
        with checks.collected():
            for node in self._loop.test_nodes:
                environment.run(node)
        assert self._loop.test_index is not None
        return jnp.asarray(environment[self._loop.test_index])

    def advance(self, carried: Any) -> tuple[Any, Any]:
        """One iteration, and whether a check on values failed in it."""
        states, environment, fails = self._states_after(carried)
        variables = [jnp.asarray(environment[i]) for i in self._loop.next_indices]
        slots = [jnp.asarray(environment[i]) for i in self._loop.updated_slots]
        parts = list(carried[2])
        for state, places in zip(states, self.places):
            for part, place in zip(state, places):
                if isinstance(place, int):
                    parts[place] = part
        return (variables, slots, parts), fails

    def _states_after(self, carried: Any) -> tuple[list[Any], Selecting, Any]:
        """The states after an iteration, all values, and whether a check on values failed."""
        environment = self.environment(carried)
        twins = self._twins
        with checks.collected() as conditions:
            conditions.extend(self._conditions)
            for node in (*self._loop.test_nodes, *self._loop.body_nodes):
                environment.run(node)
        fails = ~checks.all_hold(conditions) if conditions else jnp.bool_(False)
        return [twin.state() for twin in twins], environment, fails


def _numbered(keys: Sequence[Any]) -> list[int]:
    """Numbers for keys, in the order of their first occurrence."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _firsts(values: Sequence[Any], numbers: Sequence[int]) -> list[Any]:
    """The first value with each number, where new numbers count up."""
    firsts: dict[int, Any] = {}
    for number, value in zip(numbers, values):
        firsts.setdefault(number, value)
    return list(firsts.values())


def whole_states(
    states: Sequence[Any],
    places: Sequence[tuple[Place, ...]],
    parts: Sequence[Any],
    elements: Sequence[Any] = (),
) -> list[tuple[Any, ...]]:
    """States with those of their parts replaced that have a place.

    Args:
        states: the states.
        places: the place of each part.
        parts: what the places are among.
        elements: what the places of repeated elements are among; without any, these parts stay.
    """

    def part(old: Any, place: Place) -> Any:
        if isinstance(place, Repeated):
            return Repeated(elements[place.element]) if elements else old
        return old if place is None else parts[place]

    return [tuple(map(part, state, where)) for state, where in zip(states, places)]


class Fate(enum.Enum):
    """What becomes of a part of the state of a stack or TensorArray in an iteration."""

    UNCHANGED = enum.auto()
    CARRIED = enum.auto()


def _fate(old: Any, new: Any) -> Any:
    if new is old:
        return Fate.UNCHANGED
    return new if isinstance(new, Repeated) else Fate.CARRIED


def _zeros(shape: Any) -> Any:
    return jnp.zeros(shape.shape, shape.dtype)


def _lower_inner(loop: LoopBody, outside: Selecting) -> None:
    """Traces a loop inside of a traced loop; its exits get their values in `outside`."""
    inside = Selecting({}, {})
    for index, outer_index in loop.entries:
        inside[index] = outside[outer_index]
    for index, outer_index in loop.slots_outside.items():
        inside[index] = outside[outer_index]
    alive = outside.aliveness(loop.reads)
    carry = Carry(loop, inside, [inside[i] for i in loop.first_indices])

    def goes_on(state: Any) -> Any:
        carried, failed = state
        test = carry.test(carried) & ~failed
        return test if alive is None else test & alive

    def iteration(state: Any) -> Any:
        carried, failed = state
        carried, fails = carry.advance(carried)
        return carried, failed | fails

    carried, failed = while_loop(goes_on, iteration, (carry.start, jnp.bool_(False)))
    checks.require(jnp, ~failed, AssertionError)
    end = carry.environment(carried)
    for node in (*loop.test_nodes, *loop.end_nodes):
        end.run(node)
    for index, outer_index in loop.exits:
        outside[outer_index] = end[index]
    for outer_index in loop.valueless_exits:
        outside[outer_index] = NOTHING
    for index in loop.updated_slots:
        outside[loop.slots_outside[index]] = end[index]
    outside.set_alive(loop.outputs, alive)
