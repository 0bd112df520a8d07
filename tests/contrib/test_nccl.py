"""tf.contrib.nccl: nodes, devices and errors are those of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.compat.mirrors.ops import nccl_ops

TWO = tf.ConfigProto(device_count={"CPU": 2})


def on_each(make: Any) -> list[Any]:
    made = []
    for i in range(2):
        with tf.device(f"/cpu:{i}"):
            made.append(make(i))
    return made


@pytest.mark.parametrize(
    ("function", "wanted"),
    [("all_sum", [4, 6]), ("all_prod", [3, 8]), ("all_min", [1, 2]), ("all_max", [3, 4])],
)
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64])
def test_all_devices_get_the_result(function: str, wanted: list[int], dtype: tf.DType) -> None:
    values = on_each(lambda i: tf.constant([1 + 2 * i, 2 + 2 * i], dtype))
    results = getattr(tf.contrib.nccl, function)(values)
    assert [r.device for r in results] == ["/device:CPU:0", "/device:CPU:1"]
    assert results[0].op.type == "NcclAllReduce"
    with tf.Session(config=TWO) as session:
        for _ in range(2):
            assert [r.tolist() for r in session.run(results)] == [wanted, wanted]


def test_gradients() -> None:
    values = on_each(lambda i: tf.constant([1.0 + i, 2.0]))
    sums = nccl_ops.all_sum(values)
    scaled = on_each(lambda i: sums[i] * (2.0 + i))
    upstream = on_each(lambda i: tf.constant([1.0, 10.0]))
    gradients = tf.gradients(scaled, values, upstream, colocate_gradients_with_ops=True)
    name = gradients[0].op.get_attr("shared_name")
    assert name == sums[0].op.get_attr("shared_name") + b"_grad"
    with tf.device("/cpu:1"):
        total = nccl_ops.reduce_sum(values)
    more = tf.gradients(total * 3.0, values)
    sent = nccl_ops.broadcast(values[0])
    used = on_each(lambda i: sent * (1.0 + i))
    more += tf.gradients(used, values[0])
    with tf.Session(config=TWO) as session:
        for gradient in session.run(gradients):
            np.testing.assert_array_equal(gradient, [5.0, 50.0])
        found = session.run([total, *more])
    assert [f.tolist() for f in found] == [[3.0, 4.0]] + [[3.0, 3.0]] * 3
    with pytest.raises(LookupError, match="No gradient defined for NcclAllReduce except sum"):
        tf.gradients(nccl_ops.all_max(values)[0], values)


def test_calls_of_the_first_releases() -> None:
    with tf.device("/cpu:0"):
        value = tf.constant([1.0, 2.0])
    sent, received = tf.contrib.nccl.broadcast(value, ["/cpu:0", "/cpu:1"])
    assert [r.device for r in received] == ["/device:CPU:0", "/device:CPU:1"]
    with tf.Session(config=TWO) as session:
        found = session.run([received, sent])[0]
    assert [f.tolist() for f in found] == [[1.0, 2.0]] * 2


def test_arguments_are_checked() -> None:
    (x, _) = on_each(lambda i: tf.constant([1.0]))
    with pytest.raises(ValueError, match="Must pass >0 tensors to all reduce operations"):
        nccl_ops.all_sum([])
    with pytest.raises(ValueError, match="Must pass >0 tensors to reduce operations"):
        nccl_ops.reduce_sum([])
    with pytest.raises(ValueError, match="Device assignment required for nccl collective ops"):
        nccl_ops.all_sum([tf.constant([1.0])])
    with pytest.raises(ValueError, match="One input tensor must be assigned to current device"):
        nccl_ops.reduce_sum([x])
