"""freeze_graph, strip_unused, optimize_for_inference and inspect_checkpoint."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import headwater as tf
from headwater.cli import main
from headwater.serving.graph_tools import freeze_graph as freezing
from headwater.serving.graph_tools import inspect_checkpoint
from headwater.serving.graph_tools import optimize_for_inference as optimizing
from headwater.serving.graph_tools import strip_unused as stripping

X = np.array([[1.0, 2.0]], np.float32)


@pytest.fixture
def trained(tmp_path):
    """Files of y = x v and z = y * r: graph, checkpoints of both formats, SavedModel."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        with tf.device("/cpu:0"):
            x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]])
        r = tf.get_variable("r", initializer=5.0, use_resource=True)
        y = tf.matmul(x, v, name="y")
        tf.multiply(y, r, name="z")
        tf.assign(v, v * 2.0, name="double")
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.save(session, str(tmp_path / "model"))
        (tmp_path / "saver").write_bytes(saver.saver_def.SerializeToString())
        tf.train.write_graph(graph, str(tmp_path), "graph.pbtxt")
        tf.train.write_graph(graph, str(tmp_path), "graph.pb", as_text=False)
        tf.train.Saver(write_version=1).save(session, str(tmp_path / "v1"))
        tf.saved_model.simple_save(session, str(tmp_path / "saved"), {"x": x}, {"y": y})
    return tmp_path


def freeze(folder, nodes="y", **changed):
    arguments = {
        "input_graph": str(folder / "graph.pbtxt"),
        "input_saver": "",
        "input_binary": False,
        "input_checkpoint": str(folder / "model"),
        "output_node_names": nodes,
        "restore_op_name": "save/restore_all",
        "filename_tensor_name": "save/Const:0",
        "output_graph": "",
        "clear_devices": True,
        "initializer_nodes": "",
    }
    return freezing.freeze_graph(**{**arguments, **changed})


def values(graph_def, *names):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return [value.tolist() for value in session.run(list(names), {"x:0": X})]


def test_freezing_from_files(trained):
    meta = {"input_graph": "", "input_meta_graph": str(trained / "model.meta")}
    saver = {"input_graph": str(trained / "graph.pb"), "input_saver": str(trained / "saver")}
    saved = {
        "input_graph": "",
        "input_saved_model_dir": str(trained / "saved"),
        "input_checkpoint": "",
    }
    for changed in (
        {},
        {"input_graph": str(trained / "graph.pb"), "input_binary": True},
        {"input_checkpoint": str(trained / "v1"), "checkpoint_version": 1},
        {**saver, "input_binary": True},
        {**meta, "input_binary": True},
        saved,
    ):
        frozen = freeze(trained, "y, z", **changed)
        assert not {"VariableV2", "VarHandleOp", "ReadVariableOp"} & {n.op for n in frozen.node}
        assert {node.device for node in frozen.node} == {""}
        assert values(frozen, "y:0", "z:0") == [[[7.0, 10.0]], [[35.0, 50.0]]]


def test_what_is_frozen(trained):
    nodes = {n.name: n.op for n in freeze(trained, variable_names_blacklist="v").node}
    assert nodes == {"x": "Placeholder", "v": "VariableV2", "v/read": "Identity", "y": "MatMul"}
    nodes = {n.name: n.op for n in freeze(trained, "z", variable_names_whitelist="r").node}
    assert (nodes["v"], nodes["r"]) == ("VariableV2", "Const")
    assert values(freeze(trained, initializer_nodes="double"), "y:0") == [[[14.0, 20.0]]]
    kept = freeze(trained, clear_devices=False).node[0]
    assert (kept.name, kept.device) == ("x", "/device:CPU:0")


def test_what_cannot_be_frozen(trained):
    for changed, error, text in (
        ({"nodes": ""}, ValueError, "supply the name of a node to --output_node_names"),
        ({"nodes": "none"}, AssertionError, "none is not in graph"),
        ({"input_checkpoint": "/none"}, ValueError, "Input checkpoint '/none' doesn't exist!"),
        ({"input_graph": "/none"}, OSError, "Input graph file '/none' does not exist!"),
        ({"input_meta_graph": "/none"}, OSError, "Input meta graph file '/none' does not exist!"),
        ({"input_saver": "/none"}, OSError, "Input saver file '/none' does not exist!"),
    ):
        with pytest.raises(error, match=text):
            freeze(trained, **changed)
    frozen = freeze(trained, "y")
    (trained / "frozen.pb").write_bytes(frozen.SerializeToString())
    again = {"input_graph": str(trained / "frozen.pb"), "input_binary": True}
    with pytest.raises(ValueError, match="You cannot freeze a graph twice"):
        freeze(trained, **again)


