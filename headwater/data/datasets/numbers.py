"""Datasets of numbers without an end: RandomDataset and Counter."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.data.datasets import mapping, random_seed, structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.type_spec import TensorSpec


def _random_numbers(seed: Any) -> tuple[Tensor, Any]:
    """The variant and structure of random numbers."""
    spec = TensorSpec([], dtypes.int64)
    return build.RandomDataset(*random_seed.get_seed(seed), **structure.flat_attrs(spec)), spec


class RandomDatasetV2(DatasetV2):
    """Random int64 numbers from 0 to 2**32 - 1, without an end.

    Args:
        seed: the seed, an integer scalar; if None, that of the graph, or a random one.
    """

    _shown_class = "RandomDatasetV2"

    def __init__(self, seed: Any = None) -> None:
        super().__init__(*_random_numbers(seed))


@export("data.experimental.RandomDataset")
class RandomDatasetV1(DatasetV1):
    """Random int64 numbers from 0 to 2**32 - 1, without an end.

    Args:
        seed: the seed, an integer scalar; if None, that of the graph, or a random one.
    """

    _shown_class = "RandomDatasetV1"

    def __init__(self, seed: Any = None) -> None:
        super().__init__(*_random_numbers(seed))


@export("data.experimental.Counter")
def Counter(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = dtypes.int64) -> Any:
    """Numbers in arithmetic progression, without an end.

    Args:
        start: the first number.
        step: the difference of consecutive numbers.
        dtype: the type of the numbers.

    Returns:
        A Dataset of scalars.
    """
    with name_scope("counter"):
        first = convert_to_tensor(start, dtype=dtype, name="start")
        by = convert_to_tensor(step, dtype=dtype, name="step")
        zeros = DatasetV1.from_tensors(0).repeat(None)
        return zeros._derived(*mapping.scan(zeros, first, lambda state, _: (state + by, state)))
