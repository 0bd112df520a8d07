"""A random window of one image: RandomCrop, an op of the first releases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, register_op, shapes
from headwater.ops.random import arguments, philox
from headwater.ops.random.words import Words


def kernel_random_crop(
    xp: ArrayModule, image: np.ndarray, size: np.ndarray, *, state: np.ndarray
) -> tuple[Array, ...]:
    if image.ndim != 3:
        fail("input must be 3-dimensional")
    if size.shape != (2,):
        fail("size must have two elements")
    height, width = (int(n) for n in size)
    spare = image.shape[0] - height, image.shape[1] - width
    for side, length, wanted in zip(("height", "width"), image.shape, (height, width)):
        if length < wanted:
            text = f"{side} must be >= target_{side}: {side} = {length}, target_{side} = {wanted}"
            raise errors.FailedPreconditionError(None, None, text)
    words = Words(state)
    # As in TensorFlow: the columns first, and no number for an axis without choice.
    left, top = (words.word() % (n + 1) if n else 0 for n in spare[::-1])
    return image[top : top + height, left : left + width], philox.skip(np, state, 1)


def shape_random_crop(c: shapes.ShapeContext) -> Shape:
    depth = c.with_rank("image", 3)[2]
    size = c.value_as_shape("size")
    c.with_rank("size", 1)
    return (*((None, None) if size is None else size), depth)


def samples_random_crop() -> Iterator[Sample]:
    image = np.arange(60, dtype=np.float32).reshape(5, 6, 2)
    yield Sample(image, np.array([3, 4]), seed=3, seed2=5)


register_op(
    "RandomCrop",
    inputs="image: T, size: int64",
    outputs="output: T",
    attrs="T: {uint8, int8, int16, int32, int64, float, double}, seed: int = 0, seed2: int = 0",
    shape=shape_random_crop,
    kernel=kernel_random_crop,
    gradient=NOT_DIFFERENTIABLE,
    state=arguments.state_of,
    samples=samples_random_crop,
    concrete=("size",),
    stateful=True,
    runs_on=RunsOn.HOST,
)