def test_partitioned_variables_are_frozen_from_saved_models_only(tmp_path, session):
    parts = tf.fixed_size_partitioner(2)
    p = tf.get_variable("p", [4, 2], partitioner=parts, initializer=tf.ones_initializer())
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.add(x, tf.reduce_sum(tf.convert_to_tensor(p)), name="y")
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, str(tmp_path / "model"))
    tf.train.write_graph(session.graph, str(tmp_path), "graph.pbtxt")
    tf.saved_model.simple_save(session, str(tmp_path / "saved"), {"x": x}, {"y": y})
    with pytest.raises(ValueError, match="Models containing partition variables cannot be"):
        freeze(tmp_path)
    frozen = freeze(tmp_path, input_graph="", input_saved_model_dir=str(tmp_path / "saved"))
    assert values(frozen, "y:0") == [[[9.0, 10.0]]]


def test_freeze_command(trained, capsys):
    words = ["--input_saved_model_dir", str(trained / "saved"), "--output_node_names=y"]
    output = trained / "out.pb"
    assert main(["freeze-graph", *words, "--output_graph", str(output)]) == 0
    assert "4 ops in the final graph." in capsys.readouterr().out
    assert values(tf.GraphDef.FromString(output.read_bytes()), "y:0") == [[[7.0, 10.0]]]


