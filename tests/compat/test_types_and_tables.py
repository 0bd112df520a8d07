"""Internal names for image types and tables that programs import."""

from __future__ import annotations

import numpy as np

from headwater.compat import install as hook


def test_internal_names() -> None:
    hook.install()
    try:
        from tensorflow.python.framework import dtypes
        from tensorflow.python.ops import lookup_ops
        from tensorflow.python.ops.array_ops import _SLICE_TYPE_ERROR
    finally:
        hook.uninstall()
    assert dtypes.dtype_range[np.uint8] == (0, 255)
    assert dtypes.dtype_range[np.int16] == (-32768, 32767)
    assert dtypes.dtype_range[np.float32] == (-1, 1)
    table = lookup_ops.HashTable(
        lookup_ops.KeyValueTensorInitializer(["a", "b"], np.array([1, 2], np.int64)), -1
    )
    assert (table.key_dtype.name, table.value_dtype.name) == ("string", "int64")
    assert _SLICE_TYPE_ERROR.startswith("Only integers, slices")
