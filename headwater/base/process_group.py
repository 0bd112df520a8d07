"""The processes of a job that compute together, by XLA's collectives in JAX's runtime."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.lazy import jax
from headwater.base.typing import Array, DTypeLike

# A process that has not been heard of for so long is dead.
_HEARTBEAT_SECONDS = 20
# How long a process that has finished waits for the others.
_END_SECONDS = 3600


class ProcessGroup:
    """All processes of the job; each takes part in every collective, in the same order.

    Args:
        size: the number of processes.
        rank: the number of this one.
        task: the name of its task, ``/job:worker/replica:0/task:0``.
    """

    def __init__(self, size: int, rank: int, task: str) -> None:
        self.size = size
        self.rank = rank
        self.task = task
        # Collectives of one process must not overlap: the others could see another order.
        self._lock = threading.Lock()
        firsts = [
            min((d for d in jax.devices() if d.process_index == i), key=lambda d: d.id)
            for i in range(size)
        ]
        self._mesh = jax.sharding.Mesh(np.array(firsts), ("process",))
        self._device = firsts[rank]

    def all_reduce(self, value: Array, merge: str, divisor: int = 1) -> Any:
        """Combines the values of all processes element by element.

        Args:
            value: the value of this one; all have one shape and type.
            merge: "Add", "Mul", "Max" or "Min".
            divisor: what the result is divided by.

        Returns:
            An array of JAX, the same in all processes.
        """
        return self._run(merge, value, divisor)

    def all_gather(self, value: Array) -> Any:
        """Joins the values of all processes along the first dimension.

        Args:
            value: the value of this one.

        Returns:
            An array.
        """
        return self._run("Gather", value)

    def broadcast(self, value: Array | None, shape: tuple[int, ...], dtype: DTypeLike) -> Any:
        """Gives all processes the value of the one that has it.

        Args:
            value: the value, None in all other processes.
            shape: its shape.
            dtype: its type.

        Returns:
            The value.
        """
        # All the others add zeros.
        return self._run("Add", np.zeros(shape, dtype) if value is None else value)

    def check_equal(self, numbers: Sequence[int], text: Callable[[Sequence[int]], str]) -> None:
        """Checks that all processes bring the same: collectives of other values end the process.

        Args:
            numbers: what this one brings, as many numbers in all processes.
            text: the text of the error, a function of the numbers of another process.

        Raises:
            InvalidArgumentError: if another one brings something else.
        """
        mine = np.asarray(numbers, np.int64)
        every = np.asarray(self.all_gather(mine)).reshape(self.size, -1)
        different = every[(every != mine).any(axis=1)]
        if len(different):
            raise errors.InvalidArgumentError(
                None, None, text([int(number) for number in different[0]])
            )

    def _run(self, kind: str, value: Array, divisor: int = 1) -> Any:
        # The parts of a value that each process has its own of are given as if they were equal:
        # so they need not be copied to be parts of a larger array.
        sharding = jax.sharding.NamedSharding(self._mesh, jax.sharding.PartitionSpec())
        with self._lock:
            try:
                here = jax.device_put(value, self._device)
                given = jax.make_array_from_single_device_arrays(value.shape, sharding, [here])
                program = _program(self._mesh, kind, divisor)
                return jax.block_until_ready(program(given).addressable_data(0))
            except (RuntimeError, ValueError) as error:
                raise errors.InternalError(
                    None,
                    None,
                    f"Collective op failed: {str(error).splitlines()[0]}",
                    hint="another process of the job has ended. Start all of them again: they go "
                    "on from the last checkpoint.",
                ) from error


@functools.cache
def _program(mesh: Any, kind: str, divisor: int) -> Callable[[Any], Any]:
    def combine(mine: Any) -> Any:
        if kind == "Gather":
            every = jax.lax.all_gather(mine, "process")
            return every.reshape((-1, *mine.shape[1:]))
        if kind == "Mul":
            total = jax.lax.all_gather(mine, "process").prod(axis=0)
        else:
            merge = {"Add": jax.lax.psum, "Max": jax.lax.pmax, "Min": jax.lax.pmin}[kind]
            total = merge(mine, "process")
        if divisor == 1:
            return total
        return total // divisor if total.dtype.kind == "i" else total / divisor

    spec = jax.sharding.PartitionSpec()
    program: Callable[[Any], Any] = jax.jit(
        jax.shard_map(combine, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    )
    return program


_joined: list[ProcessGroup] = []


def current() -> ProcessGroup | None:
    """The group that this process has joined, or None."""
    return _joined[0] if _joined else None


def join(address: str, size: int, rank: int, task: str) -> ProcessGroup:
    """Makes this process one of a group; waits for the others.

    Args:
        address: host and port of the first process, on which nothing listens.
        size: the number of processes.
        rank: the number of this one.
        task: the name of its task.

    Returns:
        The group.

    Raises:
        FailedPreconditionError: if this process has computed something already.
    """
    if _joined:
        group = _joined[0]
        if (group.size, group.rank) != (size, rank):
            raise errors.FailedPreconditionError(
                None,
                None,
                f"This process is number {group.rank} of {group.size} already, and cannot be "
                f"number {rank} of {size}.",
            )
        return group
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(
            address,
            size,
            rank,
            heartbeat_timeout_seconds=_HEARTBEAT_SECONDS,
            shutdown_timeout_seconds=_END_SECONDS,
        )
    except RuntimeError as error:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Could not join the {size} processes at {address}: {error}",
            hint="make the strategy before the first session runs. The environment variable "
            "HEADWATER_COORDINATOR names another free port of the first worker.",
        ) from error
    _joined.append(ProcessGroup(size, rank, task))
    return _joined[0]
