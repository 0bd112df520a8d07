"""SamplingDataset: each element with a probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    scalar_inputs,
    scalar_of,
    variant_of,
)
from headwater.ops.data.shuffle_buffer import Words, seeds_of

# A number of 32 bits becomes a number from 1 to 2 by its lowest bits.
_MANTISSA = 0x7FFFFF
_ONE = 127 << 23


class SamplingDataset(Dataset):
    """The elements for which a random number is below the rate."""

    def __init__(
        self,
        source: Dataset,
        rate: float,
        seeds: tuple[int, int],
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.rate = rate
        self.seeds = seeds

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SamplingIterator(self, context)


class _SamplingIterator(InputIterator):
    def __init__(self, dataset: SamplingDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._rate = dataset.rate
        self._words = Words(*dataset.seeds)

    def next(self) -> Element | None:
        while (element := self._input.next()) is not None:
            bits = (self._words.take(1) & _MANTISSA | _ONE).astype(np.uint32)
            if float(bits.view(np.float32)[0]) - 1.0 < self._rate:
                return element
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/position"] = self._words.position
        state[f"{prefix}/seeds"] = np.array(self._words.seeds, np.int64)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        seed, seed2 = np.asarray(state[f"{prefix}/seeds"]).tolist()
        self._words = Words(seed, seed2, int(state[f"{prefix}/position"]))


def kernel_sampling_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    rate: Array,
    seed: Array,
    seed2: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    source, share = dataset_of(input_dataset), float(scalar_of(rate, "rate"))
    seeds = seeds_of(seed, seed2)
    return variant_of(SamplingDataset(source, share, seeds, output_types, output_shapes))


register_op(
    "SamplingDataset",
    inputs="input_dataset: variant, rate: float, seed: int64, seed2: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("rate", "seed", "seed2"),
    kernel=kernel_sampling_dataset,
    runs_on=RunsOn.HOST,
)
