"""SyncReplicasOptimizer with several workers as threads of one process."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf


def _train(workers: int, steps: int, jobs: list[np.ndarray]) -> list[np.ndarray]:
    """The variable after each step; worker i has the gradient `2 * (w - jobs[i])`."""
    gs = tf.train.get_or_create_global_step()
    w = tf.Variable([0.0, 0.0])
    target = tf.placeholder(tf.float32, [2])
    loss = tf.reduce_sum(tf.square(w - target))
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), workers)
    # Workers of other processes have graphs of their own; here they share the local step, which
    # is right because all of them wait for the same tokens.
    train = opt.minimize(loss, global_step=gs)
    hook = opt.make_session_run_hook(is_chief=True, num_tokens=0)
    hook.begin()
    values: list[np.ndarray] = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        hook.after_create_session(session, coord)

        def work(goal: np.ndarray) -> None:
            with coord.stop_on_exception():
                session.run(train, {target: goal})

        for _ in range(steps):
            threads = [threading.Thread(target=work, args=(goal,)) for goal in jobs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
                assert not thread.is_alive()
            values.append(session.run(w))
        coord.request_stop()
        assert session.run(gs) == steps
        session.close()
        coord.join(stop_grace_period_secs=10)
    return values


@pytest.mark.parametrize("workers", [1, 3])
def test_a_step_applies_the_mean_of_all_workers(workers):
    jobs = [np.array([i + 1.0, -2.0 * i], np.float32) for i in range(workers)]
    with tf.Graph().as_default():
        found = _train(workers, 8, jobs)
    w, mean = np.zeros(2), np.mean(jobs, axis=0)
    for value in found:
        w = w - 0.1 * 2 * (w - mean)
        np.testing.assert_allclose(value, w, rtol=1e-5)


def test_arguments_of_old_releases():
    with tf.Graph().as_default():
        averages = tf.train.ExponentialMovingAverage(0.9)
        w = tf.Variable(1.0)
        opt = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 2, averages, [w], 0, 3
        )
        opt.minimize(w * 2.0, global_step=tf.train.get_or_create_global_step())
        assert averages.average(w) is not None
        fill = opt.get_chief_queue_runner().enqueue_ops[0]
        assert fill.type == "NoOp"
        assert opt._tokens_per_step == 3
        assert opt.get_clean_up_op().type == "QueueCloseV2"
        again = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 2, replica_id=0, total_num_replicas=0
        )
        assert again._tokens_per_step == 2
