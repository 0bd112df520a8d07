"""Constants and TensorProtos against a real TensorFlow (tests/golden/make_array_values.py)."""

from __future__ import annotations

import base64
import json
import re
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from headwater.base import dtypes
from headwater.base.array_values import as_array
from headwater.base.dimension import Dimension
from headwater.base.tensor_shape import TensorShape
from headwater.io.tensor_proto import (
    make_ndarray,
    make_tensor_proto,
    proto_of_elements,
    shape_proto,
)
from headwater.protos import tensor_pb2

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "array_values.json"
CASES: dict[str, dict[str, str]] = dict(json.loads(GOLDEN.read_text()))


class Color(IntEnum):
    RED = 1


class ArrayLike:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0], dtype)

    def __repr__(self):
        return "ArrayLike()"


class HasFloat:
    def __float__(self):
        return 3.0

    def __repr__(self):
        return "HasFloat()"


def without_modules(text: str) -> str:
    """Cuts `<class 'module.Name'>` down to `Name`: ours are defined elsewhere."""
    return re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)


def arguments_of(text: str) -> tuple[Any, ...]:
    names = {dtype.name: dtype for dtype in dtypes._BY_ENUM.values()}
    tf = SimpleNamespace(**names, TensorShape=TensorShape, Dimension=Dimension)
    scope = {"np": np, "tf": tf, "Decimal": Decimal, "Fraction": Fraction, "Color": Color}
    return eval(f"({text},)", {**scope, "ArrayLike": ArrayLike, "HasFloat": HasFloat})


@pytest.mark.parametrize("text", CASES)
def test_constants_equal_those_of_tensorflow(text):
    want = CASES[text]
    arguments = arguments_of(text)
    if "error" in want:
        with pytest.raises(Exception) as caught:
            as_array(*arguments)
        assert type(caught.value).__name__ == want["error"]
        assert without_modules(str(caught.value)) == without_modules(want["text"])
        with pytest.raises(type(caught.value)):
            make_tensor_proto(*arguments)
        return
    array, dtype = as_array(*arguments)
    proto = make_tensor_proto(*arguments)
    assert dtype.name == want["dtype"]
    assert array.dtype == dtype.numpy_dtype
    data = base64.b64decode(want["proto"])
    assert proto == tensor_pb2.TensorProto.FromString(data)
    read = make_ndarray(proto)
    assert read.dtype == array.dtype
    assert read.shape == array.shape
    assert read.tolist() == array.tolist() or (read != read).any()


NUMBERS = [
    (dtypes.float32, "float_val", [1.5, -2.0]),
    (dtypes.float64, "double_val", [1.5, -2.0]),
    (dtypes.int32, "int_val", [3, -4]),
    (dtypes.uint8, "int_val", [3, 200]),
    (dtypes.int16, "int_val", [3, -4]),
    (dtypes.int8, "int_val", [3, -4]),
    (dtypes.uint16, "int_val", [3, 40000]),
    (dtypes.int64, "int64_val", [3, -(2**40)]),
    (dtypes.bool_, "bool_val", [True, False]),
    (dtypes.uint32, "uint32_val", [3, 2**31]),
    (dtypes.uint64, "uint64_val", [3, 2**63]),
]


@pytest.mark.parametrize(("dtype", "field", "values"), NUMBERS)
def test_make_ndarray_reads_value_fields(dtype, field, values):
    def read(size, entries):
        proto = tensor_pb2.TensorProto(dtype=int(dtype), tensor_shape=shape_proto([size]))
        getattr(proto, field).extend(entries)
        array = make_ndarray(proto)
        assert array.dtype == dtype.numpy_dtype
        return array.tolist()

    first, last = values
    assert read(2, values) == values
    assert read(4, values) == [first, last, last, last]
    assert read(3, [last]) == [last] * 3
    assert read(2, []) == [0, 0]
    with pytest.raises(ValueError, match="2 values"):
        read(1, values)


