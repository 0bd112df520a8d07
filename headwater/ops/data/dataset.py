"""The values of dataset handles: what makes iterators over elements."""

from __future__ import annotations

import abc
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from headwater.base import cancellation
from headwater.base.cancellation import Cancellation
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.function_runtime import CapturedFunction
from headwater.base.handles import Described, handle_of, resource_of
from headwater.base.typing import Array, Shape
from headwater.graph import shapes

# The components of one element. Nobody changes them: several iterators may share them.
Element: TypeAlias = Sequence[Array]

# Equal components of several elements, stacked: each has one more dimension, the first.
Rows: TypeAlias = Sequence[Array]

# What an iterator is at, as arrays by name; names look like paths ("batch/range/next").
SavedState: TypeAlias = dict[str, Any]

# The largest number of rows that a source without a natural limit makes at once.
MOST_ROWS = 1 << 16

# The key of the function, among the options of a context, by which the rewrite `latency_all_edges`
# measures the elements of each dataset: from a dataset and its iterator to another iterator.
EDGES = "edges"

# What `Dataset.cardinality` gives for a dataset without an end, and for one of unknown length.
INFINITE = -1
UNKNOWN = -2


@dataclass(frozen=True)
class IteratorContext:
    """What the iterators of one iterator resource share.

    Attributes:
        cancellation: stops background threads, and work that waits, when the resource is freed.
        options: settings that datasets on the way have made, such as the number of threads.
        kept: what functions keep between calls, by their names.
        prefix: the path of an iterator among those that use each other, such as
            "Iterator::ForeverRepeat::Zip[0]::Shuffle".
        shared: what the iterators of one path keep for each other, by path: a dataset that is
            repeated goes on with the random numbers or the cache of the epoch before.
        repeats: whether another iterator of the same path may follow.
    """

    cancellation: Cancellation = field(default_factory=Cancellation)
    options: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    prefix: str = "Iterator"
    shared: dict[str, Any] = field(default_factory=dict)
    repeats: bool = False

    @property
    def optimizations(self) -> frozenset[str]:
        """The names of the rewrites that the dataset's options ask for."""
        found: frozenset[str] = self.options.get("optimizations", frozenset())
        return found

    def measured(self, dataset: Dataset, elements: ElementIterator) -> ElementIterator:
        """An iterator over a dataset, measured if the dataset's options ask for it."""
        if "latency_all_edges" not in self.optimizations or EDGES not in self.options:
            return elements
        measured: ElementIterator = self.options[EDGES](dataset.replacement(self), elements)
        return measured

    def repeated(self) -> IteratorContext:
        """The context of an iterator that makes several iterators of one path."""
        return replace(self, repeats=True)

    def forget(self, index: int) -> None:
        """Drops what is kept for the input with a number, unless it may be used again."""
        if self.shared and not self.repeats:
            start = f"{self.prefix}[{index}]::"
            for name in [name for name in self.shared if name.startswith(start)]:
                del self.shared[name]

    def renamed(self, name: str) -> IteratorContext:
        """The context of an iterator that takes the place of this one, as after a rewrite."""
        return replace(self, prefix=f"{self.prefix.rpartition('::')[0]}::{name}")

    def inside(self, name: str, index: int | None = None) -> IteratorContext:
        """The context of an iterator that this one uses.

        Args:
            name: what is appended to the path.
            index: which one of several it is.
        """
        place = "" if index is None else f"[{index}]"
        return replace(self, prefix=f"{self.prefix}{place}::{name}")


# A function that makes the dataset of some elements of a dataset.
Shard: TypeAlias = "Callable[[Dataset], Dataset]"

# Ops whose datasets read files; AutoShardDataset gives each worker some of these.
_READERS = frozenset({"FixedLengthRecordDataset", "FixedLengthRecordDatasetV2"})
_READERS |= {"TextLineDataset", "TFRecordDataset"}


