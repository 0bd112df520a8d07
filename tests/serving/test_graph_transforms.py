"""TransformGraph against TensorFlow's: golden graphs and errors, and the values of new graphs."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf
from headwater.cli import main
from headwater.serving.graph_tools.transforms.transform_graph import TransformGraph

GOLDEN = Path(__file__).parents[1] / "golden" / "graph_transforms" / "golden.json.gz"
CASES = json.loads(gzip.decompress(GOLDEN.read_bytes()))
# TensorFlow's order of nodes depends on hashes there.
UNORDERED = ("fold_constants", "merge_duplicate_nodes", "quantize_nodes")


def parsed(text):
    graph_def = tf.GraphDef()
    text_format.Merge(text, graph_def)
    return graph_def


def comparable(graph_def):
    """The nodes by name, with the values of constants, whose forms differ."""
    nodes = {}
    for node in graph_def.node:
        attrs = {}
        for key, value in node.attr.items():
            if value.HasField("tensor"):
                array = tf.make_ndarray(value.tensor)
                attrs[key] = (str(array.dtype), array.shape, array.tolist())
            else:
                attrs[key] = text_format.MessageToString(value)
        nodes[_unnumbered(node.name)] = (
            node.op,
            [_unnumbered(text) for text in node.input],
            node.device,
            attrs,
        )
    return nodes


def _unnumbered(text):
    """A name without the number of the constant in the process."""
    return re.sub(r"__cf__\d+", "__cf__", text)


def same_attrs(found, wanted):
    assert found.keys() == wanted.keys()
    for key, value in found.items():
        if isinstance(value, tuple):
            assert value[:2] == wanted[key][:2]
            if "S" in value[0] or value[0] == "object":
                assert value[2] == wanted[key][2]
                continue
            np.testing.assert_allclose(value[2], wanted[key][2], rtol=2e-6, atol=1e-38)
        else:
            assert value == wanted[key]


def golden_calls():
    found = []
    for name, case in CASES.items():
        for index, call in enumerate(case["calls"]):
            found.append(pytest.param(name, index, id=f"{name}-{index}-{call[2][0][:30]!r}"))
    return found


@pytest.mark.parametrize(("name", "index"), golden_calls())
def test_golden(name, index):
    case = CASES[name]
    graph_def = parsed(case["graph"])
    before = graph_def.SerializeToString(deterministic=True)
    inputs, outputs, transforms, wanted = case["calls"][index]
    if "error" in wanted:
        with pytest.raises(getattr(tf.errors, wanted["error"])) as caught:
            TransformGraph(graph_def, inputs, outputs, transforms)
        place = re.compile(r"\n\t \[\[.*", re.DOTALL)  # of a node, which has a line of source here
        assert place.sub("", caught.value.message) == place.sub("", wanted["text"])
        return
    result = TransformGraph(graph_def, inputs, outputs, transforms)
    assert graph_def.SerializeToString(deterministic=True) == before
    golden = parsed(wanted["graph"])
    found, expected = comparable(result), comparable(golden)
    assert found.keys() == expected.keys()
    for node, (*parts, attrs) in found.items():
        assert parts == list(expected[node][:-1])
        same_attrs(attrs, expected[node][-1])
    assert result.versions == golden.versions
    if not any(transform.split("(")[0] in UNORDERED for transform in transforms):
        names = list(dict.fromkeys(node.name for node in golden.node))
        assert [node.name for node in result.node] == names


FEEDS = {
    "names": {"x": (1, 2, 2, 4)},
    "constants": {"x": (2, 2)},
    "branches": {"x": (3,)},
    "scaled": {"x": (1, 4, 4, 2)},
    "scaled_depthwise": {"x": (1, 4, 4, 2)},
    "scaled_products": {"x": (1, 4, 4, 2)},
    "normalized": {"x": (1, 4, 4, 2)},
    "globally_normalized": {"x": (1, 4, 4, 2)},
    "normalized_without_scale": {"x": (1, 4, 4, 2)},
    "normalized_depthwise": {"x": (1, 4, 4, 2)},
    "normalized_halves": {"x": (1, 4, 4, 2)},
    "normalized_atrous": {"x": (1, 4, 4, 2)},
    "atrous": {"x": (1, 6, 6, 2)},
    "resized_and_padded": {"x": (1, 4, 4, 2)},
    "padded": {"x": (1, 4, 4, 2)},
    "joined": {"x": (2, 2)},
    "passing_parts": {"x": (2,)},
    "arrays": {"x": (3,)},
    "placeholders": {"x": (2,), "y": (2,)},
    "functions": {"x": (2,)},
}
TRANSFORMS = [
    "flatten_atrous_conv",
    "backport_concatv2",
    "fuse_resize_pad_and_conv",
    "fuse_pad_and_conv",
    "fuse_resize_and_conv",
    "fold_constants",
    "fold_batch_norms",
    "fold_old_batch_norms",
    "remove_nodes(op=Identity)",
    "merge_duplicate_nodes(ignore_errors=true)",
    "strip_unused_nodes",
    "obfuscate_names",
    "sort_by_execution_order",
]


def run(graph_def, feeds):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run("out:0", {f"{name}:0": value for name, value in feeds.items()})


@pytest.mark.parametrize("name", FEEDS)
def test_outputs_stay_the_same(name, rng):
    graph_def = parsed(CASES[name]["graph"])
    graph_def.versions.Clear()  # so that batch normalizations of the first releases can be run
    feeds = {key: rng.random(shape, np.float32) for key, shape in FEEDS[name].items()}
    wanted = run(graph_def, feeds)
    result = TransformGraph(graph_def, list(feeds), ["out"], TRANSFORMS)
    assert [node.name for node in result.node] != [node.name for node in graph_def.node]
    np.testing.assert_allclose(run(result, feeds), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transform", ["fold_old_batch_norms", "fold_batch_norms"])
def test_layers_with_other_users_stay(transform):
    """TensorFlow changes the other user's values in the first case."""
    name = "normalized" if transform == "fold_old_batch_norms" else "scaled"
    graph_def = parsed(CASES[name]["graph"])
    kept = TransformGraph(graph_def, ["x"], ["out", "conv"], [transform])
    assert comparable(kept) == comparable(graph_def)
    graph_def.node.add(name="user", op="Neg", input=["conv"]).attr["T"].type = 1
    kept = TransformGraph(graph_def, ["x"], ["out"], [transform])
    assert comparable(kept) == comparable(graph_def)


