"""How much memory of an accelerator is in use: BytesInUse, BytesLimit, MaxBytesInUse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.export import export
from headwater.base.lazy import jax
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, Tensor, build, register_op, shapes


def _kernel(statistic: str) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, *, op: Operation) -> Array:
        found = jax.local_devices()[0].memory_stats()
        if not found or statistic not in found:
            fail(
                f"No OpKernel was registered to support Op '{op.type}' used by node {op.name} with "
                "these attrs: []"
            )
        return np.int64(found[statistic])

    return kernel


def _register(name: str, statistic: str) -> None:
    register_op(
        name,
        outputs="out: int64",
        shape=shapes.scalar,
        kernel=_kernel(statistic),
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register("BytesInUse", "bytes_in_use")
_register("BytesLimit", "bytes_limit")
_register("MaxBytesInUse", "peak_bytes_in_use")


@export("contrib.memory_stats.BytesInUse")
def bytes_in_use() -> Tensor:
    """Makes an op that tells how much memory of the accelerator tensors take.

    Returns:
        An int64 scalar, in bytes. Without accelerator the run raises InvalidArgumentError.
    """
    return build.BytesInUse()


@export("contrib.memory_stats.BytesLimit")
def bytes_limit() -> Tensor:
    """Makes an op that tells how much memory of the accelerator tensors may take.

    Returns:
        An int64 scalar, in bytes. Without accelerator the run raises InvalidArgumentError.
    """
    return build.BytesLimit()


@export("contrib.memory_stats.MaxBytesInUse")
def max_bytes_in_use() -> Tensor:
    """Makes an op that tells how much memory of the accelerator tensors have taken at most.

    Returns:
        An int64 scalar, in bytes. Without accelerator the run raises InvalidArgumentError.
    """
    return build.MaxBytesInUse()
