from __future__ import annotations

import json

import numpy as np
import pytest

import headwater as tf
from headwater.session.timeline import Timeline

FULL = tf.RunOptions.FULL_TRACE
HARDWARE = tf.RunOptions.HARDWARE_TRACE


def small_net():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable(tf.ones([2, 3]), name="w")
    y = tf.matmul(x, w, name="y")
    return x, w, tf.reduce_sum(tf.nn.relu(y), name="z")


def traced(session, fetch, feeds=None, **options):
    metadata = tf.RunMetadata()
    session.run(fetch, feeds, options=tf.RunOptions(**options), run_metadata=metadata)
    return metadata


def node_stats(metadata):
    return {n.node_name: n for d in metadata.step_stats.dev_stats for n in d.node_stats}


def test_step_stats_name_every_op_with_its_output(session):
    x, w, z = small_net()
    session.run(w.initializer)
    for _ in range(3):
        metadata = traced(session, z, {x: np.ones([4, 2])}, trace_level=FULL)
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    stats = node_stats(metadata)
    assert stats["y"].timeline_label == "y = MatMul(_arg_x_0_0, w/read)"
    (output,) = stats["y"].output
    assert [d.size for d in output.tensor_description.shape.dim] == [4, 3]
    assert output.tensor_description.allocation_description.allocated_bytes == 48
    assert {"_arg_x_0_0", "w", "w/read", "Relu", "z", "_retval_z_0_0"} <= set(stats)
    assert stats["y"].all_start_micros > 1.5e15
    assert stats["Relu"].all_start_nanos >= stats["y"].all_start_nanos


def test_a_hardware_trace_has_one_entry_per_program():
    x, w, z = small_net()
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
    with tf.Session(config=config) as session:
        session.run(w.initializer)
        metadata = traced(session, z, {x: np.ones([4, 2])}, trace_level=HARDWARE)
    labels = [n.timeline_label for n in node_stats(metadata).values()]
    assert sum(label.endswith("= XlaProgram()") for label in labels) == 1


def test_a_loop_has_an_entry(session):
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * 2.0), [0, x])
    for _ in range(3):
        metadata = traced(session, y, {x: 1.0}, trace_level=FULL)
    assert node_stats(metadata)["while/while_context"].timeline_label.endswith("= Loop()")


def test_only_what_is_asked_for_is_filled_in(session):
    a = tf.constant(1.0)
    metadata = traced(session, a, output_partition_graphs=True)
    assert not metadata.HasField("step_stats")
    (graph,) = metadata.partition_graphs
    assert [n.name for n in graph.node] == ["Const", "_retval_Const_0_0"]
    session.run(a, run_metadata=metadata)
    assert metadata == tf.RunMetadata()


def test_partitions_are_joined_by_transfers():
    with tf.device("/cpu:0"):
        a = tf.constant(1.0, name="a")
    with tf.device("/cpu:1"):
        b = tf.add(a, a, name="b")
    with tf.device("/cpu:0"):
        c = tf.add(a, b, name="c")
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        metadata = traced(session, c, output_partition_graphs=True, trace_level=FULL)
    graphs = {g.node[0].device[-5:]: g for g in metadata.partition_graphs}
    ops = {device: [(n.name, n.op) for n in g.node] for device, g in graphs.items()}
    assert ops["CPU:1"] == [("a/_1", "_Recv"), ("b", "Add"), ("b/_2", "_Send")]
    assert [d.device[-5:] for d in metadata.step_stats.dev_stats] == ["CPU:0", "CPU:1"]
    events = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format())
    arrows = [e for e in events["traceEvents"] if e["ph"] == "s"]
    assert {e["name"] for e in arrows} == {"a", "b"}


def test_cost_graphs_come_after_so_many_runs():
    x, w, z = small_net()
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=3))
    found = []
    with tf.Session(config=config) as session:
        session.run(w.initializer)
        for _ in range(6):
            metadata = tf.RunMetadata()
            session.run(z, {x: np.ones([4, 2])}, run_metadata=metadata)
            found.append(metadata.HasField("cost_graph"))
    assert found == [False, False, True] * 2
    nodes = {n.name: n for n in metadata.cost_graph.node}
    assert [o.size for o in nodes["y"].output_info] == [48]
    producers = {n.id: n.name for n in metadata.cost_graph.node}
    assert [producers[i.preceding_node] for i in nodes["y"].input_info] == ["_arg_x_0_0", "w/read"]


def test_timelines_show_ops_and_memory(session):
    x, w, z = small_net()
    session.run(w.initializer)
    metadata = traced(session, z, {x: np.ones([4, 2])}, trace_level=FULL)
    timeline = Timeline(metadata.step_stats)
    events = json.loads(timeline.generate_chrome_trace_format(show_memory=True))["traceEvents"]
    (op,) = [e for e in events if e["ph"] == "X" and e["args"]["name"] == "y"]
    assert op["args"] == {
        "name": "y", "op": "MatMul", "input0": "_arg_x_0_0", "input1": "w/read"
    }  # fmt: skip
    assert {e["ph"] for e in events} == {"M", "N", "O", "D", "C", "X"}
    maximum = timeline.analyze_step_stats().allocator_maximums["cpu"]
    assert maximum.num_bytes >= 24 + 48
    assert {"w/read", "y"} <= maximum.tensors


def test_a_label_of_a_transfer_is_understood():
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device="/job:worker/replica:0/task:0/cpu:0")
    device.node_stats.add(
        node_name="RecvTensor",
        all_start_micros=12345,
        op_end_rel_micros=42,
        timeline_label="[8B] edge_16_b/read from /job:ps/cpu:0 to /job:worker/cpu:0",
    )
    events = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format())["traceEvents"]
    assert events[-1]["dur"] == 42
    assert events[-1]["args"] == {"name": "RecvTensor", "op": "RecvTensor", "input0": "b/read"}


@pytest.mark.parametrize("argument", ["options", "run_metadata"])
def test_what_is_no_proto_is_refused(session, argument):
    with pytest.raises(AttributeError):
        session.run(tf.constant(1.0), **{argument: 3})
