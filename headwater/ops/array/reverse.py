"""Reversal of tensors along axes: ReverseV2, Reverse, ReverseSequence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail, require
from headwater.base.deprecation import renamed_argument
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)

_TYPES = (
    "uint8, int8, uint16, int16, int32, int64, bool, {}half, float, double, complex64, "
    "complex128, string"
)


def shape_reverse(c: shapes.ShapeContext) -> Shape:
    count, shape = c.with_rank("dims", 1)[0], c.shape("tensor")
    if shape is not None and len(shape) > 8:
        c.fail("reverse does not work on tensors with more than 8 dimensions")
    if shape is not None and count is not None and len(shape) != count:
        c.fail(f"Shape must be rank {count} but is rank {len(shape)}")
    return shape


def shape_reverse_v2(c: shapes.ShapeContext) -> Shape:
    c.with_rank("axis", 1)
    shape, axes = c.shape("tensor"), c.value("axis")
    if shape is not None and len(shape) > 8:
        c.fail("reverse does not work on tensors with more than 8 dimensions")
    if shape is not None and axes is not None:
        problem = _problem(axes.tolist(), len(shape))
        if problem:
            c.fail(problem)
    return shape


def _problem(axes: list[int], rank: int) -> str | None:
    """What is wrong with the axes, in TensorFlow's words."""
    seen = set()
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            return f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}"
        if axis % rank in seen:
            return f"axis {axis % rank} specified more than once."
        seen.add(axis % rank)
    return None


def kernel_reverse_v2(xp: ArrayModule, tensor: Array, axis: np.ndarray) -> Array:
    if axis.ndim != 1:
        fail(f"'dims' must be 1-dimension, not {axis.ndim}")
    axes = axis.tolist()
    problem = _problem(axes, len(tensor.shape))
    if problem:
        raise errors.InvalidArgumentError(None, None, problem)
    return xp.flip(tensor, tuple(axes)) if axes else tensor


def kernel_reverse(xp: ArrayModule, tensor: Array, dims: TensorLike) -> Array:
    if len(dims) != len(tensor.shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"'dims' must have the same number of values as 'input' has dimensions. 'input' has "
            f"{len(tensor.shape)}'dims' has {len(dims)} values",
        )
    return kernel_reverse_v2(xp, tensor, np.flatnonzero(dims))


