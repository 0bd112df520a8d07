"""Decay functions of the sign term in PowerSign and AddSign."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export
from headwater.ops.array.constant import constant
from headwater.ops.math.cast import cast


def _step(global_step: TensorLike, decay_steps: TensorLike, name: str) -> Tensor:
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")
    return build.Minimum(global_step, decay_steps)


def _wave(fraction: Tensor) -> Tensor:
    return 0.5 * (1.0 + build.Cos(math.pi * fraction))


def _until(decayed: Tensor, passed: TensorLike, end: TensorLike) -> Tensor:
    over = build.GreaterEqual(passed, convert_to_tensor(end, dtype=dtypes.float32))
    return build.Select(over, constant(0.0), decayed)


@export("contrib.opt.get_linear_decay_fn")
def get_linear_decay_fn(decay_steps: TensorLike) -> Callable[[Any], Tensor]:
    """Makes a linear decay.

    max(0, (decay_steps - min(global_step, decay_steps)) / decay_steps)

    Args:
        decay_steps: the number of steps to zero.

    Returns:
        A function from the global step to a float32 scalar.
    """

    def linear_decay_fn(global_step: TensorLike) -> Tensor:
        step = _step(global_step, decay_steps, "linear_decay")
        left = cast(decay_steps, dtypes.int32) - cast(step, dtypes.int32)
        decayed = cast(left, dtypes.float32) / cast(decay_steps, dtypes.float32)
        return build.Maximum(0.0, decayed)

    return linear_decay_fn


@export("contrib.opt.get_cosine_decay_fn")
def get_cosine_decay_fn(
    decay_steps: TensorLike, num_periods: float = 0.5, zero_after: float | None = None
) -> Callable[[Any], Tensor]:
    """Makes a cosine decay.

    (1 + cos(2 pi num_periods min(global_step, decay_steps) / decay_steps)) / 2

    Args:
        decay_steps: the number of steps of all periods.
        num_periods: how often the cosine returns.
        zero_after: the number of periods after which the decay is zero.

    Returns:
        A function from the global step to a float32 scalar.
    """

    def cosine_decay_fn(global_step: TensorLike) -> Tensor:
        step = _step(global_step, decay_steps, "cosine_decay")
        done = cast(step, dtypes.float32) / cast(decay_steps, dtypes.float32)
        fraction = 2.0 * num_periods * done
        decayed = _wave(fraction)
        return decayed if zero_after is None else _until(decayed, fraction, 2 * zero_after)

    return cosine_decay_fn


@export("contrib.opt.get_restart_decay_fn")
def get_restart_decay_fn(
    decay_steps: TensorLike, num_periods: float = 1, zero_after: float | None = None
) -> Callable[[Any], Tensor]:
    """Makes a cosine decay with restarts after each period.

    (1 + cos(pi f)) / 2 where f is the part of the current period that has passed.

    Args:
        decay_steps: the number of steps of all periods.
        num_periods: the number of periods.
        zero_after: the number of periods after which the decay is zero.

    Returns:
        A function from the global step to a float32 scalar.
    """

    def restart_decay_fn(global_step: TensorLike) -> Tensor:
        step = cast(_step(global_step, decay_steps, "restart_decay"), dtypes.float32)
        steps = cast(decay_steps, dtypes.float32)
        passed = build.FloorMod(num_periods * step, steps)
        decayed = _wave(passed / steps)
        if zero_after is None:
            return decayed
        return _until(decayed, num_periods * step / steps, zero_after)

    return restart_decay_fn
