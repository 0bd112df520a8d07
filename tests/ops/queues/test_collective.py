"""Collective ops: the values, shapes and errors of TensorFlow 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.compat.mirrors.ops import collective_ops

TWO = tf.ConfigProto(device_count={"CPU": 2})


def on_each(make: Any, count: int = 2) -> list[tf.Tensor]:
    made = []
    for i in range(count):
        with tf.device(f"/CPU:{i}"):
            made.append(make(i))
    return made


@pytest.mark.parametrize(
    ("merge", "final", "wanted"),
    [("Add", "Div", [2, 4]), ("Add", "Id", [5, 9]), ("Mul", "Id", [6, 20]), ("Max", "Id", [3, 5])],
)
@pytest.mark.parametrize("dtype", [tf.int32, tf.float32])
def test_reduce(merge: str, final: str, wanted: list[int], dtype: tf.DType) -> None:
    values = [[2, 4], [3, 5]]
    results = on_each(
        lambda i: collective_ops.all_reduce(tf.constant(values[i], dtype), 2, 1, 1, merge, final)
    )
    if final == "Div" and dtype is tf.float32:
        wanted = [2.5, 4.5]
    with tf.Session(config=TWO) as session:
        for _ in range(3):
            assert [r.tolist() for r in session.run(results)] == [wanted, wanted]


def test_gather_joins_in_the_order_of_the_devices() -> None:
    results = on_each(
        lambda i: collective_ops.all_gather(tf.constant([[i, i]]), 12, 1, 1), count=12
    )
    assert results[0].shape.as_list() == [12, 2]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 12})) as session:
        for result in session.run(results[::-1]):
            assert result[:, 0].tolist() == list(range(12))


def test_members_of_another_size_of_group_or_type_fail() -> None:
    sizes = on_each(
        lambda i: collective_ops.all_reduce(tf.constant([1.0]), 2 + i, 1, 1, "Add", "Id")
    )
    types = on_each(lambda i: collective_ops.all_gather(tf.constant([(1, 2.0)[i]]), 2, 1, 2))
    with tf.Session(config=TWO) as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InternalError, match="but that group has size"):
                session.run(sizes)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
            session.run(types)


def test_members_that_do_not_fit_all_fail() -> None:
    values = [tf.placeholder(tf.float32, [None]) for _ in range(2)]
    results = on_each(lambda i: collective_ops.all_gather(tf.identity(values[i]), 2, 1, 1))
    with tf.Session(config=TWO) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
            session.run(results, {values[0]: [1.0], values[1]: [1.0, 2.0]})
        found = session.run(results, {values[0]: [1.0], values[1]: [2.0]})
        assert [r.tolist() for r in found] == [[1.0, 2.0]] * 2


def test_broadcast() -> None:
    with tf.device("/CPU:0"):
        x = tf.constant([0.1, 1.1])
        sent = collective_ops.broadcast_send(x, x.shape, x.dtype, 2, 1, 1)
    with tf.device("/CPU:1"):
        received = collective_ops.broadcast_recv(x.shape, x.dtype, 2, 1, 1)
    assert received.shape.as_list() == [2]
    with tf.Session(config=TWO) as session:
        for value in session.run([received, sent]):
            np.testing.assert_array_equal(value, np.float32([0.1, 1.1]))


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="Device assignment required for collective ops"):
        collective_ops.all_reduce(tf.constant([1.0]), 2, 1, 1, "Add", "Id")
    with tf.device("/CPU:0"):
        x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="group_size to all_gather must be at least 2"):
        collective_ops.all_gather(x, 1, 1, 1)
    with pytest.raises(ValueError, match="Shape of broadcast_send tensor not equal"):
        collective_ops.broadcast_send(x, [3], tf.float32, 2, 1, 1)
    with pytest.raises(ValueError, match="Type of broadcast_send tensor not equal"):
        collective_ops.broadcast_send(x, [2], tf.int32, 2, 1, 1)
    with pytest.raises(ValueError, match="passed string 'Foo' not in"):
        collective_ops.all_reduce(x, 2, 1, 1, "Foo", "Id")
