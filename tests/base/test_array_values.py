"""Values as arrays, beyond what tests/io/test_tensor_proto.py compares with TensorFlow."""

from __future__ import annotations

import array as python_array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.base import array_values, dtypes
from headwater.base.array_values import array_of_elements, as_array, expanded, is_broadcast


def test_range_counts_as_list():
    array, dtype = as_array(range(3))
    assert (array.tolist(), dtype) == ([0, 1, 2], dtypes.int32)
    array, dtype = as_array(range(3), dtypes.float32)
    assert (array.tolist(), dtype) == ([0.0, 1.0, 2.0], dtypes.float32)


def test_result_shares_no_memory():
    source = np.zeros(3, np.float32)
    for array, _ in (
        as_array(source),
        as_array(source, dtypes.float32),
        as_array(source, None, [3, 1]),
        as_array(memoryview(source)),
    ):
        assert not np.shares_memory(array, source)


def test_byte_order_becomes_native():
    source = np.array([1, 2], ">i4")
    for array, dtype in (as_array(source), as_array(source, dtypes.int32)):
        assert array.dtype.isnative
        assert (array.tolist(), dtype) == ([1, 2], dtypes.int32)


@pytest.mark.parametrize("size", [2, 1000])
def test_fill_is_a_broadcast(size):
    array, _ = as_array(0.5, None, [size, size])
    assert array.strides == (0, 0)
    assert array.shape == (size, size)
    assert is_broadcast(array) and not is_broadcast(array[:1, :1])
    assert is_broadcast(expanded(array)) == (size == 1000)
    single, _ = as_array([0.5], None, [])
    assert single.shape == () and single.flags.writeable


def test_elements_are_not_repeated():
    array, dtype = array_of_elements([1, 2], None, [5])
    assert (array.tolist(), dtype) == ([1, 2], dtypes.int32)
    array, _ = array_of_elements([1, 2, 3, 4], None, [2, 2])
    assert array.tolist() == [[1, 2], [3, 4]]


def test_ragged_typed_list():
    with pytest.raises(ValueError, match=r"^setting an array element with a sequence"):
        as_array([[1, 2], [3, 4, 5]], dtypes.float32)


def test_complex_array_to_real_warns_as_numpy_does():
    with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
        array, _ = as_array(np.array([1 + 2j]), dtypes.float32)
    assert array.tolist() == [1.0]


def test_buffer_of_another_module():
    array, dtype = as_array(memoryview(python_array.array("d", [1.5, 2.5])))
    assert (array.tolist(), dtype) == ([1.5, 2.5], dtypes.float64)


def test_unknown_numpy_dtypes():
    for value in (np.longdouble(1), np.zeros(1, "V1"), [np.longdouble(1)]):
        with pytest.raises(TypeError, match=r"^Cannot convert value dtype\(.*\) to a TensorFlow"):
            as_array(value)


def test_symbolic_values(monkeypatch):
    class Symbol:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError

        def __repr__(self):
            return "<Symbol>"

    monkeypatch.setattr(array_values, "_symbolic_types", ())
    array_values.register_symbolic_type(Symbol)
    for values in (Symbol(), [Symbol()], [1, Symbol()], [[Symbol()]]):
        with pytest.raises(TypeError, match=r"^List of Tensors when single Tensor expected$"):
            as_array(values)
        text = r"^Expected float32, got <Symbol> of type 'Symbol' instead.$"
        with pytest.raises(TypeError, match=text):
            as_array(values, dtypes.float32)


@given(st.integers(-(2**63), 2**64 - 1))
def test_smallest_of_three_integer_types(value):
    array, dtype = as_array(value)
    assert int(array) == value
    if -(2**31) <= value < 2**31:
        assert dtype is dtypes.int32
    else:
        assert dtype is (dtypes.int64 if value < 2**63 else dtypes.uint64)
    listed, listed_dtype = as_array([value])
    assert (listed.tolist(), listed_dtype) == ([value], dtype)


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from(["int8", "uint8", "int16", "uint32"]))
def test_integers_wrap(value, name):
    dtype = dtypes.as_dtype(name)
    array, _ = as_array(value, dtype)
    assert array.dtype == dtype.numpy_dtype
    assert (int(array) - value) % 2 ** (8 * dtype.size) == 0


@given(st.lists(st.floats(), min_size=1))
def test_floats_are_rounded_to_single_precision(values):
    array, dtype = as_array(values)
    # NumPy 1 warns of signaling NaNs.
    with np.errstate(over="ignore", invalid="ignore"):
        want = np.array(values).astype(np.float32)
    assert dtype is dtypes.float32
    np.testing.assert_array_equal(array, want)
