"""ShuffleDataset and ShuffleAndRepeatDataset: elements in random order."""

from __future__ import annotations

from typing import Any

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    Shard,
    dataset_of,
    input_iterator,
    scalar_inputs,
    scalar_of,
    shape_handle_and_deleter,
    variant_of,
)
from headwater.ops.data.optimizations import RepeatableDataset
from headwater.ops.data.repeating import repeated_cardinality
from headwater.ops.data.shuffle_buffer import SeedGenerator, ShuffleBuffer, Words, seeds_of

# The rows that are shuffled at a time; the buffer holds so many more for a moment.
_MOST_ROWS = 1024


class ShuffleDataset(RepeatableDataset):
    """The elements of the input in random order.

    Args:
        source: the input.
        buffer_size: from how many elements the next one is chosen.
        seeds: the seeds of the random numbers; not (0, 0).
        reshuffles: whether each epoch has an order of its own.
        generator: makes the seeds of epochs; None if iterators share one of their own.
    """

    makes_early = True

    def shard_of_elements(self, shard: Shard) -> Dataset:
        # Workers that draw different orders must not share elements.
        return self._of([self.inputs[0].shard_of_elements(shard)])

    def __init__(
        self,
        source: Dataset,
        buffer_size: int,
        seeds: tuple[int, int],
        reshuffles: bool,
        types: Any,
        component_shapes: Any,
        generator: SeedGenerator | None = None,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.buffer_size = buffer_size
        self.seeds = seeds
        self.reshuffles = reshuffles
        self.generator = generator

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if not self.reshuffles:
            return _ShuffleIterator(self, context, 1, Words(*self.seeds))
        generator = self.generator
        if generator is None:
            place = f"{context.prefix}::RandomSeedGenerator"
            generator = context.shared.setdefault(place, SeedGenerator(*self.seeds))
        return _ShuffleIterator(self, context, 1, Words(*generator.next()), generator)

    def iterate_repeated(self, context: IteratorContext, count: int) -> ElementIterator:
        """An iterator over several epochs, which have one sequence of random numbers."""
        return _ShuffleIterator(self, context, count, Words(*self.seeds))

    @property
    def can_repeat(self) -> bool:
        """Whether `shuffle_and_repeat_fusion` applies."""
        return self.reshuffles and self.generator is None

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class ShuffleAndRepeatDataset(Dataset):
    """The elements of several epochs in random order, one epoch after the other."""

    def __init__(self, shuffled: ShuffleDataset, count: int) -> None:
        super().__init__(shuffled.types, shuffled.shapes, shuffled.inputs)
        self.shuffled = shuffled
        self.count = count

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return self.shuffled.iterate_repeated(context, self.count)

    def cardinality(self) -> int:
        return repeated_cardinality(self.shuffled.inputs[0].cardinality(), self.count)


class _ShuffleIterator(ElementIterator):
    """Takes elements from a buffer that is always filled up before.

    Args:
        dataset: the dataset.
        context: the context.
        count: the number of epochs; negative without an end.
        words: the random numbers.
        generator: what has made the seeds, if there is something.
    """

    def __init__(
        self,
        dataset: ShuffleDataset,
        context: IteratorContext,
        count: int,
        words: Words,
        generator: SeedGenerator | None = None,
    ) -> None:
        self._dataset = dataset.inputs[0]
        context = context if count == 1 else context.repeated()
        self._context = context
        self._count = count
        self._generator = generator
        self._buffer = ShuffleBuffer(dataset.buffer_size, words)
        self._epoch = 0
        self._empty = True  # whether the input has not yet given an element
        self._input: ElementIterator | None = None
        if count:
            self._input = input_iterator(self._dataset, context)

    def next(self) -> Element | None:
        self._fill()
        return self._buffer.take() if self._buffer.size else None

    def next_rows(self, count: int) -> Rows | None:
        buffer, count = self._buffer, min(count, _MOST_ROWS)
        # One element less than a full buffer: each row of the input replaces one that is taken.
        self._fill(1)
        if self._input is not None and buffer.holds_rows and buffer.missing == 1:
            most = count if buffer.has_one_slice else min(count, buffer.oldest)
            rows = self._input.next_rows(most) if most else None
            if rows is not None:
                return buffer.exchange_rows(rows)
        self._fill()
        if not buffer.size:
            return None
        return buffer.take_rows(min(count, buffer.oldest) if buffer.holds_rows else 1)

    def _fill(self, spare: int = 0) -> None:
        """Fills up the buffer, except for `spare` elements."""
        buffer = self._buffer
        while self._input is not None and buffer.missing > spare:
            rows = self._input.next_rows(buffer.missing - spare)
            if rows is None:
                self._end_epoch()
            else:
                buffer.add_rows(rows)
                self._empty = False

    def _end_epoch(self) -> None:
        cancellation.check()
        assert self._input is not None
        self._input.close()
        self._input = None
        if self._count < 0 and self._empty:
            return
        self._epoch += 1
        following = input_iterator(self._dataset, self._context)
        if self._epoch == self._count:
            # As TensorFlow does: an iterator that is not used takes its seeds from a generator.
            following.close()
            return
        self._buffer.begin_slice()
        self._input = following

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/epoch"] = self._epoch
        state[f"{prefix}/empty"] = self._empty
        if self._generator is not None:
            state[f"{prefix}/generator"] = self._generator.position
        self._buffer.save(state, f"{prefix}/buffer")
        if self._input is not None:
            self._input.save(state, f"{prefix}/input")
        else:
            state[f"{prefix}/input_ended"] = True

    def restore(self, state: SavedState, prefix: str) -> None:
        self._epoch = int(state[f"{prefix}/epoch"])
        self._empty = bool(state[f"{prefix}/empty"])
        if self._generator is not None:
            self._generator.position = int(state[f"{prefix}/generator"])
        self._buffer.restore(state, f"{prefix}/buffer")
        if f"{prefix}/input_ended" in state:
            self._input = None
        elif self._input is not None:
            self._input.restore(state, f"{prefix}/input")

    def close(self) -> None:
        if self._input is not None:
            self._input.close()


def _buffer_size_of(value: Array) -> int:
    size = int(scalar_of(value, "buffer_size"))
    if size <= 0:
        fail("buffer_size must be greater than zero.")
    return size


def kernel_shuffle_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    *,
    reshuffle_each_iteration: bool,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = _buffer_size_of(buffer_size)
    source, seeds = dataset_of(input_dataset), seeds_of(seed, seed2)
    return variant_of(
        ShuffleDataset(source, size, seeds, reshuffle_each_iteration, output_types, output_shapes)
    )


def kernel_shuffle_dataset_v2(
    xp: ArrayModule,
    input_dataset: Array,
    buffer_size: Array,
    seed_generator: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = _buffer_size_of(buffer_size)
    generator = resource_of(seed_generator)
    if not isinstance(generator, SeedGenerator):
        fail("The seed_generator is not a random seed generator.")
    source = dataset_of(input_dataset)
    return variant_of(
        ShuffleDataset(source, size, (0, 0), True, output_types, output_shapes, generator)
    )


def kernel_shuffle_and_repeat_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    count: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = _buffer_size_of(buffer_size)
    epochs = int(scalar_of(count, "count"))
    if epochs < -1 or epochs == 0:
        fail("count must be greater than zero or equal to -1.")
    source, seeds = dataset_of(input_dataset), seeds_of(seed, seed2)
    shuffled = ShuffleDataset(source, size, seeds, True, output_types, output_shapes)
    return variant_of(ShuffleAndRepeatDataset(shuffled, epochs))


def kernel_anonymous_random_seed_generator(
    xp: ArrayModule, seed: Array, seed2: Array
) -> tuple[Array, Array]:
    handle = handle_of(SeedGenerator(*seeds_of(seed, seed2)))
    return handle, handle


def kernel_delete_random_seed_generator(
    xp: ArrayModule, handle: Array, deleter: Array
) -> tuple[()]:
    # The generator lives as long as a handle of it.
    return ()


register_op(
    "ShuffleDataset",
    inputs="input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
    outputs="handle: variant",
    attrs="reshuffle_each_iteration: bool = true, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=scalar_inputs("buffer_size", "seed", "seed2"),
    kernel=kernel_shuffle_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "ShuffleDatasetV2",
    inputs="input_dataset: variant, buffer_size: int64, seed_generator: resource",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("buffer_size", "seed_generator"),
    kernel=kernel_shuffle_dataset_v2,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "ShuffleAndRepeatDataset",
    inputs="input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("buffer_size", "seed", "seed2", "count"),
    kernel=kernel_shuffle_and_repeat_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "AnonymousRandomSeedGenerator",
    inputs="seed: int64, seed2: int64",
    outputs="handle: resource, deleter: variant",
    shape=shape_handle_and_deleter,
    kernel=kernel_anonymous_random_seed_generator,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DeleteRandomSeedGenerator",
    inputs="handle: resource, deleter: variant",
    shape=shapes.none,
    kernel=kernel_delete_random_seed_generator,
    runs_on=RunsOn.HOST,
    stateful=True,
)
