"""Random permutations over a Philox stream."""

from __future__ import annotations

import numpy as np

from headwater.base import native
from headwater.base.typing import Array, ArrayModule
from headwater.ops.random import distributions


def permutation(xp: ArrayModule, stream: Array, count: int) -> Array:
    """Returns the Fisher-Yates shuffle of 0, 1, ..., count - 1; count > 1.

    Swap i exchanges the elements at i and at i + word[i] % (count - i). All swaps are followed at
    once: an element that is swapped to position k before swap k is moved on by swap k.
    """
    word = distributions.words(xp, stream, count - 1)
    if xp is np:
        order = native.host().permutation(word)
        if order is not None:
            return order
    swap = xp.arange(count - 1)
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