class Dataset(Described, abc.ABC):
    """The value of a variant tensor of a dataset op.

    Args:
        types: the types of the components of an element.
        component_shapes: their static shapes.
        inputs: the datasets that this one takes elements from.
    """

    def __init__(
        self,
        types: Sequence[DType],
        component_shapes: Sequence[Shape],
        inputs: Sequence[Dataset] = (),
    ) -> None:
        self.types = list(types)
        self.shapes = list(component_shapes)
        self.inputs = list(inputs)

    # Whether elements may be made before they are asked for if those of the inputs may: a program
    # cannot tell, since neither Python functions are called nor a state is used.
    makes_early: bool = False

    @property
    def transformation(self) -> str:
        """What it does, as TensorFlow calls it: the op type without "Dataset"."""
        name = type(self).__name__ if self.origin is None else self.origin.op.type
        return name.removeprefix("Experimental").replace("Dataset", "", 1)

    @property
    def is_noop(self) -> bool:
        """Whether the elements are those of the input."""
        return False

    def may_be_early(self) -> bool:
        """Whether elements may be made before they are asked for."""
        return self.makes_early and all(source.may_be_early() for source in self.inputs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @abc.abstractmethod
    def iterate(self, context: IteratorContext) -> ElementIterator:
        """A new iterator over all elements."""

    def cardinality(self) -> int:
        """The number of elements, INFINITE, or UNKNOWN."""
        return UNKNOWN

    def shard_of_files(self, shard: Shard) -> Dataset | None:
        """This dataset, made of some of its files; None if it does not read files.

        Args:
            shard: makes the dataset of some elements of a dataset, to be used on file names.
        """
        if not self.inputs:
            return None
        function: CapturedFunction | None = getattr(self, "function", None)
        if function is not None and function.active_types & _READERS:
            return self._of([self.inputs[0].shard_of_elements(shard)])
        shards = [source.shard_of_files(shard) for source in self.inputs]
        found = [source for source in shards if source is not None]
        return self._of(found) if len(found) == len(shards) else None

    def shard_of_elements(self, shard: Shard) -> Dataset:
        """Some of the elements of this dataset."""
        return shard(self)

    def _of(self, inputs: Sequence[Dataset]) -> Dataset:
        """The same transformation of other datasets."""
        result = copy.copy(self)
        result.inputs = list(inputs)
        return result

    def replacement(self, context: IteratorContext) -> Dataset:
        """The dataset that rewrites put in the place of this one."""
        return self

    def fused_batch(self, batches: Any) -> Dataset | None:
        """The dataset that `map_and_batch_fusion` puts in the place of a BatchDataset of this one.

        None if the rewrite does not apply.
        """
        return None


class ElementIterator(abc.ABC):
    """Goes through the elements of a dataset once.

    One thread at a time calls it. After an error the next call goes on with the next element, if
    there can be one.
    """

    @abc.abstractmethod
    def next(self) -> Element | None:
        """The next element; None at the end, and again after it."""

    def next_rows(self, count: int) -> Rows | None:
        """The next elements, stacked: one at least, `count` at most; None at the end.

        Fewer than `count` does not mean that the end is near. An iterator that can make several
        elements at once, without work for each, overrides this. An error that follows some elements
        is raised by the next call, so that no element is lost. A source that may go on for ever
        gives MOST_ROWS at most, and checks in each call whether the run was cancelled.

        Args:
            count: the largest number of elements wanted.
        """
        element = self.next()
        return None if element is None else [np.asarray(value)[np.newaxis] for value in element]

    def next_elements(self, count: int) -> list[Element]:
        """The next elements: `count`, or fewer at the end."""
        elements: list[Element] = []
        while len(elements) < count:
            element = self.next()
            if element is None:
                break
            elements.append(element)
        return elements

    def skip(self, count: int) -> int:
        """Leaves out elements; returns how many there were, `count` at most."""
        skipped = 0
        while skipped < count and (more := skip_some(self, count - skipped)):
            skipped += more
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        """Writes where the iterator is to a state, under names that begin with a prefix."""
        raise NotImplementedError(f"{type(self).__name__} cannot be saved.")

    def restore(self, state: SavedState, prefix: str) -> None:
        """Goes to where a saved iterator was; called before the first `next`."""
        raise NotImplementedError(f"{type(self).__name__} cannot be restored.")

    def close(self) -> None:  # noqa: B027 - most iterators have nothing to end
        """Ends background work; the iterator is not used any more."""


class _EndedIterator(ElementIterator):
    """Takes the place of an iterator that nobody needs any more."""

    def next(self) -> None:
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        """Has no state."""

    def restore(self, state: SavedState, prefix: str) -> None:
        """Has no state."""


ENDED = _EndedIterator()


class InputIterator(ElementIterator):
    """An iterator that takes its elements from that of one other dataset."""

    def __init__(self, dataset: Dataset, context: IteratorContext) -> None:
        self._input = input_iterator(dataset, context)

    def _end_input(self) -> None:
        """Closes the input before its end: what it holds, such as a generator, is let go."""
        self._input.close()
        self._input = ENDED

    def save(self, state: SavedState, prefix: str) -> None:
        self._input.save(state, f"{prefix}/input")

    def restore(self, state: SavedState, prefix: str) -> None:
        self._input.restore(state, f"{prefix}/input")

    def close(self) -> None:
        self._input.close()


def input_iterator(
    dataset: Dataset, context: IteratorContext, index: int | None = None
) -> ElementIterator:
    """A new iterator over a dataset that an iterator of `context` takes elements from.

    Args:
        dataset: the dataset.
        context: the context of the iterator that uses it.
        index: which one of several it is that the iterator uses.
    """
    dataset = without_noops(dataset, context)
    elements = dataset.iterate(context.inside(dataset.transformation, index))
    return context.measured(dataset, elements)


def without_noops(dataset: Dataset, context: IteratorContext) -> Dataset:
    """A dataset after `noop_elimination`, if the context asks for it."""
    if "noop_elimination" in context.optimizations:
        while dataset.is_noop:
            dataset = dataset.inputs[0]
    return dataset


def skip_some(elements: ElementIterator, count: int) -> int:
    """Leaves out some of the next elements; returns how many, 0 at the end.

    An error is that of the first of them. No more rows than a block are made at a time.
    """
    cancellation.check()
    rows = elements.next_rows(min(count, MOST_ROWS))
    return 0 if rows is None else len(rows[0])


def save_elements(state: SavedState, prefix: str, elements: Sequence[Element]) -> None:
    """Writes elements to a state."""
    state[f"{prefix}/count"] = len(elements)
    for i, element in enumerate(elements):
        state[f"{prefix}/{i}/size"] = len(element)
        for j, value in enumerate(element):
            state[f"{prefix}/{i}/{j}"] = value


def restore_elements(state: SavedState, prefix: str) -> list[Element]:
    """The elements that `save_elements` has written."""
    return [
        [state[f"{prefix}/{i}/{j}"] for j in range(int(state[f"{prefix}/{i}/size"]))]
        for i in range(int(state[f"{prefix}/count"]))
    ]


def stacked_rows(elements: Sequence[Element]) -> list[Array]:
    """Elements as rows.

    Raises:
        InvalidArgumentError: if their shapes differ.
    """
    return [stacked([e[i] for e in elements], i) for i in range(len(elements[0]))]


def stacked(values: Sequence[Array], component: int) -> Array:
    """Equal components of several elements as one array."""
    first = values[0]
    for i, value in enumerate(values):
        if value.shape != first.shape:
            _fail_to_batch(component, first.shape, i, value.shape)
    if first.shape or first.dtype == object:
        result = np.empty((len(values), *first.shape), first.dtype)
        for i, value in enumerate(values):
            result[i] = value
        return result
    return np.array(values, first.dtype)


def _fail_to_batch(component: int, first: tuple[int, ...], i: int, other: tuple[int, ...]) -> None:
    fail(
        f"Cannot batch tensors with different shapes in component {component}. First element had "
        f"shape {shapes.show(first)} and element {i} had shape {shapes.show(other)}."
    )


def rows_to_element(rows: Rows, index: int) -> list[Array]:
    """One element of several that are stacked."""
    return [component_at(array, index) for array in rows]


def component_at(array: Array, index: int) -> Array:
    """One row of an array, as an array."""
    if array.ndim > 1:
        return array[index]
    row = np.empty((), array.dtype)
    row[()] = array[index]
    return row


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """Rows that follow each other as one.

    Raises:
        InvalidArgumentError: if their shapes differ.
    """
    if len(parts) == 1:
        return parts[0]
    for component, first in enumerate(parts[0]):
        position = 0
        for rows in parts:
            if rows[component].shape[1:] != first.shape[1:]:
                _fail_to_batch(component, first.shape[1:], position, rows[component].shape[1:])
            position += len(rows[component])
    return [np.concatenate(arrays) for arrays in zip(*parts)]


# Ops


def dataset_of(handle: Array) -> Dataset:
    """The dataset of a variant.

    Raises:
        InvalidArgumentError: if the variant is something else.
    """
    value = resource_of(handle)
    if not isinstance(value, Dataset):
        fail("The given variant tensor does not contain a dataset.")
    return value


def variant_of(dataset: Dataset) -> Array:
    """The value of a dataset op."""
    return handle_of(dataset)


def scalar_inputs(*names: str) -> Callable[[shapes.ShapeContext], Shape]:
    """The shape function of a dataset op: a scalar handle. The named inputs must be scalars."""

    def shape_dataset(c: shapes.ShapeContext) -> Shape:
        for name in names:
            c.with_rank(name, 0)
        return ()

    return shape_dataset


def shape_components(c: shapes.ShapeContext) -> list[Shape]:
    """The shapes of the components of an element, which stand in an attr."""
    return list(c.attrs["output_shapes"])


def shape_handle_and_deleter(c: shapes.ShapeContext) -> list[Shape]:
    """Two scalars."""
    return [(), ()]


def scalar_of(value: Array, name: str) -> Any:
    """The value of a scalar input of a dataset op.

    Raises:
        InvalidArgumentError: if it is not a scalar.
    """
    if np.ndim(value):
        fail(f"{name} must be a scalar")
    return np.asarray(value).item()


def positive_of(value: Array, name: str) -> int:
    """The value of a scalar input that has to be positive.

    Raises:
        InvalidArgumentError: if it is not a scalar, or not positive.
    """
    number = int(scalar_of(value, name))
    if number <= 0:
        fail(f"{name} must be greater than zero.")
    return number
