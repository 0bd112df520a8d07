"""Slices with strides, as NumPy indexing has them: StridedSlice, its gradient and assignments.

A spec has an entry per index of `x[...]`. Bit i of a mask says something of entry i: begin_mask and
end_mask that the bound is left out, ellipsis_mask that the entry is `...`, new_axis_mask that it
inserts a dimension, shrink_axis_mask that it is one index and its dimension is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import ValueNeeded, require
from headwater.base.lazy import jnp, lax
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_elements,
    register_op,
    shape_tensor,
    shapes,
)

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_MASK_ATTRS = ", ".join(f"{name}: int = 0" for name in _MASKS)


class SpecError(Exception):
    """What is wrong with a spec, in TensorFlow's words."""


@dataclass
class Range:
    """What is taken of one dimension of the input.

    Attributes:
        begin: the first index; None if it is not known.
        end: the index after the last; None if it is not known.
        stride: the step.
        shrink: whether the dimension is dropped.
        open_begin: whether the first bound is left out.
        open_end: whether the second bound is left out.
        entry: the position in the spec, or -1 for dimensions that an ellipsis stands for.
        size: the number of elements taken; None if it is not known.
    """

    begin: int | None = None
    end: int | None = None
    stride: int = 1
    shrink: bool = False
    open_begin: bool = True
    open_end: bool = True
    entry: int = -1
    size: int | None = None


@dataclass
class Spec:
    """A spec worked out for an input of known rank.

    Attributes:
        ranges: one Range per dimension of the input.
        output: for each dimension of the output the input dimension, or -1 for a new one.
    """

    ranges: list[Range]
    output: list[int]

    def output_shape(self) -> tuple[int | None, ...]:
        """The static shape of the output."""
        return tuple(1 if i < 0 else self.ranges[i].size for i in self.output)


def work_out(
    shape: tuple[int | None, ...],
    begin: list[int | None],
    end: list[int | None],
    strides: list[int],
    masks: dict[str, int],
) -> Spec:
    """Applies a spec to a shape; raises SpecError."""
    ranges, output = _dense(len(shape), begin, end, strides, masks)
    for axis, (size, part) in enumerate(zip(shape, ranges)):
        _resolve(axis, size, part)
    return Spec(ranges, output)


def _dense(
    rank: int,
    begin: list[int | None],
    end: list[int | None],
    strides: list[int],
    masks: dict[str, int],
) -> tuple[list[Range], list[int]]:
    """One unresolved Range per input dimension, and where the output dimensions come from."""

    def has(name: str, i: int) -> bool:
        return bool(masks[name] >> i & 1)

    count = len(strides)
    ellipses = [i for i in range(count) if has("ellipsis_mask", i)]
    if len(ellipses) > 1:
        raise SpecError("Multiple ellipses in slice spec not allowed")
    # Without an ellipsis, one stands at the end.
    ellipsis = ellipses[0] if ellipses else count
    ranges: list[Range] = []
    output: list[int] = []
    for i in [*range(count), *([] if ellipses else [count])]:
        if i == ellipsis:
            later = range(i + 1, count)
            left = sum(not has("new_axis_mask", j) for j in later)
            while len(ranges) < rank - left:
                output.append(len(ranges))
                ranges.append(Range())
        elif has("new_axis_mask", i):
            output.append(-1)
        elif len(ranges) >= rank:
            raise SpecError(
                f"Index out of range using input dim {len(ranges)}; input has only {rank} dims"
            )
        else:
            shrink = has("shrink_axis_mask", i)
            if not shrink:
                output.append(len(ranges))
            ranges.append(
                Range(
                    begin[i],
                    end[i],
                    strides[i],
                    shrink,
                    has("begin_mask", i) and not shrink,
                    has("end_mask", i) and not shrink,
                    i,
                )
            )
    return ranges, output


