"""The fraction of elements that are zero."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum

_INT32_MAX = np.iinfo(np.int32).max


def _count_nonzero(value: Tensor, dtype: dtypes.DType) -> Tensor:
    with name_scope("count_nonzero"):
        nonzero = build.NotEqual(value, zeros((), value.dtype), name="NotEqual")
        return reduce_sum(cast(nonzero, dtype), name="nonzero_count")


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
        # As in TensorFlow, whose random ops have the seeds of ops that were counted so.
        nonzero = cond(
            build.LessEqual(number, _INT32_MAX, name="LessEqual"),
            lambda: cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
            lambda: _count_nonzero(value, dtypes.int64),
        )
        with name_scope("counts_to_fraction"):
            zero = cast(build.Sub(number, nonzero, name="sub"), dtypes.float32)
            part = build.RealDiv(zero, cast(number, dtypes.float32), name="truediv")
        return build.Identity(part, name="fraction")
