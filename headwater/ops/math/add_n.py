"""Sums of lists of tensors: AddN, AccumulateNV2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape, as_shape
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, ShapeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    convert_n_to_tensor,
    convert_to_tensor,
    export,
    register_op,
    shapes,
)


def kernel_add_n(xp: ArrayModule, inputs: list[Any], *, op_name: str) -> Array:
    first = inputs[0]
    for i, other in enumerate(inputs[1:], 1):
        if other.shape != first.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Inputs to operation {op_name} of type AddN must have the same size and shape.  "
                f"Input 0: {shapes.show(first.shape)} != input {i}: {shapes.show(other.shape)}",
            )
    total = first
    for other in inputs[1:]:
        total = xp.add(total, other)
    # The sum of scalar arrays of objects is not an array.
    return np.asarray(total, object) if first.dtype == object else total


def reference_add_n(inputs: list[Any]) -> Array:
    return np.sum(np.stack(inputs), axis=0, dtype=inputs[0].dtype)


def shape_add_n(c: shapes.ShapeContext) -> Shape:
    result = c.shapes[-1]
    for i in range(len(c.shapes) - 2, -1, -1):
        result = _merge(c, c.shapes[i], result, i)
    return result


def _merge(c: shapes.ShapeContext, a: Shape, b: Shape, position: int) -> Shape:
    if a is None or b is None:
        return b if a is None else a
    source = f"\n\tFrom merging shape {position} with other shapes."
    if len(a) != len(b):
        c.fail(f"Shapes must be equal rank, but are {len(a)} and {len(b)}{source}")
    for i, (x, y) in enumerate(zip(a, b)):
        if x is not None and y is not None and x != y:
            c.fail(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
                f"Shapes are {shapes.show(a)} and {shapes.show(b)}.{source}"
            )
    return tuple(y if x is None else x for x, y in zip(a, b))


def gradient_add_n(op: Operation, grad: Tensor) -> list[Tensor]:
    return [grad] * len(op.inputs)


def samples_add_n() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0], [0.25, 5.0]], np.float32)
    yield Sample([x, x * 2, x[::-1]])
    yield Sample([x.astype(np.float64)])
    yield Sample([np.array([1, 2], np.int32), np.array([3, 4], np.int32)])
    yield Sample([np.array([1 + 1j], np.complex64), np.array([2], np.complex64)])


def samples_accumulate() -> Iterator[Sample]:
    for sample in samples_add_n():
        sample.attrs["shape"] = sample.inputs[0][0].shape
        yield sample


register_op(
    "AddN",
    inputs="inputs: N * T",
    outputs="sum: T",
    attrs="N: int >= 1, T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, "
    "quint8, qint32, bfloat16, uint16, complex128, half, uint32, uint64, variant}",
    shape=shape_add_n,
    kernel=kernel_add_n,
    gradient=gradient_add_n,
    reference=reference_add_n,
    samples=samples_add_n,
    aggregate=True,
    commutative=True,
)
register_op(
    "AccumulateNV2",
    inputs="inputs: N * T",
    outputs="sum: T",
    attrs="N: int >= 1, T: numbertype, shape: shape",
    shape=shapes.attr_shape,
    kernel=kernel_add_n,
    gradient=gradient_add_n,
    reference=reference_add_n,
    samples=samples_accumulate,
    aggregate=True,
    commutative=True,
)


@export("add_n", "math.add_n")
def add_n(inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """Adds all tensors of a list.

    Args:
        inputs: a list of Tensors or IndexedSlices of one type and shape.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape; the only input itself if no name is given.

    Raises:
        ValueError: if the list is empty or the shapes differ.

    Example:
        >>> print(tf.add_n([[1, 2], [10, 20], [100, 200]]).eval())
        [111 222]
    """
    text = (
        "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape"
    )
    try:
        inputs = list(inputs)
    except TypeError:
        raise ValueError(text) from None
    if not inputs:
        raise ValueError(text)
    tensors = [x if isinstance(x, (Tensor, IndexedSlices)) else _converted(x) for x in inputs]
    if len(tensors) == 1:
        only = tensors[0]
        value = convert_to_tensor(only) if isinstance(only, IndexedSlices) else only
        return build.Identity(value, name=name) if name else value
    return build.AddN(tensors, name=name)


def _converted(value: TensorLike) -> Tensor:
    return convert_to_tensor(value)


@export("accumulate_n", "math.accumulate_n")
def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Adds all tensors of a list, whose shape may be given.

    Args:
        inputs: a list of tensors of one type and shape.
        shape: the shape, if it is not known from the inputs.
        tensor_dtype: the expected type.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Raises:
        TypeError: if the type is not `tensor_dtype`.
        ValueError: if the list is empty or types or shapes differ.
    """
    text = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(text)
    tensors = convert_n_to_tensor(inputs)
    if any(t.dtype.base_dtype is not tensors[0].dtype.base_dtype for t in tensors):
        raise ValueError(text)
    whole = as_shape(shape) if shape is not None else TensorShape(None)
    for tensor in tensors:
        whole = whole.merge_with(tensor.get_shape())
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not tensors[0].dtype.base_dtype:
        raise TypeError(
            f"tensor_dtype is {as_dtype(tensor_dtype)}, but input is of type {tensors[0].dtype}"
        )
    if len(tensors) == 1 and name is None:
        return tensors[0]
    if len(tensors) == 1:
        return build.Identity(tensors[0], name=name)
    return build.AccumulateNV2(tensors, shape=whole.to_tuple(), name=name)
