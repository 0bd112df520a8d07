"""Iterators whose session is closed while they work: no hang, and no thread that stays."""

import gc
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

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
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    time.sleep(0.05)
    session.close()
    thread.join(30)
    assert not thread.is_alive()
    (error,) = raised
    # The second is that of a run that began after the session was closed.
    assert isinstance(error, errors.CancelledError) or (
        isinstance(error, RuntimeError) and str(error) == "Attempted to use a closed Session."
    )
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


INTERRUPTED = """
import headwater as tf
element = tf.data.make_one_shot_iterator({dataset}).get_next()
session = tf.Session()
print("begun", flush=True)
try:
    while True:
        session.run(element)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def generated(events):
    def numbers_until_closed():
        try:
            yield from range(MANY)
        finally:
            events.append("closed")

    return tf.data.Dataset.from_generator(numbers_until_closed, tf.int64)


ENDED_EARLY = {
    "take": lambda source: source.take(3),
    "zip": lambda source: tf.data.Dataset.zip((numbers(3), source)).map(lambda x, y: y),
    "take_while": lambda source: source.apply(tf.data.experimental.take_while(lambda x: x < 3)),
}


@pytest.mark.parametrize("name", ENDED_EARLY)
def test_an_input_is_closed_when_no_more_of_it_is_needed(session, name):
    events = []
    dataset = ENDED_EARLY[name](generated(events)).concatenate(numbers(3))
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    assert not events
    assert session.run(element) == 0
    assert events == ["closed"]


@pytest.mark.parametrize("name", ENDED_EARLY)
def test_an_iterator_goes_on_from_a_state_saved_after_the_end_of_an_input(tmp_path, name):
    dataset = ENDED_EARLY[name](numbers(MANY).map(lambda x: x, 2).prefetch(2)).concatenate(
        numbers(10, 13)
    )
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert [session.run(element) for _ in range(4)] == [0, 1, 2, 10]
        path = saver.save(session, str(tmp_path / "state"))
    with tf.Session() as session:
        session.run(iterator.initializer)
        saver.restore(session, path)
        assert [session.run(element) for _ in range(2)] == [11, 12]
        with pytest.raises(errors.OutOfRangeError):
            session.run(element)


# Starts a process and waits for it; the kernels that check are those of the tests above.
@pytest.mark.slow
@pytest.mark.parametrize(
    "dataset",
    [
        "tf.data.Dataset.range(10**15).filter(lambda x: x < 0)",
        "tf.data.Dataset.range(10**15).map(lambda x: x + 1, 2).filter(lambda x: x < 0).prefetch(1)",
        "tf.data.Dataset.range(10**15).flat_map(lambda x: tf.data.Dataset.range(0))",
        "tf.data.Dataset.range(10**15).batch(10**12)",
    ],
)
def test_control_c_ends_a_run_that_waits_for_an_element(dataset):
    program = INTERRUPTED.format(dataset=dataset)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0] == "interrupted\n"
    assert process.returncode == 0


def test_memory_does_not_grow_with_the_number_of_elements(session):
    dataset = numbers(10**6).map(lambda x: (x * 2, tf.as_string(x))).filter(lambda x, y: x >= 0)
    dataset = dataset.shuffle(100).batch(100).prefetch(2)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    for _ in range(300):
        session.run(element)
    tracemalloc.start()
    try:
        for _ in range(100):
            session.run(element)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(900):
            session.run(element)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 90,000 elements, of which 100 are in the buffer.
    assert after - before < 200_000
