"""tensorflow.python.framework.tensor_util: what has no public name."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dimension import Dimension
from headwater.base.dtypes import int32
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.compat.mirrors.framework import fast_tensor_util
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph import constant_value as _constant_value
from headwater.graph import constant_value_as_shape as _known_shape


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """Returns the shape that an integer vector describes, as far as it is known.

    Args:
      tensor: a tensor of rank 1, or the scalar -1 for an unknown shape.

    Returns:
      A TensorShape.

    Raises:
      ValueError: if it is another scalar.
    """
    if tensor.get_shape().ndims == 0:
        value = _constant_value(tensor)
        if value is None:
            raise ValueError(
                "Received a scalar with unknown value as shape; require a statically known scalar "
                "with value '-1' to describe an unknown shape."
            )
        if value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known scalar "
                "with value '-1' to describe an unknown shape."
            )
        return TensorShape(None)
    return TensorShape(_known_shape(tensor))


def TensorShapeProtoToList(shape: Any) -> list[int]:
    """Returns the sizes of a TensorShapeProto; -1 is unknown."""
    return [dim.size for dim in shape.dim]


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:
    """Tells whether a TensorProto has a shape.

    Args:
      tensor_proto: a TensorProto.
      shape: a list or tuple of sizes, or a TensorShapeProto.

    Returns:
      True or False.

    Raises:
      TypeError: if an argument is of another kind.
    """
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError("tensor_proto is not a tensor_pb2.TensorProto object")
    if hasattr(shape, "dim"):
        shape = TensorShapeProtoToList(shape)
    elif not isinstance(shape, list | tuple):
        raise TypeError("shape is not a list or tuple")
    return TensorShapeProtoToList(tensor_proto.tensor_shape) == list(shape)


def shape_tensor(shape: TensorLike) -> Tensor:
    """Converts a shape to a vector: int32 if it is a TensorShape or a list of sizes.

    Args:
      shape: a TensorShape, a list of sizes (integers or tensors), or a tensor.

    Returns:
      A tensor.
    """
    if isinstance(shape, list | tuple | TensorShape):
        sizes = [size.value if isinstance(size, Dimension) else size for size in shape]
        is_plain = all(isinstance(size, int) for size in sizes)
        return convert_to_tensor(sizes, int32 if is_plain else None, name="shape")
    return convert_to_tensor(shape, name="shape")


def ExtractBitsFromFloat16(x: Any) -> int:
    """Returns the bits of a float16 as an integer."""
    return int(np.asarray(x, np.float16).view(np.uint16))


def SlowAppendFloat16ArrayToTensorProto(tensor_proto: Any, proto_values: Array) -> None:
    """Appends numbers of float16 to the values of a TensorProto."""
    tensor_proto.half_val.extend(ExtractBitsFromFloat16(x) for x in proto_values)


def GetFromNumpyDTypeDict(dtype_dict: Any, dtype: Any) -> Any:
    """Returns the value of the first key that is equal to a type, or None."""
    return next((value for key, value in dtype_dict.items() if key == dtype), None)


def GetNumpyAppendFn(dtype: Any) -> Any:
    """Returns the function that appends arrays of a type to a TensorProto, or None."""
    if np.dtype(dtype).kind in "SUO":
        return fast_tensor_util.AppendObjectArrayToTensorProto
    return fast_tensor_util.append_function(np.dtype(dtype))


def maybe_set_static_shape(tensor: Tensor, shape: TensorLike) -> None:
    """Gives a tensor of unknown shape the shape that a vector describes, as far as it is known."""
    if not tensor.shape.is_fully_defined() and isinstance(shape, Tensor):
        known = _constant_value(shape)
        if known is not None:
            tensor.set_shape(known)
