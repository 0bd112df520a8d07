"""tensorflow.python.ops.inplace_ops: rows of tensors set, added and subtracted."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, shape_tensor
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.math.cast import cast

__all__ = [
    "alias_inplace_add",
    "alias_inplace_sub",
    "alias_inplace_update",
    "empty",
    "empty_like",
    "inplace_add",
    "inplace_sub",
    "inplace_update",
]


def _changed(op_type: str, x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Changes all of a tensor (`i` is None), one row (a scalar) or several rows."""
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype.base_dtype)
    make = getattr(build, op_type)
    if i is None:
        whole = make(reshape(x, [1, -1]), [0], reshape(v, [1, -1]))
        return reshape(whole, shape_tensor(x))
    i = cast(i, dtypes.int32)
    if i.get_shape().ndims == 0:
        return make(x, reshape(i, [1]), expand_dims(v, 0))
    return make(x, i, v)


def alias_inplace_update(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns `x` with rows `i` set to `v`."""
    return _changed("InplaceUpdate", x, i, v)


def alias_inplace_add(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns `x` with `v` added to rows `i`."""
    return _changed("InplaceAdd", x, i, v)


def alias_inplace_sub(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns `x` with `v` subtracted from rows `i`."""
    return _changed("InplaceSub", x, i, v)


def inplace_update(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns a copy of `x` with rows `i` set to `v`."""
    return alias_inplace_update(build.DeepCopy(x), i, v)


def inplace_add(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns a copy of `x` with `v` added to rows `i`."""
    return alias_inplace_add(build.DeepCopy(x), i, v)


def inplace_sub(x: TensorLike, i: TensorLike, v: TensorLike) -> Tensor:
    """Returns a copy of `x` with `v` subtracted from rows `i`."""
    return alias_inplace_sub(build.DeepCopy(x), i, v)


def empty(
    shape: TensorLike, dtype: DTypeLike, init: bool = False, name: str | None = None
) -> Tensor:
    """Returns a tensor of a shape whose values are not specified; zeros if `init`."""
    return build.Empty(shape, dtype=dtypes.as_dtype(dtype), init=init, name=name)


def empty_like(x: TensorLike, init: bool | None = None) -> Tensor:
    """Returns a tensor of the shape and type of `x` whose values are not specified."""
    x = convert_to_tensor(x)
    return build.Empty(shape_tensor(x), dtype=x.dtype.base_dtype, init=bool(init))
