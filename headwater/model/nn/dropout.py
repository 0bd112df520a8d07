"""Dropout."""

from __future__ import annotations

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.ops.nn.axes import one_of
from headwater.ops.random.uniform import random_uniform


@export("nn.dropout")
def dropout(
    x: TensorLike,
    keep_prob: TensorLike | None = None,
    noise_shape: NestedTensors | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Sets random elements to zero and scales the others, which preserves the expected sum.

    Args:
        x: a tensor of floating-point numbers.
        keep_prob: the probability that an element is kept.
        noise_shape: the shape of the random decisions, which is broadcast to that of `x`; None is
            the shape of `x`. A length 1 makes one decision for a whole axis.
        seed: the seed of the op.
        name: the name scope.
        rate: the probability that an element is set to zero: 1 - keep_prob.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: if both or none of `keep_prob` and `rate` are given, or if they are out of
            range, or if `x` is not floating-point.

    Source: N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from
    Overfitting", 2014.

    Example:
        >>> kept = tf.nn.dropout(tf.ones([1000]), keep_prob=0.5).eval()
        >>> print(sorted(set(kept.tolist())))
        [0.0, 2.0]
    """
    try:
        from_keep = 1.0 - keep_prob if keep_prob is not None else None
    except TypeError:
        raise ValueError(
            f"keep_prob must be a floating point number or Tensor (got {keep_prob!r})"
        ) from None
    rate = one_of("rate", rate, "keep_prob", from_keep)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    return dropped(x, rate, noise_shape, seed, name)


def dropped(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: NestedTensors | None,
    seed: int | None,
    name: str | None,
    zero_for_all: bool = False,
) -> Tensor:
    """Dropout by the rate of zeros; see `dropout`.

    With `zero_for_all`, a rate that is 1 in the type of `x` gives zeros, not NaN.
    """
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "x has to be a floating point tensor since it's going to be scaled. Got a "
                f"{x.dtype} tensor instead."
            )
        if not _is_tensor(rate):
            if not 0 <= rate < 1:
                raise ValueError(
                    f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}"
                )
            if rate == 0:
                return x
        rate_tensor: Tensor = convert_to_tensor(rate, dtype=x.dtype, name="rate")
        rate_tensor.shape.assert_has_rank(0)
        shape = noise_shape_of(x, noise_shape)
        noise = random_uniform(shape, seed=seed, dtype=x.dtype)
        if zero_for_all and (_is_tensor(rate) or x.dtype.as_numpy_dtype(rate) == 1):
            scale = build.DivNoNan(1.0, 1 - rate_tensor, name="truediv")
        else:
            scale = 1 / (1 - rate_tensor)
        kept = build.GreaterEqual(noise, rate_tensor)
        result = x * scale * build.Cast(kept, DstT=x.dtype.base_dtype)
        result.set_shape(x.shape)
        return result


def _is_tensor(rate: TensorLike) -> bool:
    return not isinstance(rate, (int, float, np.integer, np.floating))


def noise_shape_of(x: Tensor, noise_shape: NestedTensors | None) -> TensorShape | Tensor:
    """The shape of the decisions; None among given lengths stands for that of `x`."""
    if noise_shape is None:
        return shape_tensor(x)
    try:
        given = TensorShape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.ndims is not None and given.ndims == x.shape.ndims:
        lengths = zip(given.as_list(), x.shape.as_list())
        return TensorShape([own if asked is None else asked for asked, own in lengths])
    return noise_shape
