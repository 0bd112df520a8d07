"""The elements of a list of strings in turn: ObtainNext."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes


def kernel_obtain_next(xp: ArrayModule, elements: Array, counter: Array) -> tuple[Any, Any]:
    if np.ndim(elements) != 1:
        fail("input_list must be 1-dimensional")
    if np.ndim(counter):
        fail("counter must be a scalar")
    if not len(elements):
        fail("input_list must not be empty")
    place = np.int64((int(counter) + 1) % len(elements))
    # An array, not the bytes in it: a queue keeps the type.
    return place, elements[int(place), ...]


def shape_obtain_next(c: shapes.ShapeContext) -> Shape:
    c.with_rank("list", 1)
    c.with_rank("counter", 0)
    return ()


def samples_obtain_next() -> Iterator[Sample]:
    yield Sample(np.array([b"a", b"b"], object), np.int64(-1))
    yield Sample(np.array([b"a", b"b"], object), np.int64(1))


register_op(
    "ObtainNext",
    inputs="list: string, counter: Ref(int64)",
    outputs="out_element: string",
    shape=shape_obtain_next,
    kernel=kernel_obtain_next,
    runs_on=RunsOn.HOST,
    updates=("counter",),
    samples=samples_obtain_next,
)
