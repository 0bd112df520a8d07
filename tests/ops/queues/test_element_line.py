"""The order of elements in a queue, whether they come and go one by one or as rows."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.ops.queues.queue_resource import Queue

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["enqueue", "enqueue_many", "dequeue", "dequeue_many", "ahead", "withdraw"]
        ),
        st.integers(1, 7),
    ),
    max_size=40,
)


@given(STEPS, st.sampled_from([3, 8, -1]))
def test_rows_and_single_elements_keep_their_order(steps, capacity):
    types = [tf.int32, tf.string]
    queue = Queue(types, [(), ()], capacity)
    numbers = itertools.count()
    taken, waiting = [], []

    def element():
        number = next(numbers)
        return [np.array(number, np.int32), np.array(b"%d" % number, object)]

    for kind, count in steps:
        if kind == "enqueue":
            queue.enqueue(element())
        elif kind == "enqueue_many":
            rows = [element() for _ in range(count)]
            queue.enqueue_many(
                [np.array([row[i].item() for row in rows], rows[0][i].dtype) for i in range(2)]
            )
        elif kind == "dequeue":
            waiting.append(queue.dequeue())
        elif kind == "dequeue_many":
            waiting.append(queue.dequeue_many(count, "DequeueMany"))
        elif kind == "ahead":
            ahead = queue.look_ahead(count)
            taken += [ahead[: queue.dequeue_seen(ahead)]]
        elif pending := [attempt for attempt in waiting if not attempt.done]:
            pending[-1].withdraw()
            waiting.remove(pending[-1])
        while waiting and waiting[0].done:
            numbers_taken, texts = map(np.atleast_1d, waiting.pop(0).result())
            taken.append(list(zip(numbers_taken, texts)))
    flat = [
        (int(number), bytes(np.asarray(text).item())) for rows in taken for number, text in rows
    ]
    assert flat == [(i, b"%d" % i) for i in range(len(flat))]
