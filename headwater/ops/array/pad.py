"""Borders around tensors: Pad, PadV2, MirrorPad."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import ValueNeeded, fail, require
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_elements,
    constant_value,
    convert_to_tensor,
    export,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)

_OFFSETS = {"SYMMETRIC": 0, "REFLECT": 1}


def _padded_shape(c: shapes.ShapeContext, sign: int) -> Shape:
    """The shape with the paddings added (sign 1) or removed (sign -1)."""
    rows, columns = c.with_rank("paddings", 2)
    if columns not in (None, 2):
        c.fail(f"Dimension must be 2 but is {columns}")
    source = c.shape("input")
    if source is not None and rows is not None and len(source) != rows:
        c.fail(f"Shape must be rank {rows} but is rank {len(source)}")
    if source is None and rows is None:
        return None
    rank = len(source) if source is not None else rows
    paddings = c.value("paddings")
    if paddings is None or source is None:
        return (None,) * rank  # type: ignore[operator]
    if np.any(paddings < 0):
        c.fail("Paddings must be non-negative")
    return tuple(
        None if size is None else size + sign * int(sum(pair))
        for size, pair in zip(source, paddings)
    )


def shape_mirror_pad_grad(c: shapes.ShapeContext) -> Shape:
    # Only constant paddings give more than the rank.
    rows = c.with_rank("paddings", 2)[0]
    if rows is None:
        return None
    shape = _padded_shape(c, -1)
    return shape if c.value("paddings") is not None else (None,) * rows


def _checked(paddings: np.ndarray, shape: tuple[int, ...]) -> list[list[int]]:
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        fail(f"paddings must be a matrix with 2 columns: {shapes.show(paddings.shape)}")
    if paddings.shape[0] != len(shape):
        fail(
            "The first dimension of paddings must be the rank of inputs"
            f"{shapes.show(paddings.shape)} {shapes.show(shape)}"
        )
    return paddings.tolist()


def kernel_pad_v2(
    xp: ArrayModule,
    x: Array,
    paddings: Array,
    constant_values: Array,
    *,
    op: Operation | None = None,
) -> Array:
    if not isinstance(paddings, np.ndarray):
        return _padded_at_traced(xp, x, paddings, constant_values, op)
    pairs = _checked(paddings, x.shape)
    if constant_values.ndim:
        fail(f"constant_values must be a scalar. Found: {shapes.show(constant_values.shape)}")
    for before, after in pairs:
        if before < 0 or after < 0:
            fail(f"Paddings must be non-negative: {before} {after}")
    if xp is not np:
        return lax.pad(x, constant_values, [(before, after, 0) for before, after in pairs])
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, pairs))
    result = np.full(shape, constant_values, x.dtype)
    result[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, pairs))] = x
    return result


def _padded_at_traced(xp: ArrayModule, x: Array, paddings: Array, value: Array, op: Any) -> Array:
    """A border of dynamic width where the size of the result is known."""
    shape = op.outputs[0]._shape if op is not None else None
    if not shapes.is_static(shape) or len(shape) != len(x.shape):
        raise ValueNeeded("paddings")
    wanted = np.array(shape) - np.array(x.shape)
    require(
        xp,
        (paddings >= 0).all() & (paddings.sum(1) == wanted).all(),
        lambda: errors.InvalidArgumentError(None, None, "Paddings must be non-negative"),
    )
    whole = xp.full(shape, value, x.dtype)
    return lax.dynamic_update_slice(whole, x, tuple(paddings[:, 0]))


def kernel_pad(xp: ArrayModule, x: Array, paddings: Array, *, op: Operation | None = None) -> Array:
    zero = np.asarray(b"", object) if x.dtype == object else xp.zeros((), x.dtype)
    return kernel_pad_v2(xp, x, paddings, zero, op=op)


def gradient_pad(op: Operation, grad: Tensor) -> list[Tensor | None]:
    x, paddings = op.inputs[0], op.inputs[1]
    column = convert_to_tensor([rank_tensor(x), 1], name="stack")
    begin = build.Reshape(build.Slice(paddings, [0, 0], column), [-1])
    back = build.Slice(grad, begin, shape_tensor(x, out_type=paddings.dtype))
    return [back, *[None] * (len(op.inputs) - 1)]


_PADDINGS = ([[1, 0], [0, 2]], [[0, 0], [1, 1]], [[0, 0], [0, 0]])


def samples_pad() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for paddings in _PADDINGS:
        yield Sample(x, np.array(paddings, np.int32))
    yield Sample(x.astype(np.int64), np.array(_PADDINGS[0], np.int64))


def samples_pad_v2() -> Iterator[Sample]:
    for sample in samples_pad():
        x, paddings = sample.inputs
        yield Sample(x, paddings, x.dtype.type(7), gradient=(0,))


register_op(
    "Pad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs="T: type, Tpaddings: {int32, int64} = int32",
    shape=lambda c: _padded_shape(c, 1),
    kernel=kernel_pad,
    gradient=gradient_pad,
    runs_on=RunsOn.HOST_UNLESS_KNOWN,
    reference=lambda x, paddings: np.pad(x, paddings),
    samples=samples_pad,
)
register_op(
    "PadV2",
    inputs="input: T, paddings: Tpaddings, constant_values: T",
    outputs="output: T",
    attrs="T: type, Tpaddings: {int32, int64} = int32",
    shape=lambda c: _padded_shape(c, 1),
    kernel=kernel_pad_v2,
    gradient=gradient_pad,
    runs_on=RunsOn.HOST_UNLESS_KNOWN,
    reference=lambda x, paddings, value: np.pad(x, paddings, constant_values=value),
    samples=samples_pad_v2,
)


def _check_mirrored(pairs: list[list[int]], shape: Sequence[int], mode: str) -> None:
    for (before, after), size in zip(pairs, shape):
        if before < 0 or after < 0:
            fail(f"paddings must be non-negative: {before} {after}")
        if mode == "SYMMETRIC" and max(before, after) > size:
            fail(
                f"paddings must be no greater than the dimension size: {before}, {after} "
                f"greater than {size}"
            )
        if mode == "REFLECT" and max(before, after) >= size:
            fail(
                f"paddings must be less than the dimension size: {before}, {after} not less "
                f"than {size}"
            )


def kernel_mirror_pad(xp: ArrayModule, x: Array, paddings: np.ndarray, *, mode: str) -> Array:
    pairs = _checked(paddings, x.shape)
    _check_mirrored(pairs, x.shape, mode)
    offset = _OFFSETS[mode]
    for axis, (before, after) in enumerate(pairs):
        size = x.shape[axis]
        left = _part(x, axis, offset, offset + before)
        right = _part(x, axis, size - offset - after, size - offset)
        x = xp.concatenate([xp.flip(left, axis), x, xp.flip(right, axis)], axis)
    return x


def _part(x: Array, axis: int, begin: int, end: int) -> Array:
    return x[(slice(None),) * axis + (slice(begin, end),)]


def kernel_mirror_pad_grad(xp: ArrayModule, x: Array, paddings: np.ndarray, *, mode: str) -> Array:
    pairs = _checked(paddings, x.shape)
    offset = _OFFSETS[mode]
    for axis, (before, after) in enumerate(pairs):
        size = x.shape[axis] - before - after
        left = xp.flip(_part(x, axis, 0, before), axis)
        right = xp.flip(_part(x, axis, before + size, before + size + after), axis)
        middle = _part(x, axis, before, before + size)
        left = _extended(xp, left, axis, offset, size - offset - before)
        right = _extended(xp, right, axis, size - offset - after, offset)
        x = middle + left + right
    return x


def _extended(xp: ArrayModule, x: Array, axis: int, before: int, after: int) -> Array:
    """Zeros on both sides along one axis."""
    widths = [(0, 0)] * len(x.shape)
    widths[axis] = (before, after)
    return xp.pad(x, widths)


def samples_mirror_pad() -> Iterator[Sample]:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for mode in _OFFSETS:
        yield Sample(x, np.array([[1, 2], [0, 2]], np.int32), mode=mode)
        yield Sample(x, np.array([[0, 0], [1, 0]], np.int64), mode=mode)


def reference_mirror_pad(x: np.ndarray, paddings: np.ndarray, *, mode: str) -> np.ndarray:
    return np.pad(x, paddings, mode=mode.lower())  # type: ignore[call-overload]


def samples_mirror_pad_grad() -> Iterator[Sample]:
    for sample in samples_mirror_pad():
        x, paddings = sample.inputs
        mode = sample.attrs["mode"]
        yield Sample(reference_mirror_pad(x, paddings, mode=mode), paddings, mode=mode)


def reference_mirror_pad_grad(x: np.ndarray, paddings: np.ndarray, *, mode: str) -> np.ndarray:
    shape = tuple(n - sum(pair) for n, pair in zip(x.shape, paddings))
    positions = np.arange(int(np.prod(shape))).reshape(shape)
    sources = reference_mirror_pad(positions, paddings, mode=mode)
    result = np.zeros(positions.size, x.dtype)
    np.add.at(result, sources.ravel(), x.ravel())
    return result.reshape(shape)


def gradient_mirror_pad(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.MirrorPadGrad(grad, op.inputs[1], mode=op._attrs["mode"]), None


def gradient_mirror_pad_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.MirrorPad(grad, op.inputs[1], mode=op._attrs["mode"]), None


_MIRROR_ATTRS = "T: type, Tpaddings: {int32, int64} = int32, mode: {'REFLECT', 'SYMMETRIC'}"
register_op(
    "MirrorPad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=_MIRROR_ATTRS,
    shape=lambda c: _padded_shape(c, 1),
    kernel=kernel_mirror_pad,
    gradient=gradient_mirror_pad,
    concrete=("paddings",),
    reference=reference_mirror_pad,
    samples=samples_mirror_pad,
)
register_op(
    "MirrorPadGrad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=_MIRROR_ATTRS,
    shape=shape_mirror_pad_grad,
    kernel=kernel_mirror_pad_grad,
    gradient=gradient_mirror_pad_grad,
    concrete=("paddings",),
    reference=reference_mirror_pad_grad,
    samples=samples_mirror_pad_grad,
)


@export("pad")
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """Puts a border around a tensor.

    Args:
        tensor: a tensor.
        paddings: integers of shape [rank, 2]: the width before and after, per dimension.
        mode: ``"CONSTANT"``, ``"REFLECT"`` (mirrored, without the edge) or ``"SYMMETRIC"``
            (mirrored, with the edge).
        name: the name of the node.
        constant_values: the value of a constant border.

    Returns:
        A tensor of the same rank and type.

    Raises:
        ValueError: if the mode is unknown or the paddings do not fit.

    Example:
        >>> print(tf.pad([[1, 2]], [[1, 0], [0, 2]]).eval())
        [[0 0 0 0]
         [1 2 0 0]]
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if not isinstance(constant_values, Tensor) and constant_values == 0:
            result = build.Pad(tensor, paddings, name=name)
        else:
            result = build.PadV2(tensor, paddings, constant_values, name=name)
    elif mode in _OFFSETS:
        result = build.MirrorPad(tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError(f"Unknown padding mode: {mode}")
    widths = _known_widths(result.op.inputs[1])
    source = result.op.inputs[0]._shape
    if widths is not None and source is not None and result._shape is not None:
        sizes = [
            None if size is None or width is None else size + width
            for size, width in zip(source, widths)
        ]
        result.set_shape(sizes)
    return result


def _known_widths(paddings: Tensor) -> list[int | None] | None:
    """Both widths of each dimension together, as far as they are known."""
    value = constant_value(paddings)
    if value is not None:
        return [int(sum(pair)) for pair in value]
    op = paddings.op
    if op.type != "Pack" or op._attrs["axis"]:
        return None
    widths: list[int | None] = []
    for row in op.inputs:
        pair = constant_elements(row)
        widths.append(None if pair is None or None in pair else sum(pair))  # type: ignore[arg-type]
    return widths
