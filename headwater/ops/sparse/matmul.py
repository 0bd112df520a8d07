"""Products of a sparse matrix and a dense one: SparseTensorDenseMatMul."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.math.segment_rows import can_sum_rows, sum_rows
from headwater.ops.sparse.index_checks import checked_sparse, listed
from headwater.ops.state.scatter_kernels import UPDATES


def _check(indices: Array, values: Array, shape: Array, b: Array) -> None:
    text = None
    if b.ndim != 2:
        text = "Tensor 'b' is not a matrix"
    elif shape.ndim != 1:
        text = "Tensor 'a_shape' is not a vector"
    elif len(shape) != 2:
        text = "Tensor 'a_shape' must have 2 elements"
    elif values.ndim != 1:
        text = "Tensor 'a_values' is not a vector"
    elif indices.ndim != 2:
        text = "Tensor 'a_indices' is not a matrix"
    elif len(indices) != len(values):
        text = "Number of rows of a_indices does not match number of entries in a_values"
    elif indices.shape[1] != 2:
        text = "Number of columns of a_indices does not match number of entries in a_shape"
    if text is not None:
        raise errors.InvalidArgumentError(None, None, text)


def _require_inside(xp: ArrayModule, places: Array, limit: int, letter: str, column: int) -> None:
    inside = (places >= 0) & (places < limit)

    def failure() -> errors.InvalidArgumentError:
        i = int(np.argmax(~np.asarray(inside)))
        text = f"{letter} ({int(places[i])}) from index[{i},{column}] out of bounds (>={limit})"
        return errors.InvalidArgumentError(None, None, text)

    require(xp, inside, failure)


def kernel_sparse_tensor_dense_matmul(
    xp: ArrayModule,
    a_indices: Array,
    a_values: Array,
    a_shape: np.ndarray,
    b: Array,
    *,
    adjoint_a: bool,
    adjoint_b: bool,
) -> Array:
    _check(a_indices, a_values, a_shape, b)
    matrix = xp.conj(b).T if adjoint_b else b
    # TensorFlow transposes A without conjugating it.
    outer, inner = (1, 0) if adjoint_a else (0, 1)
    if a_shape[inner] != matrix.shape[0]:
        raise errors.InvalidArgumentError(
            None,
            None,
            "Cannot multiply A and B because inner dimension does not match: "
            f"{a_shape[inner]} vs. {matrix.shape[0]}.  Did you forget a transpose?  Dimensions of "
            f"A: [{a_shape[0]}, {a_shape[1]}).  Dimensions of B: {listed(b.shape)}",
        )
    rows, columns = a_indices[:, outer], a_indices[:, inner]
    count = int(a_shape[outer])
    _require_inside(xp, columns, matrix.shape[0], "k", inner)
    _require_inside(xp, rows, count, "m", outer)
    if not matrix.shape[0]:
        return xp.zeros((count, matrix.shape[1]), b.dtype)
    if xp is np and can_sum_rows(b.dtype):
        return sum_rows(matrix.take(columns, 0), rows, count, a_values)
    products = a_values[:, None] * matrix[columns]
    return _sums_of_rows(xp, rows, products, count)


def _sums_of_rows(xp: ArrayModule, rows: Array, products: Array, count: int) -> Array:
    result = xp.zeros((count, products.shape[1]), products.dtype)
    if xp is not np:
        return UPDATES["Add"](xp, result, rows, products)
    if not products.size:
        return result
    # Sums of neighbours are much faster than single additions.
    order = np.argsort(rows, kind="stable")
    found, first = np.unique(rows[order], return_index=True)
    result[found] = np.add.reduceat(products[order], first, axis=0)
    return result


def reference_sparse_tensor_dense_matmul(
    a_indices: np.ndarray,
    a_values: np.ndarray,
    a_shape: np.ndarray,
    b: np.ndarray,
    *,
    adjoint_a: bool,
    adjoint_b: bool,
) -> np.ndarray:
    a = np.zeros(tuple(a_shape), a_values.dtype)
    for row, value in zip(a_indices, a_values):
        a[tuple(row)] += value
    return (a.T if adjoint_a else a) @ (b.conj().T if adjoint_b else b)


def shape_sparse_tensor_dense_matmul(c: shapes.ShapeContext) -> Shape:
    c.with_rank("a_indices", 2)
    c.with_rank("a_values", 1)
    rank = c.with_rank("a_shape", 1)[0]
    if rank not in (None, 2):
        c.fail("Dimension must be 2 but is " + str(rank))
    b = c.with_rank("b", 2)
    a = c.value_as_shape("a_shape") or (None, None)
    left, inner = (a[1], a[0]) if c.attr("adjoint_a") else (a[0], a[1])
    other, right = (b[1], b[0]) if c.attr("adjoint_b") else (b[0], b[1])
    c.merge_dims(inner, other)
    return (left, right)


def gradient_sparse_tensor_dense_matmul(
    op: Operation, grad: TensorLike
) -> tuple[Tensor | None, ...]:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    if values.dtype.is_complex:
        raise NotImplementedError("SparseTensorDenseMatMul op does not support complex gradients.")
    to_b = build.SparseTensorDenseMatMul(indices, values, shape, grad, adjoint_a=not adjoint_a)
    if adjoint_b:
        to_b = _transposed(to_b)
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    left = build.GatherV2(grad, rows, 0)
    right = build.GatherV2(_transposed(b) if adjoint_b else b, columns, 0)
    to_values = build.Sum(build.Mul(left, right, name="mul"), 1)
    return None, to_values, None, to_b


def _transposed(matrix: Tensor) -> Tensor:
    return build.Transpose(matrix, [1, 0], name="transpose")


def samples_sparse_tensor_dense_matmul() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 0], [1, 3], [1, 0]])
    values = np.array([1.0, 2.0, -3.0, 0.5], np.float32)
    shape = np.array([2, 4])
    for adjoint_b in (False, True):
        for adjoint_a in (False, True):
            b = np.arange(1, 1 + (6 if adjoint_a else 12), dtype=np.float32).reshape(-1, 3)
            b = b.T if adjoint_b else b
            attrs: dict[str, Any] = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
            yield Sample(rows, values, shape, b, **attrs)
            complex_b = (b + 1j).astype(np.complex64)
            yield Sample(
                rows.astype(np.int32),
                values * np.complex64(1 - 1j),
                shape,
                complex_b,
                gradient=(),
                **attrs,
            )
    none = np.zeros([0, 2], np.int64), np.zeros([0], np.int32)
    yield Sample(*none, shape, np.ones([4, 3], np.int32))


register_op(
    "SparseTensorDenseMatMul",
    inputs="a_indices: Tindices, a_values: T, a_shape: int64, b: T",
    outputs="product: T",
    attrs="T: type, Tindices: {int32, int64} = int64, adjoint_a: bool = false, "
    "adjoint_b: bool = false",
    shape=shape_sparse_tensor_dense_matmul,
    kernel=kernel_sparse_tensor_dense_matmul,
    gradient=gradient_sparse_tensor_dense_matmul,
    concrete=("a_shape",),
    reference=reference_sparse_tensor_dense_matmul,
    samples=samples_sparse_tensor_dense_matmul,
)


@export("sparse_tensor_dense_matmul", "sparse.matmul", "sparse.sparse_dense_matmul")
def sparse_tensor_dense_matmul(
    sp_a: SparseTensor,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies a sparse matrix by a dense one.

    Args:
        sp_a: a SparseTensor of rank 2.
        b: a matrix of the same type.
        adjoint_a: whether the sparse matrix is transposed.
        adjoint_b: whether the dense matrix is transposed and conjugated.
        name: the name scope.

    Returns:
        A dense matrix.

    Raises:
        TypeError: if `sp_a` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sparse.indices, sparse.values, b]):
        b = convert_to_tensor(b, name="b")
        return build.SparseTensorDenseMatMul(
            sparse.indices,
            sparse.values,
            sparse.dense_shape,
            b,
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
        )
