"""Shuffling along the first axis: RandomShuffle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, philox
from headwater.ops.random.permutation import permutation


def kernel_random_shuffle(xp: ArrayModule, value: Array, *, state: Array) -> tuple[Any, Any]:
    count = value.shape[0] if value.ndim else 0
    if count <= 1:
        return value, state
    order = permutation(xp, state, count)
    return value.take(order, 0), philox.skip(xp, state, -(-(count - 1) // 4))


def samples_random_shuffle() -> Iterator[Sample]:
    yield Sample(np.arange(10, dtype=np.int32), seed=3)
    yield Sample(np.arange(12, dtype=np.float32).reshape(6, 2))
    yield Sample(np.float32(3))
    yield Sample(np.zeros((0, 4), np.int64))


register_op(
    "RandomShuffle",
    inputs="value: T",
    outputs="output: T",
    attrs="seed: int = 0, seed2: int = 0, T: type",
    shape=shapes.like_first,
    kernel=kernel_random_shuffle,
    state=arguments.state_of,
    # XLA takes thirty times as long as the swaps themselves.
    runs_on=RunsOn.HOST,
    stateful=True,
    samples=samples_random_shuffle,
)


@export("random_shuffle", "random.shuffle")
def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """Shuffles a tensor along its first axis.

    Args:
        value: the tensor.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of the same shape and type, whose rows are in random order.
    """
    return build.RandomShuffle(value, **op_seeds(seed), name=name)
