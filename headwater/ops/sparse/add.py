"""Sums, larger and smaller elements of two sparse tensors: SparseAdd, SparseSparseMaximum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    convert_to_tensor_or_sparse_tensor,
    export,
    is_sparse,
    register_op,
    shapes,
)
from headwater.ops.sparse.index_checks import checked_sparse, listed, row_major


def _union(
    a: tuple[np.ndarray, np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The index vectors of either operand, and the values of each there (zero if it has none)."""
    for indices, values, shape in (a, b):
        if indices.ndim != 2:
            fail(f"Input indices should be matrices but received shape {listed(indices.shape)}")
        if values.ndim != 1 or shape.ndim != 1:
            which, wrong = ("values", values) if values.ndim != 1 else ("shapes", shape)
            fail(f"Input {which} should be vectors but received shape {listed(wrong.shape)}")
    if len(a[0]) != len(a[1]) or len(b[0]) != len(b[1]):
        fail(
            f"Expected {len(a[0])} and {len(b[0])} non-empty input values, got {len(a[1])} and "
            f"{len(b[1])}"
        )
    if len(a[2]) != len(b[2]):
        shown = [" ".join(str(int(d)) for d in shape) for shape in (a[2], b[2])]
        fail(f"Operands do not have the same ranks; got shapes: {shown[0]} and {shown[1]}")
    for axis, (x, y) in enumerate(zip(a[2], b[2])):
        if x != y:
            fail(f"Operands' shapes do not match: got {x} and {y} for dimension {axis}")
    rows = np.concatenate([a[0], b[0]])
    order = row_major(np, rows)
    ordered = rows[order]
    # Elements at the same index in both are combined; neither has duplicates.
    new = np.ones(len(rows), bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    place = np.empty(len(rows), np.int64)
    place[order] = np.cumsum(new) - 1
    count = int(new.sum())
    left, right = np.zeros(count, a[1].dtype), np.zeros(count, b[1].dtype)
    left[place[: len(a[0])]] = a[1]
    right[place[len(a[0]) :]] = b[1]
    return ordered[new], left, right


def kernel_sparse_add(xp: ArrayModule, *parts: np.ndarray) -> tuple[Array, ...]:
    a, b, thresh = parts[:3], parts[3:6], parts[6]
    if thresh.ndim:
        fail(f"The threshold should be a scalar but received shape {listed(thresh.shape)}")
    rows, left, right = _union(a, b)  # type: ignore[arg-type]
    sums = left + right
    kept = np.abs(sums) >= thresh
    return rows[kept], sums[kept], np.array(a[2])


def _reference_union(parts: Sequence[np.ndarray]) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for side, (indices, values) in enumerate(((parts[0], parts[1]), (parts[3], parts[4]))):
        for row, value in zip(indices.tolist(), values):
            found.setdefault(tuple(row), [values.dtype.type(0)] * 2)[side] = value
    return dict(sorted(found.items()))


def _reference(
    combine: Callable[[Any, Any], Any], parts: Sequence[np.ndarray], least: Array = None
) -> tuple[np.ndarray, np.ndarray]:
    found = {row: combine(*pair) for row, pair in _reference_union(parts).items()}
    if least is not None:
        found = {row: value for row, value in found.items() if abs(value) >= least}
    rows = np.array(list(found), np.int64).reshape(len(found), len(parts[2]))
    return rows, np.array(list(found.values()), parts[1].dtype)


def reference_sparse_add(*parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (*_reference(lambda x, y: x + y, parts, parts[6]), parts[2])


def gradient_sparse_add(op: Operation, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
    a_indices, b_indices = op.inputs[0], op.inputs[3]
    to_a, to_b = build.SparseAddGrad(grads[1], a_indices, b_indices, op.outputs[0])
    return None, to_a, None, None, to_b, None, None


def shape_sparse_add(c: shapes.ShapeContext) -> list[Shape]:
    whole = c.with_rank("a_shape", 1)
    return [(None, whole[0]), (None,), whole]


def _pairs(
    kind: DTypeLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    shape = np.array([2, 7])
    first = np.array([[0, 1], [1, 3]]), np.array([1, -2], kind), shape
    second = np.array([[0, 1], [1, 2], [1, 6]]), np.array([-1, 3, -5], kind), shape
    return (*first, *second)


def samples_sparse_add() -> Iterator[Sample]:
    for kind in (np.float32, np.int32):
        yield Sample(*_pairs(kind), np.array(0, kind), gradient=())
        yield Sample(*_pairs(kind), np.array(3, kind), gradient=())
    yield Sample(*_pairs(np.complex64), np.array(0.5, np.float32), gradient=())


_OPERANDS = "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, "
register_op(
    "SparseAdd",
    inputs=_OPERANDS + "b_shape: int64, thresh: Treal",
    outputs="sum_indices: int64, sum_values: T, sum_shape: int64",
    attrs="T: numbertype, Treal: realnumbertype",
    shape=shape_sparse_add,
    kernel=kernel_sparse_add,
    gradient=gradient_sparse_add,
    reference=reference_sparse_add,
    samples=samples_sparse_add,
    dynamic_shape=True,
)


def kernel_sparse_add_grad(
    xp: ArrayModule,
    backprop_val_grad: np.ndarray,
    a_indices: np.ndarray,
    b_indices: np.ndarray,
    sum_indices: np.ndarray,
) -> Any:
    if len(backprop_val_grad) != len(sum_indices):
        fail(
            "# elements in backprop_val_grad and # rows in sum_indices should match "
            f"(#elements, #rows) = ({len(backprop_val_grad)}, {len(sum_indices)})"
        )
    place = {tuple(row): i for i, row in enumerate(sum_indices.tolist())}
    results = []
    for rows in (a_indices, b_indices):
        result = np.zeros(len(rows), backprop_val_grad.dtype)
        for i, row in enumerate(rows.tolist()):
            at = place.get(tuple(row))
            if at is not None:
                result[i] = backprop_val_grad[at]
        results.append(result)
    return tuple(results)


def shape_sparse_add_grad(c: shapes.ShapeContext) -> list[Shape]:
    return [(c.with_rank("a_indices", 2)[0],), (c.with_rank("b_indices", 2)[0],)]


def samples_sparse_add_grad() -> Iterator[Sample]:
    a, b = np.array([[0, 1], [1, 3]]), np.array([[0, 1], [1, 2]])
    yield Sample(np.array([3.0, 5.0], np.float32), a, b, np.array([[1, 2], [1, 3]]))


register_op(
    "SparseAddGrad",
    inputs="backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
    outputs="a_val_grad: T, b_val_grad: T",
    attrs="T: numbertype",
    shape=shape_sparse_add_grad,
    kernel=kernel_sparse_add_grad,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_sparse_add_grad,
    dynamic_shape=True,
)


@export("sparse_add", "sparse.add")
def sparse_add(
    a: SparseTensor | TensorLike,
    b: SparseTensor | TensorLike,
    threshold: TensorLike | None = None,
    thresh: int | None = None,
) -> Tensor | SparseTensor:
    """Adds two tensors of which at least one is sparse.

    Args:
        a: a SparseTensor or a tensor.
        b: a SparseTensor or a tensor of the same shape.
        threshold: sums of two sparse tensors whose magnitude is smaller are left out; 0 (if
            None) keeps all.
        thresh: an older name of `threshold`.

    Returns:
        A SparseTensor if both are sparse, else a tensor.

    Raises:
        TypeError: if none is sparse.
    """
    if threshold is None:
        threshold = thresh
    if threshold is None:
        threshold = 0
    if not (is_sparse(a) or is_sparse(b)):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if is_sparse(a) and is_sparse(b):
        a, b = checked_sparse(a), checked_sparse(b)
        real = a.values.dtype.real_dtype.base_dtype
        least = convert_to_tensor(threshold, dtype=real, name="threshold")
        indices, values, shape = build.SparseAdd(
            a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, least
        )
        if a.shape.is_fully_defined() and b.shape.is_fully_defined():
            shape = np.array(a.shape.as_list(), np.int64)
        return SparseTensor(indices, values, shape)
    if is_sparse(b):
        a, b = b, a
    a = checked_sparse(a)
    b = convert_to_tensor_or_sparse_tensor(b)
    return build.SparseTensorDenseAdd(a.indices, a.values, a.dense_shape, b)


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, *parts: np.ndarray) -> tuple[Array, ...]:
        rows, left, right = _union(parts[:3], parts[3:])  # type: ignore[arg-type]
        return rows, function(left, right)

    return kernel


def _without_gradient(op: Operation, *grads: Any) -> NoReturn:
    raise NotImplementedError(f"Gradient for {op.type} is currently not implemented yet.")


def samples_extrema() -> Iterator[Sample]:
    for kind in (np.float32, np.int32):
        yield Sample(*_pairs(kind), gradient=())


def _register_extremum(name: str, function: Callable[..., Any], types: str) -> None:
    register_op(
        name,
        inputs=_OPERANDS + "b_shape: int64",
        outputs="output_indices: int64, output_values: T",
        attrs=f"T: {types}",
        shape=lambda c: [(None, None), (None,)],
        kernel=_of_two(function),
        gradient=_without_gradient,
        reference=lambda *parts: _reference(function, parts),
        samples=samples_extrema,
        dynamic_shape=True,
    )


_register_extremum("SparseSparseMaximum", np.maximum, "realnumbertype")
_register_extremum("SparseSparseMinimum", np.minimum, "numbertype")


@export("sparse_maximum", "sparse.maximum")
def sparse_maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Takes the larger elements of two sparse tensors; elements that are not there are zeros.

    Args:
        sp_a: a SparseTensor of real numbers.
        sp_b: a SparseTensor of the same type and shape.
        name: the name of the node.

    Returns:
        A SparseTensor with the elements of either operand.
    """
    return _extremum(build.SparseSparseMaximum, sp_a, sp_b, name)


@export("sparse_minimum", "sparse.minimum")
def sparse_minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Takes the smaller elements of two sparse tensors; elements that are not there are zeros.

    Args:
        sp_a: a SparseTensor of real numbers.
        sp_b: a SparseTensor of the same type and shape.
        name: the name of the node.

    Returns:
        A SparseTensor with the elements of either operand.
    """
    return _extremum(build.SparseSparseMinimum, sp_a, sp_b, name)


def _extremum(
    builder: Callable[..., Any], a: SparseTensor, b: SparseTensor, name: str | None
) -> SparseTensor:
    a, b = checked_sparse(a), checked_sparse(b)
    indices, values = builder(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, name=name
    )
    return SparseTensor(indices, values, a.dense_shape)
