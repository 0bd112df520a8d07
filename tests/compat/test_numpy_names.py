from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import headwater
from headwater.compat import install as hook
from headwater.compat import numpy_names

# A NumPy that still has the names warns of them.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
# NumPy loads them at their first use, which is not a change by the hook.
LOADED = np.fft, np.ma, np.testing


@pytest.fixture
def installed():
    before = dict(vars(np))
    hook.install()
    try:
        yield before
    finally:
        hook.uninstall()
    assert vars(np) == before


def test_lost_names_are_there(installed):
    assert np.zeros(2, np.float).dtype == np.float64
    assert np.array([1], np.int).dtype == np.int64
    assert np.array(["a"], np.object).dtype == object
    assert np.zeros(1, np.float_).dtype == np.float64
    assert np.isnan(np.NaN) and np.Inf == np.infty == -np.NINF
    assert np.product([2, 3]) == 6 and np.cumproduct([2, 3]).tolist() == [2, 6]
    assert np.alltrue([True]) and np.sometrue([False, True])
    assert np.in1d([[1, 2]], [2]).tolist() == [False, True]
    assert np.asscalar(np.array([3.5])) == 3.5
    assert np.asfarray([1], np.int32).dtype == np.float64
    assert np.msort([[2, 1], [1, 2]]).tolist() == [[1, 1], [2, 2]]
    assert np.find_common_type([np.float32, np.int64], []) == np.float64
    assert np.obj2sctype("f4") is np.float32
    assert np.cast["float32"]([1]).dtype == np.float32 and np.math.factorial(3) == 6
    assert np.trapz([1, 2, 3]) == 4


def test_lists_are_returned(installed):
    grids = np.meshgrid([1, 2], [3, 4], indexing="ij")
    assert np.block(grids).tolist() == [[1, 1, 3, 4], [2, 2, 3, 4]]
    assert isinstance(np.broadcast_arrays(1, [2, 3]), list)


def test_present_names_stay(installed):
    for name in numpy_names._VALUES:
        if name in installed:
            assert getattr(np, name) is installed[name]


def test_lost_methods_are_there(installed):
    a = np.array([[1, 2], [3, 5]], np.int16)
    assert a.tostring() == a.tobytes() and a.T.tostring("F") == a.tobytes()
    assert np.float64(1).tostring() == np.float64(1).tobytes()
    assert a.ptp() == 4 and a.ptp(axis=0).tolist() == [2, 3]
    a.itemset(3, 7)
    a.itemset((0, 1), 4)
    assert a.tolist() == [[1, 4], [3, 7]]
    assert a.newbyteorder().tolist() == a.byteswap().tolist()


def test_methods_are_taken_back():
    kept = hasattr(np.ndarray, "tobytes"), hasattr(np.ndarray, "tostring")
    hook.install()
    hook.uninstall()
    assert (hasattr(np.ndarray, "tobytes"), hasattr(np.ndarray, "tostring")) == kept
    if not kept[1]:
        with pytest.raises(AttributeError):
            np.zeros(1).tostring()


def test_lost_submodules_are_there(installed):
    # Uses of these names in old programs.
    padded = np.lib.pad([1, 2], (1, 0), "constant")
    assert padded.tolist() == [0, 1, 2]
    assert np.lib.unique([2, 1, 2]).tolist() == [1, 2]
    assert np.lib.arraypad.pad([1], 1, "edge").tolist() == [1, 1, 1]
    assert np.lib.index_tricks.r_[1:3].tolist() == [1, 2]
    assert np.lib.function_base.diff([1, 4]).tolist() == [3]
    assert np.lib.stride_tricks.broadcast_to(1, (2,)).tolist() == [1, 1]
    assert np.lib.stride_tricks.as_strided(np.arange(3), (2,), (8,)).tolist() == [0, 1]
    assert np.lib.scimath.sqrt(-1) == 1j
    assert np.lib.npyio.savetxt is np.savetxt
    assert np.linalg.linalg.norm([3, 4]) == 5
    assert np.testing.utils.assert_equal is np.testing.assert_equal
    assert np.compat.asbytes("a") == b"a" and np.compat.long is int


def test_lost_submodules_are_imported(installed):
    program = """
import numpy.lib.arraypad
import numpy.linalg.linalg as linalg
from numpy.lib.arraysetops import unique
from numpy.lib.stride_tricks import as_strided, broadcast_arrays
from numpy.lib.type_check import nan_to_num
from numpy.lib.twodim_base import tri
from numpy.lib.polynomial import polyfit
from numpy.lib.format import read_array
from numpy.fft.helper import fftshift
from numpy.testing.utils import assert_allclose
from numpy.compat.py3k import asstr
"""
    names = {}
    exec(program, names)
    assert names["unique"] is np.unique and names["linalg"].inv is np.linalg.inv
    assert names["asstr"](b"a") == "a"


