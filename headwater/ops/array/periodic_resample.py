"""PeriodicResample: moves elements between dimensions, a generalized depth-to-space.

Source: Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel
convolutional neural network", CVPR 2016, section 2.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, ArrayModule, Shape, ShapeLike, TensorLike
from headwater.graph import Operation, Sample, ShapeContext, Tensor, build, export, register_op
from headwater.graph.shapes import is_static


def _adjustable(dims: Sequence[int | None]) -> list[int]:
    """The dimensions whose size follows from the others."""
    return [axis for axis, size in enumerate(dims) if not size]


def _resampled_shape(given: tuple[int, ...], desired: Shape) -> tuple[int, ...]:
    """The shape of the result, checked."""
    length = -1 if desired is None else len(desired)
    if desired is None or len(given) != length:
        fail(
            f"periodic_resample expects the rank of the input tensor, {len(given)}, to be the same "
            f"as the length of the desired shape, {length}."
        )
    free = _adjustable(desired)
    if len(free) > 1:
        fail("periodic_resample expects only one index to be marked as adjustable.")
    for axis, (size, wanted) in enumerate(zip(given, desired)):
        if wanted and wanted < size:
            fail(
                "periodic_resample expects the size of non-adjustable dimensions be at least as "
                f"large as size of input tensor. Dimension {axis} input tensor has size {size}, "
                f"desired shape has size {wanted}."
            )
    if not free:
        fail("periodic_resample expects at least one index to be marked as adjustable.")
    fixed = math.prod(size for size in desired if size)
    rest = math.prod(given) // fixed
    if rest < 1:
        fail(
            f"periodic_resample found that the adjustable dimension, {free[0]}, isn't greater than "
            f"zero, {rest}."
        )
    return tuple(size or rest for size in desired)


def _sources(given: tuple[int, ...], desired: Shape) -> np.ndarray:
    """For each element of the result, its position in the flat input; some lie behind its end."""
    result = _resampled_shape(given, desired)
    free = _adjustable(desired or ())[0]
    strides = [math.prod(given[axis + 1 :]) for axis in range(len(given))]
    place = np.zeros(result, np.int64)
    period = 1
    for axis, (size, wanted) in enumerate(zip(given, result)):
        index = np.arange(wanted).reshape(-1, *(1,) * (len(given) - axis - 1))
        if axis == free:
            place += index * strides[axis]
            continue
        factor = -(-wanted // size)
        # The remainder of an index says which part of the adjustable dimension is read.
        offset = index % factor * period * result[free]
        place += index // factor * strides[axis] + offset * strides[free]
        period *= factor
    return place


def kernel_periodic_resample(xp: ArrayModule, values: Array, *, shape: Shape) -> Array:
    places = _sources(values.shape, shape)
    flat = values.reshape(-1)
    inside = places < flat.shape[0]
    taken = flat[np.where(inside, places, 0)]
    return xp.where(inside, taken, np.zeros((), taken.dtype)) if not inside.all() else taken


def kernel_gradient(
    xp: ArrayModule, grad: Array, *, original_shape: Any, desired_shape: Shape
) -> Array:
    given = tuple(original_shape)
    places = _sources(given, desired_shape)
    inside = places < math.prod(given)
    chosen = grad.reshape(-1)[np.flatnonzero(inside)]
    if xp is np:
        total = np.zeros(math.prod(given), grad.dtype)
        np.add.at(total, places[inside], chosen)
    else:
        total = xp.zeros(math.prod(given), grad.dtype).at[places[inside]].add(chosen)
    return total.reshape(given)


def gradient_periodic_resample(op: Operation, grad: Tensor) -> Tensor:
    return build.PeriodicResampleOpGrad(
        grad, original_shape=op.inputs[0].get_shape(), desired_shape=op.get_attr("shape")
    )


def shape_periodic_resample(c: ShapeContext) -> Shape:
    desired: Shape = c.attr("shape")
    given = c.shape("values")
    if desired is None:
        return None
    rest = None
    if is_static(given) and len(desired) == len(given) and len(_adjustable(desired)) == 1:
        rest = math.prod(given) // math.prod(size for size in desired if size)
    return tuple(size or rest for size in desired)


def shape_gradient(c: ShapeContext) -> Shape:
    shape: Shape = c.attr("original_shape")
    return shape


def reference_periodic_resample(values: Array, *, shape: Any) -> Array:
    sizes = list(shape)
    free = next(axis for axis, size in enumerate(sizes) if not size)
    sizes[free] = values.size // math.prod(size for size in sizes if size)
    result = np.zeros(sizes, values.dtype)
    for index in np.ndindex(*sizes):
        source, part, period = list(index), 0, 1
        for axis, (wanted, size) in enumerate(zip(sizes, values.shape)):
            if axis != free:
                factor = -(-wanted // size)
                source[axis], rest = divmod(index[axis], factor)
                part += rest * period
                period *= factor
        source[free] = part * sizes[free] + index[free]
        place = sum(i * math.prod(values.shape[k + 1 :]) for k, i in enumerate(source))
        result[index] = values.flat[place] if place < values.size else 0
    return result


def samples_periodic_resample() -> Iterator[Sample]:
    yield Sample(np.arange(16, dtype=np.float32).reshape(2, 2, 4), shape=TensorShape([4, 4, None]))
    yield Sample(np.arange(36, dtype=np.float32).reshape(3, 2, 6), shape=TensorShape([4, 3, None]))
    yield Sample(np.arange(24, dtype=np.int32).reshape(2, 6, 2), shape=TensorShape([4, None, 4]))


def samples_gradient() -> Iterator[Sample]:
    yield Sample(
        np.arange(10, dtype=np.float32).reshape(5, 2),
        original_shape=TensorShape([2, 6]),
        desired_shape=TensorShape([5, None]),
    )


register_op(
    "PeriodicResample",
    inputs="values: T",
    outputs="output: T",
    attrs="T: numbertype, shape: shape",
    shape=shape_periodic_resample,
    kernel=kernel_periodic_resample,
    gradient=gradient_periodic_resample,
    reference=reference_periodic_resample,
    samples=samples_periodic_resample,
)
register_op(
    "PeriodicResampleOpGrad",
    inputs="grad: T",
    outputs="grad_values: T",
    attrs="T: numbertype, original_shape: shape, desired_shape: shape",
    shape=shape_gradient,
    kernel=kernel_gradient,
    samples=samples_gradient,
)


@export("contrib.periodic_resample.periodic_resample")
def periodic_resample(values: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Moves elements periodically from one dimension to others.

    Args:
        values: a tensor of numbers.
        shape: the shape of the result, with None at the dimension that gives elements away; the
            others are at least as large as in `values`.
        name: the name of the node.

    Returns:
        A tensor of that shape. Elements that `values` does not have are 0.
    """
    return build.PeriodicResample(values, shape=TensorShape(shape), name=name)
