"""Arithmetic and element-wise functions: values, types, mixed types, special functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose
TABLE = {
    "half float32 float64 int32 int64 complex64 complex128": (
        [tf.neg, tf.sign, tf.square, tf.squared_difference, tf.sub]
    ),
    "half float32 float64 complex64 complex128": [tf.sqrt, tf.rsqrt, tf.exp, tf.log, tf.cos],
    "half float32 float64": [tf.ceil, tf.floor, tf.lgamma, tf.digamma, tf.erf, tf.erfc],
    "half float32 float64 int32 int64": [tf.maximum, tf.minimum],
    "float32 float64 int32 int64": [tf.abs, tf.mod, tf.pow],
    "float32 float64": [tf.round, tf.igamma, tf.igammac, tf.zeta],
    "half float32 float64 uint8 int8 int16 int32 int64 complex64 complex128": (
        [tf.add, tf.mul, tf.div]
    ),
}
TWO = (tf.squared_difference, tf.sub, tf.maximum, tf.minimum, tf.mod, tf.pow, tf.igamma,
       tf.igammac, tf.zeta, tf.add, tf.mul, tf.div)  # fmt: skip


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_what_may_stand_for_a_tensor():
    variable = tf.Variable([4.0, 9.0])
    with tf.Session() as session:
        session.run(variable.initializer)
        for given in ([4.0, 9.0], (4.0, 9.0), np.array([4, 9], np.float32), variable):
            equal(session.run(tf.sqrt(given)), [2, 3])
    assert value(tf.sqrt(4.0)) == 2
    equal(value(tf.logical_not([True, False])), [False, True])


def test_add_and_its_likes():
    equal(value(tf.add([[1], [2]], [10, 20])), [[11, 21], [12, 22]])
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 1 and 2"):
        tf.add_n([tf.constant([1, 2]), tf.constant([[1]])])
    equal(value(tf.add(["a", "b"], "c")), [b"ac", b"bc"])
    for f in (tf.sub, tf.mul, tf.div):
        with pytest.raises(
            TypeError, match="Value passed to parameter 'x' has DataType string not in list"
        ):
            f(["a"], ["b"])
    equal(value(tf.sub([5, 7], 2)), [3, 5])
    equal(value(tf.mul([5, 7], 2)), [10, 14])
    equal(value(tf.neg([5, -7])), [-5, 7])


@pytest.mark.parametrize("f", [tf.sub, tf.mul, tf.div, tf.mod, tf.maximum, tf.minimum])
def test_both_have_one_type(f):
    with pytest.raises(
        (TypeError, ValueError),
        match=r"Op has type float32 that does not|Tensor conversion requested dtype",
    ):
        f(tf.constant([1]), tf.constant([1.0]))
    assert f(tf.constant([1.0]), [2]).dtype == tf.float32
    assert f(tf.constant([3], tf.int64), [2]).dtype == tf.int64


def test_divisions():
    for given, wanted in (("int8", "float32"), ("int16", "float32"), ("int32", "float64"),
                          ("int64", "float64"), ("float32", "float32"),
                          ("float64", "float64")):  # fmt: skip
        x, y = tf.constant([7, -7], given), tf.constant([2, 2], given)
        for quotient in (tf.truediv(x, y), x / y):
            assert quotient.dtype == wanted
            equal(value(quotient), [3.5, -3.5])
        for floored in (tf.floordiv(x, y), x // y):
            assert floored.dtype == given
            equal(value(floored), [3, -4])
    with pytest.raises(
        TypeError, match=r"x and y must have the same dtype, got tf\.int32 != tf\.float32"
    ):
        tf.truediv(tf.constant(1), tf.constant(1.0))
    equal(value(tf.div([7, 9], [2, 4])), [3, 2])
    equal(value(tf.div([7.0], [2.0])), [3.5])


def test_cross():
    a, b = np.array([[1, 0, 0], [0, 2, 0]]), np.array([[0, 1, 0], [0, 0, 3]])
    equal(value(tf.cross(a, b)), np.cross(a, b))
    with pytest.raises(ValueError, match="Dimension must be 3 but is 2"):
        tf.cross([[1, 2]], [[3, 4]])


def test_add_n():
    equal(value(tf.add_n([[1, 2], [3, 4], [5, 6]])), [9, 12])
    with pytest.raises(
        ValueError, match="inputs must be a list of at least one Tensor/IndexedSlices with"
    ):
        tf.add_n([])
    with pytest.raises(
        (TypeError, ValueError), match="Tensors in list passed to 'inputs' of 'AddN' Op have types"
    ):
        tf.add_n([tf.constant(1), tf.constant(1.0)])


def test_abs_sign_inv_square():
    equal(value(tf.abs([-3, 0, 2])), [3, 0, 2])
    equal(value(tf.sign([-3.0, 0.0, 2.0])), [-1, 0, 1])
    close(value(tf.sign(np.array([3 - 4j, 0]))), [0.6 - 0.8j, 0], 1e-12)
    equal(value(tf.inv([2.0, -4.0])), [0.5, -0.25])
    equal(value(tf.square([-3, 2])), [9, 4])


def test_round():
    """The page rounds 2.5 to 3; the releases from 1.0 on round halves to even."""
    rounded = value(tf.round([0.9, 2.5, 2.3, -4.4]))
    equal(rounded, [1, 2, 2, -4])
    equal(value(tf.round([3, -4])), [3, -4])


def test_pow_maximum_squared_difference():
    equal(value(tf.pow([[2, 2], [3, 3]], [[8, 16], [2, 3]])), [[256, 65536], [9, 27]])
    equal(value(tf.maximum([[1], [5]], [2, 7])), [[2, 7], [5, 7]])
    equal(value(tf.minimum([[1], [5]], [2, 7])), [[1, 1], [2, 5]])
    equal(value(tf.squared_difference([1, 5], [4, 3])), [9, 4])


def test_functions_of_floats():
    x = np.array([0.1, 0.4, 0.9])
    for f, expected in ((tf.sqrt, np.sqrt), (tf.exp, np.exp), (tf.log, np.log), (tf.cos, np.cos),
                        (tf.sin, np.sin), (tf.tan, np.tan), (tf.acos, np.arccos),
                        (tf.asin, np.arcsin), (tf.atan, np.arctan), (tf.floor, np.floor),
                        (tf.ceil, np.ceil)):  # fmt: skip
        close(value(f(x)), expected(x), 1e-12)
    close(value(tf.rsqrt(x)), x**-0.5, 1e-12)
    z = np.array([1 + 2j, -0.5j], np.complex64)
    for f, expected in ((tf.sqrt, np.sqrt), (tf.exp, np.exp), (tf.log, np.log), (tf.sin, np.sin),
                        (tf.cos, np.cos), (tf.square, np.square), (tf.neg, np.negative),
                        (tf.inv, np.reciprocal)):  # fmt: skip
        found = value(f(z))
        assert found.dtype == np.complex64
        close(found, expected(z), 1e-5)


def test_lbeta():
    x = np.array([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]])
    expected = [sum(map(math.lgamma, row)) - math.lgamma(sum(row)) for row in x]
    close(value(tf.lbeta(x)), expected, 1e-10)
    close(value(tf.lbeta(np.array([2.0, 3.0]))), math.log(1 / 12), 1e-10)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"Invalid reduction dimension -1 for input with 0 dimensions\.",
    ):
        value(tf.lbeta(tf.placeholder_with_default(np.zeros([]), [])))


def test_special_functions():
    x = np.array([0.5, 1.0, 3.2])
    close(value(tf.lgamma(x)), [math.lgamma(each) for each in x], 1e-12, 1e-12)
    step = 1e-5
    slope = [(math.lgamma(e + step) - math.lgamma(e - step)) / (2 * step) for e in x]
    close(value(tf.digamma(x)), slope, 1e-8)
    close(value(tf.erf(x)), [math.erf(e) for e in x], 1e-12)
    close(value(tf.erfc(x)), [math.erfc(e) for e in x], 1e-12)
    a = np.array([0.5, 2.0, 5.0])
    low, high = value([tf.igamma(a, x), tf.igammac(a, x)])
    close(low + high, np.ones(3), 1e-12)
    close(low[0], math.erf(math.sqrt(0.5)), 1e-12)
    terms = np.arange(1e6)
    close(value(tf.zeta(np.array([3.0]), np.array([2.0]))), [((2 + terms) ** -3.0).sum()], 1e-10)
    higher, lower = value([tf.digamma(x + step), tf.digamma(x - step)])
    close(value(tf.polygamma(np.ones(3), x)), (higher - lower) / (2 * step), 1e-7)
    with pytest.raises(
        (TypeError, ValueError),
        match="Value passed to parameter 'a' has DataType int32 not in list of",
    ):
        tf.polygamma(tf.constant([1]), tf.constant([1.0]))


@pytest.mark.parametrize("types", TABLE)
def test_types_of_element_wise_functions(types):
    """The types that the documentation lists, each with a result of the same type."""
    for dtype in types.split():
        dtype = tf.as_dtype(dtype)
        x = np.array([2, 3], dtype.as_numpy_dtype)
        for f in TABLE[types]:
            result = f(x, x) if f in TWO else f(x)
            assert result.dtype == dtype
            assert value(result).dtype == dtype.as_numpy_dtype


def test_types_of_references_are_public():
    """The types of early releases (lines 10244 to 10307) show their references."""
    assert tf.float32_ref.is_ref_dtype and tf.float32.as_ref is tf.float32_ref
    assert not tf.int8.is_ref_dtype and tf.string_ref.base_dtype is tf.string
