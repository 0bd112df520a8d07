"""Features of Example protos: ParseExample, ParseSingleExample."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.parsing.example_columns import DenseColumn, SparseColumn, parse_batch
from headwater.ops.parsing.values import (
    FIELDS,
    fail,
    parsed,
    shown,
    size_of,
    text_of,
)
from headwater.protos.lazy import example_pb2


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
    sparse = [SparseColumn(text_of(k.item()), t) for k, t in zip(sparse_keys, sparse_types)]
    dense = [
        DenseColumn(text_of(k.item()), *rest)
        for k, *rest in zip(dense_keys, Tdense, dense_shapes, dense_defaults)
    ]
    return parse_batch(serialized, names, sparse, dense)


class _DenseForm(NamedTuple):
    """What is the same for a dense feature of all Examples that an op parses.

    Attributes:
        key: its key.
        dtype: its type.
        shape: its shape; the first dimension may be unknown.
        field: the name of its list in a Feature.
        size: how many values it has; -1 if that is unknown.
    """

    key: str
    dtype: DType
    shape: tuple[Any, ...]
    field: str
    size: int

    def usual(self, feature: Any) -> np.ndarray | None:
        """The values of a feature of the right type and size; None of another one."""
        if feature is None or not feature.HasField(self.field):
            return None
        values = getattr(feature, self.field).value
        if len(values) != self.size:
            return None
        result = np.empty(self.size, self.dtype.numpy_dtype)
        result[:] = values[:]
        return result.reshape(self.shape)


@functools.lru_cache(256)
def _dense_forms(
    keys: tuple[Any, ...], types: tuple[DType, ...], all_shapes: tuple[Any, ...]
) -> list[_DenseForm]:
    return [
        _DenseForm(
            text_of(key),
            dtype,
            shape,
            FIELDS[proto_name(dtype)],
            -1 if None in shape else size_of(shape),
        )
        for key, dtype, shape in zip(keys, types, all_shapes)
    ]


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
    forms = _dense_forms(tuple(dense_keys), tuple(Tdense), tuple(map(tuple, dense_shapes)))
    for form, default in zip(forms, dense_defaults):
        feature = features.get(form.key)
        found = form.usual(feature)
        if found is not None:
            outputs.append(found)
            continue
        column = DenseColumn(form.key, form.dtype, form.shape, default)
        # A hint follows the text that is known for a wrong number of values.
        column.count_text = f"Key: {column.key}.  Can't parse serialized Example.\n"
        column.add(feature, f"Key: {column.key}.  ", "")
        # With the ellipsis, a scalar stays an array.
        outputs.append(column.result()[0, ...])
    triples = []
    for key, dtype in zip(sparse_keys, sparse_types):
        any_column = SparseColumn(text_of(key), dtype)
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
