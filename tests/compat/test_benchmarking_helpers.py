"""The helpers of TensorFlow's benchmarks of recurrent networks."""

from __future__ import annotations

import headwater as tf
from headwater.compat.mirrors.contrib.rnn.python.kernel_tests import benchmarking


def test_dict_product_changes_the_last_key_first() -> None:
    found = list(benchmarking.dict_product({"a": [1, 2], "b": [3, 4]}))
    assert found == [{"a": a, "b": b} for a in (1, 2) for b in (3, 4)]


def test_ops_are_placed_on_a_kind_of_device() -> None:
    with tf.Graph().as_default():
        with benchmarking.device(use_gpu=True):
            on_gpu = tf.constant(1)
        with benchmarking.device():
            on_cpu = tf.constant(2)
    assert [x.device for x in (on_gpu, on_cpu)] == ["/device:GPU:0", "/device:CPU:0"]


def test_two_runs_do_not_count() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.Variable(0)
        session.run(count.initializer)
        benchmarking.seconds_per_run(count.assign_add(1), session, num_runs=3)
        assert session.run(count) == 5
