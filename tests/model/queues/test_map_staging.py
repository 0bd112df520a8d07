"""Staging areas: elements by key, and waiting for room."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import headwater as tf
from headwater.model.queues.staging import MapStagingArea, StagingArea


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def _background(run: Any) -> threading.Thread:
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    return thread


def test_components_come_and_go_by_themselves(session):
    area = MapStagingArea([tf.float32, tf.int32])
    key = tf.placeholder(tf.int64, [])
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    sizes = [area.size(), area.incomplete_size()]
    first, second = area.put(key, [x], [0]), area.put(key, [y], [1])
    session.run(first, {key: 7, x: 9.0})
    assert session.run(sizes) == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'0' for key '7' was already init"):
        session.run(first, {key: 7, x: 9.0})
    session.run(second, {key: 7, y: 4})
    assert session.run(sizes) == [1, 0]
    assert session.run(area.peek(key), {key: 7}) == [9.0, 4]
    assert session.run(area.get(key, [0]), {key: 7}) == (7, [9.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="'0' for key '7' has already been"):
        session.run(area.get(key), {key: 7})
    assert session.run(area.get(indices=[1])) == (7, [4])
    assert session.run(sizes) == [0, 0]


def test_names(session):
    area = MapStagingArea([tf.float32, tf.int32], [[], [2]], names=["a", "b"])
    key = tf.constant(3, tf.int64)
    put = area.put(key, {"a": tf.constant(1.0), "b": tf.constant([1, 2])})
    found_key, found = area.get()
    assert found["b"].shape.as_list() == [2]
    session.run(put)
    assert session.run([found_key, found["a"]]) == [3, 1.0]
    with pytest.raises(ValueError, match="'z' not in Staging Area names"):
        area.get(key, ["z"])
    with pytest.raises(ValueError, match="You must enqueue a dictionary"):
        area.put(key, [tf.constant(1.0)], [0])


def test_elements_in_the_order_of_keys(session):
    area = MapStagingArea([tf.float32], ordered=True)
    key, x = tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, [])
    put, get = area.put(key, [x], [0]), area.get()
    for number in (5, 2, 9, 1):
        session.run(put, {key: number, x: number})
    assert [int(session.run(get)[0]) for _ in range(4)] == [1, 2, 5, 9]
    session.run(put, {key: 1, x: 1.0})
    session.run(area.clear())
    assert session.run(area.size()) == 0


def test_put_waits_for_room(session):
    area = StagingArea([tf.float32], capacity=1)
    put, get = area.put([tf.constant(1.0)]), area.get()
    session.run(put)
    thread = _background(lambda: session.run(put))
    session.run(get)
    thread.join(10)
    assert session.run(area.size()) == 1
    small = MapStagingArea([tf.float32], memory_limit=4)
    key = tf.placeholder(tf.int64, [])
    put, get = small.put(key, [tf.constant(1.0)], [0]), small.get(key)
    session.run(put, {key: 1})
    thread = _background(lambda: session.run(put, {key: 2}))
    session.run(get, {key: 1})
    thread.join(10)
    assert session.run(small.size()) == 1


def test_get_waits_for_its_key(session):
    area = MapStagingArea([tf.float32])
    key = tf.placeholder(tf.int64, [])
    put, get = area.put(key, [tf.constant(2.0)], [0]), area.get(key)
    found: list[Any] = []
    thread = _background(lambda: found.append(session.run(get, {key: 4})))
    session.run(put, {key: 3})
    thread.join(0.1)
    assert thread.is_alive()
    session.run(put, {key: 4})
    thread.join(10)
    assert found == [(4, [2.0])]


def test_one_run_stages_the_next_and_takes_the_last(session):
    area = StagingArea([tf.float32], capacity=1)
    x = tf.placeholder(tf.float32, [])
    stage, (last,) = area.put([x * 2.0]), area.get()
    result = last + 1.0
    session.run(stage, {x: 0.0})
    for i in range(1, 6):
        assert session.run([stage, result], {x: i})[1] == 2.0 * (i - 1) + 1.0
