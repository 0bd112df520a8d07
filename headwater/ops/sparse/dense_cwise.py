"""Products, quotients and sums of a sparse tensor and a dense one that is broadcast to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    name_scope,
    register_op,
    shape_tensor,
    size_tensor,
    zeros_like,
)

_ATTRS = "T: numbertype"
_INPUTS = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T"


def _elements(xp: ArrayModule, indices: Array, shape: np.ndarray, dense: Array) -> Array:
    """The elements of the broadcast dense tensor at the positions of the sparse one."""
    rank, own = len(shape), dense.shape
    fits = len(own) <= rank and all(d in (1, s) for d, s in zip(own[::-1], shape[::-1]))
    if not fits:
        raise errors.InvalidArgumentError(
            None,
            None,
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"[{','.join(map(str, shape))}] vs. [{','.join(map(str, own))}]",
        )
    inside = xp.all((indices >= 0) & (indices < shape))
    require(
        xp,
        inside,
        lambda: errors.InvalidArgumentError(
            None,
            None,
            "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape",
        ),
    )
    offset = rank - len(own)
    places = tuple(
        xp.zeros_like(indices[:, 0]) if dim == 1 else indices[:, offset + axis]
        for axis, dim in enumerate(own)
    )
    return dense[places] if places else dense


def _quotient(xp: ArrayModule, x: Array, y: Array) -> Array:
    if np.dtype(x.dtype).kind not in "iu":
        return x / y
    require(
        xp,
        y != 0,
        lambda: errors.InvalidArgumentError(None, None, "Integer division by zero"),
    )
    # Integer quotients are cut towards zero.
    floor = x // y
    return xp.where((floor < 0) & (floor * y != x), floor + 1, floor).astype(x.dtype)


def kernel_sparse_dense_cwise_add(
    xp: ArrayModule, indices: Array, values: Array, shape: Array, dense: Array
) -> Array:
    return values + _elements(xp, indices, shape, dense)


def kernel_sparse_dense_cwise_mul(
    xp: ArrayModule, indices: Array, values: Array, shape: Array, dense: Array
) -> Array:
    return values * _elements(xp, indices, shape, dense)


def kernel_sparse_dense_cwise_div(
    xp: ArrayModule, indices: Array, values: Array, shape: Array, dense: Array
) -> Array:
    return _quotient(xp, values, _elements(xp, indices, shape, dense))


def _reference(combine: Callable[..., Any]) -> Callable[..., Any]:
    def reference(indices: Array, values: Array, shape: Array, dense: Array) -> Array:
        whole = np.broadcast_to(dense, shape)
        return np.array(
            [combine(v, whole[tuple(i)]) for i, v in zip(indices, values)], values.dtype
        )

    return reference


def _reference_quotient(x: Array, y: Array) -> Array:
    return int(x / y) if isinstance(x, np.integer) else x / y


def gradient_sparse_dense_cwise_add(op: Operation, grad: Tensor) -> NoReturn:
    raise NotImplementedError("Gradient for SparseDenseCwiseAdd is currently not implemented yet.")


def _gradient(op: Operation, grad: Tensor, is_mul: bool) -> tuple[Tensor | None, ...]:
    indices, values, shape, dense = op.inputs
    own_shape = build.Cast(shape_tensor(dense), DstT=dtypes.int64)
    missing = build.Sub(size_tensor(shape), size_tensor(own_shape), name="sub")
    missing = build.ExpandDims(missing, 0)
    with name_scope(None, "ones") as scope:
        ones = build.Fill(missing, constant_node(1, dtypes.int64), name=scope)
    padded = build.ConcatV2([ones, own_shape], 0, name="concat")
    scaling = build.FloorDiv(shape, padded, name="floordiv")
    scaled = build.FloorDiv(indices, scaling, name="floordiv")
    begin = build.ConcatV2([[0], missing], 0, name="concat")
    places = build.Slice(scaled, begin, [-1, -1])
    picked = build.GatherNd(dense, places)
    if is_mul:
        to_values = build.Mul(grad, picked, name="mul")
        scattered = build.Mul(grad, values, name="mul")
    else:
        to_values = build.RealDiv(grad, picked, name="truediv")
        slope = build.RealDiv(build.Neg(values), build.Square(picked), name="truediv")
        scattered = build.Mul(grad, slope, name="mul")
    to_dense = build.SparseTensorDenseAdd(places, scattered, own_shape, zeros_like(dense))
    return None, to_values, None, to_dense


def gradient_sparse_dense_cwise_mul(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return _gradient(op, grad, is_mul=True)


def gradient_sparse_dense_cwise_div(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return _gradient(op, grad, is_mul=False)


def shape_sparse_dense_cwise(c: ShapeContext) -> Shape:
    """As many values as there are positions."""
    return (c.with_rank("sp_indices", 2)[0],)


def samples_sparse_dense_cwise() -> Iterator[Sample]:
    indices = np.array([[0, 1], [1, 0], [1, 2]])
    values = np.array([2.0, 3.0, -1.5], np.float32)
    shape = np.array([2, 3])
    dense = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)
    for other in (dense, dense[0], dense[:1], dense[:, :1], np.float32(2.0)):
        yield Sample(indices, values, shape, other, gradient=())
    yield Sample(indices, np.array([7, -7, 5]), shape, np.array([[2], [3]]))


def _register_dense_cwise(
    name: str,
    kernel: Callable[..., Any],
    gradient_function: Callable[..., Any],
    combine: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs=_INPUTS,
        outputs="output: T",
        attrs=_ATTRS,
        shape=shape_sparse_dense_cwise,
        kernel=kernel,
        gradient=gradient_function,
        concrete=("sp_shape",),
        reference=_reference(combine),
        samples=samples_sparse_dense_cwise,
    )


_register_dense_cwise(
    "SparseDenseCwiseAdd",
    kernel_sparse_dense_cwise_add,
    gradient_sparse_dense_cwise_add,
    lambda x, y: x + y,
)
_register_dense_cwise(
    "SparseDenseCwiseMul",
    kernel_sparse_dense_cwise_mul,
    gradient_sparse_dense_cwise_mul,
    lambda x, y: x * y,
)
_register_dense_cwise(
    "SparseDenseCwiseDiv",
    kernel_sparse_dense_cwise_div,
    gradient_sparse_dense_cwise_div,
    _reference_quotient,
)


def _override(name: str, function: Callable[..., Tensor]) -> None:
    def operator(x: SparseTensor, y: TensorLike) -> SparseTensor:
        parts = (x.indices, x.values, x.dense_shape)
        with name_scope(None, name, [*parts, y]) as scope:
            dense = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            return SparseTensor(x.indices, function(*parts, dense, name=scope), x.dense_shape)

    SparseTensor._override_operator(f"__{name}__", operator)
    if name == "mul":
        SparseTensor._override_operator("__rmul__", operator)


def _true_quotient(
    indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor, name: str
) -> Tensor:
    """Integers are divided as floats."""
    if not values.dtype.is_integer:
        return build.SparseDenseCwiseDiv(indices, values, shape, dense, name=name)
    small = values.dtype.size <= 2
    target = dtypes.float32 if small else dtypes.float64
    return build.SparseDenseCwiseDiv(
        indices,
        build.Cast(values, DstT=target, name="Cast"),
        shape,
        build.Cast(dense, DstT=target, name="Cast"),
        name=name,
    )


_override("mul", build.SparseDenseCwiseMul)
_override("div", build.SparseDenseCwiseDiv)
_override("truediv", _true_quotient)
