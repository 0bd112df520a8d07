"""Devices of ops, DeviceSpecs and colocation."""

from __future__ import annotations

import pytest

import headwater as tf


def test_devices():
    def by_type(op):
        return "/gpu:0" if op.type == "MatMul" else "/cpu:0"

    with tf.device("/gpu:0"):
        outer = tf.constant([[1.0]])
        with tf.device("/cpu:0"):
            inner = tf.constant([[1.0]])
        with tf.device(None):
            free = tf.constant([[1.0]])
    with tf.device(by_type):
        product, other = tf.matmul(outer, inner), tf.constant(1.0)
    devices = [t.device for t in (outer, inner, free, product, other)]
    gpu, cpu = "/device:GPU:0", "/device:CPU:0"
    assert devices == [gpu, cpu, "", "/gpu:0", "/cpu:0"]


def test_the_text_of_a_device_function_stays_as_it_is():
    with tf.device(lambda op: "cpu:1"):
        x, v = tf.constant(1.0), tf.Variable(1.0)
    assert x.device == v.device == x.op.node_def.device == "cpu:1"
    with tf.device("/job:b"), tf.device(lambda op: "cpu:1"):
        assert tf.constant(1.0).device == "/job:b/device:CPU:1"
    with tf.device(lambda op: tf.DeviceSpec(job="a", device_type="GPU")):
        assert tf.constant(1.0).device == "/job:a/device:GPU:*"


@pytest.mark.parametrize("soft", [False, True])
def test_the_text_of_a_device_function_that_is_no_device(soft):
    with tf.device(lambda op: "first"):
        x = tf.constant(1.0)
    with (
        tf.Session(config=tf.ConfigProto(allow_soft_placement=soft)) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"Malformed device spec.* 'first' in"),
    ):
        session.run(x)


def test_colocation():
    graph = tf.get_default_graph()
    a = tf.constant(1.0, name="a")
    with graph.colocate_with(a):
        b = tf.constant(1.0)
        with graph.colocate_with(b, ignore_existing=True):
            c = tf.constant(2.0)
    assert b.op.colocation_groups() == [b"loc:@a"]
    assert c.op.colocation_groups() == [b"loc:@a"]
    with (
        pytest.raises(
            ValueError, match=r"Trying to reset colocation \(op is None\) but ignore_existing is"
        ),
        graph.colocate_with(None),
    ):
        pass
    # As in the documentation, where `g` is a graph of an earlier block.
    with tf.Graph().colocate_with(tf.Variable([1.0], name="other")):
        d = tf.constant(1.0)
    assert d.op.colocation_groups() == [b"loc:@" + d.op.name.encode()]


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0", "/job:ps/task:7"])
def test_updates_stand_beside_their_variable(device):
    with tf.device(device):
        v = tf.Variable([1.0])
    with tf.device("/cpu:1"):
        assign = v.assign([2.0])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(v)
    assert v.device == tf.DeviceSpec.from_string(device).to_string() == assign.device
    update = (
        next(op for op in train.control_inputs if op.type != "NoOp")
        if (train.control_inputs)
        else train
    )
    assert update.device == v.device


def test_devices_of_ops_and_tensors():
    free = tf.constant(1.0)
    with tf.device("/cpu:0"):
        placed = tf.constant(1.0)
    assert free.op.device == "" and not free.device
    assert placed.op.device == "/device:CPU:0" == placed.device


def test_device_specs():
    with tf.device(tf.DeviceSpec(job="ps", device_type="GPU", device_index=0)):
        assert tf.constant(1.0).op.device == "/job:ps/device:GPU:0"
    with tf.device(tf.DeviceSpec(job="train")):
        with tf.device(tf.DeviceSpec(job="ps", device_type="GPU", device_index=0)):
            assert tf.constant(1.0).op.device == "/job:ps/device:GPU:0"
        with tf.device(tf.DeviceSpec(device_type="GPU", device_index=1)):
            assert tf.constant(1.0).op.device == "/job:train/device:GPU:1"
    assert tf.DeviceSpec(device_type="CPU").to_string() == "/device:CPU:*"
    spec = tf.DeviceSpec.from_string("/job:a/replica:1/task:2/cpu:3")
    assert (spec.job, spec.replica, spec.task) == ("a", 1, 2)
    assert (spec.device_type, spec.device_index) == ("CPU", 3)
    assert spec.to_string() == "/job:a/replica:1/task:2/device:CPU:3"
    empty = tf.DeviceSpec()
    assert empty.parse_from_string("/job:b") is empty and empty.job == "b"
    with pytest.raises(ValueError, match="Unknown attribute: 'nonsense' in '/job:b/nonsense'"):
        empty.parse_from_string("/job:b/nonsense")
    empty.merge_from(tf.DeviceSpec(task=4, job="c"))
    assert empty.to_string() == "/job:c/task:4"


def test_libraries_place_ops_by_the_blocks_around_them():
    graph = tf.get_default_graph()
    op = tf.constant(1.0).op
    graph._apply_device_functions(op)
    assert op.device == ""
    with tf.device("/job:ps"), tf.device("/device:CPU:1"):
        graph._apply_device_functions(op)
    assert op.device == "/job:ps/device:CPU:1"


def test_classes_of_variables_read_variable_defs():
    for resource in (False, True):
        variable = tf.get_variable(f"v{resource}", [2], use_resource=resource)
        again = type(variable).from_proto(variable.to_proto())
        assert type(again) is type(variable)
        assert again.name == variable.name