@pytest.mark.parametrize(
    ("dtype", "fields", "want"),
    [
        (dtypes.float16, {"half_val": [0x3C00, 0xC000]}, np.array([1, -2], np.float16)),
        (dtypes.bfloat16, {"half_val": [0x3F80, 0xC000]}, [1, -2]),
        (dtypes.complex64, {"scomplex_val": [1, 2, 3, 4]}, np.array([1 + 2j, 3 + 4j], "c8")),
        (dtypes.complex128, {"dcomplex_val": [1, 2, 3, 4]}, np.array([1 + 2j, 3 + 4j])),
        (dtypes.qint8, {"int_val": [1, -2]}, np.array([(1,), (-2,)], [("qint8", "i1")])),
        (dtypes.qint16, {"int_val": [1, -2]}, np.array([(1,), (-2,)], [("qint16", "i2")])),
        (dtypes.int8, {"int_val": [257, -2]}, np.array([1, -2], np.int8)),
        (dtypes.bool_, {"tensor_content": b"\1\0"}, np.array([True, False])),
        (dtypes.float16, {"tensor_content": b"\0<\0@"}, np.array([1, 2], np.float16)),
        (dtypes.complex64, {"tensor_content": b"\0\0\x80?\0\0\0\0" * 2}, np.ones(2, "c8")),
        (dtypes.string, {"string_val": [b"a", b"\xff"]}, np.array([b"a", b"\xff"], object)),
        (dtypes.string, {}, np.array([b"", b""], object)),
        (dtypes.string, {"tensor_content": b"\1\2abb"}, np.array([b"a", b"bb"], object)),
    ],
)
def test_make_ndarray_reads_other_types(dtype, fields, want):
    shape = shape_proto([2])
    array = make_ndarray(tensor_pb2.TensorProto(dtype=int(dtype), tensor_shape=shape, **fields))
    assert array.dtype == dtype.numpy_dtype
    assert array.tolist() == np.asarray(want).tolist()


def test_make_ndarray_reads_long_strings_of_content():
    content = b"\xac\x02\0" + b"x" * 300
    proto = tensor_pb2.TensorProto(
        dtype=int(dtypes.string), tensor_shape=shape_proto([2]), tensor_content=content
    )
    assert make_ndarray(proto).tolist() == [b"x" * 300, b""]
    proto.tensor_content = content + b"y"
    with pytest.raises(ValueError, match="301 bytes of text"):
        make_ndarray(proto)
    proto.tensor_content = b"\xac"
    with pytest.raises(ValueError, match="lengths"):
        make_ndarray(proto)


def test_make_ndarray_errors():
    with pytest.raises(TypeError, match="Unsupported tensor type: 20"):
        make_ndarray(tensor_pb2.TensorProto(dtype=int(dtypes.resource)))
    with pytest.raises(TypeError, match="Cannot convert value 0 to a TensorFlow DType"):
        make_ndarray(tensor_pb2.TensorProto())
    short = tensor_pb2.TensorProto(dtype=1, tensor_shape=shape_proto([2]), tensor_content=b"1234")
    with pytest.raises(ValueError, match=r"cannot reshape array of size 1 into shape \(2,\)"):
        make_ndarray(short)


def test_make_ndarray_result_is_writable():
    for values in ([1, 2], 3):
        array = make_ndarray(make_tensor_proto(values))
        array[...] = 7
        assert (array == 7).all()


def test_single_values_and_repeated_ones_take_little_room():
    proto = make_tensor_proto(0.5, shape=[1000, 1000])
    assert proto.ByteSize() < 40
    array = make_ndarray(proto)
    assert array.shape == (1000, 1000)
    assert array.min() == array.max() == 0.5


def test_allow_broadcast():
    assert make_tensor_proto(5, shape=[2, 3], allow_broadcast=True).int_val == [5]
    assert make_tensor_proto([5], shape=[2, 3], allow_broadcast=True).int_val == [5]
    assert make_ndarray(
        make_tensor_proto([1, 2, 3, 4], shape=[2, 2], allow_broadcast=True)
    ).tolist() == [[1, 2], [3, 4]]
    for values in ([[5]], [5, 6]):
        with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(2, 3\), got"):
            make_tensor_proto(values, shape=[2, 3], allow_broadcast=True)
    with pytest.raises(ValueError, match="not both allowed"):
        make_tensor_proto(1, verify_shape=True, allow_broadcast=True)


def test_tensor_proto_comes_back_as_it_is():
    proto = make_tensor_proto(3)
    assert make_tensor_proto(proto) is proto


def test_two_gigabytes_are_refused():
    large = np.broadcast_to(np.float32(0), (2**29,))
    with pytest.raises(ValueError, match="larger than 2GB"):
        proto_of_elements(large, dtypes.float32, large.shape)


def test_shape_proto():
    assert [dim.size for dim in shape_proto([2, None]).dim] == [2, -1]
    assert shape_proto(TensorShape([2, 3])) == shape_proto((2, 3))
    assert shape_proto(None).unknown_rank
    assert not shape_proto([]).unknown_rank
    assert TensorShape(shape_proto([2, None])).as_list() == [2, None]


@given(
    hnp.arrays(
        st.sampled_from(["f2", "f4", "f8", "i1", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8"]),
        hnp.array_shapes(min_dims=0, min_side=0),
    )
)
def test_round_trip(array):
    read = make_ndarray(
        tensor_pb2.TensorProto.FromString(make_tensor_proto(array).SerializeToString())
    )
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


@given(hnp.arrays(object, hnp.array_shapes(min_dims=0, min_side=0), elements=st.binary()))
def test_round_trip_of_strings(array):
    read = make_ndarray(make_tensor_proto(array, dtypes.string))
    assert read.dtype == object
    np.testing.assert_array_equal(read, array)
