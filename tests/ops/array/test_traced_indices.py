"""Slices whose position is known only at run time are part of compiled programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_JIT", "always")


CASES = [
    (lambda x, i: x[i], lambda i: X[i]),
    (lambda x, i: x[:, i], lambda i: X[:, i]),
    (lambda x, i: x[..., i], lambda i: X[..., i]),
    (lambda x, i: x[:, i, tf.newaxis, ::-2], lambda i: X[:, i, None, ::-2]),
    (lambda x, i: x[i, 1:, 0:2], lambda i: X[i, 1:, 0:2]),
    (lambda x, i: x[-1, i], lambda i: X[-1, i]),
    (lambda x, i: x[i, i, i], lambda i: X[i, i, i]),
    (lambda x, i: tf.slice(x, [0, i, 1], [2, 1, 2]), lambda i: X[0:2, i : i + 1, 1:3]),
    (lambda x, i: tf.slice(x, [0, i, 1], [2, 1, -1]), lambda i: X[0:2, i : i + 1, 1:]),
    (lambda x, i: x[i:], lambda i: X[i:]),
    (lambda x, i: x[:, i : i + 2], lambda i: X[:, i : i + 2]),
    (lambda x, i: tf.gather(x, i), lambda i: X[i]),
    (lambda x, i: tf.gather(x, [i, 0], axis=1), lambda i: X[:, [i, 0]]),
    (lambda x, i: tf.gather_nd(x, [[i, 0], [1, i]]), lambda i: X[[i, 1], [0, i]]),
]


@pytest.mark.parametrize(("build", "expected"), CASES)
def test_an_index_that_is_fed_gives_what_numpy_gives(build: Any, expected: Any) -> None:
    x = tf.placeholder(tf.float32, X.shape)
    i = tf.placeholder(tf.int32, [])
    y = tf.exp(build(x, i) * 0.1)
    with tf.Session() as session:
        for index in (0, 1, 0):
            found = session.run(y, {x: X, i: index})
            np.testing.assert_allclose(found, np.exp(expected(index) * np.float32(0.1)), rtol=1e-6)


@pytest.mark.parametrize("build", [case[0] for case in CASES[:7]])
def test_the_gradient_goes_to_the_place_that_was_read(build: Any) -> None:
    x = tf.placeholder(tf.float32, X.shape)
    i = tf.placeholder(tf.int32, [])
    y = build(x, i)
    (gradient,) = tf.gradients(y, x, grad_ys=[y])
    with tf.Session() as session:
        for index in (0, 1):
            part, spread = session.run([y, gradient], {x: X, i: index})
            assert spread.shape == X.shape
            np.testing.assert_array_equal(
                np.unique(spread[spread != 0]), np.unique(part[part != 0])
            )
            taken = np.isin(X, part)
            np.testing.assert_array_equal(spread, np.where(taken, X, 0))


def test_a_negative_index_counts_from_the_end() -> None:
    i = tf.placeholder(tf.int32, [])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.constant(X)[:, i], {i: -1}), X[:, -1])


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda i: tf.constant(X)[i], "slice index 7 of dimension 0 out of bounds."),
        (lambda i: tf.slice(tf.constant(X[0]), [0, i], [3, 1]), "Expected begin[1] in [0, 4]"),
        (lambda i: tf.gather(tf.constant(X), [i]), "indices[0] = 7 is not in [0, 2)"),
        (
            lambda i: tf.gather_nd(tf.constant(X), [[0, i]]),
            "indices[0] = [0, 7] does not index into param shape [2,3,4]",
        ),
    ],
)
def test_an_index_out_of_range_gives_the_error_of_tensorflow(build: Any, text: str) -> None:
    i = tf.placeholder(tf.int32, [])
    y = build(i)
    with tf.Session() as session:
        session.run(y, {i: 1})
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y, {i: 7})
    assert caught.value.message.startswith(text)


def test_a_string_tensor_is_sliced_on_the_host() -> None:
    words = tf.constant([["a", "b"], ["c", "d"]])
    i = tf.placeholder(tf.int32, [])
    with tf.Session() as session:
        assert session.run(words[i, 1], {i: 1}) == b"d"
        assert session.run(tf.gather(words, [1]), {}).tolist() == [[b"c", b"d"]]
        assert session.run(tf.zeros_like(words)).tolist() == [[b"", b""], [b"", b""]]
        assert session.run(tf.pad(words, [[0, 0], [1, 0]])).tolist()[0] == [b"", b"a", b"b"]


def test_a_range_that_is_fed_is_cut_out_on_the_host_without_new_programs(session: Any) -> None:
    data = tf.constant(np.arange(2000.0, dtype=np.float32).reshape(100, 20))
    i = tf.placeholder(tf.int32, [])
    batch = data[i * 10 : (i + 1) * 10]
    y = tf.reduce_sum(tf.square(batch))
    for step in range(10):
        rows = np.arange(200.0 * step, 200.0 * (step + 1))
        np.testing.assert_allclose(session.run(y, {i: step}), np.sum(rows**2), rtol=1e-5)


def test_the_gradient_of_a_range_that_is_fed() -> None:
    x = tf.placeholder(tf.float32, [6])
    i = tf.placeholder(tf.int32, [])
    y = tf.square(x[i : i + 2])
    (gradient,) = tf.gradients(y, x)
    with tf.Session() as session:
        for start in (0, 3, 5):
            base = np.arange(1.0, 7.0, dtype=np.float32)
            wanted = np.zeros(6, np.float32)
            wanted[start : start + 2] = 2 * base[start : start + 2]
            np.testing.assert_allclose(session.run(gradient, {x: base, i: start}), wanted)


def test_the_gradient_of_a_slice_with_a_fed_begin_is_compiled() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    i = tf.placeholder(tf.int32, [])
    y = tf.exp(tf.slice(x, [i, 1], [2, 2]))
    (gradient,) = tf.gradients(y, x)
    with tf.Session() as session:
        for start in (0, 2, 1):
            base = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
            wanted = np.zeros((4, 3), np.float32)
            wanted[start : start + 2, 1:] = np.exp(base[start : start + 2, 1:])
            found = session.run(gradient, {x: base, i: start})
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_variable_is_sliced_between_its_changes() -> None:
    v = tf.Variable(np.arange(6.0, dtype=np.float32))
    i = tf.placeholder(tf.int32, [])
    before = tf.identity(v[:i])
    with tf.control_dependencies([before]):
        after = tf.assign_add(v, tf.ones([6]))
    with tf.Session() as session:
        session.run(v.initializer)
        for step in range(3):
            part, whole = session.run([before, after], {i: step + 1})
            np.testing.assert_array_equal(part, np.arange(6.0)[: step + 1] + step)
            np.testing.assert_array_equal(whole, np.arange(6.0) + step + 1)
