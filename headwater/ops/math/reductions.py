"""Reductions along axes: Sum, Mean, Prod, Max, Min, Any, All."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Graph,
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    get_default_graph,
    literal_value,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)

if TYPE_CHECKING:
    from headwater.graph.registry import GradientRule

# The nodes that compute the shape with 1 in place of the reduced axes are made once per graph
# and (shape, axes); later gradients only use the known result.
_worked_out: weakref.WeakKeyDictionary[Graph, set[Any]] = weakref.WeakKeyDictionary()
# Loops over so many elements cost NumPy little more than the elements.
_LONG_LOOP = 64


def axes_of(rank: int, axes: np.ndarray) -> tuple[int, ...]:
    """Non-negative axes.

    Args:
        rank: the number of dimensions.
        axes: integer scalar or vector.

    Raises:
        InvalidArgumentError: if an axis is out of range.
    """
    result: list[int] = []
    for axis in np.ravel(axes).tolist():
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)",
                hint=f"an axis is at least {-rank} and less than {rank} here." if rank else None,
            )
        if axis % rank not in result:
            result.append(axis % rank)
    return tuple(result)


def shape_reduction(c: shapes.ShapeContext) -> Shape:
    shape = c.inputs[0]._shape
    keep = c.attr("keep_dims")
    given = c.shape("reduction_indices")
    if given is not None and len(given) > 1:
        c.fail(f"Shape must be at most rank 1 but is rank {len(given)}")
    axes = c.value("reduction_indices")
    if axes is None or shape is None:
        return (None,) * len(shape) if keep and shape is not None else None
    rank = len(shape)
    reduced = set()
    for axis in np.atleast_1d(axes).tolist():
        if not -rank <= axis < rank:
            c.fail(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
        reduced.add(axis % rank)
    if keep:
        return tuple(1 if i in reduced else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in reduced)


def quick_elements(x: Array, axes: Array) -> int:
    """How many elements NumPy reduces as fast as a program: all, if its inner loop is long.

    Args:
        x: what is reduced.
        axes: integer scalar or vector.
    """
    if not isinstance(x, np.ndarray) or not x.flags.c_contiguous:
        return 0
    reduced = axes_of(x.ndim, axes)
    inner = 1
    for axis in reversed(range(x.ndim)):
        if (axis in reduced) != (x.ndim - 1 in reduced):
            break
        inner *= x.shape[axis]
    return x.size if inner >= _LONG_LOOP else 0


def _accumulator(dtype: np.dtype) -> np.dtype:
    """The type to sum in: short floats would lose too many digits."""
    return np.dtype(np.float32) if _is_float(dtype) and dtype.itemsize == 2 else dtype


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind not in "iucb"


def kernel_sum(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    axis = axes_of(x.ndim, axes)
    if not axis:
        # Gradients of binary ops sum over the axes of broadcasting, which are often none.
        return x
    total = xp.sum(x, axis=axis, keepdims=keep_dims, dtype=_accumulator(x.dtype))
    return total.astype(x.dtype, copy=False)


def kernel_prod(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    axis = axes_of(x.ndim, axes)
    # `np.prod` takes longer to find its ufunc than a shape to be multiplied.
    prod: Callable[..., Array] = np.multiply.reduce if xp is np else xp.prod
    product = prod(x, axis=axis, keepdims=keep_dims, dtype=_accumulator(x.dtype))
    return product.astype(x.dtype, copy=False)


def kernel_mean(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    positions = axes_of(x.ndim, axes)
    kind = _accumulator(x.dtype)
    total = xp.sum(x, axis=positions, keepdims=keep_dims, dtype=kind)
    count = 1
    for axis in positions:
        count *= x.shape[axis]
    if x.dtype.kind not in "iu":
        if count == 0 and x.dtype.kind == "c":
            return total
        return (total / kind.type(count)).astype(x.dtype, copy=False)
    if count == 0:
        return total
    divisor = x.dtype.type(count)
    quotient = xp.floor_divide(total, divisor)
    # Integers are rounded towards zero.
    return quotient + ((quotient * divisor != total) & (total < 0)).astype(x.dtype)


def _lowest(dtype: np.dtype) -> Any:
    if dtype.kind in "iu":
        return dtype.type(np.iinfo(dtype).min)
    return dtype.type(-np.inf)


def _highest(dtype: np.dtype) -> Array:
    if dtype.kind in "iu":
        return dtype.type(np.iinfo(dtype).max)
    return dtype.type(np.inf)


def _extremum(xp: ArrayModule, x: Array, axis: tuple[int, ...], keep: bool, largest: bool) -> Any:
    """The largest or smallest elements; NaN is left out unless there is nothing to compare."""
    start = (_lowest if largest else _highest)(x.dtype)
    if x.dtype.kind in "iub" or all(x.shape[a] == 1 for a in axis):
        reduce = xp.max if largest else xp.min
        return reduce(x, axis=axis, keepdims=keep, initial=start)
    if xp is np:
        combine: Any = np.maximum if largest else np.minimum
        result = combine.reduce(x, axis=axis, keepdims=keep, initial=start)
        if np.any(np.isnan(result)):
            x = np.where(np.isnan(x), start, x)
            result = combine.reduce(x, axis=axis, keepdims=keep, initial=start)
        return result
    result = lax.reduce(x, start, _larger if largest else _smaller, axis)
    return xp.expand_dims(result, axis) if keep else result


def _larger(best: Array, value: Array) -> Array:
    return lax.select(value > best, value, best)


def _smaller(best: Array, value: Array) -> Array:
    return lax.select(value < best, value, best)


def kernel_max(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    return _extremum(xp, x, axes_of(x.ndim, axes), keep_dims, True)


def kernel_min(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    return _extremum(xp, x, axes_of(x.ndim, axes), keep_dims, False)


def kernel_any(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    return xp.any(x, axis=axes_of(x.ndim, axes), keepdims=keep_dims)


def kernel_all(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    return xp.all(x, axis=axes_of(x.ndim, axes), keepdims=keep_dims)


def kernel_euclidean_norm(xp: ArrayModule, x: Array, axes: Array, *, keep_dims: bool) -> Array:
    if not np.size(axes):
        return x
    x_wide = x.astype(_accumulator(x.dtype), copy=False)
    squares = x_wide * xp.conj(x_wide)
    total = xp.sum(squares, axis=axes_of(x.ndim, axes), keepdims=keep_dims)
    return xp.sqrt(total).astype(x.dtype)


def _reference(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that brings the reduced axes to the end and reduces them one by one."""

    def reference(x: Array, axes: Array, *, keep_dims: bool) -> Array:
        result = x
        for axis in sorted({int(a) % x.ndim for a in np.atleast_1d(axes)}, reverse=True):
            result = function(result, axis)
            if keep_dims:
                result = np.expand_dims(result, axis)
        return np.asarray(result, result.dtype if function in (np.any, np.all) else x.dtype)

    return reference


