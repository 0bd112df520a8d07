"""tensorflow.python.framework.fast_tensor_util: appends arrays to the values of a TensorProto."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import Array

_Append = Callable[[Any, Array], None]


def _to(field: str) -> _Append:
    """Returns a function that appends numbers to a repeated field."""

    def append(tensor_proto: Any, nparray: Array) -> None:
        getattr(tensor_proto, field).extend(np.asarray(nparray).ravel().tolist())

    return append


def _pairs_to(field: str) -> _Append:
    """Returns a function that appends real and imaginary parts in turn."""

    def append(tensor_proto: Any, nparray: Array) -> None:
        for x in np.asarray(nparray).ravel().tolist():
            getattr(tensor_proto, field).extend((x.real, x.imag))

    return append


def AppendObjectArrayToTensorProto(tensor_proto: Any, nparray: Array) -> None:
    """Appends strings."""
    for x in np.asarray(nparray).ravel():
        tensor_proto.string_val.append(x if isinstance(x, bytes) else str(x).encode())


def AppendFloat16ArrayToTensorProto(tensor_proto: Any, nparray: Array) -> None:
    """Appends numbers of float16, as their bits."""
    tensor_proto.half_val.extend(np.asarray(nparray, np.float16).ravel().view(np.uint16).tolist())


AppendBoolArrayToTensorProto = _to("bool_val")
AppendFloat32ArrayToTensorProto = _to("float_val")
AppendFloat64ArrayToTensorProto = _to("double_val")
AppendInt8ArrayToTensorProto = AppendInt16ArrayToTensorProto = _to("int_val")
AppendInt32ArrayToTensorProto = AppendUInt8ArrayToTensorProto = _to("int_val")
AppendUInt16ArrayToTensorProto = _to("int_val")
AppendInt64ArrayToTensorProto = _to("int64_val")
AppendUInt32ArrayToTensorProto = _to("uint32_val")
AppendUInt64ArrayToTensorProto = _to("uint64_val")
AppendComplex64ArrayToTensorProto = _pairs_to("scomplex_val")
AppendComplex128ArrayToTensorProto = _pairs_to("dcomplex_val")

_OF_TYPES: dict[str, _Append] = {
    "bool": AppendBoolArrayToTensorProto,
    "complex128": AppendComplex128ArrayToTensorProto,
    "complex64": AppendComplex64ArrayToTensorProto,
    "float16": AppendFloat16ArrayToTensorProto,
    "float32": AppendFloat32ArrayToTensorProto,
    "float64": AppendFloat64ArrayToTensorProto,
    "int16": AppendInt16ArrayToTensorProto,
    "int32": AppendInt32ArrayToTensorProto,
    "int64": AppendInt64ArrayToTensorProto,
    "int8": AppendInt8ArrayToTensorProto,
    "uint16": AppendUInt16ArrayToTensorProto,
    "uint32": AppendUInt32ArrayToTensorProto,
    "uint64": AppendUInt64ArrayToTensorProto,
    "uint8": AppendUInt8ArrayToTensorProto,
}


def append_function(dtype: np.dtype[Any]) -> _Append | None:
    """Returns the function for a type, or None."""
    return _OF_TYPES.get(dtype.name)
