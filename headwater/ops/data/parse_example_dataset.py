"""ParseExampleDataset: the features of batches of Example protos."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.background import restored_items, save_items
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    scalar_of,
    variant_of,
)
from headwater.ops.data.statistics import NodeStatistics, node_statistics
from headwater.ops.parsing.example_columns import Forms, forms, parse_batch
from headwater.protos.lazy import example_pb2

# About so many protos are parsed at a time.
_PROTOS = 1024


class ParseExampleDataset(Dataset):
    """The features of each element, a vector of protos, in the order of their keys.

    Args:
        source: the dataset of vectors.
        wanted: the features.
        defaults: the default values of those that become tensors.
        types: the types of the components of an element.
        component_shapes: their static shapes.
    """

    def __init__(
        self,
        source: Dataset,
        wanted: Forms,
        defaults: Sequence[Array],
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.wanted = wanted
        self.defaults = defaults

    def iterate(self, context: IteratorContext) -> ElementIterator:
        statistics = node_statistics(self, context)
        if statistics is not None:
            return _CountingParseExampleIterator(self, context, statistics)
        return _ParseExampleIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _ParseExampleIterator(InputIterator):
    """Parses several elements at a time, more and more as the elements are taken."""

    def __init__(self, dataset: ParseExampleDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._wanted = wanted = dataset.wanted
        self._defaults = dataset.defaults
        keys = [form.key for form in wanted.sparse] + [form.key for form in wanted.dense]
        self._names = keys
        self._order = sorted(range(len(keys)), key=lambda i: keys[i])
        # The columns of sequences are as wide as the longest one of the element.
        self._joins = not any(form.ragged for form in wanted.dense)
        # Elements of the input; the features of the first ones; the error that comes after them.
        self._waiting: deque[Array] = deque()
        self._parsed: deque[Element] = deque()
        self._error: errors.OpError | None = None
        self._ahead = 1
        # How many of the waiting elements have to be parsed one by one.
        self._single = 0

    def next(self) -> Element | None:
        if not self._waiting:
            self._take()
        if not self._waiting:
            error, self._error = self._error, None
            if error is not None:
                raise error
            return None
        if not self._parsed and not self._single:
            self._parse_waiting()
        serialized = self._waiting.popleft()
        if self._parsed:
            return self._parsed.popleft()
        self._single -= 1
        return self._features(self._columns(serialized), 0, len(serialized))

    def _take(self) -> None:
        """Takes elements of the input."""
        count = 0
        try:
            while count < _PROTOS and len(self._waiting) < self._ahead:
                element = self._input.next()
                if element is None:
                    return
                self._waiting.append(element[0])
                count += element[0].size
        except errors.OpError as error:
            self._error = error
        self._ahead = min(2 * self._ahead, _PROTOS) if self._joins else 1

    def _parse_waiting(self) -> None:
        vectors = list(self._waiting)
        if len(vectors) > 1 and all(vector.ndim == 1 for vector in vectors):
            try:
                parts = self._columns(np.concatenate(vectors))
            except errors.OpError:
                # One element has an error, which it raises when its turn comes.
                self._single = len(vectors)
                return
            ends = np.cumsum([len(vector) for vector in vectors]).tolist()
            for start, end in zip([0, *ends], ends):
                self._parsed.append(self._features(parts, start, end))
        else:
            self._single = len(vectors)

    def _columns(self, serialized: Array) -> list[Array]:
        if serialized.ndim != 1:
            fail(f"Expected a vector of strings, got shape {shapes.show(serialized.shape)}")
        return parse_batch(serialized, np.empty(0, object), self._wanted, self._defaults)

    def _features(self, parts: list[Array], start: int, end: int) -> Element:
        """The features of the protos from one index to another."""
        count = len(self._wanted.sparse)
        features = []
        for i in range(count):
            first, last = np.searchsorted(parts[i][:, 0], (start, end))
            indices = parts[i][first:last] - (start, 0)
            width = int(indices[:, 1].max(initial=-1)) + 1
            dense_shape = np.array([end - start, width], np.int64)
            features.append(_variant(indices, parts[count + i][first:last], dense_shape))
        features += [part[start:end] for part in parts[3 * count :]]
        return [features[i] for i in self._order]

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_items(state, f"{prefix}/waiting", [[serialized] for serialized in self._waiting])

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        items = restored_items(state, f"{prefix}/waiting")
        self._waiting.extend(item[0] for item in items if isinstance(item, list))


class _CountingParseExampleIterator(_ParseExampleIterator):
    """Counts the features of each proto, and the values of those that the dataset has."""

    def __init__(
        self, dataset: ParseExampleDataset, context: IteratorContext, statistics: NodeStatistics
    ) -> None:
        super().__init__(dataset, context)
        self._joins = False
        self._statistics = statistics
        self._keys = frozenset(self._names)

    def _columns(self, serialized: Array) -> list[Array]:
        parts = super()._columns(serialized)
        for text in serialized.tolist():
            features = example_pb2.Example.FromString(text).features.feature
            self._statistics.add("features_count", [len(features)])
            counts = [_value_count(f) for key, f in features.items() if key in self._keys]
            self._statistics.add("feature_values_count", [sum(counts)])
        # No threads are used.
        self._statistics.set("thread_utilization", 0.0)
        self._statistics.elements += 1
        return parts


def _value_count(feature: Any) -> int:
    kind = feature.WhichOneof("kind")
    return len(getattr(feature, kind).value) if kind else 0


def _variant(*parts: Array) -> Array:
    """A sparse tensor as datasets have it: a vector of three variants."""
    result = np.empty(3, object)
    for i, part in enumerate(parts):
        result[i] = part
    return result


def kernel_parse_example_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    num_parallel_calls: Array,
    dense_defaults: Sequence[Array],
    *,
    sparse_keys: Sequence[Any],
    dense_keys: Sequence[Any],
    sparse_types: Sequence[DType],
    Tdense: Sequence[DType],
    dense_shapes: Sequence[Any],
    output_types: Any,
    output_shapes: Any,
) -> Array:
    calls = int(scalar_of(num_parallel_calls, "num_parallel_calls"))
    if calls <= 0 and calls != -1:
        fail("num_parallel_calls must be greater than zero.")
    wanted = forms(
        tuple(sparse_keys),
        tuple(sparse_types),
        tuple(dense_keys),
        tuple(Tdense),
        tuple(map(tuple, dense_shapes)),
    )
    source = dataset_of(input_dataset)
    rest = output_types, output_shapes
    return variant_of(ParseExampleDataset(source, wanted, dense_defaults, *rest))


def shape_parse_example_dataset(c: shapes.ShapeContext) -> Any:
    c.with_rank("num_parallel_calls", 0)
    return ()


def _register_parse_example_dataset(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        outputs="handle: variant",
        attrs="sparse_keys: list(string) >= 0, dense_keys: list(string) >= 0, "
        "sparse_types: list({float, int64, string}) >= 0, "
        "Tdense: list({float, int64, string}) >= 0, dense_shapes: list(shape) >= 0, "
        "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, sloppy: bool = false",
        shape=shape_parse_example_dataset,
        kernel=kernel_parse_example_dataset,
        runs_on=RunsOn.HOST,
    )


_register_parse_example_dataset("ParseExampleDataset")
_register_parse_example_dataset("ExperimentalParseExampleDataset")