def _wide_sum(x: Array, axis: int) -> Array:
    return np.sum(x, axis, dtype=np.result_type(x, np.float64))


def _wide_mean(x: Array, axis: int) -> Array:
    return np.mean(x, axis, dtype=np.result_type(x, np.float64))


def reference_mean(x: Array, axes: Array, *, keep_dims: bool) -> Array:
    mean = _reference(_wide_mean)(
        x.astype(np.result_type(x, np.float64)), axes, keep_dims=keep_dims
    )
    return (np.trunc(mean) if x.dtype.kind in "iu" else mean).astype(x.dtype)


# Gradients


def _remainder(axes: Tensor, rank: Tensor) -> Tensor:
    return (axes + rank) % rank


def _range(limit: Tensor) -> Tensor:
    return build.Range(0, limit, 1, name="range")


def _reduced_shape(shape: Tensor, axes: Tensor) -> Tensor:
    """The shape with 1 in place of the reduced axes, as nodes."""
    if axes.dtype.base_dtype is not dtypes.int32:
        axes = build.Cast(axes, DstT=dtypes.int32)
    rank = _size(shape)
    axes = _remainder(axes, rank)
    ones = shape_tensor(axes)
    return build.DynamicStitch([_range(rank), axes], [shape, build.Fill(ones, 1)])


def _size(vector: Tensor) -> Tensor:
    """The number of elements of a vector, a constant if it is known."""
    with name_scope(None, "Size", [vector]) as scope:
        shape = vector._shape
        if shape is not None and None not in shape:
            return constant_node(_elements(shape), dtypes.int32, scope)
        return build.Size(vector, name=scope)


def _safe_quotient(x: Tensor, y: TensorLike) -> Tensor:
    return x // build.Maximum(y, 1)


