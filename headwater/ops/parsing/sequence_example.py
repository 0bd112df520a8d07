"""Features of one SequenceExample proto: ParseSingleSequenceExample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.parsing.values import (
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


def _check_kind(feature: Feature, dtype: DType, where: str) -> None:
    if kind_of(feature) != proto_name(dtype):
        fail(
            f"{where}Data types don't match. Expected type: {proto_name(dtype)}  "
            f"Feature is: {feature}"
        )


def _checked(feature: Feature, dtype: DType, shape: Any, where: str) -> np.ndarray:
    values = array_of(feature, dtype)
    if len(values) != size_of(shape):
        fail(
            f"{where}  Number of {TITLES[proto_name(dtype)]} values != expected.  values size: "
            f"{len(values)} but output shape: {shown(shape)}"
        )
    return values


def _context_dense(
    features: Any, key: str, dtype: DType, shape: Sequence[int], default: np.ndarray, name: str
) -> np.ndarray:
    if key not in features:
        if not default.size:
            fail(f"Name: {name}, Context feature '{key}' is required but could not be found.")
        return default.reshape(shape)
    feature = features[key]
    _check_kind(feature, dtype, f"Name: {name}, Context feature: {key}.  ")
    where = f"Name: {name}, Key: {key}, Index: 0."
    return _checked(feature, dtype, shape, where).reshape(shape)


def _context_sparse(features: Any, key: str, dtype: DType, name: str) -> tuple[np.ndarray, ...]:
    values = np.empty(0, dtype.numpy_dtype)
    if key in features and kind_of(features[key]) is not None:
        _check_kind(features[key], dtype, f"Name: {name}, Context feature: {key}.  ")
        values = array_of(features[key], dtype)
    count = len(values)
    return np.arange(count).reshape(count, 1), values, np.array([count], np.int64)


def _list_dense(
    lists: Any, key: str, dtype: DType, shape: tuple[int | None, ...], optional: bool, name: str
) -> Array:
    if key not in lists:
        if not optional:
            fail(
                f"Name: {name}, Feature list '{key}' is required but could not be found.  Did you "
                "mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults?"
            )
        return np.empty((0, *shape), dtype.numpy_dtype)
    parts = []
    for i, feature in enumerate(lists[key].feature):
        _check_kind(feature, dtype, f"Name: {name}, Feature list: {key}, Index: {i}.  ")
        parts.append(_checked(feature, dtype, shape, f"Name: {name}, Key: {key}, Index: {i}."))
    return joined(parts, dtype).reshape(len(parts), *shape)


def _list_sparse(lists: Any, key: str, dtype: DType, name: str) -> tuple[np.ndarray, ...]:
    parts = []
    for i, feature in enumerate(lists[key].feature if key in lists else ()):
        if kind_of(feature) is None:
            parts.append(np.empty(0, dtype.numpy_dtype))
            continue
        _check_kind(feature, dtype, f"Name: {name}, Feature List: {key}, Index: {i}.  ")
        parts.append(array_of(feature, dtype))
    lengths = [len(part) for part in parts]
    shape = np.array([len(parts), max(lengths, default=0)], np.int64)
    return positions(lengths), joined(parts, dtype), shape


def _by_part(triples: list[Any]) -> list[Any]:
    return [triple[i] for i in range(3) for triple in triples]


def _texts(keys: list[np.ndarray]) -> list[str]:
    return [text_of(key.item()) for key in keys]


def kernel_parse_single_sequence_example(
    xp: ArrayModule,
    serialized: np.ndarray,
    missing_assumed_empty: np.ndarray,
    context_sparse_keys: list[np.ndarray],
    context_dense_keys: list[np.ndarray],
    feature_list_sparse_keys: list[np.ndarray],
    feature_list_dense_keys: list[np.ndarray],
    context_dense_defaults: list[np.ndarray],
    debug_name: np.ndarray,
    *,
    context_sparse_types: list[DType],
    Tcontext_dense: list[DType],
    feature_list_dense_types: list[DType],
    context_dense_shapes: list[Any],
    feature_list_sparse_types: list[DType],
    feature_list_dense_shapes: list[Any],
) -> list[Array]:
    if serialized.ndim:
        fail(f"Expected serialized to be a scalar, got shape: {shown(serialized.shape)}")
    name = text_of(debug_name.item()) if debug_name.size else ""
    message = parsed(example_pb2.SequenceExample, serialized.item(), name)
    context, lists = message.context.feature, message.feature_lists.feature_list
    optional = {text_of(key) for key in missing_assumed_empty.tolist()}
    dense = [
        _context_dense(context, *parts, name)
        for parts in zip(
            _texts(context_dense_keys), Tcontext_dense, context_dense_shapes, context_dense_defaults
        )
    ]
    sparse = [
        _context_sparse(context, key, dtype, name)
        for key, dtype in zip(_texts(context_sparse_keys), context_sparse_types)
    ]
    dense_lists = [
        _list_dense(lists, key, dtype, shape, key in optional, name)
        for key, dtype, shape in zip(
            _texts(feature_list_dense_keys), feature_list_dense_types, feature_list_dense_shapes
        )
    ]
    sparse_lists = [
        _list_sparse(lists, key, dtype, name)
        for key, dtype in zip(_texts(feature_list_sparse_keys), feature_list_sparse_types)
    ]
    return [*_by_part(sparse), *dense, *_by_part(sparse_lists), *dense_lists]


def shape_parse_single_sequence_example(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("serialized", 0)
    context, lists = c.attr("Ncontext_sparse"), c.attr("Nfeature_list_sparse")
    result: list[Any] = [(None, 1)] * context + [(None,)] * context + [(1,)] * context
    result += c.attr("context_dense_shapes")
    result += [(None, 2)] * lists + [(None,)] * lists + [(2,)] * lists
    for shape in c.attr("feature_list_dense_shapes"):
        if shape is None or None in shape:
            c.fail(f"Shape {shapes.show(shape)} is not fully defined")
        result.append((None, *shape))
    return result


def samples_parse_single_sequence_example() -> Iterator[Sample]:
    message = example_pb2.SequenceExample()
    message.context.feature["a"].float_list.value.extend([1.0, 2.0])
    message.context.feature["b"].bytes_list.value.extend([b"x"])
    for row in ([1, 2], [3, 4]):
        message.feature_lists.feature_list["l"].feature.add().int64_list.value.extend(row)
    for words in ([b"x"], [], [b"y", b"z"]):
        message.feature_lists.feature_list["w"].feature.add().bytes_list.value.extend(words)

    def word(text: bytes) -> np.ndarray:
        return np.array(text, object)

    yield Sample(
        word(message.SerializeToString()),
        np.array([b"m"], object),
        [word(b"b")],
        [word(b"a")],
        [word(b"w")],
        [word(b"l"), word(b"m")],
        [np.array([], np.float32)],
        word(b"name"),
        context_sparse_types=["string"],
        feature_list_dense_types=["int64", "float32"],
        context_dense_shapes=[(2,)],
        feature_list_sparse_types=["string"],
        feature_list_dense_shapes=[(2,), ()],
    )


_TYPES = "list({float, int64, string}) >= 0 = []"
register_op(
    "ParseSingleSequenceExample",
    inputs="serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, "
    "feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: Tcontext_dense, debug_name: string",
    outputs="context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types",
    attrs="Ncontext_sparse: int >= 0 = 0, Ncontext_dense: int >= 0 = 0, "
    "Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int >= 0 = 0, "
    f"context_sparse_types: {_TYPES}, Tcontext_dense: {_TYPES}, "
    f"feature_list_dense_types: {_TYPES}, context_dense_shapes: list(shape) >= 0 = [], "
    f"feature_list_sparse_types: {_TYPES}, feature_list_dense_shapes: list(shape) >= 0 = []",
    shape=shape_parse_single_sequence_example,
    kernel=kernel_parse_single_sequence_example,
    samples=samples_parse_single_sequence_example,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
