"""Names that SciPy has dropped and programs of the time use."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat import scipy_images
from headwater.compat.missing_modules import copies_of_six, name_of
from headwater.compat.old_names import ChangeOfFunction, Find, OldNames, constant, renamed, same

_PICTURES = ("bytescale fromimage imfilter imread imresize imrotate imsave imshow toimage").split()
_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop"
    " gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey"
).split()
# Packages of both, which are not the same.
_NOT_OF_NUMPY = ("fft", "linalg", "test")


def central_diff_weights(Np: int, ndiv: int = 1) -> np.ndarray:
    """Returns the weights of equidistant points that give a derivative in the middle.

    Args:
        Np: the number of points, which is odd.
        ndiv: the order of the derivative.

    Returns:
        An array of `Np` weights.
    """
    if Np < ndiv + 1:
        raise ValueError("Number of points must be at least the derivative order + 1.")
    if Np % 2 == 0:
        raise ValueError("The number of points must be odd.")
    points = np.arange(Np) - Np // 2
    # The weights that are exact for all polynomials of a lower degree than `Np`.
    exact = np.zeros(Np)
    exact[ndiv] = np.prod(np.arange(1.0, ndiv + 1))
    return np.linalg.solve(np.vander(points, increasing=True).T.astype(float), exact)


def derivative(
    func: Callable[..., Any],
    x0: Any,
    dx: float = 1.0,
    n: int = 1,
    args: tuple[Any, ...] = (),
    order: int = 3,
) -> Any:
    """Returns a derivative of a function, from central differences.

    Args:
        func: the function.
        x0: where its derivative is wanted.
        dx: the distance of the points.
        n: the order of the derivative.
        args: further arguments of the function.
        order: the number of points, which is odd.

    Returns:
        The n-th derivative.
    """
    if order < n + 1:
        raise ValueError(
            "'order' (the number of points used to compute the derivative), must be at least the "
            "derivative order 'n' + 1."
        )
    if order % 2 == 0:
        raise ValueError(
            "'order' (the number of points used to compute the derivative) must be odd."
        )
    terms = (
        weight * func(x0 + (k - order // 2) * dx, *args)
        for k, weight in enumerate(central_diff_weights(order, n))
    )
    return sum(terms) / dx**n


def _ricker(points: int, a: float) -> np.ndarray:
    """The second derivative of a bell of width `a`, upside down."""
    squares = ((np.arange(points) - (points - 1.0) / 2) / a) ** 2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - squares) * np.exp(-squares / 2)


def _morlet(M: int, w: float = 5.0, s: float = 1.0, complete: bool = True) -> np.ndarray:
    """A wave under a bell."""
    x = np.linspace(-s * 2 * np.pi, s * 2 * np.pi, M)
    wave = np.exp(1j * w * x) - (np.exp(-0.5 * w**2) if complete else 0)
    return wave * np.exp(-0.5 * x**2) * np.pi**-0.25


def _cwt(data: np.ndarray, wavelet: Callable[..., np.ndarray], widths: Any) -> np.ndarray:
    """The rows are the data convolved with the wavelet in these widths."""
    rows = [np.convolve(data, wavelet(min(10 * w, len(data)), w), mode="same") for w in widths]
    return np.stack(rows).astype(float)


def _simps(module: ModuleType) -> Any:
    def simps(
        y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, even: str | None = None
    ) -> Any:
        return module.simpson(y, x=x, dx=dx, axis=axis)

    return simps


def _cumtrapz(module: ModuleType) -> Any:
    def cumtrapz(
        y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, initial: Any = None
    ) -> Any:
        sums = module.cumulative_trapezoid(y, x=x, dx=dx, axis=axis)
        if initial is None:
            return sums
        first = np.full_like(np.take(sums, [0], axis), initial)
        return np.concatenate([first, sums], axis)

    return cumtrapz


def _trapz(module: ModuleType) -> Any:
    return lambda y, x=None, dx=1.0, axis=-1: module.trapezoid(y, x=x, dx=dx, axis=axis)


def _itemfreq(a: Any) -> np.ndarray:
    """The different values, and how often each is there."""
    return np.stack(np.unique(a, return_counts=True), axis=1)


def _binom_test(module: ModuleType) -> Any:
    def binom_test(x: Any, n: Any = None, p: float = 0.5, alternative: str = "two-sided") -> float:
        successes, trials = (x[0], x[0] + x[1]) if np.size(x) == 2 else (x, n)
        return float(module.binomtest(int(successes), int(trials), p, alternative).pvalue)

    return binom_test


def _wminkowski(module: ModuleType) -> Any:
    return lambda u, v, p, w: module.minkowski(u, v, p, np.asarray(w) ** p)


def _sph_harm(module: ModuleType) -> Any:
    return lambda m, n, theta, phi: module.sph_harm_y(n, m, phi, theta)


def _numpy_names() -> dict[str, Find]:
    names = {name: name_of("numpy", name) for name in np.__all__ if name not in _NOT_OF_NUMPY}
    names |= {name: name_of("numpy.random", name) for name in ("rand", "randn")}
    names |= {name: name_of("numpy", name) for name in ("Inf", "NaN", "mat")}
    return names | {name: name_of("numpy.lib.scimath", name) for name in np.emath.__all__}


_MISC: dict[str, Find] = {
    **{name: constant(getattr(scipy_images, name)) for name in _PICTURES},
    **{name: name_of("scipy.datasets", name) for name in ("ascent", "electrocardiogram", "face")},
    **{
        name: name_of("scipy.special", name)
        for name in ("comb", "factorial", "factorial2", "factorialk", "logsumexp")
    },
    "central_diff_weights": constant(central_diff_weights),
    "derivative": constant(derivative),
    "info": constant(np.info),
    "pade": name_of("scipy.interpolate", "pade"),
}
_NAMES: dict[str, dict[str, Find]] = {
    "scipy": _numpy_names(),
    "scipy.integrate": {"cumtrapz": _cumtrapz, "simps": _simps, "trapz": _trapz},
    "scipy.linalg": {
        "pinv2": same("pinv"),
        **{name: name_of("numpy", name) for name in ("kron", "tri", "tril", "triu")},
    },
    "scipy.misc": _MISC,
    "scipy.ndimage": {"imread": constant(scipy_images.imread)},
    "scipy.signal": {
        **{name: name_of("scipy.signal.windows", name) for name in _WINDOWS},
        "hanning": name_of("scipy.signal.windows", "hann"),
        "cwt": constant(_cwt),
        "morlet": constant(_morlet),
        "ricker": constant(_ricker),
    },
    "scipy.spatial.distance": {"matching": same("hamming"), "wminkowski": _wminkowski},
    "scipy.special": {
        "btdtr": same("betainc"),
        "btdtri": same("betaincinv"),
        "sph_harm": _sph_harm,
    },
    "scipy.stats": {
        "binom_test": _binom_test,
        "gilbrat": same("gibrat"),
        "itemfreq": constant(_itemfreq),
    },
}


def _pictures() -> dict[str, Any]:
    return {name: getattr(scipy_images, name) for name in _PICTURES}


# Linear solvers that take a relative tolerance under a newer name.
_SOLVERS = ("bicg", "bicgstab", "cg", "cgs", "gmres", "minres", "qmr")


def _symmetric_solver(solve: Callable[..., Any]) -> Callable[..., Any]:
    """Lets `solve` be told that the matrix is positive definite as before."""

    def call(*args: Any, sym_pos: bool = False, **kwargs: Any) -> Any:
        return solve(*args, **({"assume_a": "pos", **kwargs} if sym_pos else kwargs))

    return call


_CHANGES: dict[str, dict[str, ChangeOfFunction]] = {
    "scipy.linalg": {"eigh": renamed(eigvals="subset_by_index"), "solve": _symmetric_solver},
    "scipy.sparse.linalg": {name: renamed(tol="rtol") for name in _SOLVERS},
}
_names = OldNames(
    _NAMES,
    {
        **copies_of_six("scipy._lib.six"),
        "scipy.lib": dict,
        **copies_of_six("scipy.lib.six"),
        # SciPy 2 will not have it at all.
        "scipy.misc": lambda: {name: find(None) for name, find in _MISC.items()},  # type: ignore[arg-type]
        "scipy.misc.pilutil": _pictures,
    },
    _CHANGES,
)
add = _names.add
remove = _names.remove
