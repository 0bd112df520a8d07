"""Batch and Unbatch: runs of several threads in one batch."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build


def run_together(session, fetches, feeds):
    """Runs with each of the feeds, in as many threads, and returns the results in their order."""
    results = [None] * len(feeds)
    seen = []

    def run(i):
        try:
            results[i] = session.run(fetches, feeds[i])
        except tf.errors.OpError as error:
            seen.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not seen, seen
    return results


def batched(x, timeout=10_000_000, **kwargs):
    return build.Batch(
        [x],
        num_batch_threads=1,
        max_batch_size=4,
        batch_timeout_micros=timeout,
        grad_timeout_micros=0,
        **kwargs,
    )


def test_runs_share_a_batch_and_get_their_rows_back(session):
    x = tf.placeholder(tf.int32, [None])
    batch = batched(x)
    assert batch.batched_tensors[0].shape.as_list() == [None]
    assert batch.batch_index.shape.as_list() == [None, 3]
    tens = build.Unbatch(
        batch.batched_tensors[0] * 10, batch.batch_index, batch.id, timeout_micros=10_000_000
    )
    # The first batch is full with two runs of two rows.
    feeds = [{x: [1, 2]}, {x: [3, 4]}]
    found = run_together(session, [batch.batched_tensors[0], batch.batch_index, tens], feeds)
    assert [list(each[2]) for each in found] == [[10, 20], [30, 40]]
    sizes = sorted(len(each[0]) for each in found)
    assert sizes == [0, 4]
    whole = max(found, key=lambda each: len(each[0]))
    assert whole[1][:, 1:].tolist() == [[0, 2], [2, 4]]


def test_a_batch_ends_with_the_time_limit_and_is_padded(session):
    x = tf.placeholder(tf.int32, [None])
    batch = batched(x, timeout=1000, allowed_batch_sizes=[3, 4])
    rows, places, number = session.run(
        [batch.batched_tensors[0], batch.batch_index, batch.id], {x: [7, 8]}
    )
    assert rows.tolist() == [7, 8, 7]
    assert places.tolist() == [[number, 0, 2]]


@pytest.mark.parametrize(
    ("value", "kwargs", "text"),
    [
        ([1] * 5, {}, "Task size 5 is larger than maximum batch size 4"),
        (3, {}, "Batching input tensors must have at least one dimension"),
        ([1], {"allowed_batch_sizes": [4, 3]}, "must be monotonically increasing"),
    ],
)
def test_wrong_inputs(session, value, kwargs, text):
    x = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(batched(x, **kwargs), {x: value})


def test_unbatch_gives_up(session):
    rows = build.Unbatch(
        np.zeros((0,), np.float32), np.zeros((0, 3), np.int64), np.int64(3), timeout_micros=1000
    )
    with pytest.raises(tf.errors.DeadlineExceededError, match="not found"):
        session.run(rows)


def test_a_function_of_the_rows_of_several_runs(session):
    calls = []

    @tf.nondifferentiable_batch_function(1, 4, 10_000_000)
    def doubled(a):
        calls.append(a.shape.as_list())
        return [a * 2, tf.fill(tf.shape(a), tf.size(a))]

    x = tf.placeholder(tf.int32, [None])
    outputs = doubled(x)
    found = run_together(session, outputs, [{x: [1]}, {x: [2, 3, 4]}])
    assert [list(twice) for twice, _ in found] == [[2], [4, 6, 8]]
    # One of the runs has computed the rows of both.
    assert [list(count) for _, count in found] == [[4], [4, 4, 4]]
    assert calls == [[None]]


def test_gradients_go_back_to_the_run_of_each_row(session):
    x = tf.placeholder(tf.float32, [None])
    batch = build.Batch(
        [x],
        num_batch_threads=1,
        max_batch_size=3,
        batch_timeout_micros=10_000_000,
        grad_timeout_micros=10_000_000,
    )
    squares = build.Unbatch(
        tf.square(batch.batched_tensors[0]),
        batch.batch_index,
        batch.id,
        timeout_micros=10_000_000,
    )
    slope = tf.gradients(squares, x)[0]
    found = run_together(session, [squares, slope], [{x: [1.0]}, {x: [2.0, 3.0]}])
    assert [list(value) for value, _ in found] == [[1.0], [4.0, 9.0]]
    assert [list(grad) for _, grad in found] == [[2.0], [4.0, 6.0]]
