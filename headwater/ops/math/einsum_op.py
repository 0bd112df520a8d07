"""The op of sums of products by labelled axes: Einsum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Sample, register_op, shapes


def _terms(equation: str, count: int) -> tuple[list[str], str]:
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if (
        not arrow
        or not re.fullmatch(r"[a-zA-Z.,]*", left)
        or not re.fullmatch(r"[a-zA-Z.]*", result)
    ):
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    if len(terms) != count:
        raise ValueError(f"Expected {count} inputs but got: {len(terms)} for {equation}")
    return terms, result


def kernel_einsum(xp: ArrayModule, inputs: list[Any], *, equation: str) -> Array:
    try:
        _terms(equation, len(inputs))
        if xp is np:
            value = np.einsum(equation, *inputs, optimize=len(inputs) > 1)
            return np.asarray(value).astype(inputs[0].dtype, copy=False)
        return xp.einsum(equation, *inputs, precision=lax.Precision.HIGHEST)
    except ValueError as error:
        fail(str(error))


def shape_einsum(c: shapes.ShapeContext) -> Shape:
    sources = c.shape("inputs")
    try:
        terms, result = _terms(c.attr("equation"), len(sources))
    except ValueError as error:
        c.fail(str(error))
    sizes: dict[str, int | None] = {}
    extra: Any = ()
    for term, source in zip(terms, sources):
        if source is None:
            if "..." in term:
                extra = None
            continue
        before, dots, after = term.partition("...")
        named = len(before) + len(after)
        if len(source) < named or (not dots and len(source) != named):
            c.fail(f"Expected input to have rank {named} but got: {len(source)}")
        for label, size in [
            *zip(before, source),
            *zip(after, source[len(source) - len(after) :]),
        ]:
            sizes[label] = c.merge_dims(sizes.get(label), size)
        if dots and extra is not None:
            try:
                extra = shapes.broadcast_shapes(
                    extra, source[len(before) : len(source) - len(after)]
                )
            except ValueError as error:
                c.fail(f"Dimensions must be equal, but are {error}")
    before, dots, after = result.partition("...")
    if dots and extra is None:
        return None
    return (*map(sizes.get, before), *(extra if dots else ()), *map(sizes.get, after))


def reference_einsum(inputs: list[Any], *, equation: str) -> Array:
    return np.einsum(equation, *inputs)


def samples_einsum() -> Iterator[Sample]:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield Sample([a, a.T.copy()], equation="ij,jk->ik")
    yield Sample([a[:, :2].copy()], equation="ii->i")
    yield Sample([np.arange(24.0).reshape(2, 3, 4)], equation="...ij->...ji")
    yield Sample([a, a + 1], equation="ij,ij->")
    yield Sample([np.ones((2, 3, 4)), np.arange(8.0).reshape(4, 2)], equation="b...i,ij->b...j")


register_op(
    "Einsum",
    inputs="inputs: N * T",
    outputs="output: T",
    attrs="equation: string, N: int >= 1, T: type",
    shape=shape_einsum,
    kernel=kernel_einsum,
    reference=reference_einsum,
    samples=samples_einsum,
)