def test_submodules_are_taken_back():
    before = set(sys.modules), dict(vars(np.lib)), dict(vars(np.lib.stride_tricks))
    hook.install()
    hook.uninstall()
    assert "numpy.lib.arraypad" in before[0] or "numpy.lib.arraypad" not in sys.modules
    assert vars(np.lib) == before[1] and vars(np.lib.stride_tricks) == before[2]


def test_types_of_python_stand_for_categories(installed):
    assert np.issubdtype(np.float32, np.float)
    assert np.issubdtype(np.dtype(np.int8), int)
    assert np.issubdtype("complex64", complex)
    assert not np.issubdtype(np.uint8, int)
    assert not np.issubdtype(np.int32, float)
    assert np.issubdtype(np.float64, np.floating)
    assert not np.issubdtype(np.float32, np.float64)


def test_elements_print_without_their_types(installed):
    assert repr([np.float32(0.5), np.int64(4), np.bool_(True)]) == "[0.5, 4, True]"
    with np.printoptions(precision=2):
        assert repr((None, np.float64(0.25))) == "(None, 0.25)"
    np.set_printoptions(precision=8)
    assert f"{np.float32(0.1)!r} {np.array([0.5], np.float32)!r}" == (
        "0.1 array([0.5], dtype=float32)"
    )


def test_printing_is_as_before_without_the_hook():
    before = np.get_printoptions(), repr(np.float32(0.5))
    hook.install()
    hook.uninstall()
    assert (np.get_printoptions(), repr(np.float32(0.5))) == before


def test_lists_of_different_lengths_make_arrays_of_objects(installed):
    for make in (np.array, np.asarray, np.asanyarray):
        ragged = make([[1, 2], [3]])
        assert ragged.dtype == object and ragged.shape == (2,)
        assert ragged[[1, 0]].tolist() == [[3], [1, 2]]
        assert make([[1, 2], [3, 4]]).dtype == np.int64
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[1, 2], [3]], np.float32)


def test_lists_of_different_lengths_are_written(installed, tmp_path):
    path = tmp_path / "lists.npz"
    for write in (np.savez, np.savez_compressed):
        write(path, [np.zeros(2), np.zeros(3)], np.arange(2), named=[[1], [2, 3]])
        with np.load(path, allow_pickle=True) as read:
            assert [len(part) for part in read["arr_0"]] == [2, 3]
            assert read["arr_1"].tolist() == [0, 1] and read["named"].tolist() == [[1], [2, 3]]
    np.save(tmp_path / "list.npy", [[1], [2, 3]])
    assert np.load(tmp_path / "list.npy", allow_pickle=True).tolist() == [[1], [2, 3]]


def test_errors_about_shapes_of_constants_stay(installed):
    with pytest.raises(ValueError, match="Argument must be a dense tensor"):
        headwater.constant([[1, 2], [3]])


def test_copies_are_made_if_needed(installed):
    x = np.arange(3)
    assert np.shares_memory(np.array(x, copy=False), x)
    assert np.array([1, 2], copy=False).tolist() == [1, 2]
    assert not np.shares_memory(np.array(x), x)


def test_arrays_of_one_element_are_numbers(installed):
    one, table = np.array([[2.5]]), np.zeros(2, np.float32)
    assert (float(one), int(one), complex(one), math.floor(one)) == (2.5, 2, 2.5 + 0j, 2)
    assert (float(np.array("1.5")), float(np.array(["1.5"]))) == (1.5, 1.5)
    table[1] = one
    assert table.tolist() == [0.0, 2.5]
    for many in (np.zeros(2), np.zeros(0)):
        with pytest.raises(TypeError, match="can be converted to Python scalars"):
            float(many)
    assert np.reshape(np.arange(4), newshape=(2, 2)).tolist() == [[0, 1], [2, 3]]
    assert np.reshape(a=np.arange(4), newshape=(4, 1)).shape == (4, 1)


def test_conversions_of_numpy_are_back_after_the_hook():
    methods = {name: vars(np.ndarray)[name] for name in ("__complex__", "__float__", "__int__")}
    hook.install()
    hook.uninstall()
    assert all(vars(np.ndarray)[name] is method for name, method in methods.items())