def test_quantized_weights_are_close(rng):
    graph_def = parsed(CASES["constants"]["graph"])
    feeds = {"x": rng.random((2, 2), np.float32)}
    transforms = ["fold_constants", "quantize_weights(minimum_size=2)"]
    result = TransformGraph(graph_def, ["x"], ["out"], transforms)
    assert [node.op for node in result.node].count("Dequantize") == 2
    np.testing.assert_allclose(run(result, feeds), run(graph_def, feeds), atol=0.02)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("quantized")])
def test_quantized_nodes_compute_nearly_the_same(name, rng):
    graph_def = parsed(CASES[name]["graph"])
    wide = (1, 4, 4, 2)
    two = name in ("quantized_add", "quantized_mul", "quantized_matmul", "quantized_concat")
    feeds = {key: rng.random((2, 3) if two else wide, np.float32) for key in ("xy" if two else "x")}
    transforms = ["quantize_nodes", "strip_unused_nodes", "sort_by_execution_order"]
    result = TransformGraph(graph_def, list(feeds), ["out"], transforms)
    assert any(node.op.startswith("Quantized") for node in result.node)
    np.testing.assert_allclose(run(result, feeds), run(graph_def, feeds), atol=0.06)


def test_nodes_that_take_a_tensor_twice_are_quantized(rng):
    """TensorFlow finds a cycle there."""
    with tf.Graph().as_default() as graph:
        x = tf.nn.relu(tf.placeholder(tf.float32, [2, 3], name="x"))
        tf.multiply(x, x, name="out")
    feeds = {"x": rng.random((2, 3), np.float32)}
    result = TransformGraph(graph.as_graph_def(), ["x"], ["out"], ["quantize_nodes"])
    np.testing.assert_allclose(run(result, feeds), feeds["x"] ** 2, atol=0.02)


