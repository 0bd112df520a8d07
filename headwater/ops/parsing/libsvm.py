"""DecodeLibsvm: lines of the LIBSVM format, "label index:value index:value ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import RunsOn, Sample, ShapeContext, SparseTensor, Tensor, build, register_op

_INTEGER = re.compile(r"[+-]?\d+")


def _number(text: str, dtype: DType) -> Any:
    """The number that a text stands for, or None."""
    if dtype.is_integer:
        return int(text) if _INTEGER.fullmatch(text) else None
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def kernel_decode_libsvm(
    xp: ArrayModule, input: Array, *, dtype: DType, label_dtype: DType, num_features: int
) -> tuple[Array, Array, Array, Array]:
    labels: list[Any] = []
    indices: list[tuple[int, ...]] = []
    values: list[Any] = []
    for place in np.ndindex(*input.shape):
        line = input[place].decode("utf-8", "replace")
        label, *features = line.split() or [""]
        if not label:
            fail(f'No label found for input[{len(labels)}]: "{line}"')
        labels.append(_number(label, label_dtype))
        if labels[-1] is None:
            fail(f"Label format incorrect: {label}")
        for feature in features:
            key, colon, text = feature.partition(":")
            if not colon:
                fail(f'Invalid feature "{feature}"')
            index, value = _number(key, dtypes.int64), _number(text, dtype)
            if index is None or value is None:
                fail(f"Feature format incorrect: {feature}")
            if index < 0:
                fail(f"Feature index should be >= 0, got {index}")
            indices.append((*place, index))
            values.append(value)
    return (
        np.array(labels, label_dtype.numpy_dtype).reshape(input.shape),
        np.array(indices, np.int64).reshape(-1, input.ndim + 1),
        np.array(values, dtype.numpy_dtype),
        np.array([*input.shape, num_features], np.int64),
    )


def shape_decode_libsvm(c: ShapeContext) -> list[Shape]:
    return [c.shape("input"), (None, None), (None,), (None,)]


def reference_decode_libsvm(input: Array, *, num_features: int, **_: Any) -> list[Array]:
    parts = [line.decode().split() for line in input]
    pairs = [(i, *f.split(":")) for i, (_, *features) in enumerate(parts) for f in features]
    return [
        np.array([int(label) for label, *_ in parts]),
        np.array([(i, int(index)) for i, index, _ in pairs]).reshape(-1, 2),
        np.array([float(value) for *_, value in pairs], np.float32),
        np.array([len(input), num_features]),
    ]


def samples_decode_libsvm() -> Iterator[Sample]:
    lines = [b"1 1:3.4 2:0.5 4:0.231", b"1 2:2.5 5:0.503", b"-2"]
    yield Sample(np.array(lines, object), num_features=6)


register_op(
    "DecodeLibsvm",
    inputs="input: string",
    outputs=(
        "label: label_dtype, feature_indices: int64, feature_values: dtype, feature_shape: int64"
    ),
    attrs=(
        "dtype: {float, double, int32, int64} = float, "
        "label_dtype: {float, double, int32, int64} = int64, num_features: int >= 1"
    ),
    shape=shape_decode_libsvm,
    kernel=kernel_decode_libsvm,
    reference=reference_decode_libsvm,
    samples=samples_decode_libsvm,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


def decode_libsvm(
    content: TensorLike,
    num_features: int,
    dtype: DTypeLike | None = None,
    label_dtype: DTypeLike | None = None,
) -> tuple[SparseTensor, Tensor]:
    """Decodes lines of the LIBSVM format.

    Args:
        content: a string tensor of lines.
        num_features: the number of features, the size of the last dimension.
        dtype: the type of the values, float32 by default.
        label_dtype: the type of the labels, int64 by default.

    Returns:
        A pair: the features, a SparseTensor with one dimension more than `content`, and the labels
        in the shape of `content`.
    """
    label, indices, values, shape = build.DecodeLibsvm(
        content,
        num_features=num_features,
        dtype=dtypes.as_dtype(dtype or dtypes.float32),
        label_dtype=dtypes.as_dtype(label_dtype or dtypes.int64),
    )
    return SparseTensor(indices, values, shape), label
