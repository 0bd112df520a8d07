"""Copies of tensors with some rows changed, and new ones: InplaceUpdate, InplaceAdd, Empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Sample, register_op, shapes


def _changed(xp: ArrayModule, x: Array, i: Array, v: Array, how: str) -> Array:
    if xp is not np:
        place = xp.asarray(x).at[i]
        return place.set(v) if how == "set" else place.add(v if how == "add" else -v)
    result = np.array(x)
    if how == "set":
        result[i] = v
    else:
        (np.add if how == "add" else np.subtract).at(result, i, v)
    return result


def _check_shapes(x: tuple[int, ...], i: tuple[int, ...], v: tuple[int, ...]) -> None:
    if len(i) != 1:
        fail(f"i must be a vector. {shapes.show(i)}")
    if len(x) != len(v):
        fail(f"x and v shape doesn't match (ranks differ): {shapes.show(x)} vs. {shapes.show(v)}")
    for axis in range(1, len(x)):
        if x[axis] != v[axis]:
            fail(
                f"x and v shape doesn't match at index {axis} : {shapes.show(x)} vs. "
                f"{shapes.show(v)}"
            )
    if i != v[:1]:
        fail(f"i and x shape doesn't match at index 0: {shapes.show(i)} vs. {shapes.show(v)}")


def _kernel(how: str) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array, i: Array, v: Array) -> Array:
        if how != "set" and x.dtype == bool:
            fail("Unsupported data type: bool")
        _check_shapes(x.shape, i.shape, v.shape)
        return _changed(xp, x, i % max(x.shape[0], 1), v, how)

    return kernel


def _reference(how: str) -> Callable[..., np.ndarray]:
    def reference(x: np.ndarray, i: np.ndarray, v: np.ndarray) -> np.ndarray:
        result = x.copy()
        for row, value in zip(i, v):
            result[row] = {"set": value, "add": x[row] + value, "sub": x[row] - value}[how]
        return result

    return reference


def samples_inplace() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    yield Sample(x, np.array([2, 0], np.int32), -x[:2])
    yield Sample(np.array([1, 2], np.int64), np.array([1], np.int32), np.array([5], np.int64))


def _register_inplace(name: str, how: str) -> None:
    register_op(
        name,
        inputs="x: T, i: int32, v: T",
        outputs="y: T",
        attrs="T: type",
        shape=shapes.like_first,
        kernel=_kernel(how),
        reference=_reference(how),
        samples=samples_inplace,
    )


_register_inplace("InplaceUpdate", "set")
_register_inplace("InplaceAdd", "add")
_register_inplace("InplaceSub", "sub")


def kernel_empty(xp: ArrayModule, shape: np.ndarray, *, dtype: DType, init: bool) -> Array:
    # Without `init` the elements are unspecified, so zeros will do.
    if dtype.name == "string":
        return np.full(tuple(shape), b"", object)
    return xp.zeros(tuple(int(n) for n in shape), dtype.numpy_dtype)


register_op(
    "Empty",
    inputs="shape: int32",
    outputs="output: dtype",
    attrs="dtype: type, init: bool = false",
    shape=lambda c: c.value_as_shape("shape"),
    kernel=kernel_empty,
    concrete=("shape",),
    samples=lambda: [Sample(np.array([2, 3], np.int32), dtype=np.float32, init=True)],
    stateful=True,
)
register_op(
    "DeepCopy",
    inputs="x: T",
    outputs="y: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=lambda xp, x: xp.array(x),
    samples=lambda: [Sample(np.array([1.5, 2.0], np.float32))],
    stateful=True,
)
