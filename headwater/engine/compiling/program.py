"""One compiled form of a segment: one executable, or two if the segment has checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from headwater.base import logging
from headwater.base.errors import OpError
from headwater.base.lazy import jax, jnp
from headwater.base.memory import without_collections
from headwater.engine import kept_programs
from headwater.engine.compiling.compiler import compile_program
from headwater.engine.compiling.footprint import (
    SMALL_BYTES,
    bytes_needed,
    free_bytes,
    is_tight,
    naming_largest,
)
from headwater.engine.compiling.lowering import HasChecks, NeedsValue, program_function
from headwater.engine.compiling.phases import Phases, changes_rows
from headwater.engine.compiling.program_key import Numbers, region_key
from headwater.engine.compiling.region import Region
from headwater.engine.compiling.sequence import call_sequence, donation_flags, in_chunks
from headwater.engine.compiling.tracing import trace_to_end
from headwater.engine.program_keys import NoKey
from headwater.engine.state import on_host

# The results of a run and the new values of variables; None if a check has failed.
Outcome: TypeAlias = tuple[list[Any], list[Any]] | None

# Segments of so many nodes may contain repeats, which are compiled separately from the updates.
_MANY_NODES = 400


class _Outcome(NamedTuple):
    """What has come of compiling a segment; see the attributes of Program. Indices are numbers."""

    first: Any
    second: Any
    checked: bool
    in_phases: bool
    needed: int
    outputs: list[int]
    updated: list[int]
    dead: list[int]


class _Needed(NamedTuple):
    """The node that needs a value before the segment can be compiled, and which one."""

    node: int
    value: int


class Program:
    """A segment compiled for given shapes and known values.

    Attributes:
        inputs: the indices of the values that it takes.
        outputs: the indices of the results.
        updated: the indices of the new values of variables and op states.
        dead: the indices of values that are dead whenever the program runs.
    """

    outputs: list[int]
    updated: list[int]
    dead: list[int]

    def __init__(
        self, region: Region, known: dict[int, np.ndarray], large_constants: list[Any]
    ) -> None:
        self.inputs = [i for i in region.inputs if i not in known]
        self._region = region
        self._known = known
        self._constants = large_constants
        self._first: Callable[..., Any]
        self._second: Callable[..., Any] | None = None
        self._checked = False
        self._needed = 0
        self._in_phases = region.has_checks and changes_rows(region.nodes)
        self._device = region.device
        if self._device is not None:
            self._constants = self._brought(large_constants)

    @without_collections()
    def compile(self, kept: list[Any], read: list[Any], inputs: list[Any]) -> None:
        """Compiles for the shapes of variables and inputs.

        Raises:
            NeedsValue: if the value of an input has to be known.
        """
        if self._device is None:
            self._compile(kept, read, inputs, self._constants)
            return
        arguments = [self._brought(values) for values in (kept, read, inputs)]
        with jax.default_device(self._device):
            self._compile(*arguments, self._constants)

    def _compile(self, *arguments: Any) -> None:
        key, numbers = self._key(arguments)
        with kept_programs.making(key):
            self._load_or_compile(key, numbers, arguments)

    def _load_or_compile(
        self, key: str | None, numbers: Numbers, arguments: tuple[Any, ...]
    ) -> None:
        found = kept_programs.load(key, self._device)
        if found is not None:
            self._restore(found, list(numbers))
            return
        try:
            self._compile_anew(*arguments)
        except NeedsValue as need:
            place = self._region.nodes.index(need.node)
            kept_programs.keep(key, _Needed(place, numbers[need.index]))
            raise
        kept_programs.keep(key, self._outcome(numbers))

    def _key(self, arguments: Sequence[list[Any]]) -> tuple[str | None, Numbers]:
        """The key under which the program is kept on disk; None if it is not."""
        try:
            return region_key(self._region, self._known, arguments)
        except NoKey as reason:
            logging.debug("A program is not kept on disk: %s", reason)
            return None, Numbers()

    def _outcome(self, numbers: Numbers) -> _Outcome:
        """What has come of compiling, for other processes."""
        return _Outcome(
            self._first,
            self._second,
            self._checked,
            self._in_phases,
            self._needed,
            *map(numbers.of, (self.outputs, self.updated, self.dead)),
        )

    def _restore(self, found: _Outcome | _Needed, indices: list[int]) -> None:
        """Takes over what has come of compiling in an earlier process."""
        if isinstance(found, _Needed):
            raise NeedsValue(self._region.nodes[found.node], indices[found.value])
        self._first, self._second, self._checked, self._in_phases, self._needed = found[:5]
        self.outputs, self.updated, self.dead = ([indices[i] for i in n] for n in found[5:])

    def _compile_anew(self, *arguments: Any) -> None:
        if not self._in_phases and len(self._region.nodes) >= _MANY_NODES:
            self._in_phases = self._compile_phases(arguments, only_in_parts=True)
            if self._in_phases:
                return
        if not self._in_phases:
            try:
                self._compile_whole(arguments)
                return
            except HasChecks:
                self._in_phases = True
        self._compile_phases(arguments)

    def error_of(self, error: OpError, *arguments: Any) -> tuple[OpError, Any]:
        """The error of a run that does not fit into memory, and the op with the largest tensor."""
        return naming_largest(error, self._region, self._known, (*arguments, self._constants))

    def _brought(self, values: list[Any]) -> list[Any]:
        """The values, with device arrays moved to the device of this program."""
        return [jax.device_put(v, self._device) if isinstance(v, jax.Array) else v for v in values]

    def _compile_whole(self, arguments: tuple[Any, ...]) -> None:
        function, boundary = program_function(self._region, self._known)
        self._first, _ = _compiled(function, arguments, self._donated())
        self._needed, _ = bytes_needed(self._first)
        self.outputs, self.updated = boundary.outputs, boundary.updated
        self.dead = boundary.dead

    def _compile_phases(self, arguments: tuple[Any, ...], only_in_parts: bool = False) -> bool:
        """Compiles two phases (with `only_in_parts` only if parts repeat); tells whether it did."""
        phases = Phases(self._region, self._known)
        first: Any = call_sequence(phases.check, arguments)
        if first is None and only_in_parts:
            return False
        if first is None:
            first, out_info = _compiled(phases.check, arguments)
        else:
            out_info = first.out_info
        *_, carried, failed = out_info
        self._first = first
        self._checked = failed is not None
        if phases.has_updates:
            try:
                self._compile_update(phases, (*arguments, carried))
            except HasChecks:
                return self._compile_phases(arguments, only_in_parts)
        self._needed, carried_bytes = bytes_needed(first)
        if self._second is not None:
            self._needed = max(self._needed, carried_bytes + bytes_needed(self._second)[0])
        self.outputs = [*phases.early, *phases.late]
        self.updated = [*phases.early_updated, *phases.late_updated]
        self.dead = phases.dead
        return True

    def _compile_update(self, phases: Phases, arguments: tuple[Any, ...]) -> None:
        donated = self._donated()
        self._second = call_sequence(phases.update, arguments, donated)
        if self._second is None:
            self._second, _ = _compiled(phases.update, arguments, donated)

    def _donated(self) -> tuple[int, ...]:
        # If something that follows can fail, the old values must survive.
        return (0,) if self._region.last else ()

    def run(self, kept: list[Any], read: list[Any], inputs: list[Any]) -> Outcome:
        """Runs the program.

        Returns:
            The results and the new values, in the order of `outputs` and `updated`; None if a
            check has failed. Buffers of `kept` are donated only if none has.

        Raises:
            TypeError: if the program is for other shapes.
            ResourceExhaustedError: if it does not fit into memory; nothing has been donated.
        """
        if self._device is not None:
            kept, read, inputs = map(self._brought, (kept, read, inputs))
        if self._needed >= SMALL_BYTES and is_tight(
            self._needed, self._device, (kept, read, inputs)
        ):
            return self._run_with_care(kept, read, inputs)
        return self._call(kept, read, inputs)

    def _run_with_care(self, kept: list[Any], read: list[Any], inputs: list[Any]) -> Outcome:
        """Runs a program that may run out of memory: keeps the old values until it has ended."""
        if self._donated():
            size = sum(v.nbytes for v in kept)
            if self._needed + size < free_bytes(self._device):
                kept = [jnp.copy(v) if isinstance(v, jax.Array) else v for v in kept]
        outcome: Outcome = jax.block_until_ready(self._call(kept, read, inputs))
        return outcome

    def _call(self, kept: list[Any], read: list[Any], inputs: list[Any]) -> Outcome:
        arguments = (kept, read, inputs, self._constants)
        if not self._in_phases:
            results, new_values = self._first(*arguments)
            return results, new_values
        results, new_values, carried, failed = self._first(*arguments)
        if self._checked and bool(on_host(failed)):
            return None
        if self._second is not None:
            late, updates = self._second(*arguments, carried)
            return results + late, new_values + updates
        return results, new_values


def _compiled(
    function: Callable[..., Any], arguments: tuple[Any, ...], donated: tuple[int, ...] = ()
) -> tuple[Callable[..., Any], Any]:
    """A function compiled as a whole, if that is fast, and the shapes of what it returns."""

    def traced_with(f: Callable[..., Any]) -> tuple[Any, tuple[int, ...]]:
        traced = jax.jit(f, donate_argnums=donated).trace(*arguments)
        if donated and not _fit_outputs([arguments[i] for i in donated], traced.out_info):
            # A variable gets another shape: JAX would warn that its buffer is of no use.
            return jax.jit(f).trace(*arguments), ()
        return traced, donated

    traced, donated = trace_to_end(traced_with, function)
    chunks = in_chunks(traced.jaxpr, traced.out_info, donation_flags(arguments, donated))
    if chunks is not None:
        return chunks, traced.out_info
    return compile_program(traced.lower()), traced.out_info


def _fit_outputs(donated: list[Any], outputs: Any) -> bool:
    """Whether there is an output of the same shape and type for each donated array."""
    kinds = [
        Counter((v.shape, v.dtype) for v in jax.tree.leaves(values))
        for values in (donated, outputs)
    ]
    return not kinds[0] - kinds[1]