def test_a_reader_may_go_away(trained, tmp_path):
    checkpoint = tf.train.latest_checkpoint(str(trained))
    command = [sys.executable, "-m", "headwater", "inspect-checkpoint", f"--file_name={checkpoint}"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_strip_unused(trained, capsys):
    graph_def = tf.GraphDef.FromString((trained / "graph.pb").read_bytes())
    stripped = stripping.strip_unused(graph_def, ["y", "x"], ["z"], [1, 3])
    nodes = {node.name: node for node in stripped.node}
    assert set(nodes) == {"y", "r", "z/ReadVariableOp", "z"}
    assert (nodes["y"].op, nodes["y"].attr["dtype"].type) == ("Placeholder", 1)
    with pytest.raises(KeyError, match=r"The following input nodes were not found: {'none'}"):
        stripping.strip_unused(graph_def, ["none"], ["y"], 1)
    with pytest.raises(AssertionError, match="none is not in graph"):
        stripping.strip_unused(graph_def, ["x"], ["none"], 1)
    with pytest.raises(ValueError, match="Name 'x:0' appears to refer to a Tensor, not a Oper"):
        stripping.strip_unused(graph_def, ["x:0"], ["y"], 1)
    source, target = str(trained / "graph.pb"), trained / "stripped.pb"
    from_files = stripping.strip_unused_from_files
    assert from_files("/none", True, str(target), True, "x", "y", 1) == -1
    assert from_files(source, True, str(target), True, "x", "", 1) == -1
    assert from_files(source, True, str(target), True, "x", "y", 1) is None
    assert capsys.readouterr().out == (
        "Input graph file '/none' does not exist!\n"
        "You need to supply the name of a node to --output_node_names.\n"
        "4 ops in the final graph.\n"
    )
    assert len(tf.GraphDef.FromString(target.read_bytes()).node) == 4


def normalized(op, depthwise, scales=True):
    """A convolution with a batch normalization, as a GraphDef."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
        filters = tf.constant(np.arange(16).reshape(2, 2, 2, 2) / 8, tf.float32, name="filters")
        if depthwise:
            y = tf.nn.depthwise_conv2d_native(x, filters, [1, 1, 1, 1], "SAME", name="conv")
        else:
            y = tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME", name="conv")
        count = y.shape[3].value
        mean, variance, beta, gamma = (
            tf.constant(np.arange(1, count + 1) * size, tf.float32, name=name)
            for name, size in (("mean", 1), ("variance", 0.25), ("beta", 0.1), ("gamma", 3))
        )
        if op == "FusedBatchNorm":
            y = tf.raw_ops.FusedBatchNorm(
                x=y, scale=gamma, offset=beta, mean=mean, variance=variance, is_training=False
            ).y
            tf.identity(y, name="out")
    graph_def = graph.as_graph_def()
    if op != "FusedBatchNorm":
        graph_def.versions.producer = 8
        node = graph_def.node.add(name="norm", op=op)
        node.input.extend(["conv", "mean", "variance", "beta", "gamma"])
        node.attr["T"].type = 1
        node.attr["variance_epsilon"].f = 0.001
        node.attr["scale_after_normalization"].b = scales
        out = graph_def.node.add(name="out", op="Identity", input=["norm"])
        out.attr["T"].type = 1
    return graph_def


def run_images(graph_def, *names):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(list(names), {"x:0": np.arange(32).reshape(1, 4, 4, 2)})


@pytest.mark.parametrize(
    ("op", "depthwise", "scales"),
    [
        ("FusedBatchNorm", False, True),
        ("FusedBatchNorm", True, True),
        ("BatchNormWithGlobalNormalization", False, True),
        ("BatchNormWithGlobalNormalization", False, False),
    ],
)
def test_batch_normalizations_are_folded(op, depthwise, scales):
    graph_def = normalized(op, depthwise, scales)
    folded = optimizing.optimize_for_inference(graph_def, ["x"], ["out"], 1)
    assert op not in {node.op for node in folded.node}
    offset = next(node for node in folded.node if node.op == "BiasAdd").input[1]
    assert offset == "conv_bn_offset"
    (before,), (after,) = (run_images(g, "out:0") for g in (graph_def, folded))
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-4)


def test_a_convolution_with_other_uses_is_not_folded():
    graph_def = normalized("FusedBatchNorm", False)
    other = graph_def.node.add(name="other", op="Identity", input=["conv"])
    other.attr["T"].type = 1
    folded = optimizing.fold_batch_norms(graph_def)
    before, after = (run_images(g, "out:0", "other:0") for g in (graph_def, folded))
    np.testing.assert_allclose(after[0], before[0], rtol=1e-5)
    np.testing.assert_array_equal(after[1], before[1])


def test_resizing_and_padding_are_fused():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
        filters = tf.constant(np.arange(16).reshape(2, 2, 2, 2) / 8, tf.float32, name="filters")
        big = tf.image.resize_bilinear(x, [8, 8], name="big", align_corners=True)
        sides = [[0, 0], [1, 1], [1, 1], [0, 0]]
        padded = tf.pad(big, sides, mode="REFLECT", name="padded")
        small = tf.pad(x, sides, mode="SYMMETRIC", name="small")
        for name, source in (("a", padded), ("b", big), ("c", small)):
            conv = tf.nn.conv2d(source, filters, [1, 1, 1, 1], "VALID", name=f"conv_{name}")
            tf.identity(conv, name=name)
    graph_def = graph.as_graph_def()
    fused = optimizing.fuse_resize_and_conv(graph_def, ["a", "b", "c"])
    nodes = {node.name: (node.op, list(node.input)) for node in fused.node}
    assert nodes["conv_a"] == (
        "FusedResizeAndPadConv2D",
        ["x", "big/size", "padded/paddings", "filters"],
    )
    assert nodes["conv_b"][1] == ["x", "big/size", "conv_b_dummy_paddings", "filters"]
    assert nodes["conv_c"] == ("FusedPadConv2D", ["x", "small/paddings", "filters"])
    assert not {"big", "padded", "small"} & set(nodes)
    names = ("a:0", "b:0", "c:0")
    for before, after in zip(run_images(graph_def, *names), run_images(fused, *names)):
        np.testing.assert_allclose(after, before, rtol=1e-5)


def test_graphs_that_are_not_valid():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="NoOp")
    node = graph_def.node.add(name="b", op="Identity", input=["c"])
    with pytest.raises(ValueError, match="'Input for ', 'b', ' not found: ', 'c'"):
        optimizing.ensure_graph_is_valid(graph_def)
    node.name = "a"
    with pytest.raises(ValueError, match="'Duplicate node names detected for ', 'a'"):
        optimizing.ensure_graph_is_valid(graph_def)
    with pytest.raises(ValueError, match="No node named 'a:1' found in map"):
        optimizing.node_from_map({}, "a:1")
    with pytest.raises(ValueError, match="should be a Const op for values_from_const"):
        optimizing.values_from_const(node)


def test_inspect_checkpoint(trained, capsys):
    path = str(trained / "model")
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "", True)
    assert capsys.readouterr().out == (
        "tensor_name:  r\n5.0\ntensor_name:  v\n[[1. 2.]\n [3. 4.]]\n# Total number of params: 5\n"
    )
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "", False, True, "v|q")
    assert capsys.readouterr().out == (
        "tensor_name:  r\ntensor_name:  v\n# Excluding 1 tensors (4 params) that match v|q when "
        "counting.\n# Total number of params: 1\n"
    )
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "none", False)
    assert "Key none not found in checkpoint" in capsys.readouterr().out
    data = f"{path}.data-00000-of-00001"
    inspect_checkpoint.print_tensors_in_checkpoint_file(data, "", True)
    assert f"inspect checkpoint --file_name = {path}\n" in capsys.readouterr().out
    assert main(["inspect-checkpoint", "--file_name", path]) == 0
    printed = capsys.readouterr().out
    assert "r (DT_FLOAT) []\nv (DT_FLOAT) [2,2]\n" in printed
