"""The seeds of datasets."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, seeds

# Stands for a seed of two zeros, which would mean that there is none.
_NOT_ZERO = 2**31 - 1


def get_seed(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of the next random dataset of the default graph.

    Args:
        seed: the seed that the program gives: an integer, a scalar tensor, or None.

    Returns:
        Two int64 scalars; both 0 if neither the graph nor the program has set a seed.
    """
    first, second = seeds.get_seed(seed)
    first_seed = convert_to_tensor(0 if first is None else first, dtype=dtypes.int64, name="seed")
    if second is None:
        return first_seed, convert_to_tensor(0, dtype=dtypes.int64, name="seed2")
    with name_scope("seed2") as scope:
        second_seed = convert_to_tensor(second, dtype=dtypes.int64)
        both = build.LogicalAnd(build.Equal(first_seed, 0), build.Equal(second_seed, 0))
        other = convert_to_tensor(_NOT_ZERO, dtype=dtypes.int64)
        return first_seed, build.Select(both, other, second_seed, name=scope)
