"""Printing of values of all kinds."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def test_what_is_printed_passes_through(session, capfd):
    print_op = tf.contrib.framework.print_op
    x = tf.placeholder(tf.float32, name="x")
    a = print_op(x, message="here: ")
    np.testing.assert_array_equal(session.run(a, {x: [1.0, 2.0]}), [1, 2])
    assert "here: [Name: x:0][Type: Tensor (float32)][Shape:][2][Value:][1 2]" in (
        capfd.readouterr().err
    )
    sparse = print_op(tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4]))
    assert session.run(sparse).values.tolist() == [1, 2]
    assert "[Type: SparseTensor (int32)][Shape:][3 4]" in capfd.readouterr().err
    array = tf.TensorArray(tf.int32, 2, clear_after_read=False).write(1, 1).write(0, 0)
    assert session.run(print_op(array).stack()).tolist() == [0, 1]
    assert "[Size:][2][Value:][0 1]" in capfd.readouterr().err
    v = tf.Variable(1.0)
    session.run(v.initializer)
    assert session.run(print_op(v, [v, tf.constant([True, False])])) == 1.0
    assert "[Number of true elements:][1]" in capfd.readouterr().err
    with pytest.raises(ValueError, match="t must be a Tensor"):
        print_op(3)
