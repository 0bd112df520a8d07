"""Barriers: elements whose components come at different times."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import headwater as tf
from headwater.model.queues.barrier import Barrier

FIRST = -(2**63)


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


class Inserts:
    """Inserts of one barrier in a session."""

    def __init__(self, session: Any, barrier: Barrier) -> None:
        self._session = session
        self._keys = tf.placeholder(tf.string)
        self._values = tf.placeholder(tf.float32)
        self._ops = [barrier.insert_many(i, self._keys, self._values) for i in range(2)]

    def __call__(self, component: int, keys: list[str], values: list[float]) -> None:
        self._session.run(self._ops[component], {self._keys: keys, self._values: values})


def _barrier() -> Barrier:
    return Barrier((tf.float32, tf.float32), shapes=((), ()), shared_name="B")


def test_elements_become_ready_when_they_are_complete(session):
    barrier = _barrier()
    insert = Inserts(session, barrier)
    sizes = [barrier.ready_size(), barrier.incomplete_size()]
    insert(0, ["a", "b"], [1.0, 2.0])
    insert(1, ["c"], [30.0])
    assert session.run(sizes) == [0, 3]
    insert(1, ["b", "a"], [20.0, 10.0])
    insert(0, ["c"], [3.0])
    assert session.run(sizes) == [3, 0]
    taken = session.run(barrier.take_many(3))
    assert taken.indices.tolist() == [FIRST, FIRST, FIRST + 1]
    rows = dict(zip(taken.keys.tolist(), zip(*(v.tolist() for v in taken.values))))
    assert rows == {b"a": (1.0, 10.0), b"b": (2.0, 20.0), b"c": (3.0, 30.0)}


def test_take_waits(session):
    barrier = _barrier()
    insert = Inserts(session, barrier)
    take = barrier.take_many(2)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(session.run(take)))
    thread.start()
    insert(0, ["a", "b"], [1.0, 2.0])
    insert(1, ["a"], [10.0])
    thread.join(0.1)
    assert thread.is_alive()
    insert(1, ["b"], [20.0])
    thread.join(10)
    assert sorted(found[0].keys.tolist()) == [b"a", b"b"]


def test_refusals(session):
    barrier = _barrier()
    insert = Inserts(session, barrier)
    insert(0, ["a"], [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Key a already has a value for compo"):
        insert(0, ["a"], [1.0])
    insert(0, ["b"], [[1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected \[\], got \[1\]"):
        insert(1, ["b"], [1.0])
    with pytest.raises(ValueError, match=r"Empty tensors .* shape '\(0,\)' at index 1"):
        Barrier((tf.float32, tf.float32), shapes=((1,), (0,)))
    other = Barrier((tf.int32, tf.float32), shapes=((), ()), shared_name="B")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shared barrier 'B' has component ty"):
        session.run(other.ready_size())


def test_a_closed_barrier_completes_what_has_begun(session):
    barrier = _barrier()
    insert = Inserts(session, barrier)
    insert(0, ["a", "b", "c"], [1.0, 2.0, 3.0])
    insert(1, ["a"], [10.0])
    session.run(barrier.close())
    with pytest.raises(tf.errors.CancelledError, match="'B' is already closed"):
        session.run(barrier.close())
    with pytest.raises(tf.errors.CancelledError, match="a brand new key: new"):
        insert(0, ["new"], [1.0])
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 4, total size 3"):
        session.run(barrier.take_many(4))
    small = barrier.take_many(4, allow_small_batch=True)
    assert session.run(small).keys.tolist() == [b"a"]
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 0, total size 0"):
        session.run(small)
    insert(1, ["b"], [20.0])
    assert session.run(barrier.take_many(1)).keys.tolist() == [b"b"]
    session.run(barrier.close(cancel_pending_enqueues=True))
    with pytest.raises(tf.errors.CancelledError, match="Pending enqueues cancelled: 1"):
        insert(1, ["c"], [30.0])
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 1, total size 0"):
        session.run(barrier.take_many(1))


def test_shapes_are_checked_when_an_element_is_complete(session):
    barrier = Barrier((tf.float32, tf.float32), shapes=((), ()))
    sizes = barrier.ready_size(), barrier.incomplete_size()
    session.run(barrier.insert_many(0, ["x", "y"], [[1.0], [2.0]]))
    session.run(barrier.insert_many(0, ["z"], [1.0]))
    assert session.run(sizes) == (0, 3)
    text = r"^Shape mismatch in tuple component 2\. Expected \[\], got \[1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(barrier.insert_many(1, ["z", "x"], [2.0, 3.0]))
    assert session.run(sizes) == (0, 1)


def test_new_keys_of_a_closed_barrier(session):
    barrier = Barrier((tf.float32, tf.float32), shapes=((), ()))
    session.run(barrier.insert_many(0, ["x"], [1.0]))
    session.run(barrier.close())
    text = r"brand new key: b\.  Pending enqueues cancelled: 0\.  Insertion index: 1\.  Number of"
    with pytest.raises(tf.errors.CancelledError, match=text):
        session.run(barrier.insert_many(1, ["x", "b"], [1.0, 2.0]))
    session.run(barrier.insert_many(0, [], []))
    text = r"is closed\.  Pending enqueues cancelled: 0\.  Number of new insertions: 2\."
    with pytest.raises(tf.errors.CancelledError, match=text):
        session.run(barrier.insert_many(0, ["x", "y"], [1.0, 2.0]))
