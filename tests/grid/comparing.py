"""When two outcomes of a case are equal: tolerances by dtype and by op."""

import numpy as np

# Relative tolerances; absolute ones are these times the largest finite magnitude of the expected
# output, at most times one. 0.0 and -0.0 are equal, and so are all numbers below the smallest
# normal one, which TensorFlow flushes to zero.
RTOL = {
    "float16": 2e-3,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}


def difference(actual, expected, rtol=None, unordered=False):
    """What differs between two lists of outputs, or an empty text."""
    if len(actual) != len(expected):
        return "%d outputs instead of %d" % (len(actual), len(expected))
    for i, (a, e) in enumerate(zip(actual, expected)):
        text = array_difference(a, e, rtol, unordered)
        if text:
            return "output %d: %s" % (i, text)
    return ""


def array_difference(actual, expected, rtol=None, unordered=False):
    actual, expected = np.asarray(actual), np.asarray(expected)
    if dtype_of(actual) != dtype_of(expected):
        return "dtype %s instead of %s" % (dtype_of(actual), dtype_of(expected))
    if actual.shape != expected.shape:
        return "shape %s instead of %s" % (actual.shape, expected.shape)
    if unordered:
        actual, expected = np.sort(actual, axis=0), np.sort(expected, axis=0)
    if dtype_of(actual) == "string":
        wrong = np.array([as_bytes(a) != as_bytes(e) for a, e in zip(actual.flat, expected.flat)])
        wrong = wrong.reshape(actual.shape).astype(bool)
    elif actual.dtype.kind == "c":
        wrong = unequal(actual.real, expected.real, rtol) | unequal(
            actual.imag, expected.imag, rtol
        )
        if wrong.any():
            # Two numbers whose distance is small beside their magnitude are equal.
            with np.errstate(all="ignore"):
                bound = (rtol or RTOL[actual.dtype.name]) * np.abs(expected)
                wrong &= ~(np.abs(actual - expected) <= bound)
    elif actual.dtype.kind == "f":
        wrong = unequal(actual, expected, rtol)
    else:
        wrong = actual != expected
    if not np.any(wrong):
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])[: actual.ndim]
    count = int(np.sum(wrong))
    return "%d of %d differ, first %s: %r instead of %r" % (
        count, actual.size, at, actual[at], expected[at],
    )  # fmt: skip


def unequal(actual, expected, rtol):
    rtol = max(rtol or 0.0, RTOL[actual.dtype.name])
    a, e = flushed(actual), flushed(expected)
    finite = np.isfinite(e)
    scale = float(np.max(np.abs(e[finite]))) if finite.any() else 0.0
    with np.errstate(all="ignore"):
        near = np.abs(a - e) <= rtol * np.abs(e) + rtol * min(scale, 1.0)
    return ~((a == e) | (np.isnan(a) & np.isnan(e)) | (near & finite & np.isfinite(a)))


def flushed(array):
    wide = np.array(array, np.float64)
    if array.dtype.name != "float16":
        with np.errstate(all="ignore"):
            wide[np.abs(wide) < np.finfo(array.dtype).tiny] = 0.0
    return wide


def dtype_of(array):
    return "string" if array.dtype.kind in "OSU" else array.dtype.name


def as_bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)
