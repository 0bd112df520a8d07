"""Features of Example protos: ParseExample, ParseSingleExample."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape, ShapeLike
from headwater.graph import RunsOn, Sample, register_op, shapes
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
from headwater.ops.parsing.wire import Column, read_batch
from headwater.protos.lazy import example_pb2

if TYPE_CHECKING:
    from headwater.protos.feature_pb2 import Feature

# A few features are read faster one by one.
_FEW_FEATURES = 32


class _Sparse:
    """Collects a feature with any number of values from a batch."""

    def __init__(self, key: str, dtype: DType) -> None:
        self.key, self.dtype, self.kind = key, dtype, proto_name(dtype)
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


class _Dense:
    """Collects a feature with a fixed number of values from a batch.

    If the first dimension is unknown, the rows have different lengths and are padded.
    """

    def __init__(self, key: str, dtype: DType, shape: ShapeLike, default: np.ndarray) -> None:
        self.key, self.dtype, self.kind, self.shape = key, dtype, proto_name(dtype), shape
        self.ragged = bool(len(shape)) and shape[0] is None
        self.size = size_of(shape[1:] if self.ragged else shape)
        self.default = default
        self.field = FIELDS[self.kind]
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
    texts: list[bytes], sparse: list[_Sparse], dense: list[_Dense]
) -> list[np.ndarray] | None:
    """The results of a batch of the usual form without any error; None for another one."""
    columns: list[_Sparse | _Dense] = [*sparse, *dense]
    if len(texts) * len(columns) < _FEW_FEATURES:
        return None
    keys = [column.key.encode("utf-8", "surrogateescape") for column in columns]
    read = read_batch(texts, keys, [column.kind for column in columns])
    if read is None:
        return None
    triples = []
    for found in read[: len(sparse)]:
        whole = np.array([len(texts), found.counts.max(initial=0)], np.int64)
        triples.append((positions(found.counts), found.values, whole))
    parts = [triple[i] for i in range(3) for triple in triples]
    for column, found in zip(dense, read[len(sparse) :]):
        part = _dense_from_wire(column, found)
        if part is None:
            return None
        parts.append(part)
    return parts


def _dense_from_wire(column: _Dense, found: Column) -> np.ndarray | None:
    """A dense result; None if a message lacks the expected values."""
    count, size = len(found.counts), column.size
    shape = column.shape
    if column.ragged:
        if not size or np.any(found.counts % size):
            return None
        longest = int(found.counts.max(initial=0))
        rows = np.empty((count, longest), column.dtype.numpy_dtype)
        rows[...] = column.default.ravel()[0] if column.default.size else 0
        rows[np.arange(longest) < found.counts[:, None]] = found.values
        return rows.reshape(count, longest // size, *shape[1:])
    if np.any(found.counts[~found.missing] != size):
        return None
    if not found.missing.any():
        return found.values.reshape(count, *shape)
    if not column.default.size or column.default.size != size:
        return None
    rows = np.empty((count, size), column.dtype.numpy_dtype)
    rows[~found.missing] = found.values.reshape(-1, size)
    rows[found.missing] = column.default.ravel()
    return rows.reshape(count, *shape)


def kernel_parse_example(
    xp: ArrayModule,
    serialized: np.ndarray,
    names: np.ndarray,
    sparse_keys: list[np.ndarray],
    dense_keys: list[np.ndarray],
    dense_defaults: list[np.ndarray],
    *,
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[Any],
) -> list[Array]:
    if serialized.ndim != 1:
        fail(f"Expected serialized to be a vector, got shape: {shown(serialized.shape)}")
    if names.size and len(names) != len(serialized):
        fail(f"Expected len(names) == len(serialized), but got: {len(names)} vs. {len(serialized)}")
    sparse = [_Sparse(text_of(k.item()), t) for k, t in zip(sparse_keys, sparse_types)]
    dense = [
        _Dense(text_of(k.item()), *rest)
        for k, *rest in zip(dense_keys, Tdense, dense_shapes, dense_defaults)
    ]
    for i, column in enumerate(dense):
        if column.ragged and column.default.size > 1:
            fail(
                f"dense_shape[{i}] is a variable length shape: {shown(column.shape)}, therefore "
                f"def_value[{i}] must contain a single element (the padding element).  But its "
                f"shape is: {shown(column.default.shape)}"
            )
    usual = _from_wire(serialized.tolist(), sparse, dense)
    if usual is not None:
        return usual
    message_type = example_pb2.Example
    for i, text in enumerate(serialized.tolist()):
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


def kernel_parse_single_example(
    xp: ArrayModule,
    serialized: np.ndarray,
    dense_defaults: list[np.ndarray],
    *,
    sparse_keys: list[Any],
    dense_keys: list[Any],
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[Any],
) -> list[Array]:
    if serialized.ndim:
        fail(f"Expected serialized to be a scalar, got shape: {shown(serialized.shape)}")
    features = parsed(example_pb2.Example, serialized.item()).features.feature
    outputs = []
    for key, dtype, shape, default in zip(dense_keys, Tdense, dense_shapes, dense_defaults):
        column = _Dense(text_of(key), dtype, shape, default)
        feature = features.get(column.key)
        # A hint follows the text that is known for a wrong number of values.
        column.count_text = f"Key: {column.key}.  Can't parse serialized Example.\n"
        column.add(feature, f"Key: {column.key}.  ", "")
        # With the ellipsis, a scalar stays an array.
        outputs.append(column.result()[0, ...])
    triples = []
    for key, dtype in zip(sparse_keys, sparse_types):
        any_column = _Sparse(text_of(key), dtype)
        feature = features.get(any_column.key)
        any_column.add(feature, f"Key: {any_column.key}.  ")
        indices, values, whole = any_column.results()
        triples.append((indices[:, 1:], values, whole[1:]))
    parts = [triple[i] for i in range(3) for triple in triples]
    return [*parts, *outputs]


def shape_parse_example(c: shapes.ShapeContext) -> list[Shape]:
    batch = c.with_rank("serialized", 1)[0]
    c.with_rank("names", 1)
    count = c.attr("Nsparse")
    sparse: list[Any] = [(None, 2)] * count + [(None,)] * count + [(2,)] * count
    return sparse + [(batch, *shape) for shape in c.attr("dense_shapes")]


def shape_parse_single_example(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("serialized", 0)
    count = c.attr("num_sparse")
    sparse: list[Any] = [(None, 1)] * count + [(None,)] * count + [(1,)] * count
    return sparse + list(c.attr("dense_shapes"))


def _example(**features: Any) -> bytes:
    message = example_pb2.Example()
    for key, value in features.items():
        feature = message.features.feature[key]
        field = {float: "float_list", int: "int64_list", bytes: "bytes_list"}[type(value[0])]
        getattr(feature, field).value.extend(value)
    return message.SerializeToString()


def _words(*values: Any) -> np.ndarray:
    return np.array(values, object)


def samples_parse_example() -> Iterator[Sample]:
    batch = _words(_example(a=[1.0, 2.0], b=[3], c=[b"x", b"y"]), _example(c=[b"z"], b=[4, 5]))
    keys = [np.array(b"c", object)], [np.array(b"a", object), np.array(b"b", object)]
    defaults = [np.array([7, 8], np.float32), np.array(0)]
    for names in (_words(), _words(b"one", b"two")):
        yield Sample(
            batch,
            names,
            *keys,
            defaults,
            sparse_types=["string"],
            Tdense=["float32", "int64"],
            dense_shapes=[(2,), (None,)],
        )


def samples_parse_single_example() -> Iterator[Sample]:
    yield Sample(
        np.array(_example(a=[1.0, 2.0], c=[b"x", b"y"]), object),
        [np.array([7, 8], np.float32), np.array([3])],
        num_sparse=1,
        sparse_keys=["c"],
        dense_keys=["a", "b"],
        sparse_types=["string"],
        Tdense=["float32", "int64"],
        dense_shapes=[(2,), (1,)],
    )


_TYPES = "list({float, int64, string}) >= 0"
_SPARSE_OUTPUTS = "sparse_values: sparse_types, sparse_shapes: {n} * int64, dense_values: Tdense"
register_op(
    "ParseExample",
    inputs="serialized: string, names: string, sparse_keys: Nsparse * string, "
    "dense_keys: Ndense * string, dense_defaults: Tdense",
    outputs="sparse_indices: Nsparse * int64, " + _SPARSE_OUTPUTS.format(n="Nsparse"),
    attrs=f"Nsparse: int >= 0, Ndense: int >= 0, sparse_types: {_TYPES}, Tdense: {_TYPES}, "
    "dense_shapes: list(shape) >= 0",
    shape=shape_parse_example,
    kernel=kernel_parse_example,
    samples=samples_parse_example,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "ParseSingleExample",
    inputs="serialized: string, dense_defaults: Tdense",
    outputs="sparse_indices: num_sparse * int64, " + _SPARSE_OUTPUTS.format(n="num_sparse"),
    attrs="num_sparse: int >= 0, sparse_keys: list(string) >= 0, dense_keys: list(string) >= 0, "
    f"sparse_types: {_TYPES}, Tdense: {_TYPES}, dense_shapes: list(shape) >= 0",
    shape=shape_parse_single_example,
    kernel=kernel_parse_single_example,
    samples=samples_parse_single_example,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
