"""Several diagonals of matrices at once: MatrixDiagV2, MatrixDiagPartV2, MatrixSetDiagV2.

A pair k names the lowest and the highest diagonal, counted from the main one upwards. Diagonals are
stored from the highest to the lowest, each from its first element on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes, zeros_like
from headwater.ops.linalg.compositions import invalid


def _band(k: Array) -> tuple[int, int]:
    values = np.atleast_1d(k).tolist()
    if len(values) not in (1, 2):
        raise invalid(
            f"diag_index must have only one or two elements, received {len(values)} elements."
        )
    low, high = values[0], values[-1]
    if low > high:
        raise invalid(
            "lower_diag_index must not be larger than upper_diag_index, received "
            f"lower_diag_index={low}, upper_diag_index={high}"
        )
    return low, high


def _longest(rows: int, columns: int, low: int, high: int) -> int:
    return min(rows + min(high, 0), columns - max(low, 0))


def _positions(rows: int, columns: int, low: int, high: int) -> tuple[Any, Any, Any]:
    """For each element of a matrix whether it is in the band, its diagonal and place there."""
    row, column = np.arange(rows)[:, None], np.arange(columns)[None]
    offset = column - row
    inside = (offset >= low) & (offset <= high)
    which = np.where(inside, high - offset, 0)
    place = np.where(inside, np.minimum(row, column), 0)
    return inside, which, place


def _spread(
    xp: ArrayModule, values: Array, rows: int, columns: int, low: int, high: int, rest: Array
) -> Array:
    inside, which, place = _positions(rows, columns, low, high)
    if low == high:
        values = values[..., None, :]
    return xp.where(inside, values[..., which, place], rest)


def _size(values: tuple[Any, ...], rows: int, columns: int, low: int, high: int) -> tuple[int, int]:
    longest = values[-1]
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows:
        raise invalid("The number of rows is too small.")
    if columns < least_columns:
        raise invalid("The number of columns is too small.")
    return rows, columns


def kernel_diag(
    xp: ArrayModule,
    diagonal: Array,
    k: Array,
    num_rows: Array,
    num_cols: Array,
    padding_value: Array,
) -> Array:
    low, high = _band(k)
    rows, columns = _size(diagonal.shape, int(num_rows), int(num_cols), low, high)
    return _spread(xp, diagonal, rows, columns, low, high, padding_value)


def kernel_diag_part(xp: ArrayModule, x: Array, k: Array, padding_value: Array) -> Array:
    low, high = _band(k)
    rows, columns = x.shape[-2:]
    if not (-rows < low and high < columns) and (low, high) != (0, 0):
        raise invalid(f"diag_index is out of bound: {low} to {high}")
    longest = _longest(rows, columns, low, high)
    offset = np.arange(high, low - 1, -1)[:, None]
    row = np.arange(longest)[None] + np.maximum(-offset, 0)
    column = np.arange(longest)[None] + np.maximum(offset, 0)
    inside = (row < rows) & (column < columns)
    picked = x[..., np.minimum(row, rows - 1), np.minimum(column, columns - 1)]
    result = xp.where(inside, picked, padding_value)
    return result[..., 0, :] if low == high else result


def kernel_set_diag(xp: ArrayModule, x: Array, diagonal: Array, k: Array) -> Array:
    low, high = _band(k)
    rows, columns = x.shape[-2:]
    longest = _longest(rows, columns, low, high)
    wanted = (*x.shape[:-2], *(() if low == high else (high - low + 1,)), longest)
    if tuple(diagonal.shape) != wanted:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {shapes.show(x.shape)}\n"
            f"Diagonal shape: {shapes.show(diagonal.shape)}\n"
            f"Expected diagonal shape: {shapes.show(wanted)}"
        )
    return _spread(xp, diagonal, rows, columns, low, high, x)


def reference_diag(
    diagonal: Array, k: Array, num_rows: Array, num_cols: Array, padding_value: Array
) -> Array:
    low, high = _band(k)
    rows, columns = _size(diagonal.shape, int(num_rows), int(num_cols), low, high)
    batch = diagonal.shape[: -1 if low == high else -2]
    result = np.full((*batch, rows, columns), padding_value, diagonal.dtype)
    return reference_set_diag(result, diagonal, k)


def reference_diag_part(x: Array, k: Array, padding_value: Array) -> Array:
    low, high = _band(k)
    rows, columns = x.shape[-2:]
    longest = _longest(rows, columns, low, high)
    parts = []
    for offset in range(high, low - 1, -1):
        part = np.diagonal(x, offset, -2, -1)
        widths = [(0, 0)] * (part.ndim - 1) + [(0, longest - part.shape[-1])]
        parts.append(np.pad(part, widths, constant_values=padding_value))
    return parts[0] if low == high else np.stack(parts, axis=-2)


def reference_set_diag(x: Array, diagonal: Array, k: Array) -> Array:
    low, high = _band(k)
    result = np.array(x)
    for which, offset in enumerate(range(high, low - 1, -1)):
        values = diagonal if low == high else diagonal[..., which, :]
        for place in range(np.diagonal(x, offset, -2, -1).shape[-1]):
            result[..., place + max(-offset, 0), place + max(offset, 0)] = values[..., place]
    return result


def _constants(c: shapes.ShapeContext, *names: str) -> list[Any]:
    return [c.value(name) for name in names]


def _known_band(c: shapes.ShapeContext, k: Array) -> tuple[int, int]:
    """The band, when the node is made."""
    values = np.atleast_1d(k).tolist()
    if len(values) in (1, 2) and values[0] > values[-1]:
        c.fail("lower_diag_index is greater than upper_diag_index")
    return _band(k)


def _known_size(
    c: shapes.ShapeContext, values: TensorLike, rows: int, columns: int, low: int, high: int
) -> tuple[int, int]:
    """The size of the matrices, when the node is made."""
    if -1 < rows < values[-1] - min(high, 0):
        c.fail("num_rows is too small")
    if -1 < columns < values[-1] + max(low, 0):
        c.fail("num_cols is too small")
    return _size(values, rows, columns, low, high)


def shape_diag(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("diagonal", 1)
    k, rows, columns = _constants(c, "k", "num_rows", "num_cols")
    if shape is None or k is None:
        return None
    low, high = _known_band(c, k)
    batch = shape[: -1 if low == high else -2]
    if rows is None or columns is None or shape[-1] is None:
        return (*batch, None, None)
    return (*batch, *_known_size(c, shape, int(rows), int(columns), low, high))


def shape_diag_part(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("input", 2)
    (k,) = _constants(c, "k")
    if shape is None or k is None:
        return None
    low, high = _known_band(c, k)
    batch = shape[:-2] if low == high else (*shape[:-2], high - low + 1)
    rows, columns = shape[-2:]
    if rows is None or columns is None:
        return (*batch, None)
    return (*batch, _longest(rows, columns, low, high))


def shape_set_diag(c: shapes.ShapeContext) -> Shape:
    return c.with_rank_at_least("input", 2)


def _zero(x: Tensor) -> np.ndarray:
    return np.zeros((), x.dtype.as_numpy_dtype)


def gradient_diag(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any, Any, Any]:
    part = build.MatrixDiagPartV2(grad, op.inputs[1], _zero(grad), name="diag_part")
    return part, None, None, None, None


def gradient_diag_part(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any]:
    zeros = zeros_like(op.inputs[0])
    return build.MatrixSetDiagV2(zeros, grad, op.inputs[1], name="set_diag"), None, None


def gradient_set_diag(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor, Any]:
    k = op.inputs[2]
    part = build.MatrixDiagPartV2(grad, k, _zero(grad), name="diag_part")
    rest = build.MatrixSetDiagV2(grad, zeros_like(op.inputs[1]), k, name="set_diag")
    return rest, part, None


def samples_diag() -> Iterator[Sample]:
    values = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    zero, none = np.float32(0), np.int32(-1)
    yield Sample(values, np.int32(1), none, none, zero, gradient=(0,))
    yield Sample(values, np.array([0, 1], np.int32), np.int32(3), np.int32(4), zero, gradient=(0,))
    yield Sample(values, np.array([-1], np.int32), none, none, np.float32(9), gradient=(0,))


def samples_diag_part() -> Iterator[Sample]:
    x = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    yield Sample(x, np.int32(1), np.float32(0), gradient=(0,))
    yield Sample(x, np.array([-2, 1], np.int32), np.float32(9), gradient=(0,))
    yield Sample(x[0].T.astype(np.int32), np.array([-1, 0], np.int32), np.int32(0))


def samples_set_diag() -> Iterator[Sample]:
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    yield Sample(x, np.array([20, 30, 40], np.float32), np.int32(1))
    yield Sample(x, -np.array([[20, 30, 40], [50, 60, 70]], np.float32), np.array([0, 1], np.int32))


register_op(
    "MatrixDiagV2",
    inputs="diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T",
    outputs="output: T",
    attrs="T: type",
    shape=shape_diag,
    kernel=kernel_diag,
    gradient=gradient_diag,
    reference=reference_diag,
    samples=samples_diag,
    concrete=("k", "num_rows", "num_cols"),
)
register_op(
    "MatrixDiagPartV2",
    inputs="input: T, k: int32, padding_value: T",
    outputs="diagonal: T",
    attrs="T: type",
    shape=shape_diag_part,
    kernel=kernel_diag_part,
    gradient=gradient_diag_part,
    reference=reference_diag_part,
    samples=samples_diag_part,
    concrete=("k",),
)
register_op(
    "MatrixSetDiagV2",
    inputs="input: T, diagonal: T, k: int32",
    outputs="output: T",
    attrs="T: type",
    shape=shape_set_diag,
    kernel=kernel_set_diag,
    gradient=gradient_set_diag,
    reference=reference_set_diag,
    samples=samples_set_diag,
    concrete=("k",),
)
