"""Printing of tensors, sparse tensors, tensor arrays and variables: an op of release 0.x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    shape_tensor,
)
from headwater.model.variables.variable import Variable
from headwater.ops.control.print import print_
from headwater.ops.control.tensor_array_class import TensorArray


@export("contrib.framework.print_op", "contrib.framework.prettyprint_ops.print_op")
def print_op(
    input_: TensorLike,
    data: Sequence[TensorLike] | None = None,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_shape: bool = True,
    summarize_indicator_vector: bool = True,
    name: str | None = None,
) -> Tensor | SparseTensor | TensorArray:
    """Makes a copy of a value that prints to standard error when it is computed.

    Args:
        input_: a Tensor, SparseTensor, TensorArray or Variable.
        data: a list of such to print; `input_` by default.
        message: what is printed first.
        first_n: how many times is printed; None for always.
        summarize: how many elements of each tensor are printed.
        print_tensor_name: whether the names of tensors are printed.
        print_tensor_type: whether types are printed.
        print_shape: whether shapes are printed.
        summarize_indicator_vector: whether the number of true elements of bools is printed.
        name: the name of the op.

    Returns:
        A value of the kind of `input_`.

    Raises:
        ValueError: if something is of another kind.
    """
    shown: list[Any] = []
    for item in [input_] if data is None else data:
        shown += _parts(
            item, print_tensor_name, print_tensor_type, print_shape, summarize_indicator_vector
        )
    if isinstance(input_, (Tensor, Variable)):
        return print_(convert_to_tensor(input_), shown, message, first_n, summarize, name)
    printed = print_(convert_to_tensor([]), shown, message, first_n, summarize, name)
    with control_dependencies([printed]):
        if isinstance(input_, TensorArray):
            return input_.identity()
        return SparseTensor(
            build.Identity(input_.indices),
            build.Identity(input_.values),
            build.Identity(input_.dense_shape),
        )


def _parts(item: TensorLike, names: bool, types: bool, shapes: bool, summary: bool) -> list[Any]:
    if isinstance(item, Tensor):
        parts: list[Any] = [f"Name: {item.name}"] if names else []
        parts += [f"Type: Tensor ({item.dtype.name})"] if types else []
        if shapes and item.get_shape().is_fully_defined():
            parts.append(f"Shape: {item.get_shape().dims}")
        elif shapes:
            parts += ["Shape:", shape_tensor(item)]
        if summary and item.dtype.base_dtype.name == "bool":
            count = build.Sum(
                build.Cast(build.Reshape(item, [-1]), DstT=dtypes.int32), [0], keep_dims=False
            )
            parts += ["Number of true elements:", count]
        return [*parts, "Value:", item]
    if isinstance(item, SparseTensor):
        parts = [f"Type: SparseTensor ({item.dtype.name})"] if types else []
        parts += ["Shape:", item.dense_shape] if shapes else []
        return [*parts, "Sparse indices:", item.indices, "Sparse values:", item.values]
    if isinstance(item, TensorArray):
        parts = [f"Type: TensorArray ({item.dtype.name})"] if types else []
        parts += ["Size:", item.size()] if shapes else []
        return [*parts, "Value:", item.stack()]
    if isinstance(item, Variable):
        return [f"Type: Variable ({item.dtype.name})"] if types else []
    raise ValueError("t must be a Tensor, SparseTensor, TensorArray or Variable.")