def _resolve(axis: int, size: int | None, part: Range) -> None:
    """Puts the size of the dimension in: bounds become plain indices from 0 to the size."""
    stride = part.stride
    if stride == 0:
        raise SpecError(f"strides[{axis}] must be non-zero")
    if part.shrink and stride <= 0:
        raise SpecError("only stride 1 allowed on non-range indexing.")
    if size is None:
        if part.shrink:
            part.size = 1
        return
    if part.shrink:
        part.size = 1
        if part.begin is not None:
            index = part.begin + size if part.begin < 0 else part.begin
            if not 0 <= index < size:
                raise SpecError(f"slice index {index} of dimension {axis} out of bounds.")
            part.begin, part.end = index, index + 1
        return
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    first, last = (low, high) if stride > 0 else (high, low)
    part.begin = first if part.open_begin else _bound(part.begin, size, low, high)
    part.end = last if part.open_end else _bound(part.end, size, low, high)
    if part.begin is not None and part.end is not None:
        length = part.end - part.begin
        part.size = max(0, -(-length // stride))


def _bound(bound: int | None, size: int, low: int, high: int) -> int | None:
    """A bound counted from the start and moved into the range of indices."""
    if bound is None:
        return None
    return min(max(bound + size if bound < 0 else bound, low), high)


def _masks_of(attrs: dict[str, Any]) -> dict[str, int]:
    return {name: attrs[name] for name in _MASKS}


# Shapes


def _check_spec_shapes(c: shapes.ShapeContext) -> None:
    first = c.with_rank("begin", 1)
    second = c.with_rank("end", 1)
    third = c.with_rank("strides", 1)
    c.merge(c.merge(first, second), third)


def shape_strided_slice(c: shapes.ShapeContext) -> Any:
    _check_spec_shapes(c)
    shape, strides = c.shape("input"), c.value("strides")
    if shape is None or strides is None:
        return None
    steps, masks, rank = strides.tolist(), _masks_of(c.attrs), len(shape)
    # The bounds count only if all of them are known.
    begin: list[int | None] = [None] * len(steps)
    end = begin
    try:
        ranges, _ = _dense(rank, begin, end, steps, masks)
        if all(part.stride for part in ranges):
            first, last = c.value("begin"), c.value("end")
            if first is not None and last is not None:
                begin, end = first.tolist(), last.tolist()
        return work_out(shape, begin, end, steps, masks).output_shape()
    except SpecError as error:
        c.fail(str(error), "an index or range lies outside of the dimensions of the tensor.")


# Kernels


def _spec_of(shape: Any, begin: Any, end: Any, strides: np.ndarray, masks: Any) -> Spec:
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


def _has_values(*bounds: Any) -> bool:
    return all(isinstance(b, np.ndarray) for b in bounds)


def kernel_strided_slice(
    xp: Any, x: Any, begin: Any, end: Any, strides: np.ndarray, *, op: Any = None,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> Any:  # fmt: skip
    masks = dict(
        zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))
    )
    if not _has_values(begin, end):
        return _slice_at_traced(xp, x, begin, end, strides, masks, op)
    spec = _spec_of(x.shape, begin, end, strides, masks)
    return _taken(xp, x, spec.ranges).reshape(spec.output_shape())


def _taken(xp: Any, x: Any, ranges: list[Range]) -> Any:
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
            # The same elements forward; they are turned around below.
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
    xp: Any, shape: Any, begin: Any, end: Any, strides: np.ndarray, masks: Any, op: Any, first: int
) -> tuple[Spec, dict[int, Any]]:
    """The spec where some single indices are known only when the program runs.

    Returns:
        The Spec and these indices by input dimension, not negative.
    """
    count = len(strides)

    def elements(bound: Any, position: int) -> list[int | None]:
        if isinstance(bound, np.ndarray):
            return bound.tolist()
        known = constant_elements(op.inputs[position]) if op is not None else None
        return known or [None] * count

    begins, ends = elements(begin, first), elements(end, first + 1)
    try:
        spec = work_out(tuple(shape), begins, ends, strides.tolist(), masks)
    except SpecError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from None
    indices: dict[int, Any] = {}
    for axis, part in enumerate(spec.ranges):
        if part.shrink and part.begin is None:
            index = begin[part.entry]
            index = xp.where(index < 0, index + shape[axis], index)
            require(
                xp,
                (index >= 0) & (index < shape[axis]),
                lambda: errors.InvalidArgumentError(None, None, "slice index out of bounds."),
            )
            indices[axis] = index
        elif part.size is None:
            raise ValueNeeded("begin" if not isinstance(begin, np.ndarray) else "end")
    return spec, indices


def _slice_at_traced(
    xp: Any, x: Any, begin: Any, end: Any, strides: np.ndarray, masks: Any, op: Any
) -> Any:
    spec, indices = _traced_spec(xp, x.shape, begin, end, strides, masks, op, 1)
    for axis, index in indices.items():
        x = lax.dynamic_slice_in_dim(x, index, 1, axis)
        spec.ranges[axis] = Range(0, 1, size=1)
    return _taken(xp, x, spec.ranges).reshape(spec.output_shape())


