"""DType: names, references, properties."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

TYPES = (
    "float16 float32 float64 bfloat16 complex64 complex128 int8 int16 int32 int64 uint8 uint16"
    " bool string qint8 quint8 qint16 quint16 qint32"
).split()


@pytest.mark.parametrize("name", TYPES)
def test_types_and_their_references(name):
    dtype = getattr(tf, name)
    reference = tf.as_dtype(name + "_ref")
    assert reference.base_dtype is dtype and reference._is_ref_dtype
    assert tf.as_dtype(name) is dtype is tf.as_dtype(dtype)
    assert tf.as_dtype(dtype.as_datatype_enum) is dtype
    if name not in ("string",) and not name.startswith("q"):
        assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    # S23
    assert dtype.is_compatible_with(dtype) and dtype.is_compatible_with(reference)
    assert not reference.is_compatible_with(dtype) and reference.is_compatible_with(reference)


def test_what_types_are():
    assert tf.float32.is_compatible_with("float32") and tf.float32.is_compatible_with(np.float32)
    assert tf.complex64.real_dtype is tf.float32 and tf.complex128.real_dtype is tf.float64
    assert [n for n in TYPES if getattr(tf, n).is_floating] == [
        "float16",
        "float32",
        "float64",
        "bfloat16",
    ]
    integers = ["int8", "int16", "int32", "int64", "uint8", "uint16"]
    assert [n for n in TYPES if getattr(tf, n).is_integer] == integers
    assert [n for n in TYPES if getattr(tf, n).is_quantized] == TYPES[-5:]
    assert [n for n in TYPES if getattr(tf, n).is_complex] == ["complex64", "complex128"]
    assert [n for n in TYPES if getattr(tf, n).is_unsigned] == ["uint8", "uint16"]
    assert tf.int8.min == -128 and tf.uint16.max == 65535
    assert tf.float32.max == np.finfo(np.float32).max
    for name in ("string", "complex64", "qint8"):
        with pytest.raises(TypeError, match="Cannot find maximum value of <dtype:"):
            getattr(tf, name).max  # noqa: B018
    for wrong in (5000, -1):
        with pytest.raises(TypeError, match=r"type_enum is not a valid types_pb2\.DataType:"):
            tf.DType(wrong)
    for wrong in ("no_type", object(), None, [3]):
        with pytest.raises(TypeError):
            tf.as_dtype(wrong)
