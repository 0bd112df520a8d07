"""Waiting for checkpoints."""

from __future__ import annotations

import headwater as tf


def test_checkpoints_are_yielded_as_they_appear(session, tmp_path):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    saver = tf.train.Saver()
    folder = str(tmp_path)
    wait = tf.contrib.training.wait_for_new_checkpoint
    assert wait(folder, seconds_to_sleep=0.01, timeout=0.02) is None
    assert list(tf.train.checkpoints_iterator(folder, timeout=0)) == []
    first = saver.save(session, str(tmp_path / "m"), global_step=0)
    found = []
    for path in tf.train.checkpoints_iterator(folder, timeout=0):
        found.append(path)
        if len(found) == 1:
            second = saver.save(session, str(tmp_path / "m"), global_step=1)
    assert found == [first, second]
    assert wait(folder, first) == second


def test_a_function_decides_whether_to_go_on(tmp_path):
    calls = []

    def done():
        calls.append(1)
        return len(calls) == 3

    assert list(tf.train.checkpoints_iterator(str(tmp_path), timeout=0, timeout_fn=done)) == []
    assert len(calls) == 3
