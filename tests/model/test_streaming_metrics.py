"""Streaming metrics over several batches."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose


def test_streaming_metrics():
    x_1, x_2 = np.array([1, 2, 3, 4, 5, 6, 8, 8, 9, 10]) / 10, np.arange(10, 0, -1) / 10
    y = [True] * 5 + [False] * 5
    predictions, labels = tf.placeholder(tf.float64, [10]), tf.placeholder(tf.bool, [10])
    auc = tf.metrics.auc(labels=labels, predictions=predictions)
    assert isinstance(auc, tuple) and len(auc) == 2
    assert tf.local_variables() and not tf.global_variables()
    initializer = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    wanted = [0.0, 1.999999e-07, 0.48999995, 0.32444444, 0.48999995, 0.3904, 0.48999998]
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Attempting to use uninitialized value auc/true_positives",
        ):
            session.run(auc, {predictions: x_1, labels: y})
        for _ in range(2):
            session.run(initializer)
            for step in range(6):
                fed = {predictions: (x_1, x_2)[step % 2], labels: y}
                found = session.run(auc, fed)
                close(found, wanted[step : step + 2], 1e-5, 1e-12)
        late = tf.metrics.accuracy(labels, predictions > 0.5)
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Attempting to use uninitialized value accuracy/count",
        ):
            session.run(late, {predictions: x_1, labels: y})
        for metric in (tf.metrics.recall, tf.metrics.precision, tf.metrics.accuracy):
            made = metric(labels=labels, predictions=predictions > 0.55)
            session.run(tf.local_variables_initializer())
            session.run(made, {predictions: x_2, labels: y})
            assert session.run(made[0]) == 1.0
