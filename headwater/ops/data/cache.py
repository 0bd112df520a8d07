"""CacheDataset: elements that are made once and kept in memory or in files."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.cache_store import (
    FileCacheReader,
    FileCacheWriter,
    Kept,
    MemoryCache,
    has_file,
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
    rows_to_element,
    scalar_inputs,
    scalar_of,
    shape_handle_and_deleter,
    variant_of,
)


class CacheDataset(Dataset):
    """The elements of the input, which the first iterator keeps for the others.

    Args:
        source: the input.
        filename: the beginning of the names of the files that keep them; memory if empty.
        cache: keeps them in memory; iterators have one of their own if None.
    """

    def __init__(
        self,
        source: Dataset,
        filename: str,
        types: Any,
        component_shapes: Any,
        cache: MemoryCache | None = None,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.filename = filename
        self.cache = cache

    @property
    def transformation(self) -> str:
        return "FileCacheImpl" if self.filename else "MemoryCacheImpl"

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if self.filename:
            if has_file(self.filename):
                return FileCacheReader(self.filename, self.types)
            return _FileIterator(self, context)
        cache = self.cache
        if cache is None:
            cache = context.shared.setdefault(f"{context.prefix}::MemoryCache", MemoryCache())
        return _MemoryIterator(self, cache, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _MemoryIterator(ElementIterator):
    """Reads a cache that is complete, or keeps the elements of the input."""

    def __init__(self, dataset: CacheDataset, cache: MemoryCache, context: IteratorContext) -> None:
        self._cache = cache
        self._reader = None if cache.kept is None else cache.kept.iterate()
        self._source = None if self._reader else _Source(dataset, context)
        self._kept = Kept()

    def next(self) -> Element | None:
        if self._reader is not None:
            return self._reader.next()
        rows = self.next_rows(1)
        return None if rows is None else rows_to_element(rows, 0)

    def next_rows(self, count: int) -> Rows | None:
        if self._reader is not None:
            return self._reader.next_rows(count)
        if self._source is None:
            return None
        rows = self._source.next_rows(count)
        if rows is None:
            self._kept.finish()
            self._cache.kept = self._kept
            self._source.close()
            self._source = None
        else:
            self._kept.add(rows)
        return rows

    def save(self, state: SavedState, prefix: str) -> None:
        if self._cache.kept is not None:
            self._cache.kept.save(state, f"{prefix}/cache")
        if self._reader is not None:
            self._reader.save(state, f"{prefix}/reader")
        elif self._source is not None:
            self._kept.save(state, f"{prefix}/kept")
            self._source.save(state, f"{prefix}/source")

    def restore(self, state: SavedState, prefix: str) -> None:
        if f"{prefix}/cache/blocks/count" in state:
            self._cache.kept = Kept()
            self._cache.kept.restore(state, f"{prefix}/cache")
            self._cache.kept.finish()
        self._reader = None
        if any(name.startswith(f"{prefix}/reader/") for name in state):
            assert self._cache.kept is not None
            self._reader = self._cache.kept.iterate()
            self._reader.restore(state, f"{prefix}/reader")
        if f"{prefix}/kept/blocks/count" in state and self._source is not None:
            self._kept.restore(state, f"{prefix}/kept")
            self._source.restore(state, f"{prefix}/source")
        else:
            self.close()
            self._source = None

    def close(self) -> None:
        if self._source is not None:
            self._source.close()


class _Source(InputIterator):
    """The iterator over the input of a cache."""

    def __init__(self, dataset: Dataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)

    def next(self) -> Element | None:
        return self._input.next()

    def next_rows(self, count: int) -> Rows | None:
        return self._input.next_rows(count)


class _FileIterator(InputIterator):
    """Hands on the elements of the input and writes them to files."""

    def __init__(self, dataset: CacheDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._writer = FileCacheWriter(dataset.filename, dataset.types)
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        self._writer.begin()
        element = self._input.next()
        if element is None:
            self._ended = True
            self._writer.finish()
        else:
            self._writer.add(element)
        return element

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        self._writer.end_part()
        state[f"{prefix}/part"] = self._writer.part
        state[f"{prefix}/position"] = self._writer.count
        state[f"{prefix}/ended"] = self._ended

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._writer.part = int(state[f"{prefix}/part"])
        self._writer.count = int(state[f"{prefix}/position"])
        self._ended = bool(state[f"{prefix}/ended"])

    def close(self) -> None:
        self._writer.abandon()
        super().close()


def _filename_of(value: Array) -> str:
    name: bytes = scalar_of(value, "filename")
    return name.decode(errors="surrogateescape")


def kernel_cache_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    filename: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    source, path = dataset_of(input_dataset), _filename_of(filename)
    return variant_of(CacheDataset(source, path, output_types, output_shapes))


def kernel_cache_dataset_v2(
    xp: ArrayModule,
    input_dataset: Array,
    filename: Array,
    cache: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    memory = resource_of(cache)
    if not isinstance(memory, MemoryCache):
        fail("The cache is not a memory cache.")
    source, path = dataset_of(input_dataset), _filename_of(filename)
    return variant_of(CacheDataset(source, path, output_types, output_shapes, memory))


def kernel_anonymous_memory_cache(xp: ArrayModule) -> tuple[Array, Array]:
    handle = handle_of(MemoryCache())
    return handle, handle


def kernel_delete_memory_cache(xp: ArrayModule, handle: Array, deleter: Array) -> tuple[()]:
    # The cache lives as long as a handle of it.
    return ()


register_op(
    "CacheDataset",
    inputs="input_dataset: variant, filename: string",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("filename"),
    kernel=kernel_cache_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "CacheDatasetV2",
    inputs="input_dataset: variant, filename: string, cache: resource",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("filename", "cache"),
    kernel=kernel_cache_dataset_v2,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "AnonymousMemoryCache",
    outputs="handle: resource, deleter: variant",
    shape=shape_handle_and_deleter,
    kernel=kernel_anonymous_memory_cache,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DeleteMemoryCache",
    inputs="handle: resource, deleter: variant",
    shape=shapes.none,
    kernel=kernel_delete_memory_cache,
    runs_on=RunsOn.HOST,
    stateful=True,
)
