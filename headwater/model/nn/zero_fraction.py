"""The fraction of elements that are zero."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum


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
        # Counting as int32 is faster where the count fits.
        nonzero = cond(
            build.LessEqual(number, dtypes.int32.max, name="LessEqual"),
            true_fn=lambda: cast(_nonzero(value, dtypes.int32), dtypes.int64),
            false_fn=lambda: _nonzero(value, dtypes.int64),
        )
        with name_scope("counts_to_fraction"):
            missing = cast(build.Sub(number, nonzero, name="sub"), dtypes.float32)
            part = build.RealDiv(missing, cast(number, dtypes.float32), name="truediv")
        return build.Identity(part, name="fraction")


def _nonzero(value: Tensor, dtype: dtypes.DType) -> Tensor:
    with name_scope("count_nonzero"):
        zero = zeros([], dtype=value.dtype)
        return reduce_sum(cast(build.NotEqual(value, zero), dtype), name="nonzero_count")