def _known_reduced_shape(shape: tuple[int, ...], axes: np.ndarray) -> tuple[list[int], list[int]]:
    """The shape with 1 in place of the reduced axes, and how often each axis was reduced."""
    key = (shape, tuple(np.atleast_1d(axes).tolist()))
    done = _worked_out.setdefault(get_default_graph(), set())
    kept = list(shape)
    for axis in key[1]:
        kept[axis] = 1
    tiles = [d // max(k, 1) for d, k in zip(shape, kept)]
    if key not in done:
        done.add(key)
        with name_scope(None, "Cast", []):
            whole = constant_node(list(shape), dtypes.int32, "x")
        with name_scope(None, "Cast", []):
            reduced = constant_node(list(key[1]), dtypes.int32, "x")
        _reduced_shape(whole, reduced)
        # These nodes are unused: they only keep the graph equal to TensorFlow's.
        clipped = build.Maximum(kept, 1)
        build.FloorDiv(list(shape), clipped, name="floordiv")
    return kept, tiles


def gradient_sum(op: Operation, grad: Tensor) -> Any:
    x, axes = op.inputs
    shape = x._shape
    if shape is not None:
        known_axes = literal_value(axes)
        if known_axes is not None:
            rank = len(shape)
            if np.array_equal(known_axes, np.arange(rank)):
                grad = build.Reshape(grad, [1] * rank)
                if None not in shape:
                    tiles: Tensor = constant_node(list(shape), dtypes.int32)
                else:
                    tiles = shape_tensor(x)
                return build.Tile(grad, tiles), None
            if None not in shape:
                kept, repeats = _known_reduced_shape(shape, known_axes)  # type: ignore[arg-type]
                return build.Tile(build.Reshape(grad, kept), repeats), None
    whole = shape_tensor(x)
    with get_default_graph().colocate_with(whole):
        kept_shape = _reduced_shape(whole, axes)
        repeats_tensor = _safe_quotient(whole, kept_shape)
    return build.Tile(build.Reshape(grad, kept_shape), repeats_tensor), None


def gradient_mean(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    total = gradient_sum(op, grad)[0]
    before, after = op.inputs[0]._shape, op.outputs[0]._shape
    if before is None or after is None or None in before or None in after:
        shape_before, shape_after = shape_tensor(op.inputs[0]), shape_tensor(op.outputs[0])
        size_before, size_after = _product(shape_before), _product(shape_after)
        count = build.Cast(_safe_quotient(size_before, size_after), DstT=total.dtype)
    else:
        number = _elements(before) // max(_elements(after), 1)
        count = constant_node(number, total.dtype.base_dtype)
    return total / count, None


def _elements(shape: Any) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _product(vector: Tensor) -> Tensor:
    return build.Prod(vector, constant_node([0], dtypes.int32))


def gradient_extremum(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient is shared by all elements that are equal to the extremum."""
    x, axes = op.inputs
    shape = shape_tensor(x)
    y = op.outputs[0]
    kept = _reduced_shape(shape, axes)
    y = build.Reshape(y, kept)
    grad = build.Reshape(grad, kept)
    chosen = build.Cast(build.Equal(y, x), DstT=grad.dtype)
    count = build.Reshape(build.Sum(chosen, axes), kept)
    return chosen / count * grad, None


def gradient_prod(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Each factor gets the product of the others: those before it times those after it."""
    x = op.inputs[0]
    shape = shape_tensor(x)
    axes = build.Reshape(op.inputs[1], [-1])
    kept = _reduced_shape(shape, op.inputs[1])
    tiles = _safe_quotient(shape, kept)
    grad = build.Tile(build.Reshape(grad, kept), tiles)
    with get_default_graph().device("/cpu:0"):
        rank = rank_tensor(x)
        wide_axes = axes.dtype.base_dtype is not dtypes.int32
        reduced = _remainder(axes, build.Cast(rank, DstT=axes.dtype) if wide_axes else rank)
        if wide_axes:
            reduced = build.Cast(reduced, DstT=dtypes.int32)
        others = build.ListDiff(_range(rank), reduced).out
        permutation = build.ConcatV2([reduced, others], 0, name="concat")
        count_reduced = _product(build.GatherV2(shape, reduced, 0))
        count_others = _product(build.GatherV2(shape, others, 0))
    permuted = build.Transpose(x, permutation, name="transpose")
    permuted_shape = shape_tensor(permuted)
    columns = build.Reshape(permuted, [count_reduced, count_others])
    before = build.Cumprod(columns, 0, exclusive=True)
    behind = build.Cumprod(columns, 0, exclusive=True, reverse=True)
    if x.dtype.is_complex:
        before, behind = build.Conj(before), build.Conj(behind)
    product = build.Reshape(before * behind, permuted_shape)
    factor = build.Transpose(product, build.InvertPermutation(permutation), name="transpose")
    return build.Reshape(grad * factor, shape), None


# Registration


def samples_reduction() -> Iterator[Sample]:
    x = np.array([[[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]]], np.float32)
    x = np.concatenate([x, x[:, ::-1] * np.float32(0.7)])
    yield Sample(x, np.int32(1))
    yield Sample(x, np.array([0, -1], np.int32), keep_dims=True)
    yield Sample(x, np.array([0, 1, 2], np.int32))
    yield Sample(x.astype(np.float64), np.array([], np.int64))
    yield Sample((x * 4).astype(np.int32), np.int32(-2))


def samples_all_numbers() -> Iterator[Sample]:
    yield from samples_reduction()
    yield Sample(np.array([[1 + 2j, -3j, 0.5]], np.complex64), np.int32(1))
    yield Sample(np.zeros((0, 3), np.float32), np.int32(0), gradient=())


def samples_norm() -> Iterator[Sample]:
    x = np.array([[3.0, 4.0], [0.5, -2.0]], np.float32)
    yield Sample(x, np.int32(1), gradient=())
    yield Sample(x, np.array([0, 1], np.int32), keep_dims=True, gradient=())


def samples_booleans() -> Iterator[Sample]:
    x = np.array([[True, False, True], [True, True, True]])
    yield Sample(x, np.int32(1))
    yield Sample(x, np.array([0, -1], np.int32), keep_dims=True)
    yield Sample(np.zeros((0, 3), bool), np.int32(0))


def reference_norm(x: Array, axes: Array, *, keep_dims: bool) -> Array:
    positions = tuple(int(a) for a in np.atleast_1d(axes))
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=positions, keepdims=keep_dims)).astype(x.dtype)


def _register_reduction(
    name: str,
    kernel: Callable[..., Any],
    gradient: GradientRule | Callable[..., Any],
    reference_kernel: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="input: T, reduction_indices: Tidx",
        outputs="output: T",
        attrs="keep_dims: bool = false, T: numbertype, Tidx: {int32, int64} = int32",
        shape=shape_reduction,
        kernel=kernel,
        gradient=gradient,
        reference=reference_kernel,
        samples=samples,
        concrete=("reduction_indices",),
        quick_elements=quick_elements,
    )


_register_reduction(
    "Sum",
    kernel=kernel_sum,
    gradient=gradient_sum,
    reference_kernel=_reference(_wide_sum),
    samples=samples_all_numbers,
)
_register_reduction(
    "Mean",
    kernel=kernel_mean,
    gradient=gradient_mean,
    reference_kernel=reference_mean,
    samples=samples_reduction,
)
_register_reduction(
    "Prod",
    kernel=kernel_prod,
    gradient=gradient_prod,
    reference_kernel=_reference(np.prod),
    samples=samples_all_numbers,
)
_register_reduction(
    "Max",
    kernel=kernel_max,
    gradient=gradient_extremum,
    reference_kernel=_reference(np.amax),
    samples=samples_reduction,
)
_register_reduction(
    "Min",
    kernel=kernel_min,
    gradient=gradient_extremum,
    reference_kernel=_reference(np.amin),
    samples=samples_reduction,
)
_register_reduction(
    "EuclideanNorm",
    kernel=kernel_euclidean_norm,
    gradient=NOT_DIFFERENTIABLE,
    reference_kernel=reference_norm,
    samples=samples_norm,
)


def _register_logical_reduction(
    name: str, kernel: Callable[..., Any], reference_kernel: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="input: bool, reduction_indices: Tidx",
        outputs="output: bool",
        attrs="keep_dims: bool = false, Tidx: {int32, int64} = int32",
        shape=shape_reduction,
        kernel=kernel,
        reference=reference_kernel,
        samples=samples_booleans,
        concrete=("reduction_indices",),
        quick_elements=quick_elements,
    )


_register_logical_reduction("Any", kernel_any, _reference(np.any))
_register_logical_reduction("All", kernel_all, _reference(np.all))
