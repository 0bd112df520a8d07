"""Comparison with a threshold, eight results to a byte: CompareAndBitpack."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Sample, register_op, shapes


def kernel_compare_and_bitpack(xp: ArrayModule, x: Array, threshold: Array) -> Array:
    if not x.ndim:
        fail("Input should be at least a vector, but saw a scalar.")
    if x.shape[-1] % 8:
        fail(
            "Inner dimension of input should be divisible by 8, but saw shape: "
            f"{shapes.show(x.shape)}"
        )
    return xp.packbits(x > threshold, axis=-1)


def reference_compare_and_bitpack(x: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    bits = (x > threshold).reshape(*x.shape[:-1], -1, 8)
    return (bits * 2 ** np.arange(7, -1, -1)).sum(-1).astype(np.uint8)


def shape_compare_and_bitpack(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("input", 1)
    c.with_rank("threshold", 0)
    if shape is None:
        return None
    if shape[-1] is not None and shape[-1] % 8:
        c.fail(f"Dimension size must be evenly divisible by 8 but is {shape[-1]}")
    return (*shape[:-1], None if shape[-1] is None else shape[-1] // 8)


def samples_compare_and_bitpack() -> Iterator[Sample]:
    yield Sample(np.arange(48, dtype=np.float32).reshape(3, 16) % 7, np.float32(3))
    yield Sample(np.arange(8) % 3 == 1, np.bool_(False))


register_op(
    "CompareAndBitpack",
    inputs="input: T, threshold: T",
    outputs="output: uint8",
    attrs="T: {bool, half, float, double, int8, int16, int32, int64}",
    shape=shape_compare_and_bitpack,
    kernel=kernel_compare_and_bitpack,
    reference=reference_compare_and_bitpack,
    samples=samples_compare_and_bitpack,
)
