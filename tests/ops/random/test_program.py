"""A whole seeded program: initializers and steps draw what they draw under TensorFlow."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = dict(np.load(FOLDER / "random_program.npz"))
CROP_CORNERS = [30, 46, 35, 71, 33, 41]
PROGRAM = runpy.run_path(str(FOLDER / "make_random_program.py"))["program"]


@pytest.mark.parametrize("mode", ["auto", "always", "never"])
def test_a_seeded_program_draws_the_numbers_of_tensorflow(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    results = PROGRAM(tf)
    assert sorted(results) == sorted(GOLDEN)
    for name, expected in GOLDEN.items():
        value = np.asarray(results[name])
        assert value.dtype == expected.dtype
        if mode == "never" and not name.startswith("sum"):
            np.testing.assert_array_equal(value, expected)
        elif name.startswith("sum"):
            # Terms are added in another order.
            np.testing.assert_allclose(value, expected, rtol=1e-5)
        else:
            # At most one rounding apart: XLA may contract the product and sum of `stddev`, `mean`.
            np.testing.assert_allclose(value, expected, rtol=2e-7, atol=2e-7)


@pytest.mark.parametrize("mode", ["always", "never"])
def test_unseeded_ops_differ_between_sessions_and_runs(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    numbers = tf.random_normal([10])
    values = []
    for _ in range(2):
        with tf.Session() as session:
            values += [tuple(session.run(numbers)) for _ in range(2)]
    assert len(set(values)) == 4


def test_seeded_ops_start_anew_in_each_session():
    numbers = tf.random_uniform([10], seed=3)
    values = []
    for _ in range(2):
        with tf.Session() as session:
            values.append([session.run(numbers) for _ in range(4)])
    np.testing.assert_array_equal(*values)
    assert len({tuple(run) for run in values[0]}) == 4


def test_random_crop_cuts_at_the_places_of_tensorflow(session):
    # Places drawn by TensorFlow 1.15.
    crop = tf.random_crop(np.arange(100).reshape(10, 10), [2, 3], seed=5)
    corners = [int(session.run(crop)[0, 0]) for _ in range(6)]
    assert corners == CROP_CORNERS
    large = tf.random_crop(tf.placeholder_with_default(np.zeros([2, 2]), [None, None]), [3, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value\.shape >= size, got"):
        session.run(large)
