"""MapDataset, ParallelMapDataset, MapAndBatchDataset: a function of each element."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.checks import fail
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.background import (
    AUTOTUNE,
    CallPool,
    Failure,
    Item,
    cpu_count,
    element_of,
    restored_items,
    save_items,
)
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    joined_rows,
    positive_of,
    rows_to_element,
    scalar_of,
    variant_of,
)
from headwater.ops.data.row_calls import CallingIterator, end_of_sequence
from headwater.ops.data.statistics import TimedFunction, statistics_of

# An element of more bytes is worth a thread, even if many could be computed at once.
_LARGE_ELEMENT = 1 << 14

# So many results are made ahead where a program cannot tell, if they take no more bytes.
_MOST_AHEAD = 1 << 10
_MOST_BYTES_AHEAD = 1 << 18


class MapDataset(Dataset):
    """The results of a function for each element."""

    def __init__(
        self,
        source: Dataset,
        function: CapturedFunction,
        preserves_cardinality: bool,
        types: Any,
        component_shapes: ShapeLike,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.function = function
        self.preserves_cardinality = preserves_cardinality
        # Other functions are called for one element after the other.
        self.makes_early = function.is_pure and function.rows() is not None

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _MapIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self.preserves_cardinality else UNKNOWN

    def fused_batch(self, batches: Any) -> Dataset:
        rest = batches.batch_size, batches.drop_remainder, batches.types, batches.shapes
        return MapAndBatchDataset(self, *rest)


class _MapIterator(CallingIterator):
    def __init__(self, dataset: MapDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], dataset.function, context)
        self._preserves_cardinality = dataset.preserves_cardinality
        self._may_be_early = dataset.may_be_early()
        # Elements, the function's results for them, and how many of these were handed out.
        self._elements: Rows = ()
        self._results: Rows = ()
        self._place = 0
        self._ahead = 1

    def next(self) -> Element | None:
        if self._results or (self._may_be_early and self._takes_rows and self._fill()):
            self._place += 1
            result = rows_to_element(self._results, self._place - 1)
            if self._place == len(self._elements[0]):
                self._elements = self._results = ()
            return result
        element = self._take()
        if element is None:
            return None
        try:
            return self._call(element)
        except errors.OutOfRangeError as error:
            end_of_sequence(error, self._preserves_cardinality)
            return None

    def _fill(self) -> bool:
        """Makes some results ahead, more and more as they are taken; returns whether there are."""
        found = self._called_rows(self._ahead)
        if found is None:
            return False
        elements, results = found
        if self._ahead == 1:
            self._ahead = 2
        if not results:
            return False
        count = len(elements[0])
        size = sum(array.nbytes for array in results) // count + 1
        self._ahead = max(2, min(2 * self._ahead, _MOST_AHEAD, _MOST_BYTES_AHEAD // size))
        self._elements, self._results, self._place = elements, results, 0
        return True

    def next_rows(self, count: int) -> Rows | None:
        if self._results:
            start, stop = self._place, min(self._place + count, len(self._elements[0]))
            rows = [array[start:stop] for array in self._results]
            self._place = stop
            if stop == len(self._elements[0]):
                self._elements = self._results = ()
            return rows
        if not self._takes_rows:
            return super().next_rows(count)
        found = self._called_rows(count)
        if found is None:
            return None
        return found[1] or super().next_rows(count)

    def save(self, state: SavedState, prefix: str) -> None:
        # Elements whose results were not handed out wait as others do.
        rest = range(self._place, len(self._elements[0]) if self._results else 0)
        self._waiting.extend(rows_to_element(self._elements, i) for i in rest)
        self._elements = self._results = ()
        super().save(state, prefix)


class _ParallelRowsIterator(_MapIterator):
    """Maps many elements at once, and goes on from a saved _ParallelMapIterator too."""

    def __init__(self, dataset: MapDataset, context: IteratorContext) -> None:
        super().__init__(dataset, context)
        self._restored: deque[Item] = deque()

    def next(self) -> Element | None:
        return element_of(self._restored.popleft()) if self._restored else super().next()

    def next_rows(self, count: int) -> Rows | None:
        if self._restored:
            return InputIterator.next_rows(self, count)
        return super().next_rows(count)

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_items(state, f"{prefix}/results", list(self._restored))

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._restored.extend(restored_items(state, f"{prefix}/results"))


class ParallelMapDataset(MapDataset):
    """The results of a function that is called for several elements at the same time.

    Args:
        threads: how many calls there are at the same time.
        ordered: whether the results come in the order of the elements.
    """

    def __init__(self, threads: int, ordered: bool, *args: Any) -> None:
        super().__init__(*args)
        self.threads = threads
        self.ordered = ordered

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if statistics_of(context) is not None:
            timed = TimedFunction(self.function, context, self, self.threads)
            return _ParallelMapIterator(self, context, timed)
        size = max(_size_of_elements(dataset) for dataset in (self, *self.inputs))
        if self.function.rows(context.kept) is not None and size <= _LARGE_ELEMENT:
            # A thread costs more than such a call.
            return _ParallelRowsIterator(self, context)
        return _ParallelMapIterator(self, context, self.function.instantiate(context.kept))


def _size_of_elements(dataset: Dataset) -> int:
    """The number of bytes of an element, with unknown dimensions taken for 1."""
    sizes = [
        np.prod([dim or 1 for dim in shape or ()], dtype=np.int64) * dtype.size
        for dtype, shape in zip(dataset.types, dataset.shapes)
    ]
    return int(sum(sizes))


class _ParallelMapIterator(ElementIterator):
    def __init__(
        self,
        dataset: ParallelMapDataset,
        context: IteratorContext,
        function: Callable[[Element], Element],
    ) -> None:
        elements = input_iterator(dataset.inputs[0], context)
        self._preserves_cardinality = dataset.preserves_cardinality
        ordered = dataset.ordered and "make_sloppy" not in context.optimizations
        waits = dataset.function.may_wait
        self._pool = CallPool(context, elements, function, dataset.threads, ordered, waits)

    def next(self) -> Element | None:
        item = self._pool.next()
        if isinstance(item, Failure) and isinstance(item.error, errors.OutOfRangeError):
            end_of_sequence(item.error, self._preserves_cardinality)
            return None
        return None if item is None else element_of(item)

    def save(self, state: SavedState, prefix: str) -> None:
        self._pool.save(state, prefix)
        save_items(state, f"{prefix}/waiting", [])

    def restore(self, state: SavedState, prefix: str) -> None:
        self._pool.restore(state, prefix)
        # A _ParallelRowsIterator has taken these from the input, and has not computed them yet.
        for item in restored_items(state, f"{prefix}/waiting"):
            self._pool.add(element_of(item))

    def close(self) -> None:
        self._pool.close()


class MapAndBatchDataset(Dataset):
    """Batches of the results of a function; an error costs the whole batch."""

    def __init__(
        self,
        mapped: MapDataset,
        batch_size: int,
        drop_remainder: bool,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [mapped])
        self.batch_size = batch_size
        self.drop_remainder = drop_remainder
        self._preserves_cardinality = mapped.preserves_cardinality

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _MapAndBatchIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        whole, rest = divmod(count, self.batch_size)
        return whole + (rest > 0 and not self.drop_remainder)


class _TimedMapIterator(_MapIterator):
    """Measures the calls of the function, one after the other."""

    def __init__(
        self, mapped: MapDataset, context: IteratorContext, batches: MapAndBatchDataset
    ) -> None:
        super().__init__(mapped, context)
        self._call: Any = TimedFunction(mapped.function, context, batches, 1)
        self._call_rows = None


def _timed(
    mapped: MapDataset, context: IteratorContext, batches: MapAndBatchDataset
) -> ElementIterator:
    if not isinstance(mapped, ParallelMapDataset):
        return _TimedMapIterator(mapped, context, batches)
    timed = TimedFunction(mapped.function, context, batches, mapped.threads)
    return _ParallelMapIterator(mapped, context, timed)


class _MapAndBatchIterator(InputIterator):
    def __init__(self, dataset: MapAndBatchDataset, context: IteratorContext) -> None:
        # The mapped dataset is a part of this one: it has no place of its own in the path.
        mapped: Any = dataset.inputs[0]
        if statistics_of(context) is None:
            self._input = mapped.iterate(context)
        else:
            self._input = _timed(mapped, context, dataset)
        self._size = dataset.batch_size
        self._drop_remainder = dataset.drop_remainder

    def next(self) -> Element | None:
        parts: list[Rows] = []
        missing = self._size
        failure: Exception | None = None
        while missing:
            try:
                cancellation.check()
                rows = self._input.next_rows(missing)
            except (errors.CancelledError, errors.DeadlineExceededError):
                raise
            except Exception as error:
                failure = failure or error
                missing -= 1
                continue
            if rows is None:
                break
            parts.append(rows)
            missing -= len(rows[0])
        if failure is not None:
            raise failure
        if not parts or (missing and self._drop_remainder):
            return None
        _check_sizes(parts)
        return joined_rows(parts)


def _check_sizes(parts: Sequence[Rows]) -> None:
    for component, first in enumerate(parts[0]):
        for rows in parts:
            shape, wanted = rows[component].shape[1:], first.shape[1:]
            if shape != wanted and np.prod(shape) != np.prod(wanted):
                fail(
                    "Cannot add tensor to the batch: number of elements does not match. Shapes "
                    f"are: [tensor]: {shapes.show(shape)}, [batch]: {shapes.show(wanted)}"
                )


def kernel_map_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    *,
    f: Any,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    preserve_cardinality: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, f, other_arguments)
    return variant_of(
        MapDataset(
            dataset_of(input_dataset), function, preserve_cardinality, output_types, output_shapes
        )
    )


def kernel_parallel_map_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    num_parallel_calls: Array,
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    sloppy: bool,
    preserve_cardinality: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    threads = _threads_of(num_parallel_calls)
    function = functions.captured(op._graph, f, other_arguments)
    source = dataset_of(input_dataset)
    rest = source, function, preserve_cardinality, output_types, output_shapes
    return variant_of(ParallelMapDataset(threads, not sloppy, *rest))


def kernel_map_and_batch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    batch_size: Array,
    num_parallel_calls: Array,
    drop_remainder: Array,
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    preserve_cardinality: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    size = positive_of(batch_size, "batch_size")
    threads = _threads_of(num_parallel_calls)
    drop = bool(scalar_of(drop_remainder, "drop_remainder"))
    function = functions.captured(op._graph, f, other_arguments)
    source = dataset_of(input_dataset)
    unbatched = [None if shape is None else shape[1:] for shape in output_shapes]
    rest = source, function, preserve_cardinality, output_types, unbatched
    mapped = ParallelMapDataset(threads, True, *rest)
    return variant_of(MapAndBatchDataset(mapped, size, drop, output_types, output_shapes))


def _threads_of(num_parallel_calls: Array) -> int:
    count = int(scalar_of(num_parallel_calls, "num_parallel_calls"))
    if count == AUTOTUNE:
        return cpu_count()
    return positive_of(num_parallel_calls, "num_parallel_calls")


def _register_map(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, other_arguments: Targuments",
        outputs="handle: variant",
        attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1, use_inter_op_parallelism: bool = true, "
        "preserve_cardinality: bool = false",
        shape=shapes.scalar,
        kernel=kernel_map_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_map("MapDataset")
_register_map("ExperimentalMapDataset")

register_op(
    "ParallelMapDataset",
    inputs="input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32",
    outputs="handle: variant",
    attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1, use_inter_op_parallelism: bool = true, "
    "sloppy: bool = false, preserve_cardinality: bool = false",
    shape=shapes.scalar,
    kernel=kernel_parallel_map_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)


def _register_map_and_batch(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, other_arguments: Targuments, batch_size: int64, "
        "num_parallel_calls: int64, drop_remainder: bool",
        outputs="handle: variant",
        attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1, preserve_cardinality: bool = false",
        shape=shapes.scalar,
        kernel=kernel_map_and_batch_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_map_and_batch("MapAndBatchDataset")
_register_map_and_batch("ExperimentalMapAndBatchDataset")
