"""Features of a batch of SequenceExample protos: ParseSequenceExample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.parsing.values import (
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


def _context_values(features: Any, key: str, dtype: DType, name: str) -> np.ndarray | None:
    """The values of a context feature; None if it is missing."""
    kind = kind_of(features[key]) if key in features else None
    if kind is None:
        return None
    if kind != proto_name(dtype):
        fail(f"Error in context feature {key} in example {name}")
    return array_of(features[key], dtype)


def _list_values(lists: Any, key: str, dtype: DType, name: str) -> list[np.ndarray] | None:
    """The values of each entry of a feature list; None if it is missing."""
    if key not in lists:
        return None
    parts = []
    for feature in lists[key].feature:
        kind = kind_of(feature)
        if kind is None:
            parts.append(np.empty(0, dtype.numpy_dtype))
            continue
        if kind != proto_name(dtype):
            fail(f"Error in sequence feature {key} in example {name}")
        parts.append(array_of(feature, dtype))
    return parts


def _context_dense(
    rows: list[np.ndarray | None], key: str, dtype: DType, shape: Sequence[int], default: np.ndarray
) -> np.ndarray:
    size = size_of(shape)
    parts = []
    for row in rows:
        if row is None:
            if not default.size:
                fail(
                    f"Feature: {key} (data type: {proto_name(dtype)}) is required but could not "
                    "be found."
                )
            row = np.broadcast_to(default, shape).ravel()
        if len(row) != size:
            fail(f"Inconsistent number of elements for feature {key}: {len(row)} vs {size}")
        parts.append(row)
    return joined(parts, dtype).reshape(len(parts), *shape)


def _context_sparse(rows: list[np.ndarray | None], dtype: DType) -> tuple[np.ndarray, ...]:
    lengths = [0 if row is None else len(row) for row in rows]
    values = joined([row for row in rows if row is not None], dtype)
    return positions(lengths), values, np.array([len(rows), max(lengths, default=0)], np.int64)


def _list_dense(
    rows: list[list[np.ndarray] | None],
    key: str,
    dtype: DType,
    shape: tuple[int | None, ...],
    optional: bool,
    names: list[str],
) -> tuple[np.ndarray, np.ndarray]:
    size = size_of(shape)
    for row, name in zip(rows, names):
        if row is None and not optional:
            fail(f"Missing feature {key} in example {name}")
        if any(len(entry) != size for entry in row or ()):
            fail(f"Unexpected number of elements in feature {key}, example {name}")
    lengths = np.array([len(row or ()) for row in rows], np.int64)
    steps = int(lengths.max(initial=0))
    result = np.full((len(rows), steps, size), 0, dtype.numpy_dtype)
    if np.dtype(dtype.numpy_dtype).kind == "O":
        result[...] = b""
    for i, row in enumerate(rows):
        if row:
            result[i, : len(row)] = np.stack(row)
    return result.reshape(len(rows), steps, *shape), lengths


def _list_sparse(rows: list[list[np.ndarray] | None], dtype: DType) -> tuple[np.ndarray, ...]:
    steps = [len(row or ()) for row in rows]
    entries = [entry for row in rows for entry in row or ()]
    lengths = [len(entry) for entry in entries]
    places = positions(steps)
    within = positions(lengths)
    indices = np.concatenate([places[within[:, 0]], within[:, 1:]], 1)
    shape = np.array([len(rows), max(steps, default=0), max(lengths, default=0)], np.int64)
    return indices, joined(entries, dtype), shape


def _by_part(triples: list[Any]) -> list[Any]:
    return [triple[i] for i in range(3) for triple in triples]


def kernel_parse_sequence_example(
    xp: ArrayModule,
    serialized: np.ndarray,
    debug_name: np.ndarray,
    context_dense_defaults: list[np.ndarray],
    *,
    feature_list_dense_missing_assumed_empty: list[Any],
    context_sparse_keys: list[Any],
    context_dense_keys: list[Any],
    feature_list_sparse_keys: list[Any],
    feature_list_dense_keys: list[Any],
    context_sparse_types: list[DType],
    Tcontext_dense: list[DType],
    feature_list_dense_types: list[DType],
    context_dense_shapes: list[Any],
    feature_list_sparse_types: list[DType],
    feature_list_dense_shapes: list[Any],
) -> list[Array]:
    if serialized.ndim != 1:
        fail(f"Expected serialized to be a vector, got shape: {shown(serialized.shape)}")
    count = len(serialized)
    names = [text_of(n) for n in debug_name.tolist()] if debug_name.size else ["<unknown>"] * count
    if len(names) != count:
        fail(f"Expected len(debug_name) == len(serialized), but got: {len(names)} vs. {count}")
    messages = [
        parsed(example_pb2.SequenceExample, text, name if debug_name.size else "")
        for text, name in zip(serialized.tolist(), names)
    ]

    def context(key: str, dtype: DType) -> list[np.ndarray | None]:
        key = text_of(key)
        return [
            _context_values(message.context.feature, key, dtype, name)
            for message, name in zip(messages, names)
        ]

    def lists(key: str, dtype: DType) -> list[list[np.ndarray] | None]:
        key = text_of(key)
        return [
            _list_values(message.feature_lists.feature_list, key, dtype, name)
            for message, name in zip(messages, names)
        ]

    dense = [
        _context_dense(context(key, dtype), text_of(key), dtype, shape, default)
        for key, dtype, shape, default in zip(
            context_dense_keys, Tcontext_dense, context_dense_shapes, context_dense_defaults
        )
    ]
    sparse = [
        _context_sparse(context(key, dtype), dtype)
        for key, dtype in zip(context_sparse_keys, context_sparse_types)
    ]
    optional = {text_of(key) for key in feature_list_dense_missing_assumed_empty}
    dense_lists = [
        _list_dense(lists(key, dtype), text_of(key), dtype, shape, text_of(key) in optional, names)
        for key, dtype, shape in zip(
            feature_list_dense_keys, feature_list_dense_types, feature_list_dense_shapes
        )
    ]
    sparse_lists = [
        _list_sparse(lists(key, dtype), dtype)
        for key, dtype in zip(feature_list_sparse_keys, feature_list_sparse_types)
    ]
    padded, lengths = [pair[0] for pair in dense_lists], [pair[1] for pair in dense_lists]
    return [*_by_part(sparse), *dense, *_by_part(sparse_lists), *padded, *lengths]


def shape_parse_sequence_example(c: shapes.ShapeContext) -> list[Shape]:
    batch = c.with_rank("serialized", 1)[0]
    context, lists = c.attr("Ncontext_sparse"), c.attr("Nfeature_list_sparse")
    result: list[Any] = [(None, 2)] * context + [(None,)] * context + [(2,)] * context
    result += [(batch, *shape) for shape in c.attr("context_dense_shapes")]
    result += [(None, 3)] * lists + [(None,)] * lists + [(3,)] * lists
    for shape in c.attr("feature_list_dense_shapes"):
        if shape is None or None in shape:
            c.fail(f"Shape {shapes.show(shape)} is not fully defined")
        result.append((batch, None, *shape))
    return result + [(batch,)] * c.attr("Nfeature_list_dense")


def samples_parse_sequence_example() -> Iterator[Sample]:
    first, second = example_pb2.SequenceExample(), example_pb2.SequenceExample()
    first.context.feature["a"].float_list.value.extend([1.0, 2.0])
    second.context.feature["b"].bytes_list.value.extend([b"x"])
    for message, rows in ((first, ([1, 2], [3, 4])), (second, ([5, 6],))):
        for row in rows:
            message.feature_lists.feature_list["l"].feature.add().int64_list.value.extend(row)
    for words in ([b"x"], [], [b"y", b"z"]):
        second.feature_lists.feature_list["w"].feature.add().bytes_list.value.extend(words)
    yield Sample(
        np.array([first.SerializeToString(), second.SerializeToString()], object),
        np.array([], object),
        [np.array([8, 9], np.float32)],
        feature_list_dense_missing_assumed_empty=["m"],
        context_sparse_keys=["b"],
        context_dense_keys=["a"],
        feature_list_sparse_keys=["w"],
        feature_list_dense_keys=["l", "m"],
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=2,
        context_sparse_types=["string"],
        feature_list_dense_types=["int64", "float32"],
        context_dense_shapes=[(2,)],
        feature_list_sparse_types=["string"],
        feature_list_dense_shapes=[(2,), ()],
    )


_TYPES = "list({float, int64, string}) >= 0 = []"
register_op(
    "ParseSequenceExample",
    inputs="serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense",
    outputs="context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64",
    attrs="feature_list_dense_missing_assumed_empty: list(string) >= 0, "
    "context_sparse_keys: list(string) >= 0, context_dense_keys: list(string) >= 0, "
    "feature_list_sparse_keys: list(string) >= 0, feature_list_dense_keys: list(string) >= 0, "
    "Ncontext_sparse: int >= 0 = 0, Ncontext_dense: int >= 0 = 0, "
    "Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int >= 0 = 0, "
    f"context_sparse_types: {_TYPES}, Tcontext_dense: {_TYPES}, "
    f"feature_list_dense_types: {_TYPES}, context_dense_shapes: list(shape) >= 0 = [], "
    f"feature_list_sparse_types: {_TYPES}, feature_list_dense_shapes: list(shape) >= 0 = []",
    shape=shape_parse_sequence_example,
    kernel=kernel_parse_sequence_example,
    samples=samples_parse_sequence_example,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
