"""Shuffling along the first axis: RandomShuffle."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import Sample, Tensor, build, export, register_op, shapes
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, distributions, philox


def permutation(xp: Any, cell: Any, count: int) -> Any:
    """Returns what the swaps of Fisher and Yates make of 0, 1, ..., count - 1; count > 1.

    Swap i exchanges the elements at i and at i + word[i] % (count - i). All swaps are followed at
    once: an element that is swapped to position k before swap k is moved on by swap k.
    """
    swap = xp.arange(count - 1)
    word = distributions.words(xp, cell, count - 1)
    target = swap + (word % (count - swap).astype(xp.uint32)).astype(swap.dtype)

    # before[k]: the last swap that puts an element at k before swap k does, or k if none does.
    # That element is the one which stood at before[k] when its swap came.
    ahead = target > swap
    before = xp.arange(count)
    if xp is np:
        before[target[ahead]] = swap[ahead]
    else:
        last = xp.full(count, -1).at[target].max(xp.where(ahead, swap, -1))
        before = xp.where(last < 0, before, last)
    origin = before
    for _ in range((count - 1).bit_length()):
        origin = origin[origin]

    # earlier[i]: the last swap before i with the same target, or -1.
    key = xp.sort(target * count + swap)
    place, order = key // count, key % count
    same = place[1:] == place[:-1]
    earlier = xp.full(count - 1, -1)
    pairs = order[1:], xp.where(same, order[:-1], -1)
    if xp is np:
        earlier[pairs[0]] = pairs[1]
    else:
        earlier = earlier.at[pairs[0]].set(pairs[1])
    taken = xp.where(earlier < 0, target, origin[earlier])
    return xp.concatenate([taken, origin[-1:]])


def kernel_random_shuffle(xp: Any, value: Any, *, cell: Any) -> tuple[Any, Any]:
    count = value.shape[0] if value.ndim else 0
    if count <= 1:
        return value, cell
    order = permutation(xp, cell, count)
    return xp.asarray(value)[order], philox.skip(xp, cell, -(-(count - 1) // 4))


def samples_random_shuffle() -> Any:
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
    cell=arguments.cell_of,
    stateful=True,
    samples=samples_random_shuffle,
)


@export("random_shuffle", "random.shuffle")
def random_shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """Shuffles a tensor along its first axis.

    Args:
        value: the tensor.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of the same shape and type, whose rows are in random order.
    """
    return build.RandomShuffle(value, **op_seeds(seed), name=name)
