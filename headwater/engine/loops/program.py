"""Many iterations of a loop as one XLA program."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from headwater.base import checks, logging
from headwater.base.dead import DEAD
from headwater.base.lazy import jax, jnp
from headwater.base.memory import without_collections
from headwater.engine import kept_programs
from headwater.engine.analysis.control_flow import MERGES, SWITCHES
from headwater.engine.analysis.placement import runs_on_host
from headwater.engine.compiling.compiler import compile_program
from headwater.engine.compiling.footprint import SMALL_BYTES, bytes_needed, is_tight
from headwater.engine.compiling.lowering import Environment, NeedsValue
from headwater.engine.compiling.products import while_loop
from headwater.engine.compiling.tracing import trace_to_end
from headwater.engine.loops.arrays import Arrays, filled, switches_of_handles
from headwater.engine.loops.body import LoopBody
from headwater.engine.loops.program_key import LoopKey
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.nodes.node import Node
from headwater.engine.program_keys import NoKey
from headwater.engine.state import on_host
from headwater.ops.control.traced_resources import NotUniform


def is_traceable(loop: LoopBody) -> bool:
    """Whether a loop has no node that must run on the host.

    Stacks and TensorArrays may be used in the body of the outermost loop.
    """
    handles = switches_of_handles(loop)
    return loop.test_index is not None and all(
        node in handles or _is_traceable(node, node in loop.body_nodes) for node in loop.nodes
    )


def _is_traceable(node: Any, in_body: bool) -> bool:
    if isinstance(node, Node):
        return (in_body and node.record.opaque) or not runs_on_host(node.op)
    return is_traceable(node) and not any(
        isinstance(n, Node) and n.record.opaque for n in node.body_nodes
    )


class _Needed(NamedTuple):
    """The node that needs a value before the loop can be compiled, and which one."""

    node: int
    value: int


class _Uneven(NamedTuple):
    """The shapes of something differ from iteration to iteration."""


class LoopProgram:
    """Runs iterations of a loop until its predicate is false or a limit is reached.

    Args:
        loop: the loop.
        device: the JAX device of its ops; None for the default one.
        variables: the values of the loop variables, for their shapes.
        constants: the values that are the same in every iteration, in the order of
            `loop.constant_indices`; those of handles are None.
        slots: the values of the variables (of the graph) that the loop uses.
        arrays: the stacks and TensorArrays.
        capacity: how many iterations there are, if there are stacks.
        known: the constants whose values it may rely on.

    Raises:
        NeedsValue: if an op needs a value that differs from iteration to iteration.
        NotUniform: if an array has elements of several shapes.
        TypeError: if a loop variable changes its shape.
    """

    @without_collections()
    def __init__(
        self,
        loop: LoopBody,
        device: Any,
        variables: Sequence[Any],
        constants: Sequence[Any],
        slots: Sequence[Any],
        arrays: Arrays,
        capacity: int,
        known: dict[int, np.ndarray],
    ) -> None:
        self._loop = loop
        self._device = device
        self._known = known
        self._arrays = arrays
        self._capacity = capacity
        arguments = self._brought((variables, constants, slots, arrays.states))
        with jax.default_device(device) if device is not None else nullcontext():
            key = self._key(arguments)
            with kept_programs.making(None if key is None else key.text):
                self._load_or_compile(key, arguments)
        del self._arrays

    def _load_or_compile(self, key: LoopKey | None, arguments: Any) -> None:
        text = None if key is None else key.text
        found = kept_programs.load(text, self._device)
        if isinstance(found, _Needed) and key is not None:
            raise NeedsValue(*key.node_at(found.node, found.value))
        if isinstance(found, _Uneven):
            raise NotUniform
        if found is not None:
            self._function, self._needed = found
            return
        try:
            traced = trace_to_end(
                lambda f: jax.jit(f).trace(*arguments, np.int64(0)), self._iterate
            )
        except NeedsValue as need:
            if key is not None:
                kept_programs.keep(text, _Needed(*key.place_of(need.node, need.index)))
            raise
        except (NotUniform, TypeError):
            kept_programs.keep(text, _Uneven())
            raise
        self._function = compile_program(traced.lower())
        self._needed, _ = bytes_needed(self._function)
        kept_programs.keep(text, (self._function, self._needed))

    def _key(self, arguments: Any) -> LoopKey | None:
        """The key under which the program is kept on disk; None if it is not."""
        try:
            return LoopKey(
                self._loop, self._device, arguments, self._arrays, self._capacity, self._known
            )
        except NoKey as reason:
            logging.debug("The program of a loop is not kept on disk: %s", reason)
            return None

    def _iterate(self, variables: Any, constants: Any, slots: Any, states: Any, limit: Any) -> Any:
        loop = self._loop
        given = {i: v for i, v in zip(loop.constant_indices, constants) if v is not None}
        for index in self._known:
            del given[index]
        inside = _Selecting({**given, **dict(zip(loop.layout.slots, slots))}, self._known)
        carry = _Carry(loop, inside, variables, self._arrays, states, self._capacity)

        def goes_on(state: Any) -> Any:
            count, carried, failed = state
            return (count < limit) & ~failed & carry.test(carried)

        def iteration(state: Any) -> Any:
            count, carried, failed = state
            carried, fails = carry.advance(carried)
            return count + 1, carried, failed | fails

        start = (jnp.int64(0), carry.start, jnp.bool_(False))
        _, (variables, slots, states), failed = while_loop(goes_on, iteration, start)
        # One array comes to the host at once, which many scalars do not.
        counts = [filled(state, fixed)[-1] for state, fixed in zip(states, carry.fixed)]
        numbers = jnp.stack([jnp.int32(n) for n in (failed, *counts)])
        return variables, slots, [state[:-1] for state in states], numbers

    def run(
        self,
        variables: Sequence[Any],
        constants: Sequence[Any],
        slots: Sequence[Any],
        states: Sequence[Any],
        limit: int,
    ) -> tuple[list[Any], list[Any], list[Any], bool]:
        """Runs up to `limit` iterations.

        Returns:
            The loop variables, the new values of the slots that the loop updates, the states of
            the arrays, and whether a check on values has failed; the rest is not valid then.

        Raises:
            ResourceExhaustedError: if the program does not fit into memory.
        """
        # JAX copies arrays that are not contiguous slowly.
        variables = [np.ascontiguousarray(v) if _is_view(v) else v for v in variables]
        arguments = self._brought((variables, constants, slots, states))
        if self._needed >= SMALL_BYTES:
            is_tight(self._needed, self._device, arguments)
        values, new_slots, parts, numbers = self._function(*arguments, np.int64(limit))
        failed, *counts = on_host(numbers).tolist()
        return values, new_slots, [(*part, n) for part, n in zip(parts, counts)], bool(failed)

    def _brought(self, values: Any) -> Any:
        """The values, with device arrays moved to the device of this program."""
        device = self._device
        if device is None:
            return values
        return jax.tree.map(
            lambda v: jax.device_put(v, device) if isinstance(v, jax.Array) else v, values
        )


class _Selecting(Environment):
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


class _Carry:
    """The carried values of a traced loop, and its iteration as a function of them.

    Args:
        loop: the loop.
        inside: what is the same in every iteration, and the variables of the graph.
        variables: the loop variables at the start.
        arrays: the stacks and TensorArrays; None in an inner loop.
        states: their elements at the start.
        capacity: the size of stacks.

    Attributes:
        start: the carried values at the start.
        fixed: by array, the parts of its state that are not carried; None for the others.
    """

    def __init__(
        self,
        loop: LoopBody,
        inside: _Selecting,
        variables: Sequence[Any],
        arrays: Arrays | None = None,
        states: Sequence[Any] = (),
        capacity: int = 0,
    ) -> None:
        self._loop = loop
        self._inside = inside
        self._arrays = arrays
        self._capacity = capacity
        self._twins: list[Any] = []
        # Parts that iterations only read are not carried: they would be copied.
        self.fixed = [(None,) * len(state) for state in states]
        slots = [jnp.asarray(inside[i]) for i in loop.updated_slots]
        self.start = ([jnp.asarray(v) for v in variables], slots, list(states))
        if states:
            self._start_states(list(states))

    def _start_states(self, states: list[Any]) -> None:
        """Traces one iteration to find which states change, and the shapes of new ones."""
        unchanged: list[list[bool]] = []

        def iteration() -> Any:
            (_, _, after), _ = self.advance(self.start)
            pairs = zip(states, after)
            unchanged.extend([new is old for old, new in zip(*pair)] for pair in pairs)
            return after

        found = trace_to_end(jax.eval_shape, iteration)
        carried = []
        for i, (state, same) in enumerate(zip(states, unchanged)):
            self.fixed[i] = tuple(part if kept else None for part, kept in zip(state, same))
            carried.append(
                tuple(
                    None if kept else _zeros(shape) if part is None else part
                    for part, kept, shape in zip(state, same, found[i])
                )
            )
        self.start = (*self.start[:2], carried)

    def environment(self, carried: Any) -> _Selecting:
        """The values at the start of an iteration."""
        variables, slots, states = carried
        environment = _Selecting(
            dict(self._inside.traced), {**self._loop.constants, **self._inside.known}
        )
        environment.traced.update(zip(self._loop.variable_indices, variables))
        environment.traced.update(zip(self._loop.updated_slots, slots))
        if self._arrays is not None:
            whole = [filled(state, fixed) for state, fixed in zip(states, self.fixed)]
            self._twins = self._arrays.bind(environment, whole, self._capacity)
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
        environment = self.environment(carried)
        twins = self._twins
        with checks.collected() as conditions:
            for node in (*self._loop.test_nodes, *self._loop.body_nodes):
                environment.run(node)
        variables = [jnp.asarray(environment[i]) for i in self._loop.next_indices]
        slots = [jnp.asarray(environment[i]) for i in self._loop.updated_slots]
        fails = ~jnp.all(jnp.stack(conditions)) if conditions else jnp.bool_(False)
        states = [
            tuple(None if kept is not None else part for part, kept in zip(twin.state(), fixed))
            for twin, fixed in zip(twins, self.fixed)
        ]
        return (variables, slots, states), fails


def _is_view(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.flags.c_contiguous


def _zeros(shape: Any) -> Any:
    return None if shape is None else jnp.zeros(shape.shape, shape.dtype)


def _lower_inner(loop: LoopBody, outside: _Selecting) -> None:
    """Traces a loop inside of a traced loop; its exits get their values in `outside`."""
    inside = _Selecting({}, {})
    for index, outer_index in loop.entries:
        inside[index] = outside[outer_index]
    for index, outer_index in loop.slots_outside.items():
        inside[index] = outside[outer_index]
    alive = outside.aliveness(loop.reads)
    carry = _Carry(loop, inside, [inside[i] for i in loop.first_indices])

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
