"""Iterators whose session is closed while they work: no hang, and no thread that stays."""

import gc
import threading
import time

import pytest

import headwater as tf
from headwater.base import errors, workers

numbers = tf.data.Dataset.range
MANY = 10**15


def slow(x):
    return tf.py_func(lambda v: (time.sleep(0.2), v)[1], [x], tf.int64)


def empty(x):
    return numbers(10).filter(lambda y: y < 0)


# Datasets without an element, or with few, that take for ever to find that out.
ENDLESS = {
    "filter": lambda: numbers(MANY).filter(lambda x: x < 0),
    "map": lambda: numbers(MANY).map(lambda x: x + 1),
    "parallel map": lambda: numbers(MANY).map(lambda x: x + 1, 2).filter(lambda x: x < 0),
    "prefetch": lambda: numbers(MANY).filter(lambda x: x < 0).prefetch(2),
    "shuffle": lambda: numbers(MANY).repeat().shuffle(10**12),
    "batch": lambda: numbers(MANY).batch(10**12),
    "batch of random numbers": lambda: tf.data.experimental.RandomDataset(1).batch(10**12),
    "skip": lambda: numbers(MANY).map(lambda x: x).skip(10**14),
    "skip repeated": lambda: numbers(3).repeat().skip(10**14),
    "flat_map": lambda: numbers(MANY).flat_map(lambda x: numbers(0)),
    "interleave": lambda: numbers(MANY).interleave(lambda x: numbers(0), cycle_length=2),
    "parallel interleave": lambda: numbers(MANY).interleave(empty, 2, 1, 2),
    "py_func": lambda: numbers(10).map(slow).batch(10**9),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_session_that_is_closed_ends_get_next(name):
    with tf.Graph().as_default() as graph:
        iterator = tf.data.make_initializable_iterator(ENDLESS[name]())
        element = iterator.get_next()
    session = tf.Session(graph=graph)
    session.run(iterator.initializer)
    raised = []
    begun = threading.Event()

    def work():
        try:
            while True:
                begun.set()
                session.run(element)
        except errors.OpError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    time.sleep(0.05)
    session.close()
    thread.join(30)
    assert not thread.is_alive()
    assert [type(error) for error in raised] == [errors.CancelledError]
    assert settle() == 0


def settle():
    """The number of busy threads, when those that end have ended."""
    gc.collect()
    for _ in range(500):
        alive = [t for t in threading.enumerate() if t.name == "headwater worker"]
        busy = sum(thread not in workers._idle for thread in alive)
        if not busy:
            break
        time.sleep(0.01)
    return busy
