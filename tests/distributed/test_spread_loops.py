"""Loops whose bodies work on variables and queues of several tasks; values are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import headwater as tf
from headwater.distributed import peers


@pytest.fixture(scope="module")
def cluster() -> Any:
    return tf.test.create_local_cluster(num_workers=1, num_ps=2)


@pytest.fixture
def session(cluster: Any) -> Iterator[Any]:
    workers, _ = cluster
    with tf.Session(workers[0].target) as session:
        yield session
    tf.Session.reset(workers[0].target)


def two_variables(use_resource: bool = True) -> tuple[Any, Any]:
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=0.0, use_resource=use_resource)
    with tf.device("/job:ps/task:1"):
        w = tf.get_variable("w", initializer=10.0, use_resource=use_resource)
    return v, w


def loop(condition: Callable[..., Any], body: Callable[..., Any], *start: Any) -> Any:
    with tf.device("/job:worker/task:0"):
        return tf.while_loop(condition, body, list(start), parallel_iterations=1)


@pytest.mark.parametrize("use_resource", [False, True])
def test_updates_in_the_order_of_the_body(session: Any, use_resource: bool) -> None:
    v, w = two_variables(use_resource)

    def body(i: Any, total: Any) -> Any:
        added = tf.identity(tf.assign_add(v, total))
        with tf.control_dependencies([added]):
            taken = tf.identity(tf.assign_sub(w, 2.0))
        return i + 1, total + added + taken

    found = loop(lambda i, _: i < 4, body, 0, 1.0)
    session.run(tf.global_variables_initializer())
    wanted = [([4, 178.0], [107.0, 2.0]), ([4, 2257.0], [1402.0, -6.0])]
    for result, variables in wanted:
        assert list(session.run(found)) == result
        assert session.run([v, w]) == variables


def test_branches_in_the_body(session: Any) -> None:
    v, w = two_variables()

    def body(i: Any) -> Any:
        update = tf.cond(
            tf.equal(i % 2, 0),
            lambda: tf.identity(v.assign_add(1.0)),
            lambda: tf.identity(w.assign_add(tf.cast(i, tf.float32))),
        )
        with tf.control_dependencies([update]):
            return [i + 1]

    found = loop(lambda i: i < 5, body, 0)
    session.run(tf.global_variables_initializer())
    assert session.run([found])[0] == 5
    assert session.run([v, w]) == [3.0, 14.0]


def test_a_condition_that_reads_a_variable_of_another_task(session: Any) -> None:
    v, w = two_variables()

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(1.5), w.assign_sub(1.0)]):
            return [i + 1]

    found = loop(lambda i: v.read_value() < 5.0, body, 0)
    session.run(tf.global_variables_initializer())
    assert [session.run(found) for _ in range(2)] == [4, 0]
    assert session.run([v, w]) == [6.0, 6.0]


def test_loops_in_loops(session: Any) -> None:
    v, w = two_variables()

    def inner(j: Any, i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(tf.cast(j, tf.float32))]):
            return j + 1, i

    def body(i: Any) -> Any:
        j, _ = tf.while_loop(lambda j, i: j < i, inner, [0, i], parallel_iterations=1)
        with tf.control_dependencies([w.assign_sub(tf.cast(j, tf.float32))]):
            return [i + 1]

    found = loop(lambda i: i < 4, body, 0)
    session.run(tf.global_variables_initializer())
    assert session.run(found) == 4
    assert session.run([v, w]) == [4.0, 4.0]


def test_a_loop_that_may_not_run(session: Any) -> None:
    v, w = two_variables()
    runs = tf.placeholder(tf.bool, [])

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(1.5), w.assign_sub(1.0)]):
            return [i + 1]

    found = tf.cond(runs, lambda: loop(lambda i: i < 3, body, tf.constant(0)), lambda: 7)
    session.run(tf.global_variables_initializer())
    assert [session.run(found, {runs: value}) for value in (False, True, False)] == [7, 3, 7]
    assert session.run([v, w]) == [4.5, 7.0]


def test_rows_and_queues(session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        table = tf.Variable(tf.zeros([4]), name="table")
        numbers = tf.FIFOQueue(10, [tf.float32], [[]])
    with tf.device("/job:ps/task:1"):
        total = tf.Variable(0.0, name="total")

    def body(i: Any) -> Any:
        row = tf.scatter_add(table, [i % 4], [tf.cast(i, tf.float32)])
        with tf.control_dependencies([row]), tf.control_dependencies([numbers.enqueue(2.0)]):
            taken = numbers.dequeue()
        with tf.control_dependencies([tf.assign_add(total, taken)]):
            return [i + 1]

    found = loop(lambda i: i < 6, body, 0)
    session.run(tf.global_variables_initializer())
    assert session.run(found) == 6
    assert session.run(table).tolist() == [4.0, 6.0, 2.0, 3.0]
    assert session.run(total) == 12.0


def test_an_error_of_an_iteration_ends_the_run(session: Any) -> None:
    v, w = two_variables()

    def body(i: Any) -> Any:
        checked = tf.check_numerics(tf.log(3.0 - tf.cast(i, tf.float32)), "below zero")
        with tf.control_dependencies([v.assign_add(1.0), w.assign_add(checked)]):
            return [i + 1]

    found = loop(lambda i: i < 9, body, 0)
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="below zero"):
            session.run(found)


def test_a_loop_is_not_shared_with_a_task_of_tensorflow(
    cluster: Any, session: Any, monkeypatch: Any
) -> None:
    v, w = two_variables()

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(1.0), w.assign_add(1.0)]):
            return [i + 1]

    found = loop(lambda i: i < 3, body, 0)
    session.run(tf.global_variables_initializer())
    monkeypatch.setattr(peers.LocalPeer, "takes_pushes", False)
    workers, _ = cluster
    refused = pytest.raises(tf.errors.UnimplementedError, match="a task of TensorFlow")
    with tf.Session(workers[0].target) as other, refused:
        other.run(found)