def test_ranges_from_a_log(tmp_path, capfd, rng):
    graph_def = parsed(CASES["quantized"]["graph"])
    graph_def = TransformGraph(graph_def, ["x"], ["out"], ["quantize_nodes", "strip_unused_nodes"])
    logging = 'insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")'
    feeds = {"x": rng.random((1, 4, 4, 2), np.float32)}
    logged = TransformGraph(graph_def, ["x"], ["out"], [logging])
    wanted = run(logged, feeds)
    log = tmp_path / "log"
    log.write_text(capfd.readouterr().err)
    freeze = f'freeze_requantization_ranges(min_max_log_file="{log}")'
    frozen = TransformGraph(graph_def, ["x"], ["out"], [freeze, "strip_unused_nodes"])
    assert not any(node.op == "RequantizationRange" for node in frozen.node)
    assert len(frozen.node) == len(graph_def.node) + 2
    np.testing.assert_allclose(run(frozen, feeds), wanted, atol=0.02)


def test_shares_of_ranges_are_ignored(tmp_path):
    graph_def = tf.GraphDef(node=[tf.NodeDef(name="a/range", op="RequantizationRange")])
    lines = [f"12:00 ;a/range__print__;__requant_min_max:[{-i}][{100 + i}]" for i in range(1, 11)]
    lines += ["junk", ";RequantizationRange;;a/range__print__;__requant_min_max:[-0.5][3e1]..."]
    (tmp_path / "log").write_text("\n".join(lines))
    # What TensorFlow 1.15.5 finds in this log.
    for share, low, high in ((0, -10, 110), (5, -9, 110), (20, -8, 109), (50, -4, 106)):
        freeze = (
            f'freeze_requantization_ranges(min_max_log_file="{tmp_path / "log"}", '
            f"min_percentile={share}, max_percentile={share})"
        )
        result = TransformGraph(graph_def, [], [], [freeze])
        values = [tf.make_ndarray(node.attr["value"].tensor) for node in result.node]
        assert values == [low, high]
    (tmp_path / "log").write_text(lines[0].replace("a/range", "b"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="aren't present in the graph"):
        TransformGraph(graph_def, [], [], [freeze])
    (tmp_path / "log").write_text("nothing")
    with pytest.raises(tf.errors.InvalidArgumentError, match="No min/max range logs were found"):
        TransformGraph(graph_def, [], [], [freeze])


def test_gathers_from_hash_tables(rng):
    graph_def = parsed(CASES["gathered"]["graph"])
    ids = np.array([2, 0, 7, 9])
    wanted = run(graph_def, {"ids": ids})
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = TransformGraph(graph_def, ["ids"], ["out"], ["sparsify_gather"])
        tf.import_graph_def(sparse, name="")
        session.run("group_deps")
        np.testing.assert_array_equal(session.run("out:0", {"ids:0": ids}), wanted)


def test_command(tmp_path, capsys):
    graph_def = parsed(CASES["constants"]["graph"])
    (tmp_path / "in.pb").write_bytes(graph_def.SerializeToString())
    (tmp_path / "in.pbtxt").write_text(CASES["constants"]["graph"])
    for name in ("in.pb", "in.pbtxt"):
        arguments = ["--in_graph", str(tmp_path / name), "--out_graph", str(tmp_path / "out.pb")]
        options = ["--inputs=x", "--outputs=out", "--transforms=remove_device fold_constants"]
        assert main(["transform-graph", *arguments, *options]) == 0
        assert capsys.readouterr().out == "5 ops in the final graph.\n"
        written = tf.GraphDef.FromString((tmp_path / "out.pb").read_bytes())
        folded = TransformGraph(graph_def, ["x"], ["out"], ["fold_constants"])
        assert comparable(written) == comparable(folded)


def test_old_path(fork):
    fork(
        """
import headwater
headwater.install()
import tensorflow as tf
from tensorflow.tools.graph_transforms import TransformGraph
graph_def = tf.GraphDef(node=[tf.NodeDef(name="a", op="NoOp", device="/cpu:0")])
assert TransformGraph(graph_def, [], ["a"], ["remove_device"]).node[0].device == ""
"""
    )
