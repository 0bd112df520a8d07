"""What SciPy has dropped: functions for pictures, and names that have moved."""

from __future__ import annotations

import builtins
import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from headwater.compat import install as hook
from headwater.compat import scipy_images, scipy_names
from tests.golden.scipy_image_cases import CASES

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "scipy_images.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_those_of_scipy_1_0(name):
    wanted = GOLDEN[name]
    if "error" in wanted:
        kind = getattr(builtins, wanted["error"])
        with pytest.raises(kind, match=re.escape(wanted["text"])):
            CASES[name](scipy_images)
        return
    found = CASES[name](scipy_images)
    assert found.dtype.name == wanted["dtype"]
    np.testing.assert_array_equal(found, wanted["value"])


@pytest.fixture
def installed():
    hook.install()
    yield
    hook.uninstall()


@pytest.fixture
def without_scipy_modules():
    yield
    for name in [n for n in sys.modules if n.startswith(("scipy._lib.six", "scipy.lib"))]:
        del sys.modules[name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_moved_names_are_found(installed, without_scipy_modules):
    import scipy
    import scipy.integrate
    import scipy.linalg
    import scipy.misc
    import scipy.ndimage
    import scipy.signal
    import scipy.sparse.linalg
    import scipy.spatial.distance
    import scipy.special
    import scipy.stats

    assert scipy.misc.imread is scipy.ndimage.imread is scipy_images.imread
    assert scipy.misc.factorial(4) == 24 and scipy.misc.comb(4, 2) == 6
    assert scipy.misc.logsumexp([0.0, 0.0]) == pytest.approx(np.log(2))
    assert scipy.array is np.array and scipy.sqrt(-1) == 1j and scipy.rand(2).shape == (2,)
    assert scipy.integrate.trapz([1, 2, 3], dx=2) == 8
    assert scipy.integrate.simps([0, 1, 4], [0, 1, 2]) == pytest.approx(8 / 3)
    np.testing.assert_allclose(scipy.integrate.cumtrapz([1, 3, 5], initial=0), [0, 2, 6])
    np.testing.assert_allclose(scipy.signal.hann(4), [0, 0.75, 0.75, 0])
    np.testing.assert_allclose(scipy.linalg.pinv2(np.eye(2)), np.eye(2))
    np.testing.assert_array_equal(scipy.stats.itemfreq([3, 1, 3]), [[1, 1], [3, 2]])
    assert scipy.stats.binom_test(3, 10) == pytest.approx(0.34375)
    assert scipy.spatial.distance.wminkowski([0, 0], [1, 2], 2, [1, 3]) == pytest.approx(37**0.5)
    assert scipy.special.sph_harm(1, 2, 0.3, 0.4) == pytest.approx(
        scipy.special.sph_harm_y(2, 1, 0.4, 0.3)
    )
    matrix = np.diag([1.0, 2.0, 3.0])
    np.testing.assert_allclose(scipy.linalg.eigh(matrix, eigvals=(1, 2))[0], [2, 3])
    np.testing.assert_allclose(scipy.linalg.solve(matrix, [1, 2, 3], sym_pos=True), [1, 1, 1])
    found, _ = scipy.sparse.linalg.cg(matrix, np.array([1.0, 2.0, 3.0]), tol=1e-8)
    np.testing.assert_allclose(found, [1, 1, 1])
    six = importlib.import_module("scipy._lib.six")
    assert six.string_types == (str,) and six.__name__ == "scipy._lib.six"
    assert importlib.import_module("scipy.lib.six.moves").xrange is range
    hook.uninstall()
    assert not hasattr(scipy.ndimage, "imread") and not hasattr(scipy, "array")
    hook.install()


def test_wavelets():
    # From SciPy 1.0.1.
    np.testing.assert_allclose(
        scipy_names._ricker(5, 2.0), [0, 0.40592085, 0.61329144, 0.40592085, 0], atol=1e-8
    )
    wave = scipy_names._morlet(5)
    np.testing.assert_allclose(wave[2], 0.75112274, rtol=1e-6)
    np.testing.assert_allclose(wave[1], -0.00540203 + 3.3e-18j, rtol=1e-5)
    rows = scipy_names._cwt(np.arange(6.0), scipy_names._ricker, [1, 2])
    np.testing.assert_allclose(
        rows,
        [
            [-0.75210387, -0.73008406, -0.13400548, 0.11009907, 1.35452823, 3.71047696],
            [-0.11334865, 0.48851546, 1.64765062, 3.00932056, 5.16069911, 5.30716031],
        ],
        rtol=1e-6,
    )


def test_derivatives():
    weights = scipy_names.central_diff_weights(5, 2)
    np.testing.assert_allclose(weights, np.array([-1, 16, -30, 16, -1]) / 12)
    assert scipy_names.derivative(lambda x, k: x**k, 1.0, dx=1e-3, args=(3,)) == pytest.approx(
        3.000001
    )
    with pytest.raises(ValueError, match=r"must be at least the derivative order 'n' \+ 1"):
        scipy_names.derivative(abs, 1.0, n=3)
    with pytest.raises(ValueError, match="must be odd"):
        scipy_names.derivative(abs, 1.0, order=4)
