from __future__ import annotations

import numpy as np
import pytest

from headwater.compat import install as hook
from headwater.compat import numpy_names

# A NumPy that still has the names warns of them.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


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
