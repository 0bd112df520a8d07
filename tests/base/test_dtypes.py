"""What the golden answers do not cover of dtypes."""

from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import EXPORTS

ALL = [as_dtype(enum) for enum in [*range(1, 24), *range(101, 124)]]


@pytest.mark.parametrize("dtype", ALL, ids=repr)
def test_there_is_one_object_per_type(dtype: DType) -> None:
    assert as_dtype(dtype.name) is dtype
    assert DType(int(dtype)) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert dtype.base_dtype._as_ref.base_dtype is dtype.base_dtype
    assert hash(dtype) == dtype.as_datatype_enum == int(dtype)


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_numpy_compatible], ids=repr)
def test_the_numpy_dtype_leads_back(dtype: DType) -> None:
    assert as_dtype(dtype.numpy_dtype) is dtype.base_dtype
    assert as_dtype(np.dtype(dtype.as_numpy_dtype)) is dtype.base_dtype
    assert np.zeros([2], dtype.as_numpy_dtype).dtype == dtype.numpy_dtype


@pytest.mark.parametrize("name", ["resource", "variant"])
def test_a_handle_has_no_numpy_type(name: str) -> None:
    dtype = as_dtype(name)
    assert dtype.numpy_dtype is None
    with pytest.raises(KeyError):
        _ = dtype.as_numpy_dtype


@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("uint8", 0, 255),
        ("int8", -128, 127),
        ("int32", -(2**31), 2**31 - 1),
        ("int64", -(2**63), 2**63 - 1),
        ("uint64", 0, 2**64 - 1),
        ("float16", -65504.0, 65504.0),
        ("float32", np.finfo(np.float32).min, np.finfo(np.float32).max),
        ("float64_ref", np.finfo(np.float64).min, np.finfo(np.float64).max),
        ("bfloat16", -3.3895313892515355e38, 3.3895313892515355e38),
    ],
)
def test_min_and_max(name: str, lowest: float, highest: float) -> None:
    dtype = as_dtype(name)
    assert (dtype.min, dtype.max) == (lowest, highest)
    assert type(dtype.max) is (int if dtype.is_integer else dtype.as_numpy_dtype)


@pytest.mark.parametrize("name", ["string", "bool", "complex64", "qint8", "resource"])
def test_a_type_without_order_has_no_min_and_max(name: str) -> None:
    dtype = as_dtype(name)
    with pytest.raises(TypeError, match=f"^Cannot find minimum value of <dtype: '{name}'>.$"):
        _ = dtype.min
    with pytest.raises(TypeError, match=f"^Cannot find maximum value of <dtype: '{name}'>.$"):
        _ = dtype.max


def test_bfloat16_is_that_of_ml_dtypes() -> None:
    assert as_dtype(ml_dtypes.bfloat16) is dtypes.bfloat16
    assert dtypes.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16


def test_every_c_name_of_an_integer_is_known() -> None:
    for code in "bBhHiIlLqQ":
        dtype = np.dtype(code)
        assert as_dtype(dtype).numpy_dtype == dtype
        assert as_dtype(dtype.type).numpy_dtype == dtype


def test_the_module_has_the_names_of_tensorflows() -> None:
    assert dtypes.bool is dtypes.bool_
    assert dtypes.float32_ref is dtypes.float32._as_ref
    with pytest.raises(AttributeError, match="no attribute 'float7'"):
        _ = dtypes.float7


def test_the_public_names_are_exported() -> None:
    assert EXPORTS["float32"] is EXPORTS["dtypes.float32"] is dtypes.float32
    assert EXPORTS["bool"] is dtypes.bool_
    assert EXPORTS["double"] is dtypes.float64
    assert EXPORTS["dtypes.half"] is dtypes.float16
    assert EXPORTS["DType"] is DType
