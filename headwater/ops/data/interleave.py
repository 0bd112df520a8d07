"""InterleaveDataset, ParallelInterleaveDataset: elements of several datasets in turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.background import (
    AUTOTUNE,
    Block,
    Failure,
    Item,
    Source,
    SourcePool,
    cpu_count,
    element_of,
    restored_items,
    save_items,
)
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    positive_of,
    scalar_of,
    variant_of,
)
from headwater.ops.data.lookahead import Lookahead
from headwater.ops.data.statistics import node_statistics

# How many elements of a source threads make at once where a program cannot tell, at first.
_FIRST_BLOCK = 16


class InterleaveDataset(Dataset):
    """Takes elements in turns from the datasets that a function makes."""

    def __init__(
        self,
        source: Dataset,
        function: CapturedFunction,
        cycle_length: int,
        block_length: int,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.function = function
        self.cycle_length = cycle_length
        self.block_length = block_length

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _InterleaveIterator(self, context)


class _InterleaveIterator(InputIterator):
    def __init__(self, dataset: InterleaveDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.function.instantiate(context.kept)
        # A dataset that follows another one in its turn has the same path.
        self._context = context.repeated()
        self._block_length = dataset.block_length
        self._cycle_length = dataset.cycle_length
        # The first datasets in turns: the element that each is made from, and its iterator. None
        # stands for one that has ended; those after the last one have not begun.
        self._open: list[tuple[Element, Lookahead] | None] = []
        self._alive = 0
        self._turn = 0
        self._taken = 0
        self._ended = False

    def next(self) -> Element | None:
        while (current := self._current()) is not None:
            found = current.next()
            if found is not None:
                self._advance(1)
                return found
            self._drop()
        return None

    def next_rows(self, count: int) -> Rows | None:
        rows = self._rounds(count)
        if rows is not None:
            return rows
        while (current := self._current()) is not None:
            left = count if self._cycle_length == 1 else self._block_length - self._taken
            rows = current.next_rows(min(count, left))
            if rows is not None:
                self._advance(len(rows[0]))
                return rows
            self._drop()
        return None

    def _rounds(self, count: int) -> Rows | None:
        """Elements of rounds in which each dataset has its turn; None if there is none at once."""
        block, turns = self._block_length, self._cycle_length
        rounds = count // (turns * block)
        if self._taken or not rounds or turns == 1 or self._alive < turns:
            return None
        sources = [current[1] for current in self._open if current is not None]
        if not all(source.may_be_early for source in sources):
            return None
        sources = sources[self._turn :] + sources[: self._turn]
        for source in sources:
            rounds = min(rounds, source.ready(rounds * block) // block)
            if not rounds:
                return None
        if not _are_equal([source.ready_shapes() for source in sources]):
            return None
        parts = [source.take(rounds * block) for source in sources]
        return in_turns(parts, block)

    def _current(self) -> Lookahead | None:
        """The iterator whose turn it is; None at the end."""
        while True:
            current = self._open[self._turn] if self._turn < len(self._open) else None
            if current is not None:
                return current[1]
            if not self._ended:
                element = self._input.next()
                self._ended = element is None
                if element is not None:
                    self._put(self._turn, (element, self._opened(element, self._turn)))
            elif not self._alive:
                return None
            else:
                self._pass_on()

    def _put(self, turn: int, current: tuple[Element, Lookahead]) -> None:
        """Puts a dataset in the place of one that has ended or has not begun."""
        self._alive += 1
        if turn == len(self._open):
            self._open.append(current)
        else:
            self._open[turn] = current

    def _opened(self, element: Element, turn: int) -> Lookahead:
        # There may be no end of empty datasets.
        cancellation.check()
        dataset = dataset_of(self._function(element)[0])
        return Lookahead(dataset, input_iterator(dataset, self._context, turn))

    def _drop(self) -> None:
        current = self._open[self._turn]
        if current is not None:
            current[1].close()
            self._alive -= 1
        self._open[self._turn] = None
        self._pass_on()

    def _advance(self, count: int) -> None:
        self._taken += count
        if self._taken >= self._block_length:
            self._pass_on()

    def _pass_on(self) -> None:
        self._taken = 0
        # Once the input has ended, none begins after those that have.
        turns = len(self._open) if self._ended else self._cycle_length
        self._turn = self._turn + 1 if self._turn + 1 < turns else 0

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/open"] = len(self._open)
        state[f"{prefix}/turn"] = self._turn
        state[f"{prefix}/taken"] = self._taken
        state[f"{prefix}/ended"] = int(self._ended)
        for i, current in enumerate(self._open):
            save_items(state, f"{prefix}/{i}", [] if current is None else [current[0]])
            if current is not None:
                current[1].save(state, f"{prefix}/{i}/elements")

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._turn = int(state[f"{prefix}/turn"])
        self._taken = int(state[f"{prefix}/taken"])
        self._ended = bool(int(state[f"{prefix}/ended"]))
        self._open = [None] * int(state[f"{prefix}/open"])
        for i in range(len(self._open)):
            for item in restored_items(state, f"{prefix}/{i}"):
                element = element_of(item)
                elements = self._opened(element, i)
                elements.restore(state, f"{prefix}/{i}/elements")
                self._put(i, (element, elements))

    def close(self) -> None:
        for current in self._open:
            if current is not None:
                current[1].close()
        super().close()


def in_turns(parts: Sequence[Rows], block: int) -> Rows:
    """Rows of several datasets in turns of so many elements; all have the same number of rows."""

    def joined(arrays: Sequence[Array]) -> Array:
        rest = arrays[0].shape[1:]
        blocks = np.stack([array.reshape(-1, block, *rest) for array in arrays], axis=1)
        result: Array = blocks.reshape(-1, *rest)
        return result

    return [joined(arrays) for arrays in zip(*parts)]


def _are_equal(found: Sequence[object]) -> bool:
    return all(other == found[0] for other in found)


class ParallelInterleaveDataset(InterleaveDataset):
    """As InterleaveDataset; threads make the elements of the datasets ahead.

    Args:
        threads: how many threads do that.
        buffer_size: how many elements of a dataset may wait.
        prefetched: how many datasets are begun before it is their turn.
        sloppy: whether the order may depend on which elements are ready first.
        replaces_at_once: whether the dataset that follows an exhausted one takes its place in the
            same turn, and waits for the next one; the order differs from that of InterleaveDataset.
    """

    def __init__(
        self,
        *args: Any,
        threads: int,
        buffer_size: int,
        prefetched: int,
        sloppy: bool,
        replaces_at_once: bool,
    ) -> None:
        super().__init__(*args)
        self.threads = threads
        self.buffer_size = buffer_size
        self.prefetched = prefetched
        self.sloppy = sloppy
        self.replaces_at_once = replaces_at_once

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if self.cycle_length == 1:
            # Rows cost less than threads that hand on single elements.
            return _InterleaveIterator(self, context)
        return _ParallelInterleaveIterator(self, context)


class _ParallelInterleaveIterator(InputIterator):
    """Takes items, elements or the errors in their places, from sources in turns."""

    def __init__(self, dataset: ParallelInterleaveDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.function.instantiate(context.kept)
        self._context = context
        self._dataset = dataset
        self._sloppy = dataset.sloppy or "make_sloppy" in context.optimizations
        self._pool = SourcePool(context, dataset.threads)
        self._number = 0  # of the next source
        self._open: list[Source | None] = []
        self._staged: deque[Source] = deque()
        self._turn = 0
        self._taken = 0
        self._began = False
        self._ended = False
        # As in TensorFlow, the older op has none.
        self._statistics = None if dataset.replaces_at_once else node_statistics(dataset, context)

    def next(self) -> Element | None:
        self._begin_once()
        while any(source is not None for source in self._open):
            item = self._next_item()
            if item is not None:
                return element_of(item)
        return None

    def next_rows(self, count: int) -> Rows | None:
        if self._sloppy:
            return super().next_rows(count)
        self._begin_once()
        while any(source is not None for source in self._open):
            rows = self._rounds(count) or self._rows_of_turn(count)
            if rows is not None:
                return rows
        return None

    def _rounds(self, count: int) -> Rows | None:
        """Elements of rounds in which each source has its turn; None if there is none at once."""
        block, turns = self._dataset.block_length, len(self._open)
        rounds = count // (turns * block)
        sources = [source for source in self._open if source is not None]
        if self._taken or not rounds or len(sources) < turns:
            return None
        sources = sources[self._turn :] + sources[: self._turn]
        rounds = min(rounds, self._pool.rows_ready(sources) // block)
        if not rounds or not _are_equal([source.head_shapes() for source in sources]):
            return None
        parts = [self._pool.take_block(source, rounds * block) for source in sources]
        return in_turns([part.rows for part in parts if isinstance(part, Block)], block)

    def _rows_of_turn(self, count: int) -> Rows | None:
        """Elements of the source whose turn it is; None if it had come to its end instead."""
        while (source := self._open[self._turn]) is None:
            self._turn = (self._turn + 1) % len(self._open)
        count = min(count, self._dataset.block_length - self._taken)
        found = self._pool.take_block(source, count)
        if found is None:
            self._replace(self._turn, source)
            return None
        self._taken += found.size if isinstance(found, Block) else 1
        if self._taken >= self._dataset.block_length:
            self._pass_on()
        if isinstance(found, Failure):
            raise found.error
        return found.rows

    def _begin_once(self) -> None:
        if self._statistics is not None:
            self._statistics.set("thread_utilization", self._pool.utilization())
        if self._began:
            return
        self._began = True
        while len(self._open) < self._dataset.cycle_length:
            source = self._next_source()
            if source is None:
                return
            self._open.append(source)
        self._stage()

    def _stage(self) -> None:
        while len(self._staged) < self._dataset.prefetched:
            source = self._next_source()
            if source is None:
                return
            self._staged.append(source)

    def _next_source(self) -> Source | None:
        """A new source of the next element of the input."""
        if self._ended:
            return None
        try:
            item: Item | None = self._input.next()
        except Exception as error:
            item = Failure(error)
        self._ended = item is None
        if item is None:
            return None
        source = self._source_of(item)
        self._pool.add(source)
        return source

    def _source_of(self, item: Item) -> Source:
        function, context, number = self._function, self._context, self._number
        self._number += 1

        def make() -> ElementIterator:
            dataset = dataset_of(function(element_of(item))[0])
            if dataset.may_be_early():
                source.rows = _FIRST_BLOCK
            return input_iterator(dataset, context, number)

        source = Source(make, self._dataset.buffer_size, inputs=item)
        return source

    def _next_item(self) -> Item | None:
        """The item whose turn it is; None if a source had come to its end instead."""
        count = len(self._open)
        turns = [(self._turn + i) % count for i in range(count)]
        alive = [turn for turn in turns if self._open[turn] is not None]
        index = alive[0]
        if self._sloppy:
            sources = [source for turn in alive if (source := self._open[turn]) is not None]
            index = alive[self._pool.first_ready(sources)]
        source = self._open[index]
        assert source is not None
        if self._sloppy and index not in turns[:2]:
            self._taken = 0
        self._turn = index
        item = self._pool.take(source)
        if item is None:
            self._replace(index, source)
            return None
        self._taken += 1
        if self._taken >= self._dataset.block_length:
            self._pass_on()
        return item

    def _replace(self, index: int, source: Source) -> None:
        self._pool.remove(source)
        following = self._staged.popleft() if self._staged else self._next_source()
        self._open[index] = following
        self._stage()
        if following is not None or not self._dataset.replaces_at_once:
            self._pass_on()

    def _pass_on(self) -> None:
        self._taken = 0
        self._turn = (self._turn + 1) % len(self._open)

    def save(self, state: SavedState, prefix: str) -> None:
        with self._pool.paused():
            super().save(state, prefix)
            for name in ("turn", "taken", "began", "ended"):
                state[f"{prefix}/{name}"] = int(getattr(self, f"_{name}"))
            state[f"{prefix}/open"] = len(self._open)
            state[f"{prefix}/staged"] = len(self._staged)
            for i, source in enumerate([*self._open, *self._staged]):
                _save_source(source, state, f"{prefix}/{i}")

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        for name in ("turn", "taken", "began", "ended"):
            setattr(self, f"_{name}", int(state[f"{prefix}/{name}"]))
        count = int(state[f"{prefix}/open"])
        sources = [
            self._restored_source(state, f"{prefix}/{i}")
            for i in range(count + int(state[f"{prefix}/staged"]))
        ]
        self._open = sources[:count]
        self._staged.extend(source for source in sources[count:] if source is not None)

    def _restored_source(self, state: SavedState, prefix: str) -> Source | None:
        inputs = restored_items(state, f"{prefix}/inputs")
        if not inputs:
            return None
        source = self._source_of(inputs[0])
        source.items.extend(restored_items(state, f"{prefix}/items"))
        source.ended = bool(int(state[f"{prefix}/ended"]))
        if int(state[f"{prefix}/begun"]):
            source.iterator = source.make()
            source.iterator.restore(state, f"{prefix}/elements")
        self._pool.add(source)
        return source

    def close(self) -> None:
        self._pool.close()
        super().close()


def _save_source(source: Source | None, state: SavedState, prefix: str) -> None:
    if source is None or source.inputs is None:
        save_items(state, f"{prefix}/inputs", [])
        return
    save_items(state, f"{prefix}/inputs", [source.inputs])
    save_items(state, f"{prefix}/items", source.single_items())
    state[f"{prefix}/ended"] = int(source.ended)
    state[f"{prefix}/begun"] = int(source.iterator is not None)
    if source.iterator is not None:
        source.iterator.save(state, f"{prefix}/elements")


def kernel_interleave_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    cycle_length: Array,
    block_length: Array,
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    cycle = int(scalar_of(cycle_length, "cycle_length"))
    cycle = cpu_count() if cycle == AUTOTUNE else positive_of(cycle_length, "cycle_length")
    block = positive_of(block_length, "block_length")
    function = functions.captured(op._graph, f, other_arguments)
    source = dataset_of(input_dataset)
    return variant_of(
        InterleaveDataset(source, function, cycle, block, output_types, output_shapes)
    )


def kernel_parallel_interleave_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    cycle_length: Array,
    block_length: Array,
    sloppy: Array,
    buffer_output_elements: Array,
    prefetch_input_elements: Array,
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    cycle = _at_least(cycle_length, "cycle_length", 1)
    block = _at_least(block_length, "block_length", 1)
    buffered = _at_least(buffer_output_elements, "buffer_output_elements", 1)
    prefetched = _at_least(prefetch_input_elements, "prefetch_input_elements", 0)
    function = functions.captured(op._graph, f, other_arguments)
    dataset = ParallelInterleaveDataset(
        dataset_of(input_dataset),
        function,
        cycle,
        block,
        output_types,
        output_shapes,
        threads=cycle + prefetched,
        buffer_size=buffered,
        prefetched=prefetched,
        sloppy=bool(scalar_of(sloppy, "sloppy")),
        replaces_at_once=True,
    )
    return variant_of(dataset)


def kernel_parallel_interleave_dataset_v2(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    cycle_length: Array,
    block_length: Array,
    num_parallel_calls: Array,
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    sloppy: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    cycle = int(scalar_of(cycle_length, "cycle_length"))
    cycle = cpu_count() if cycle == AUTOTUNE else _at_least(cycle_length, "cycle_length", 1)
    block = _at_least(block_length, "block_length", 1)
    threads = int(scalar_of(num_parallel_calls, "num_parallel_calls"))
    if threads == AUTOTUNE:
        threads = min(cycle, cpu_count())
    elif threads <= 0:
        fail("num_parallel_calls must be greater than zero.")
    elif threads > cycle:
        fail("num_parallel_calls must less than or equal to cycle_length.")
    function = functions.captured(op._graph, f, other_arguments)
    dataset = ParallelInterleaveDataset(
        dataset_of(input_dataset),
        function,
        cycle,
        block,
        output_types,
        output_shapes,
        threads=threads,
        buffer_size=2 * block,
        prefetched=0,
        sloppy=sloppy,
        replaces_at_once=False,
    )
    return variant_of(dataset)


def _at_least(value: Array, name: str, least: int) -> int:
    number = int(scalar_of(value, name))
    if number < least:
        fail(f"`{name}` must be {'>=' if least == 0 else '>'} 0")
    return number


register_op(
    "InterleaveDataset",
    inputs="input_dataset: variant, other_arguments: Targuments, cycle_length: int64, "
    "block_length: int64",
    outputs="handle: variant",
    attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_interleave_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)


def _register_parallel_interleave(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, other_arguments: Targuments, cycle_length: int64, "
        "block_length: int64, sloppy: bool, buffer_output_elements: int64, "
        "prefetch_input_elements: int64",
        outputs="handle: variant",
        attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_parallel_interleave_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_parallel_interleave("ParallelInterleaveDataset")
_register_parallel_interleave("ExperimentalParallelInterleaveDataset")

register_op(
    "ParallelInterleaveDatasetV2",
    inputs="input_dataset: variant, other_arguments: Targuments, cycle_length: int64, "
    "block_length: int64, num_parallel_calls: int64",
    outputs="handle: variant",
    attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1, sloppy: bool = false",
    shape=shapes.scalar,
    kernel=kernel_parallel_interleave_dataset_v2,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
