"""Slices with strides, as NumPy indexing has them: StridedSlice, its gradient and assignments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import ValueNeeded, require
from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_elements,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.array.slice_spec import MASKS, Range, Spec, SpecError, dense_ranges, work_out

_MASK_ATTRS = ", ".join(f"{name}: int = 0" for name in MASKS)


def _masks_of(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in MASKS}


# Shapes


def _check_spec_shapes(c: shapes.ShapeContext) -> None:
    first = c.with_rank("begin", 1)
    second = c.with_rank("end", 1)
    third = c.with_rank("strides", 1)
    c.merge(c.merge(first, second), third)


def shape_strided_slice(c: shapes.ShapeContext) -> Shape:
    _check_spec_shapes(c)
    shape, strides = c.shape("input"), c.value("strides")
    if shape is None or strides is None:
        return None
    steps, masks, rank = strides.tolist(), _masks_of(c.attrs), len(shape)
    # The bounds count only if all of them are known.
    begin: list[int | None] = [None] * len(steps)
    end = begin
    try:
        ranges, _ = dense_ranges(rank, begin, end, steps, masks)
        if all(part.stride for part in ranges):
            first, last = c.value("begin"), c.value("end")
            if first is not None and last is not None:
                begin, end = first.tolist(), last.tolist()
        return work_out(shape, begin, end, steps, masks).output_shape()
    except SpecError as error:
        c.fail(str(error), "an index or range lies outside of the dimensions of the tensor.")


# Kernels


def _spec_of(
    shape: tuple[int | None, ...],
    begin: Array,
    end: Array,
    strides: np.ndarray,
    masks: dict[str, int],
) -> Spec:
    """The spec for known bounds; raises InvalidArgumentError."""
    try:
        return work_out(tuple(shape), begin.tolist(), end.tolist(), strides.tolist(), masks)
    except SpecError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from None


def _as_slices(spec: Spec) -> tuple[slice, ...]:
    """The ranges as Python slices."""
    return tuple(
        slice(r.begin, None if r.end is not None and r.end < 0 else r.end, r.stride)
        if r.size
        else slice(0, 0)
        for r in spec.ranges
    )


@lru_cache(maxsize=4096)
def _slices_of(
    shape: tuple[int, ...],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
    bits: tuple[int, ...],
) -> tuple[tuple[slice, ...], tuple[int, ...]]:
    """The Python slices of a spec, and the shape of what they take."""
    try:
        spec = work_out(shape, list(begin), list(end), list(strides), dict(zip(MASKS, bits)))
    except SpecError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from None
    return _as_slices(spec), spec.output_shape()  # type: ignore[return-value]


def _has_values(*bounds: Any) -> bool:
    return all(isinstance(b, np.ndarray) for b in bounds)


def kernel_strided_slice(
    xp: ArrayModule, x: Array, begin: Array, end: Array, strides: np.ndarray, *,
    op: Operation | None = None, begin_mask: int, end_mask: int, ellipsis_mask: int,
    new_axis_mask: int, shrink_axis_mask: int,
) -> Array:  # fmt: skip
    bits = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if xp is np:
        bounds = (tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist()))
        slices, shape = _slices_of(x.shape, *bounds, bits)
        return x[slices].reshape(shape)
    masks = dict(zip(MASKS, bits))
    if not _has_values(begin, end):
        return _slice_at_traced(xp, x, begin, end, strides, masks, op)
    spec = _spec_of(x.shape, begin, end, strides, masks)
    return _taken(xp, x, spec.ranges).reshape(spec.output_shape())


def _taken(xp: ArrayModule, x: Array, ranges: list[Range]) -> Array:
    """The elements in the ranges, with all dimensions kept."""
    spec = Spec(ranges, list(range(len(ranges))))
    if xp is np:
        return x[_as_slices(spec)]
    backward = [i for i, r in enumerate(ranges) if r.stride < 0 and r.size]
    starts, limits, steps = [], [], []
    for r in ranges:
        if not r.size:
            starts.append(0)
            limits.append(0)
            steps.append(1)
        elif r.stride < 0:
            # The same elements with a positive stride; they are reversed below.
            starts.append(r.begin + (r.size - 1) * r.stride)  # type: ignore[operator]
            limits.append(r.begin + 1)  # type: ignore[operator]
            steps.append(-r.stride)
        else:
            starts.append(r.begin)  # type: ignore[arg-type]
            limits.append(r.begin + (r.size - 1) * r.stride + 1)  # type: ignore[operator]
            steps.append(r.stride)
    part = lax.slice(x, starts, limits, steps)
    return lax.rev(part, backward) if backward else part


def _traced_spec(
    xp: ArrayModule, shape: Sequence[int], begin: Array, end: Array, strides: np.ndarray,
    masks: dict[str, int], op: Any, taken: tuple[int, ...] | None = None,
) -> tuple[Spec, dict[int, Any]]:  # fmt: skip
    """The spec with dynamic positions.

    Args:
        xp: the array module.
        shape: the shape of the input.
        begin: the begins, a NumPy array or traced.
        end: the ends, a NumPy array or traced.
        strides: the strides.
        masks: the masks by name.
        op: the Operation, whose inputs 1 and 2 are the bounds.
        taken: the shape of the slice, where that is known.

    Returns:
        The Spec, and by input dimension the positions that are not known.
    """

    def elements(bound: Array, position: int) -> list[int | None]:
        if isinstance(bound, np.ndarray):
            return bound.tolist()
        known = constant_elements(op.inputs[position]) if op is not None else None
        return known or [None] * len(strides)

    try:
        spec = work_out(tuple(shape), elements(begin, 1), elements(end, 2), strides.tolist(), masks)
    except SpecError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from None
    if taken is not None and len(taken) == len(spec.output):
        for axis, size in zip(spec.output, taken):
            if axis >= 0 and spec.ranges[axis].stride == 1 and spec.ranges[axis].size is None:
                spec.ranges[axis].size = size
    positions: dict[int, Any] = {}
    for axis, part in enumerate(spec.ranges):
        if part.size is None:
            raise ValueNeeded("begin" if not isinstance(begin, np.ndarray) else "end")
        if part.begin is None:
            positions[axis] = _position(xp, begin[part.entry], shape[axis], part.shrink)
    return spec, positions


def _position(xp: ArrayModule, index: Array, size: int, single: bool) -> Array:
    """A traced index, counted from the start; the bound of a range is clamped to the dimension."""
    index = xp.where(index < 0, index + size, index)
    if not single:
        return xp.clip(index, 0, size)
    require(
        xp,
        (index >= 0) & (index < size),
        lambda: errors.InvalidArgumentError(None, None, "slice index out of bounds."),
    )
    return index


def _slice_at_traced(
    xp: ArrayModule,
    x: Array,
    begin: Array,
    end: Array,
    strides: np.ndarray,
    masks: dict[str, int],
    op: Any,
) -> Array:
    spec, indices = _traced_spec(xp, x.shape, begin, end, strides, masks, op)
    for axis, index in indices.items():
        if x.shape[axis]:
            x = lax.dynamic_slice_in_dim(x, index, 1, axis)
        else:  # no index is in range: the check fails if a loop with this slice runs at all
            x = xp.zeros((*x.shape[:axis], 1, *x.shape[axis + 1 :]), x.dtype)
        spec.ranges[axis] = Range(0, 1, size=1)
    return _taken(xp, x, spec.ranges).reshape(spec.output_shape())


def kernel_strided_slice_grad(
    xp: ArrayModule, shape: np.ndarray, begin: Array, end: Array, strides: np.ndarray, dy: Array,
    *, op: Operation | None = None, begin_mask: int, end_mask: int, ellipsis_mask: int,
    new_axis_mask: int, shrink_axis_mask: int,
) -> Array:  # fmt: skip
    masks = dict(zip(MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)))
    sizes = tuple(int(n) for n in shape)
    indices: dict[int, Any] = {}
    if _has_values(begin, end):
        spec = _spec_of(sizes, begin, end, strides, masks)
    else:
        spec, indices = _traced_spec(xp, sizes, begin, end, strides, masks, op, dy.shape)
    kept = tuple(r.size for r in spec.ranges)
    if dy.shape != spec.output_shape():
        raise errors.InvalidArgumentError(
            None,
            None,
            f"shape of dy was {shapes.show(dy.shape)} instead of "
            f"{shapes.show(spec.output_shape())}",
        )
    dy = xp.reshape(dy, kept)
    if xp is np:
        result = np.zeros(sizes, dy.dtype)
        result[_as_slices(spec)] = dy
        return result
    return _spread(xp, dy, sizes, spec.ranges, indices)


def _spread(
    xp: ArrayModule, dy: Array, sizes: Sequence[int], ranges: list[Range], indices: dict[int, Any]
) -> Array:
    """Zeros with the slice put back into its place."""
    padding = []
    backward = [i for i, r in enumerate(ranges) if r.stride < 0 and r.size and i not in indices]
    if backward:
        dy = lax.rev(dy, backward)
    for axis, (size, r) in enumerate(zip(sizes, ranges)):
        if axis in indices:
            padding.append((0, 0, 0))
        elif not r.size:
            padding.append((0, size, 0))
        else:
            assert r.begin is not None
            last = r.begin + (r.size - 1) * r.stride
            padding.append((min(r.begin, last), size - max(r.begin, last) - 1, abs(r.stride) - 1))
    result = lax.pad(dy, jnp.zeros((), dy.dtype), padding)
    if indices:
        whole = xp.zeros(sizes, dy.dtype)
        start = [xp.asarray(indices.get(axis, 0), np.int64) for axis in range(len(sizes))]
        result = lax.dynamic_update_slice(whole, result, start)
    return result


def gradient_strided_slice(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, begin, end, strides = op.inputs
    shape = shape_tensor(x, out_type=begin.dtype)
    masks = _masks_of(op._attrs)
    return build.StridedSliceGrad(shape, begin, end, strides, grad, **masks), None, None, None


def gradient_strided_slice_grad(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    _, begin, end, strides, _ = op.inputs
    return (
        None,
        None,
        None,
        None,
        build.StridedSlice(grad, begin, end, strides, **_masks_of(op._attrs)),
    )


# Samples


def _specs() -> Iterator[Any]:
    """Begins, ends, strides and masks for an input of shape [3, 4, 5], with its NumPy index."""

    def bits(**masks: int) -> dict[str, int]:
        return masks

    yield [1, 0, 2], [3, 4, 4], [1, 2, 1], bits(), np.s_[1:3, 0:4:2, 2:4]
    yield [0, 1], [0, 2], [1, 1], bits(begin_mask=1, end_mask=1, shrink_axis_mask=2), np.s_[:, 1]
    yield [0, -1], [0, 0], [1, 1], bits(ellipsis_mask=1, shrink_axis_mask=2), np.s_[..., -1]
    yield [0, 0], [0, 0], [-1, -2], bits(begin_mask=3, end_mask=3), np.s_[::-1, ::-2]
    yield [2, 3], [-9, 0], [-1, -2], bits(), np.s_[2::-1, 3:0:-2]
    yield [1, 0], [1, 9], [1, 3], bits(new_axis_mask=1), np.s_[None, 0:9:3]
    yield [1, 5], [1, 9], [1, 1], bits(), np.s_[1:1, 5:9]
    yield [], [], [], bits(), np.s_[...]


def _spec_arrays(index: Array) -> Iterator[Any]:
    for begin, end, strides, masks, _ in _specs():
        yield [np.array(v, index) for v in (begin, end, strides)], masks


def samples_strided_slice() -> Iterator[Sample]:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    for index in (np.int32, np.int64):
        for bounds, masks in _spec_arrays(index):
            yield Sample(x, *bounds, **masks)


def reference_strided_slice(
    x: np.ndarray, begin: np.ndarray, end: np.ndarray, strides: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> np.ndarray:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return x[_numpy_index(begin, end, strides, dict(zip(MASKS, masks)))]


def _numpy_index(
    begin: Array, end: Array, strides: Array, masks: dict[str, int]
) -> tuple[Any, ...]:
    """The index that NumPy needs for a spec."""
    index: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        on = {name: masks[name] >> i & 1 for name in MASKS}
        if on["ellipsis_mask"]:
            index.append(...)
        elif on["new_axis_mask"]:
            index.append(None)
        elif on["shrink_axis_mask"]:
            index.append(first)
        else:
            index.append(
                slice(None if on["begin_mask"] else first, None if on["end_mask"] else last, step)
            )
    return tuple(index)


def samples_strided_slice_grad() -> Iterator[Sample]:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    shape = np.array(x.shape, np.int32)
    for (bounds, masks), spec in zip(_spec_arrays(np.int32), _specs()):
        yield Sample(shape, *bounds, x[spec[-1]], **masks)


def reference_strided_slice_grad(
    shape: np.ndarray, begin: Array, end: Array, strides: Array, dy: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> np.ndarray:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = np.zeros(tuple(shape), dy.dtype)
    result[_numpy_index(begin, end, strides, dict(zip(MASKS, masks)))] = dy
    return result


register_op(
    "StridedSlice",
    inputs="input: T, begin: Index, end: Index, strides: Index",
    outputs="output: T",
    attrs=f"T: type, Index: {{int32, int64}}, {_MASK_ATTRS}",
    shape=shape_strided_slice,
    kernel=kernel_strided_slice,
    gradient=gradient_strided_slice,
    concrete=("strides",),
    runs_on=RunsOn.HOST_UNLESS_KNOWN,
    reference=reference_strided_slice,
    samples=samples_strided_slice,
    quick_on_host=True,
)
register_op(
    "StridedSliceGrad",
    inputs="shape: Index, begin: Index, end: Index, strides: Index, dy: T",
    outputs="output: T",
    attrs=f"T: type, Index: {{int32, int64}}, {_MASK_ATTRS}",
    shape=lambda c: c.value_as_shape("shape"),
    kernel=kernel_strided_slice_grad,
    gradient=gradient_strided_slice_grad,
    concrete=("shape", "strides"),
    runs_on=RunsOn.HOST_UNLESS_KNOWN,
    reference=reference_strided_slice_grad,
    samples=samples_strided_slice_grad,
)


# Assignment to a part of a variable


def kernel_strided_slice_assign(
    xp: ArrayModule,
    ref: Array,
    begin: Array,
    end: Array,
    strides: np.ndarray,
    value: Array,
    *,
    op: Operation | None = None,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> tuple[Any]:
    masks = dict(zip(MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)))
    indices: dict[int, Any] = {}
    if _has_values(begin, end):
        spec = _spec_of(ref.shape, begin, end, strides, masks)
    else:
        spec, indices = _traced_spec(xp, ref.shape, begin, end, strides, masks, op)
    wanted = spec.output_shape()
    if 0 in wanted:
        return (ref,)
    if value.shape != wanted:
        raise errors.UnimplementedError(
            None,
            None,
            f"sliced l-value shape {shapes.show(wanted)} does not match r-value shape "
            f"{shapes.show(value.shape)}. Automatic broadcasting not yet implemented.",
        )
    places = tuple(indices.get(i, part) for i, part in enumerate(_as_slices(spec)))
    value = value.reshape([r.size for i, r in enumerate(spec.ranges) if i not in indices])
    if xp is not np:
        return (xp.asarray(ref).at[places].set(value),)
    changed = ref.copy()
    changed[places] = value
    return (changed,)


def samples_strided_slice_assign() -> Iterator[Sample]:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    for (bounds, masks), spec in zip(_spec_arrays(np.int32), _specs()):
        yield Sample(x, *bounds, -x[spec[-1]], **masks)


def reference_strided_slice_assign(
    ref: np.ndarray, begin: Array, end: Array, strides: Array, value: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> tuple[np.ndarray]:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    changed = ref.copy()
    changed[_numpy_index(begin, end, strides, dict(zip(MASKS, masks)))] = value
    return (changed,)


register_op(
    "StridedSliceAssign",
    inputs="ref: Ref(T), begin: Index, end: Index, strides: Index, value: T",
    outputs="output_ref: Ref(T)",
    attrs=f"T: type, Index: {{int32, int64}}, {_MASK_ATTRS}",
    shape=shapes.like_first,
    kernel=kernel_strided_slice_assign,
    updates=("ref",),
    concrete=("strides",),
    reference=reference_strided_slice_assign,
    samples=samples_strided_slice_assign,
)
register_op(
    "ResourceStridedSliceAssign",
    inputs="ref: resource, begin: Index, end: Index, strides: Index, value: T",
    attrs=f"T: type, Index: {{int32, int64}}, {_MASK_ATTRS}",
    shape=shapes.none,
    kernel=kernel_strided_slice_assign,
    updates=("ref",),
    concrete=("strides",),
    stateful=True,
)
register_op(
    "TensorStridedSliceUpdate",
    inputs="input: T, begin: Index, end: Index, strides: Index, value: T",
    outputs="output: T",
    attrs=f"T: type, Index: {{int32, int64}}, {_MASK_ATTRS}",
    shape=shapes.like_first,
    kernel=kernel_strided_slice_assign,
    concrete=("strides",),
    reference=reference_strided_slice_assign,
    samples=samples_strided_slice_assign,
)
