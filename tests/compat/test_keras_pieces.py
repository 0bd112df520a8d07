"""The pieces of tf.keras that other libraries stand on; values of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.compat.mirrors.keras.utils import conv_utils


def test_regularizers(session):
    x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
    r = tf.keras.regularizers
    losses = [r.l1()(x), r.l2(0.1)(x), r.l1_l2(0.1, 0.2)(x), r.l2(0.0)(x)]
    assert session.run(losses) == pytest.approx([0.1, 3.0, 7.0, 0.0])
    assert r.L1L2.from_config(r.l1_l2(0.5, 0.25).get_config()).l2 == 0.25
    assert isinstance(r.l2(), r.Regularizer) and r.Regularizer()(x) == 0.0


def test_initializers_are_those_of_the_core():
    k = tf.keras.initializers
    assert k.Zeros is k.zeros is tf.zeros_initializer and k.Constant is tf.constant_initializer
    assert k.VarianceScaling is tf.variance_scaling_initializer
    assert k.he_normal is tf.initializers.he_normal and k.Orthogonal is tf.orthogonal_initializer


@pytest.mark.parametrize(
    ("padding", "lengths"),
    [
        ("same", [7, 7, 4, 4, 8, 8, 4, 4]),
        ("valid", [5, 3, 3, 2, 6, 4, 3, 2]),
        ("full", [9, 11, 5, 6, 10, 12, 5, 6]),
        ("causal", [7, 7, 4, 4, 8, 8, 4, 4]),
    ],
)
def test_lengths_of_convolutions(padding, lengths):
    found = [
        conv_utils.conv_output_length(length, 3, padding, stride, dilation)
        for length in (7, 8)
        for stride in (1, 2)
        for dilation in (1, 2)
    ]
    assert found == lengths
    assert conv_utils.conv_output_length(None, 3, padding, 1) is None


@pytest.mark.parametrize(
    ("padding", "lengths"),
    [
        ("same", [4, 4, 5, 4, 4, 5, 8, 7, 8, 8, 7, 8]),
        ("valid", [6, 6, 7, 8, 8, 9, 9, 9, 10, 11, 11, 12]),
        ("full", [2, 2, 3, 0, 0, 1, 5, 5, 6, 3, 3, 4]),
    ],
)
def test_lengths_of_transposed_convolutions(padding, lengths):
    found = [
        conv_utils.deconv_output_length(4, 3, padding, more, stride, dilation)
        for stride in (1, 2)
        for dilation in (1, 2)
        for more in (None, 0, 1)
    ]
    assert found == lengths
    assert conv_utils.deconv_output_length(None, 3, padding) is None
    with pytest.raises(AssertionError):
        conv_utils.deconv_output_length(4, 3, "causal")
