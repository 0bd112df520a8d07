"""Initializers of both eras, and the scale of random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.model.variables.random_initializers import fans


def value_of(tensor):
    with tf.Session() as session:
        return session.run(tensor)


def test_zeros_of_a_shape_are_a_tensor_as_before_the_first_release():
    assert value_of(tf.zeros_initializer([2, 3])).shape == (2, 3)
    assert value_of(tf.zeros_initializer((2,), dtype=tf.int32)).dtype == np.int32
    assert value_of(tf.zeros_initializer(shape=[1], dtype=tf.float64)).dtype == np.float64
    v = tf.get_variable("v", [2], initializer=tf.zeros_initializer)
    assert v.shape.as_list() == [2]


def test_orthogonal_takes_its_arguments_in_both_orders():
    older = tf.orthogonal_initializer(1.0, tf.float64, 3)
    newer = tf.orthogonal_initializer(1.0, 3, tf.float64)
    assert older.get_config() == newer.get_config()


def test_the_base_class_is_abstract():
    with pytest.raises(NotImplementedError):
        tf.keras.initializers.Initializer()([2])


@pytest.mark.parametrize(
    ("initializer", "variance"),
    [
        (tf.variance_scaling_initializer(2.0, "fan_in", "uniform", seed=1), 2.0 / 200),
        (tf.variance_scaling_initializer(2.0, "fan_out", "untruncated_normal", seed=1), 2.0 / 300),
        (tf.variance_scaling_initializer(1.0, "fan_avg", seed=1), 1.0 / 250),
        (tf.glorot_uniform_initializer(seed=1), 1.0 / 250),
        (tf.glorot_normal_initializer(seed=1), 1.0 / 250),
        (tf.initializers.he_normal(seed=1), 2.0 / 200),
        (tf.initializers.he_uniform(seed=1), 2.0 / 200),
        (tf.initializers.lecun_normal(seed=1), 1.0 / 200),
        (tf.initializers.lecun_uniform(seed=1), 1.0 / 200),
        (tf.contrib.layers.xavier_initializer(seed=1), 1.0 / 250),
        (tf.contrib.layers.xavier_initializer(uniform=False, seed=1), 1.3 * 0.7737 / 250),
    ],
)
def test_variances(initializer, variance):
    values = value_of(initializer([200, 300]))
    assert abs(values.mean()) < 5 * math.sqrt(variance / values.size)
    assert values.var() == pytest.approx(variance, rel=0.03)


@given(shape=st.lists(st.integers(1, 7), min_size=2, max_size=4))
def test_fans_count_the_receptive_field(shape):
    fan_in, fan_out = fans(shape)
    assert fan_in * shape[-1] == fan_out * shape[-2] == math.prod(shape)
