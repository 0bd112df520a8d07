"""Features of Example protos: ParseExample, ParseSingleExample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.parsing.example_columns import (
    DenseColumn,
    DenseForm,
    SparseColumn,
    forms,
    parse_batch,
)
from headwater.ops.parsing.values import fail, parsed, shown
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
    wanted = forms(
        tuple([key.item() for key in sparse_keys]),
        tuple(sparse_types),
        tuple([key.item() for key in dense_keys]),
        tuple(Tdense),
        tuple(map(tuple, dense_shapes)),
    )
    return parse_batch(serialized, names, wanted, dense_defaults)


def _usual(form: DenseForm, feature: Any) -> np.ndarray | None:
    """The values of a feature of the right type and size; None of another one."""
    if form.ragged or feature is None or not feature.HasField(form.field):
        return None
    values = getattr(feature, form.field).value
    if len(values) != form.size:
        return None
    result = np.empty(form.size, form.dtype.numpy_dtype)
    result[:] = values[:]
    return result.reshape(form.shape)


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
    wanted = forms(
        tuple(sparse_keys),
        tuple(sparse_types),
        tuple(dense_keys),
        tuple(Tdense),
        tuple(map(tuple, dense_shapes)),
    )
    for form, default in zip(wanted.dense, dense_defaults):
        feature = features.get(form.key)
        found = _usual(form, feature)
        if found is not None:
            outputs.append(found)
            continue
        column = DenseColumn(form, default)
        # A hint follows the text that is known for a wrong number of values.
        column.count_text = f"Key: {column.key}.  Can't parse serialized Example.\n"
        column.add(feature, f"Key: {column.key}.  ", "")
        # With the ellipsis, a scalar stays an array.
        outputs.append(column.result()[0, ...])
    triples = []
    for sparse_form in wanted.sparse:
        any_column = SparseColumn(sparse_form)
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
