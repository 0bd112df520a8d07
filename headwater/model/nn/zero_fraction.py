"""The fraction of elements that are zero."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import count_nonzero


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Returns the fraction of elements that are zero.

    Args:
        value: a tensor of numbers.
        name: the name scope.

    Returns:
        A scalar of type float32; NaN if there are no elements.
    """
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        number = size(value, out_type=dtypes.int64)
        nonzero = count_nonzero(value, dtype=dtypes.int64)
        with name_scope("counts_to_fraction"):
            zeros = cast(build.Sub(number, nonzero, name="sub"), dtypes.float32)
            part = build.RealDiv(zeros, cast(number, dtypes.float32), name="truediv")
        return build.Identity(part, name="fraction")
