"""Registers functions as Python operators of tensors: ``x + y``, ``2 * x``, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, Tensor, convert_to_tensor, name_scope


def override_binary(name: str, function: Callable[..., Any], reflected: bool = True) -> None:
    """Makes ``function(x, y, name)`` a binary operator of tensors.

    Args:
        name: the operator without underscores, e.g. ``"add"``; also the name of the nodes.
        function: takes two tensors and the name of the node.
        reflected: whether the operator also works with the tensor on the right.
    """
    reflected_name = f"__r{name}__"

    def operator(x: Tensor, y: TensorLike) -> Tensor:
        if isinstance(y, SparseTensor) and hasattr(type(y), reflected_name):
            return NotImplemented
        with name_scope(None, name, [x, y]) as scope:
            if not isinstance(y, Tensor):
                try:
                    y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
                except TypeError:
                    # A user class may define a reflected operator for tensors.
                    if hasattr(type(y), reflected_name):
                        return NotImplemented
                    raise
            return function(x, y, scope)

    def reflected_operator(y: Tensor, x: TensorLike) -> Tensor:
        with name_scope(None, name, [x, y]) as scope:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return function(x, y, scope)

    Tensor._override_operator(f"__{name}__", operator)
    if reflected:
        Tensor._override_operator(reflected_name, reflected_operator)
