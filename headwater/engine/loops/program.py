"""Many iterations of a loop as one XLA program."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from headwater.base import logging
from headwater.base.lazy import jax, jnp
from headwater.base.memory import without_collections
from headwater.engine import kept_programs
from headwater.engine.analysis.placement import runs_on_host
from headwater.engine.compiling.compiler import compile_program
from headwater.engine.compiling.footprint import SMALL_BYTES, bytes_needed, is_tight
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.compiling.products import while_loop
from headwater.engine.compiling.tracing import trace_to_end
from headwater.engine.loops.arrays import Arrays, switches_of_handles
from headwater.engine.loops.body import LoopBody
from headwater.engine.loops.lowering import Carry, Selecting, whole_states
from headwater.engine.loops.program_key import LoopKey
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
        arguments = self._brought((variables, constants, slots, arrays.parts))
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
            self._function, self._needed, self._places = found
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
        kept_programs.keep(text, (self._function, self._needed, self._places))

    def _key(self, arguments: Any) -> LoopKey | None:
        """The key under which the program is kept on disk; None if it is not."""
        try:
            return LoopKey(
                self._loop, self._device, arguments, self._arrays, self._capacity, self._known
            )
        except NoKey as reason:
            logging.debug("The program of a loop is not kept on disk: %s", reason)
            return None

    def _iterate(self, variables: Any, constants: Any, slots: Any, parts: Any, limit: Any) -> Any:
        loop = self._loop
        given = {i: v for i, v in zip(loop.constant_indices, constants) if v is not None}
        for index in self._known:
            del given[index]
        inside = Selecting({**given, **dict(zip(loop.layout.slots, slots))}, self._known)
        states = self._arrays.states_of(parts)
        carry = Carry(loop, inside, variables, self._arrays, states, self._capacity)

        def goes_on(state: Any) -> Any:
            count, carried, failed = state
            return (count < limit) & ~failed & carry.test(carried)

        def iteration(state: Any) -> Any:
            count, carried, failed = state
            carried, fails = carry.advance(carried)
            return count + 1, carried, failed | fails

        start = (jnp.int64(0), carry.start, jnp.bool_(False))
        _, (variables, slots, parts), failed = while_loop(goes_on, iteration, start)
        self._places = carry.places
        # One array comes to the host at once, which many scalars do not.
        numbers = jnp.stack([jnp.int32(n) for n in (failed, *parts) if not n.ndim])
        rows = [part if part.ndim else None for part in parts]
        # Outputs that are inputs would be the same buffers.
        return variables, slots, rows, list(map(jnp.copy, carry.elements)), numbers

    def run(
        self,
        variables: Sequence[Any],
        constants: Sequence[Any],
        slots: Sequence[Any],
        arrays: Arrays,
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
        arguments = self._brought((variables, constants, slots, arrays.parts))
        if self._needed >= SMALL_BYTES:
            is_tight(self._needed, self._device, arguments)
        values, new_slots, parts, elements, numbers = self._function(*arguments, np.int64(limit))
        failed, *counts = on_host(numbers).tolist()
        rest = iter(counts)
        parts = [next(rest) if part is None else part for part in parts]
        states = whole_states(arrays.states_of(arrays.parts), self._places, parts, elements)
        return values, new_slots, states, bool(failed)

    def _brought(self, values: Any) -> Any:
        """The values, with device arrays moved to the device of this program."""
        device = self._device
        if device is None:
            return values
        return jax.tree.map(
            lambda v: jax.device_put(v, device) if isinstance(v, jax.Array) else v, values
        )


def _is_view(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.flags.c_contiguous
