"""Sums of products given by labelled axes: ``tf.einsum("ij,jk->ik", a, b)``."""

from __future__ import annotations

import re
import string
from typing import Any

from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Multiplies tensors and sums over axes, as an equation of labels says.

    Two inputs at a time are brought to the form of a (batch) matrix product.

    Args:
        equation: one letter per axis: those of each input, separated by commas, then ``->`` and
            those of the result. Without ``->`` the labels that occur once make up the result in
            alphabetical order. ``...`` stands for further axes.
        *inputs: tensors of one type, of known rank.
        **kwargs: ``name``.

    Returns:
        A tensor whose axes are those of the result.

    Raises:
        ValueError: if the equation is not well-formed or does not fit the inputs.
        TypeError: if there are unknown keywords.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError("invalid keyword arguments for this function: " + ", ".join(sorted(kwargs)))
    with name_scope(name, "einsum", [equation, inputs]):
        tensors = [convert_to_tensor(x) for x in inputs]
        terms, result = _parse(equation, tensors)
        if _is_trace(equation, terms):
            return _trace(tensors[0])
        for term in terms:
            if len(set(term)) != len(term):
                raise ValueError(f"Subscript not supported: an axis appears more than once: {term}")
        occurrences = {a: sum(a in term for term in terms) for a in {*"".join(terms)}}
        if any(n > 2 and a not in result for a, n in occurrences.items()):
            return _all_at_once(tensors, terms, result)
        value, labels = tensors[0], terms[0]
        for other, term in zip(tensors[1:], terms[1:]):
            summed = {a for a in labels if a in term and a not in result}
            value, labels = _contract(value, labels, other, term, summed)
        alone = [i for i, a in enumerate(labels) if a not in result]
        if alone:
            value = build.Sum(value, alone)
            labels = "".join(a for a in labels if a in result)
        if sorted(labels) != sorted(result):
            raise ValueError(f"Invalid equation: {equation}")
        return _transposed(value, labels, result)


def _parse(equation: str, tensors: list[Tensor]) -> tuple[list[str], str]:
    """The labels of the inputs and of the result, with letters in place of ellipses."""
    text = equation.replace(" ", "")
    if not re.fullmatch(r"[a-zA-Z,.]+(->[a-zA-Z.]*)?", text):
        raise ValueError(f"Indices have incorrect format: {equation}")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise ValueError(
            f'Got {len(tensors)} arguments for equation "{equation}", expecting {len(terms)}'
        )
    unused = [a for a in string.ascii_letters if a not in text]
    extra = ""
    if "..." in text:
        counts = []
        for term, tensor in zip(terms, tensors):
            if "..." in term:
                rank = tensor._rank()
                if rank is None:
                    raise ValueError("Unable to statically infer ellipsis axes.")
                counts.append(rank - len(term.replace("...", "")))
        extra = "".join(unused[: max(counts, default=0)])
        resolved = []
        for term, tensor in zip(terms, tensors):
            count = (tensor._rank() or 0) - len(term.replace("...", ""))
            resolved.append(term.replace("...", extra[len(extra) - count :] if count > 0 else ""))
        terms = resolved
        right = right.replace("...", extra)
    if "." in "".join(terms) + right:
        raise ValueError(f"Indices have incorrect format: {equation}")
    if not arrow:
        joined = "".join(terms)
        once = sorted(a for a in set(joined) if joined.count(a) == 1 and a not in extra)
        right = extra + "".join(once)
    return terms, right


def _is_trace(equation: str, terms: list[str]) -> bool:
    return len(terms) == 1 and "->" not in equation and len(terms[0]) == 2 and len({*terms[0]}) == 1


def _trace(x: Tensor) -> Tensor:
    with name_scope(None, "Trace", [x]) as scope:
        return build.Sum(build.MatrixDiagPart(x, name="diag_part"), [-1], name=scope)


def _transposed(x: Tensor, labels: str, wanted: str) -> Tensor:
    order = [labels.index(a) for a in wanted]
    if order == sorted(order):
        return x
    return build.Transpose(x, order, name="transpose")


def _sizes(x: Tensor) -> list[Any]:
    """The dimensions: numbers where they are known, scalar tensors elsewhere."""
    shape = x._shape
    if shape is None:
        raise ValueError("Cannot take the length of shape with unknown rank.")
    if None not in shape:
        return list(shape)
    whole = shape_tensor(x)
    return [whole[i] if size is None else size for i, size in enumerate(shape)]


def _product(sizes: list[Any]) -> Tensor | float:
    result: int = 1
    for size in sizes:
        result = result * size
    return result


def _reshaped(x: Tensor, sizes: list[Any]) -> Tensor:
    shape = x._shape
    if shape is not None and len(shape) == len(sizes):
        same = (not isinstance(n, Tensor) and n == d for n, d in zip(sizes, shape))
        if all(same):
            return x
    return build.Reshape(x, sizes)


def _contract(
    x: Tensor, x_labels: str, y: Tensor, y_labels: str, summed: set[str]
) -> tuple[Tensor, str]:
    """The product of two tensors, summed over some labels that both have.

    Returns:
        The product and its labels: common ones that stay, then those of x alone, then of y alone.
    """
    for i, (tensor, labels) in enumerate(((x, x_labels), (y, y_labels))):
        rank = tensor._rank()
        if rank is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        if rank != len(labels):
            raise ValueError(
                f"Tensor t{i} of rank {rank} does not match einsum reduction of length "
                f"{len(labels)}"
            )
    common = sorted(a for a in x_labels if a in y_labels and a not in summed)
    only_x = sorted(a for a in x_labels if a not in y_labels)
    only_y = sorted(a for a in y_labels if a not in x_labels)
    inner = sorted(summed)
    x = _transposed(x, x_labels, "".join(common + only_x + inner))
    y = _transposed(y, y_labels, "".join(common + inner + only_y))
    labels = "".join(common + only_x + only_y)
    if not inner:
        for _ in only_y:
            x = build.ExpandDims(x, -1)
        for _ in only_x:
            y = build.ExpandDims(y, len(common))
        return build.Mul(x, y), labels
    n, m = len(common), len(common) + len(only_x)
    sizes_x = _sizes(x)
    x = _reshaped(x, [*sizes_x[:n], _product(sizes_x[n:m]), _product(sizes_x[m:])])
    sizes_y = _sizes(y)
    k = n + len(inner)
    y = _reshaped(y, [*sizes_y[:n], _product(sizes_y[n:k]), _product(sizes_y[k:])])
    multiply = build.BatchMatMulV2 if n else build.MatMul
    product = multiply(x, y, name="MatMul")
    return _reshaped(product, sizes_x[:m] + sizes_y[k:]), labels


def _all_at_once(tensors: list[Tensor], terms: list[str], result: str) -> Tensor:
    """The product over all labels, which is large, and then the sum.

    This is for labels that more than two inputs share and the result does not have.
    """
    summed = sorted({*"".join(terms)} - {*result})
    order = "".join(summed) + result
    aligned = []
    for tensor, term in zip(tensors, terms):
        present = "".join(a for a in order if a in term)
        aligned.append((_transposed(tensor, term, present), present))
    spread = []
    for tensor, present in aligned:
        sizes = iter(_sizes(tensor))
        spread.append(build.Reshape(tensor, [next(sizes) if a in present else 1 for a in order]))
    product: int = 1
    for tensor in spread:
        product = product * tensor
    return build.Sum(product, list(range(len(summed))))
