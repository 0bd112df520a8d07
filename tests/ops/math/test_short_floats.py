"""Sums of float16 and bfloat16 are as exact as their results can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf

VALUES = np.random.RandomState(0).uniform(0.5, 1.5, (300, 20)).astype(np.float32)


def computed(function: Callable[[Any], Any], dtype: Any, values: np.ndarray) -> np.ndarray:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, values.shape)
        result = session.run(function(x), {x: values.astype(dtype.as_numpy_dtype)})
    assert result.dtype == dtype.as_numpy_dtype
    return np.asarray(result, np.float32)


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize(("dtype", "rtol"), [(tf.float16, 1e-3), (tf.bfloat16, 8e-3)])
def test_a_long_sum_keeps_its_digits(
    monkeypatch: pytest.MonkeyPatch, mode: str, dtype: Any, rtol: float
) -> None:
    monkeypatch.setenv("HEADWATER_JIT", mode)
    wide = VALUES.astype(dtype.as_numpy_dtype).astype(np.float64)

    def close(function: Callable[[Any], Any], wanted: Any) -> None:
        np.testing.assert_allclose(computed(function, dtype, VALUES), wanted, rtol=rtol)

    close(tf.reduce_sum, wide.sum())
    close(lambda x: tf.reduce_sum(x, 0), wide.sum(0))
    close(tf.reduce_mean, wide.mean())
    close(lambda x: tf.reduce_mean(x, 0, keepdims=True), wide.mean(0, keepdims=True))
    close(tf.math.reduce_euclidean_norm, np.sqrt((wide**2).sum()))


@pytest.mark.parametrize("mode", ["never", "always"])
def test_a_mean_of_more_elements_than_float16_has_numbers(
    monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("HEADWATER_JIT", mode)
    values = np.full(70000, 0.5, np.float32)
    np.testing.assert_array_equal(computed(tf.reduce_mean, tf.float16, values), 0.5)


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_an_empty_segment_has_the_lowest_or_highest_number(
    monkeypatch: pytest.MonkeyPatch, mode: str, dtype: Any
) -> None:
    monkeypatch.setenv("HEADWATER_JIT", mode)
    values = np.array([1.0, 2.0], np.float32)
    largest = float(dtype.max)
    found = computed(lambda x: tf.unsorted_segment_max(x, [0, 2], 3), dtype, values)
    np.testing.assert_array_equal(found, [1, -largest, 2])
    found = computed(lambda x: tf.unsorted_segment_min(x, [0, 2], 3), dtype, values)
    np.testing.assert_array_equal(found, [1, largest, 2])


@pytest.mark.parametrize("mode", ["never", "always"])
def test_the_least_of_the_largest_integers(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("HEADWATER_JIT", mode)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.uint64, [2])
        least = session.run(tf.reduce_min(x), {x: [2**64 - 1, 2**63]})
    assert least == 2**63