def gradient_reverse(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.Reverse(grad, op.inputs[1]), None


def gradient_reverse_v2(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return build.ReverseV2(grad, op.inputs[1]), None


def samples_reverse_v2() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axes in ([0], [-1, 0], []):
        yield Sample(x, np.array(axes, np.int32))
    yield Sample(x.astype(np.int64), np.array([1], np.int64))


def reference_reverse_v2(tensor: np.ndarray, axis: np.ndarray) -> np.ndarray:
    for a in axis:
        tensor = np.take(tensor, np.arange(tensor.shape[a])[::-1], a)
    return tensor


def samples_reverse() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for dims in ([False, True], [True, True], [False, False]):
        yield Sample(x, np.array(dims))


register_op(
    "Reverse",
    inputs="tensor: T, dims: bool",
    outputs="output: T",
    attrs=f"T: {{{_TYPES.format('')}}}",
    shape=shape_reverse,
    kernel=kernel_reverse,
    gradient=gradient_reverse,
    concrete=("dims",),
    reference=lambda tensor, dims: reference_reverse_v2(tensor, np.flatnonzero(dims)),
    samples=samples_reverse,
)
register_op(
    "ReverseV2",
    inputs="tensor: T, axis: Tidx",
    outputs="output: T",
    attrs=f"Tidx: {{int32, int64}} = int32, T: {{{_TYPES.format('bfloat16, ')}}}",
    shape=shape_reverse_v2,
    kernel=kernel_reverse_v2,
    gradient=gradient_reverse_v2,
    concrete=("axis",),
    reference=reference_reverse_v2,
    samples=samples_reverse_v2,
    quick_on_host=True,
)


def shape_reverse_sequence(c: shapes.ShapeContext) -> Shape:
    lengths = c.with_rank("seq_lengths", 1)
    shape = c.shape("input")
    if shape is None:
        return None
    for name in ("batch_dim", "seq_dim"):
        if c.attr(name) >= len(shape):
            c.fail(f"{name} must be < input rank: {c.attr(name)} vs. {len(shape)}")
    batch = c.attr("batch_dim")
    size = c.merge_dims(shape[batch], lengths[0])
    return (*shape[:batch], size, *shape[batch + 1 :])


def kernel_reverse_sequence(
    xp: ArrayModule, x: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int
) -> Array:
    if seq_lengths.ndim != 1:
        fail(f"seq_lens input must be 1-dim, not {seq_lengths.ndim}")
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if axis >= len(x.shape):
            fail(f"{name} must be < input.dims()( {axis} vs. {len(x.shape)})")
    if batch_dim == seq_dim:
        fail(f"batch_dim == seq_dim == {seq_dim}")
    if x.shape[batch_dim] != seq_lengths.shape[0]:
        fail(
            f"len(seq_lens) != input.dims({batch_dim}), ({seq_lengths.shape[0]} vs. "
            f"{x.shape[batch_dim]})"
        )
    size = x.shape[seq_dim]
    require(xp, seq_lengths >= 0, lambda: _wrong(seq_lengths < 0, "< 0"))
    require(xp, seq_lengths <= size, lambda: _wrong(seq_lengths > size, f"> input.dims({seq_dim})"))
    shape = [1] * len(x.shape)
    shape[batch_dim] = -1
    lengths = xp.reshape(seq_lengths, shape)
    shape = [1] * len(x.shape)
    shape[seq_dim] = -1
    steps = np.arange(size, dtype=seq_lengths.dtype).reshape(shape)
    source = xp.where(steps < lengths, lengths - 1 - steps, steps)
    return xp.take_along_axis(x, source, seq_dim)


def _wrong(where: np.ndarray, text: str) -> Exception:
    position = int(np.flatnonzero(where)[0])
    return errors.InvalidArgumentError(None, None, f"seq_lens({position}) {text}")


def gradient_reverse_sequence(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    seq_dim, batch_dim = op._attrs["seq_dim"], op._attrs["batch_dim"]
    lengths = op.inputs[1]
    return build.ReverseSequence(grad, lengths, seq_dim=seq_dim, batch_dim=batch_dim), None


def samples_reverse_sequence() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    yield Sample(x, np.array([2, 0], np.int64), seq_dim=1)
    yield Sample(x, np.array([1, 4, 3], np.int32), seq_dim=2, batch_dim=1)
    yield Sample(x, np.array([2, 2, 1, 0], np.int64), seq_dim=0, batch_dim=2)


def reference_reverse_sequence(
    x: np.ndarray, seq_lengths: np.ndarray, *, seq_dim: int, batch_dim: int
) -> np.ndarray:
    result = x.copy()
    moved, source = (np.moveaxis(a, (batch_dim, seq_dim), (0, 1)) for a in (result, x))
    for row, length in enumerate(seq_lengths):
        moved[row, :length] = source[row, :length][::-1]
    return result


register_op(
    "ReverseSequence",
    inputs="input: T, seq_lengths: Tlen",
    outputs="output: T",
    attrs="seq_dim: int, batch_dim: int = 0, T: type, Tlen: {int32, int64} = int64",
    shape=shape_reverse_sequence,
    kernel=kernel_reverse_sequence,
    gradient=gradient_reverse_sequence,
    reference=reference_reverse_sequence,
    samples=samples_reverse_sequence,
)


@export("reverse", "reverse_v2", "manip.reverse")
@signature("tensor, axis, name=None")
def reverse(
    tensor: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dims: TensorLike | None = None,
) -> Tensor:
    """Reverses a tensor along some dimensions.

    Args:
        tensor: a tensor.
        axis: the dimensions, an integer vector; or, as in older programs, one boolean per
            dimension.
        name: the name of the node.
        dims: the older name of `axis`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if a dimension is out of range or named twice.
    """
    axis = dims if dims is not None else axis
    if _is_boolean(axis):
        return build.Reverse(tensor, axis, name=name)
    return build.ReverseV2(tensor, axis, name=name)


def _is_boolean(value: NestedTensors) -> bool:
    if isinstance(value, Tensor):
        return value.dtype.base_dtype is dtypes.bool_
    if isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
        return all(_is_boolean(item) for item in value)
    array = np.asarray(value)
    return array.dtype == bool and array.ndim == 1


@export("reverse_sequence")
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Reverses the first elements of each sequence of a batch.

    Args:
        input: a tensor.
        seq_lengths: how many elements are reversed, one integer per sequence.
        seq_axis: the dimension along which the sequences run.
        batch_axis: the dimension of the batch; the first if None.
        name: the name of the node.
        seq_dim: the older name of `seq_axis`.
        batch_dim: the older name of `batch_axis`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the shapes do not fit.
        TypeError: if there is no `seq_axis`.
    """
    seq_axis = renamed_argument("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = renamed_argument("batch_axis", batch_axis, "batch_dim", batch_dim)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    return build.ReverseSequence(
        input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name
    )
