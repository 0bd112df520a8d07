"""The memory that compiled programs need besides their arguments, and whether there is enough.

If a program fails, the buffers that were donated to it are lost. So a program that does not fit
into memory is refused before it starts, and for one that barely fits the old values are copied.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import out_of_memory
from headwater.base.lazy import jax
from headwater.base.memory import available_memory, return_free_memory
from headwater.engine.compiling.lowering import Environment, program_function
from headwater.engine.compiling.region import Region
from headwater.engine.compiling.tracing import trace_to_end

# Programs that need less are run without a look at the free memory.
SMALL_BYTES = 16 << 20
# A program that needs more than this share of the free memory is a tight one.
_TIGHT = 0.25


class MemoryUse(NamedTuple):
    """The result of `memory_analysis` for a program that consists of several."""

    temp_size_in_bytes: int
    output_size_in_bytes: int
    alias_size_in_bytes: int = 0


def bytes_needed(executable: Any) -> tuple[int, int]:
    """What a compiled program allocates.

    Returns:
        The bytes while it runs, results included, and those of the results that are not in buffers
        which it has taken over.
    """
    try:
        stats = executable.memory_analysis()
    except (RuntimeError, NotImplementedError):
        stats = None
    if stats is None:
        # Not every backend has it.
        return 0, 0
    left = max(0, int(stats.output_size_in_bytes) - int(stats.alias_size_in_bytes))
    return int(stats.temp_size_in_bytes) + left, left


def is_tight(needed: int, device: Any, arguments: Any) -> bool:
    """Whether a program takes a large part of the memory that is free.

    Args:
        needed: the bytes that it needs.
        device: where it runs; None for the default device.
        arguments: its arguments; the programs that make them have to end before it starts.

    Raises:
        ResourceExhaustedError: if there is not enough.
    """
    if needed > free_bytes(device):
        # Running programs free their memory when they end.
        jax.block_until_ready(arguments)
        return_free_memory()
    free = free_bytes(device)
    if needed > free:
        raise out_of_memory(
            None,
            None,
            hint=f"the compiled program needs {_gib(needed)} besides its arguments, and "
            f"{_gib(free)} are free: feed smaller batches, or make the tensors smaller.",
        )
    return needed > _TIGHT * free


def free_bytes(device: Any) -> int:
    """The bytes that are free on a device; None stands for the default one."""
    device = device or jax.local_devices()[0]
    if device.platform == "cpu":
        return available_memory()
    stats = device.memory_stats() or {}
    if "bytes_limit" not in stats:
        return sys.maxsize
    return int(stats["bytes_limit"]) - int(stats.get("bytes_in_use", 0))


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.3g} GiB"


def naming_largest(
    error: errors.OpError, region: Region, known: dict[int, Any], arguments: tuple[Any, ...]
) -> tuple[errors.OpError, Any]:
    """The error of a program that does not fit, with the largest tensor in it.

    Returns:
        The error, and the op that makes the tensor; None if no op makes one.
    """
    largest: list[Any] = [0, None, None, None]

    def note(node: Any, values: Environment) -> None:
        for index in node.outputs:
            value = values[index]
            size = getattr(value, "size", 0) * np.dtype(getattr(value, "dtype", "u1")).itemsize
            if size > largest[0]:
                largest[:] = [size, node.op, tuple(value.shape), value.dtype]

    function, _ = program_function(region, known, note)
    trace_to_end(lambda f: jax.eval_shape(f, *arguments), function)
    _, op, shape, dtype = largest
    if op is None:
        return error, None
    platform = (region.device or jax.local_devices()[0]).platform
    named = out_of_memory(
        shape,
        dtype,
        device=op.device,
        allocator="cpu" if platform == "cpu" else "GPU_0_bfc",
        hint=str(error.hint),
    )
    return named, op
