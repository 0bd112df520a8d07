"""Kernels that NumPy is too slow for: each is a small program, also where ops run one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.cancellation import uninterrupted
from headwater.base.lazy import jax, jnp
from headwater.engine import kept_programs
from headwater.engine.program_keys import Key, NoKey, attr_names, shape_of
from headwater.graph import Operation

_programs: dict[Any, Callable[..., Any]] = {}
# With so many of them, the memory begins anew.
_MOST_PROGRAMS = 1024


def heavy_call(op: Operation) -> Callable[..., Any]:
    """The kernel of a heavy op as a function of (*flat inputs, **extra) on NumPy arrays."""
    positions = op._record.concrete_inputs(op._attrs)

    def heavy(*inputs: Any, **extra: Any) -> Any:
        concrete = {i: np.asarray(inputs[i]) for i in positions}
        rest = [x for i, x in enumerate(inputs) if i not in concrete]
        # Awaited, so that it fails here, where the op is known.
        with uninterrupted():
            return jax.block_until_ready(_program(op, concrete, rest, extra)(rest, extra))

    return heavy


def _program(
    op: Operation,
    concrete: Mapping[int, np.ndarray],
    rest: Sequence[Any],
    extra: Mapping[str, Any],
) -> Callable[..., Any]:
    """The compiled kernel of a heavy op; equal ops share it."""
    record = op._record
    names = record.kernel_attrs or tuple(op._attrs)
    key = (
        record.name,
        repr([(n, op._attrs.get(n)) for n in names if not n.startswith("_")]),
        tuple((i, v.tobytes(), v.shape) for i, v in concrete.items()),
        len(op._inputs),
        tuple((name, *shape_of(value)) for name, value in extra.items()),
        tuple(map(shape_of, rest)),
    )
    program = _programs.get(key)
    if program is None:
        if len(_programs) >= _MOST_PROGRAMS:
            _programs.clear()
        program = _programs[key] = _loaded_or_compiled(op, concrete, rest, extra)
    return program


def _loaded_or_compiled(
    op: Operation,
    concrete: Mapping[int, np.ndarray],
    rest: Sequence[Any],
    extra: Mapping[str, Any],
) -> Callable[..., Any]:
    key = _key_on_disk(op, concrete, rest, extra)
    program: Callable[..., Any] | None = kept_programs.load(key, None)
    if program is None:
        program = jax.jit(_kernel(op, concrete)).lower(rest, extra).compile()
        kept_programs.keep(key, program)
    return program


def _kernel(op: Operation, concrete: Mapping[int, np.ndarray]) -> Callable[..., Any]:
    call = op._record.bind(op._attrs)
    count = len(op._inputs)

    def kernel(inputs: list[Any], extra: dict[str, Any]) -> Any:
        rest = iter(inputs)
        full = [concrete[i] if i in concrete else next(rest) for i in range(count)]
        return call(jnp, full, **extra)

    return kernel


def _key_on_disk(
    op: Operation,
    concrete: Mapping[int, np.ndarray],
    rest: Sequence[Any],
    extra: Mapping[str, Any],
) -> str | None:
    """The key under which the program is kept on disk; None if it is not."""
    record = op._record
    key = Key("kernel", None)
    try:
        key.add_attrs(op._attrs, attr_names(record))
        key.add(record.name, len(op._inputs), list(concrete), list(extra))
        for value in concrete.values():
            key.add_array(value)
        key.add_shapes((*rest, *extra.values()))
    except NoKey:
        return None
    return key.text()
