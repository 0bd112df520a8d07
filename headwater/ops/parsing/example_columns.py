"""The features of a batch of Example protos, as columns."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array
from headwater.ops.parsing.example_batch import Column, read_batch
from headwater.ops.parsing.values import (
    FIELDS,
    TITLES,
    array_of,
    fail,
    joined,
    kind_of,
    parsed,
    positions,
    shown,
    size_of,
    text_of,
)
from headwater.protos.lazy import example_pb2

if TYPE_CHECKING:
    from headwater.protos.feature_pb2 import Feature

# A few features are read faster one by one.
_FEW_FEATURES = 48


class SparseForm(NamedTuple):
    """A feature with any number of values, which becomes a sparse tensor.

    Attributes:
        key: its key.
        dtype: its type.
        kind: the name of the type in errors.
    """

    key: str
    dtype: DType
    kind: str


class DenseForm(NamedTuple):
    """A feature that becomes a tensor.

    Attributes:
        key: its key.
        dtype: its type.
        kind: the name of the type in errors.
        shape: its shape; the first dimension may be unknown.
        ragged: whether it is: the rows have different lengths and are padded.
        size: how many values it has, or a row of a ragged one.
        field: the name of its list in a Feature.
    """

    key: str
    dtype: DType
    kind: str
    shape: tuple[Any, ...]
    ragged: bool
    size: int
    field: str


class Forms(NamedTuple):
    """The features of Examples that are wanted.

    Attributes:
        sparse: those that become sparse tensors.
        dense: those that become tensors.
        keys: the keys of all.
        kinds: the kinds of their values.
    """

    sparse: list[SparseForm]
    dense: list[DenseForm]
    keys: tuple[bytes, ...]
    kinds: tuple[str, ...]


@functools.lru_cache(256)
def forms(
    sparse_keys: tuple[Any, ...],
    sparse_types: tuple[DType, ...],
    dense_keys: tuple[Any, ...],
    dense_types: tuple[DType, ...],
    dense_shapes: tuple[tuple[Any, ...], ...],
) -> Forms:
    """The features with some keys (str or bytes), types and shapes."""
    sparse = [
        SparseForm(text_of(key), dtype, proto_name(dtype))
        for key, dtype in zip(sparse_keys, sparse_types)
    ]
    dense = []
    for key, dtype, shape in zip(dense_keys, dense_types, dense_shapes):
        kind, ragged = proto_name(dtype), bool(shape) and shape[0] is None
        size = size_of(shape[1:] if ragged else shape)
        dense.append(DenseForm(text_of(key), dtype, kind, shape, ragged, size, FIELDS[kind]))
    every: list[Any] = [*sparse, *dense]
    keys = tuple(form.key.encode("utf-8", "surrogateescape") for form in every)
    return Forms(sparse, dense, keys, tuple(form.kind for form in every))


class SparseColumn:
    """Collects a feature with any number of values from a batch."""

    def __init__(self, form: SparseForm) -> None:
        self.key, self.dtype, self.kind = form
        self.lengths: list[int] = []
        self.parts: list[np.ndarray] = []

    def add(self, feature: Feature | None, where: str) -> None:
        kind = None if feature is None else kind_of(feature)
        if kind is None:
            self.lengths.append(0)
            return
        if kind != self.kind:
            fail(f"{where}Data types don't match. Expected type: {self.kind}, Actual type: {kind}")
        values = array_of(feature, self.dtype)
        self.lengths.append(len(values))
        self.parts.append(values)

    def results(self) -> tuple[np.ndarray, ...]:
        shape = np.array([len(self.lengths), max(self.lengths, default=0)], np.int64)
        return positions(self.lengths), joined(self.parts, self.dtype), shape


class DenseColumn:
    """Collects a feature with a fixed number of values from a batch.

    If the first dimension is unknown, the rows have different lengths and are padded.
    """

    def __init__(self, form: DenseForm, default: np.ndarray) -> None:
        self.key, self.dtype, self.kind, self.shape, self.ragged, self.size, self.field = form
        self.default = default
        # A few values, or strings, are cheaper to collect in lists than in arrays.
        self.plain = not self.ragged and (self.kind == "string" or self.size <= 4)
        self.count_text: str | None = None
        self.parts: list[Any] = []

    def take(self, feature: Feature | None) -> bool:
        """The fast path without error texts: the list has the expected number of values."""
        if self.ragged or feature is None or not feature.HasField(self.field):
            return False
        values = getattr(feature, self.field).value
        if len(values) != self.size:
            return False
        if self.plain:
            self.parts.append(values)
        else:
            self.parts.append(np.array(values, self.dtype.numpy_dtype))
        return True

    def add(self, feature: Feature | None, where: str, name: str) -> None:
        kind = None if feature is None else kind_of(feature)
        if kind is None:
            if self.ragged:
                self.parts.append(np.empty(0, self.dtype.numpy_dtype))
            elif not self.default.size:
                fail(
                    f"{name}Feature: {self.key} (data type: {self.kind}) is required but could "
                    "not be found."
                )
            else:
                self.parts.append(self.default.ravel())
            return
        if kind != self.kind:
            fail(f"{where}Data types don't match. Data type: {kind} but expected type: {self.kind}")
        values = array_of(feature, self.dtype)
        self.check(len(values), where if self.count_text is None else self.count_text)
        self.parts.append(values)

    def check(self, count: int, where: str) -> None:
        if self.ragged and self.size and count % self.size:
            fail(
                f"{where}Number of {TITLES[self.kind]} values is not a multiple of stride length. "
                f"Saw {count} values but output shape is: {shown(self.shape)}"
            )
        if not self.ragged and count != self.size:
            fail(
                f"{where}Number of {TITLES[self.kind]} values != expected.  Values size: {count} "
                f"but output shape: {shown(self.shape)}"
            )

    def result(self) -> np.ndarray:
        count = len(self.parts)
        if self.plain:
            flat = np.empty(count * self.size, self.dtype.numpy_dtype)
            flat[:] = list(itertools.chain.from_iterable(self.parts))
            return flat.reshape(count, *self.shape)
        if not self.ragged:
            return joined(self.parts, self.dtype).reshape(count, *self.shape)
        longest = max(map(len, self.parts), default=0)
        rows = np.empty((count, longest), self.dtype.numpy_dtype)
        rows[...] = self.default.ravel()[0] if self.default.size else 0
        for row, part in zip(rows, self.parts):
            row[: len(part)] = part
        steps = longest // self.size if self.size else 0
        return rows.reshape(count, steps, *self.shape[1:])


def _from_wire(
    texts: list[bytes], wanted: Forms, defaults: Sequence[np.ndarray]
) -> list[np.ndarray] | None:
    """The results of a batch of the usual form without any error; None for another one."""
    if len(texts) * len(wanted.keys) < _FEW_FEATURES:
        return None
    read = read_batch(texts, wanted.keys, wanted.kinds)
    if read is None:
        return None
    triples = []
    for found in read[: len(wanted.sparse)]:
        whole = np.array([len(texts), found.counts.max(initial=0)], np.int64)
        triples.append((positions(found.counts), found.values, whole))
    parts = [triple[i] for i in range(3) for triple in triples]
    for form, default, found in zip(wanted.dense, defaults, read[len(wanted.sparse) :]):
        part = _dense_from_wire(form, default, found)
        if part is None:
            return None
        parts.append(part)
    return parts


def _dense_from_wire(form: DenseForm, default: np.ndarray, found: Column) -> np.ndarray | None:
    """A dense result; None if a message lacks the expected values."""
    count, size, shape = len(found.counts), form.size, form.shape
    if form.ragged:
        if not size or np.any(found.counts % size):
            return None
        longest = int(found.counts.max(initial=0))
        rows = np.empty((count, longest), form.dtype.numpy_dtype)
        rows[...] = default.ravel()[0] if default.size else 0
        rows[np.arange(longest) < found.counts[:, None]] = found.values
        return rows.reshape(count, longest // size, *shape[1:])
    if found.missing is None:
        if np.count_nonzero(found.counts != size):
            return None
        return found.values.reshape(count, *shape)
    if np.any(found.counts[~found.missing] != size):
        return None
    if not default.size or default.size != size:
        return None
    rows = np.empty((count, size), form.dtype.numpy_dtype)
    rows[~found.missing] = found.values.reshape(-1, size)
    rows[found.missing] = default.ravel()
    return rows.reshape(count, *shape)


def parse_batch(
    serialized: np.ndarray,
    names: np.ndarray,
    wanted: Forms,
    defaults: Sequence[np.ndarray],
) -> list[Array]:
    """Parses a batch of Example protos.

    Args:
        serialized: a vector of serialized protos.
        names: their names for errors, or nothing.
        wanted: the features.
        defaults: the default values of those that become tensors.

    Returns:
        The indices, values and dense shapes of the sparse tensors, then the dense tensors.

    Raises:
        InvalidArgumentError: if a proto is damaged, or a feature is missing or of another type.
    """
    if names.size and len(names) != len(serialized):
        fail(f"Expected len(names) == len(serialized), but got: {len(names)} vs. {len(serialized)}")
    for i, (form, default) in enumerate(zip(wanted.dense, defaults)):
        if form.ragged and default.size > 1:
            fail(
                f"dense_shape[{i}] is a variable length shape: {shown(form.shape)}, therefore "
                f"def_value[{i}] must contain a single element (the padding element).  But its "
                f"shape is: {shown(default.shape)}"
            )
    texts = serialized.tolist()
    usual = _from_wire(texts, wanted, defaults)
    if usual is not None:
        return usual
    sparse = list(map(SparseColumn, wanted.sparse))
    dense = list(map(DenseColumn, wanted.dense, defaults))
    message_type = example_pb2.Example
    for i, text in enumerate(texts):
        name = text_of(names[i]) if names.size else "<unknown>"
        features = parsed(message_type, text, name if names.size else "").features.feature
        for column in dense:
            feature = features.get(column.key)
            if not column.take(feature):
                where = f"Name: {name}, Key: {column.key}, Index: {i}.  "
                column.add(feature, where, f"Name: {name}, ")
        for column_of_any in sparse:
            key = column_of_any.key
            feature = features.get(key)
            column_of_any.add(feature, f"Name: {name}, Key: {key}, Index: {i}.  ")
    triples = [column_of_any.results() for column_of_any in sparse]
    parts = [triple[i] for i in range(3) for triple in triples]
    return [*parts, *(column.result() for column in dense)]
