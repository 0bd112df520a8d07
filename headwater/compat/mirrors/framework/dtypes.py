"""tensorflow.python.framework.dtypes: the types of variables, and sets of types."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType

QUANTIZED_DTYPES = frozenset(
    {
        dtype
        for base in (dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32)
        for dtype in (base, base._as_ref)
    }
)

_TYPE_TO_STRING = {
    dtype.as_datatype_enum: dtype.name
    for base in [value for value in vars(dtypes).values() if isinstance(value, DType)]
    for dtype in (base.base_dtype, base._as_ref)
}

# The numbers that images of each type may have.
dtype_range: dict[type, tuple[int, int]] = {
    np.bool_: (False, True),
    **{
        kind: (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
        for kind in (
            *(np.uint8, np.uint16, np.uint32, np.uint64),
            *(np.int8, np.int16, np.int32, np.int64),
        )
    },
    np.float32: (-1, 1),
    np.float64: (-1, 1),
}


def __getattr__(name: str) -> Any:
    """`float32_ref` is the type of a variable of float32."""
    if name.endswith("_ref"):
        dtype = getattr(dtypes, {"bool_ref": "bool_"}.get(name, name.removesuffix("_ref")), None)
        if isinstance(dtype, DType):
            return dtype._as_ref
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
