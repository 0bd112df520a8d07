"""RepeatDataset: the elements several times."""

from __future__ import annotations

from typing import Any

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    scalar_inputs,
    scalar_of,
    variant_of,
    without_noops,
)
from headwater.ops.data.optimizations import RepeatableDataset
from headwater.ops.data.repeating import repeated_cardinality
from headwater.ops.data.shuffle_buffer import restore_generators, save_generators


class RepeatDataset(Dataset):
    """The elements `count` times; without an end if it is negative."""

    makes_early = True

    def __init__(self, source: Dataset, count: int, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])
        self.count = count

    @property
    def transformation(self) -> str:
        return "ForeverRepeat" if self.count < 0 else "FiniteRepeat"

    @property
    def is_noop(self) -> bool:
        return self.count == 1

    def iterate(self, context: IteratorContext) -> ElementIterator:
        source = without_noops(self.inputs[0], context)
        fuses = "shuffle_and_repeat_fusion" in context.optimizations and not self.is_noop
        if fuses and isinstance(source, RepeatableDataset) and source.can_repeat:
            if self.count == 0:
                fail("count must be greater than zero or equal to -1.")
            context = context.renamed("ShuffleAndRepeat")
            return source.iterate_repeated(context, self.count)
        return _RepeatIterator(source, self.count, context)

    def cardinality(self) -> int:
        return repeated_cardinality(self.inputs[0].cardinality(), self.count)


class _RepeatIterator(ElementIterator):
    def __init__(self, source: Dataset, count: int, context: IteratorContext) -> None:
        self._dataset = source
        self._count = count
        self._context = context.repeated()
        self._epoch = 0
        self._empty = True  # whether the epoch has not yet given an element
        self._input: ElementIterator | None = None

    def _started(self) -> ElementIterator | None:
        """The iterator over the epoch; None after the last one."""
        if self._input is None and self._epoch != self._count:
            self._input = input_iterator(self._dataset, self._context)
            self._empty = True
        return self._input

    def next(self) -> Element | None:
        while (source := self._started()) is not None:
            element = source.next()
            if element is not None:
                self._empty = False
                return element
            if self._end_epoch():
                break
        return None

    def next_rows(self, count: int) -> Rows | None:
        while (source := self._started()) is not None:
            rows = source.next_rows(count)
            if rows is not None:
                self._empty = False
                return rows
            if self._end_epoch():
                break
        return None

    def _end_epoch(self) -> bool:
        """Goes to the next epoch; returns whether there are no more elements."""
        cancellation.check()
        self.close()
        self._input = None
        if self._count < 0 and self._empty:
            return True
        self._epoch += 1
        if self._epoch == self._count:
            # As TensorFlow does: an iterator that is not used takes its seeds from a generator.
            input_iterator(self._dataset, self._context).close()
        return False

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/epoch"] = self._epoch
        state[f"{prefix}/empty"] = self._empty
        save_generators(self._context, state, prefix)
        if self._input is not None:
            self._input.save(state, f"{prefix}/input")
        else:
            state[f"{prefix}/input_ended"] = True

    def restore(self, state: SavedState, prefix: str) -> None:
        self._epoch = int(state[f"{prefix}/epoch"])
        if f"{prefix}/input_ended" not in state:
            source = self._started()
            assert source is not None
            source.restore(state, f"{prefix}/input")
        self._empty = bool(state[f"{prefix}/empty"])
        restore_generators(self._context, state, prefix)

    def close(self) -> None:
        if self._input is not None:
            self._input.close()


def kernel_repeat_dataset(
    xp: ArrayModule, input_dataset: Array, count: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    number = int(scalar_of(count, "count"))
    return variant_of(RepeatDataset(dataset_of(input_dataset), number, output_types, output_shapes))


register_op(
    "RepeatDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("count"),
    kernel=kernel_repeat_dataset,
    runs_on=RunsOn.HOST,
)