def kernel_strided_slice_grad(
    xp: Any, shape: np.ndarray, begin: Any, end: Any, strides: np.ndarray, dy: Any, *,
    op: Any = None, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:  # fmt: skip
    masks = dict(
        zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))
    )
    sizes = tuple(int(n) for n in shape)
    indices: dict[int, Any] = {}
    if _has_values(begin, end):
        spec = _spec_of(sizes, begin, end, strides, masks)
    else:
        spec, indices = _traced_spec(xp, sizes, begin, end, strides, masks, op, 1)
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


def _spread(xp: Any, dy: Any, sizes: Any, ranges: list[Range], indices: dict[int, Any]) -> Any:
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
            last = r.begin + (r.size - 1) * r.stride  # type: ignore[operator]
            low, step = min(r.begin, last), abs(r.stride)  # type: ignore[type-var]
            padding.append((low, size - max(r.begin, last) - 1, step - 1))  # type: ignore[type-var]
    result = lax.pad(dy, jnp.zeros((), dy.dtype), padding)
    if indices:
        whole = xp.zeros(sizes, dy.dtype)
        start = [xp.asarray(indices.get(axis, 0), np.int64) for axis in range(len(sizes))]
        result = lax.dynamic_update_slice(whole, result, start)
    return result


def gradient_strided_slice(op: Operation, grad: Tensor) -> Any:
    x, begin, end, strides = op.inputs
    shape = shape_tensor(x, out_type=begin.dtype)
    masks = _masks_of(op._attrs)
    return build.StridedSliceGrad(shape, begin, end, strides, grad, **masks), None, None, None


def gradient_strided_slice_grad(op: Operation, grad: Tensor) -> Any:
    _, begin, end, strides, _ = op.inputs
    return (
        None,
        None,
        None,
        None,
        build.StridedSlice(grad, begin, end, strides, **_masks_of(op._attrs)),
    )


# Samples


def _specs() -> Any:
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


def _spec_arrays(index: Any) -> Any:
    for begin, end, strides, masks, _ in _specs():
        yield [np.array(v, index) for v in (begin, end, strides)], masks


def samples_strided_slice() -> Any:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    for index in (np.int32, np.int64):
        for bounds, masks in _spec_arrays(index):
            yield Sample(x, *bounds, **masks)


def reference_strided_slice(
    x: np.ndarray, begin: np.ndarray, end: np.ndarray, strides: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> np.ndarray:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return x[_numpy_index(begin, end, strides, dict(zip(_MASKS, masks)))]


def _numpy_index(begin: Any, end: Any, strides: Any, masks: dict[str, int]) -> tuple[Any, ...]:
    """The index that NumPy needs for a spec."""
    index: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        on = {name: masks[name] >> i & 1 for name in _MASKS}
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


def samples_strided_slice_grad() -> Any:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    shape = np.array(x.shape, np.int32)
    for (bounds, masks), spec in zip(_spec_arrays(np.int32), _specs()):
        yield Sample(shape, *bounds, x[spec[-1]], **masks)


def reference_strided_slice_grad(
    shape: np.ndarray, begin: Any, end: Any, strides: Any, dy: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> np.ndarray:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = np.zeros(tuple(shape), dy.dtype)
    result[_numpy_index(begin, end, strides, dict(zip(_MASKS, masks)))] = dy
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
    reference=reference_strided_slice,
    samples=samples_strided_slice,
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
    reference=reference_strided_slice_grad,
    samples=samples_strided_slice_grad,
)


# Assignment to a part of a variable


def kernel_strided_slice_assign(
    xp: Any, ref: Any, begin: Any, end: Any, strides: np.ndarray, value: Any, *, op: Any = None,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> tuple[Any]:  # fmt: skip
    masks = dict(
        zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))
    )
    indices: dict[int, Any] = {}
    if _has_values(begin, end):
        spec = _spec_of(ref.shape, begin, end, strides, masks)
    else:
        spec, indices = _traced_spec(xp, ref.shape, begin, end, strides, masks, op, 1)
    wanted = spec.output_shape()
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


def samples_strided_slice_assign() -> Any:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    for (bounds, masks), spec in zip(_spec_arrays(np.int32), _specs()):
        yield Sample(x, *bounds, -x[spec[-1]], **masks)


def reference_strided_slice_assign(
    ref: np.ndarray, begin: Any, end: Any, strides: Any, value: np.ndarray, *,
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> tuple[np.ndarray]:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    changed = ref.copy()
    changed[_numpy_index(begin, end, strides, dict(zip(_MASKS, masks)))] = value
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
