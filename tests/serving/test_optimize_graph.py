"""OptimizeGraph, and other tools of the time, under their old paths."""

from __future__ import annotations

import inspect
import types

import numpy as np
import pytest

import headwater as tf
from headwater.compat.mirrors.grappler.item import Item
from headwater.compat.mirrors.root.tools.common.public_api import PublicAPIVisitor
from headwater.compat.mirrors.root.tools.common.traverse import traverse
from headwater.compat.mirrors.tools.module_util import get_parent_dir
from headwater.serving.graph_tools.graph_events import import_to_tensorboard
from headwater.serving.graph_tools.optimize_graph import OptimizeGraph


def small_graph(fetched):
    with tf.Graph().as_default() as graph:
        c = tf.add(tf.constant(10, name="a"), tf.constant(20, name="b"), name="c")
        x = tf.placeholder(tf.int32, name="x")
        d = tf.multiply(c, x, name="d")
        tf.identity(d, name="dead")
        tf.add(tf.identity(d, name="e"), 1, name="f")
        tf.add_to_collection("train_op", graph.get_operation_by_name(fetched))
        return tf.train.export_meta_graph(graph=graph)


# The nodes that TensorFlow 1.15.5 leaves.
@pytest.mark.parametrize(
    ("fetched", "optimizers", "left"),
    [
        ("d", [], {"c", "x", "d"}),
        ("f", [], {"c", "x", "f/y", "d", "f"}),
        ("c", [], {"c", "x"}),
        ("f", ["constfold"], {"c", "x", "f/y", "d", "e", "f"}),
        ("f", ["pruning"], {"a", "b", "x", "f/y", "c", "d", "f"}),
        ("f", ["nothing"], {"a", "b", "c", "x", "d", "dead", "e", "f/y", "f"}),
    ],
)
def test_nodes_that_are_left(fetched, optimizers, left):
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.optimizers.extend(optimizers)
    result = OptimizeGraph(config, small_graph(fetched))
    nodes = {node.name: node for node in result.node}
    assert nodes.keys() == left
    assert nodes["c"].op == ("Add" if optimizers in (["pruning"], ["nothing"]) else "Const")
    assert result.versions.producer == small_graph(fetched).graph_def.versions.producer


def test_wrong_arguments():
    with pytest.raises(TypeError, match="Expected config_proto to be a ConfigProto, saw type"):
        OptimizeGraph(tf.GraphOptions(), small_graph("f"))
    meta_graph = small_graph("f")
    meta_graph.collection_def.clear()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to import metagraph"):
        OptimizeGraph(tf.ConfigProto(), meta_graph)
    with pytest.raises(tf.errors.InvalidArgumentError, match="train_op not specified"):
        Item(meta_graph)


def test_a_model_trains_as_before(rng):
    """Variables, branches and loops survive."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        v = tf.get_variable("v", initializer=tf.ones([2, 2]) * 2.0)
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.matmul(x, v), lambda: x - v)
        _, z = tf.while_loop(lambda i, _: i < 3, lambda i, z: (i + 1, z * 0.5), [0, tf.identity(y)])
        loss = tf.reduce_sum(tf.square(z), name="loss")
        step = tf.train.GradientDescentOptimizer(tf.sqrt(0.01)).minimize(loss, name="step")
        tf.add_to_collection("train_op", step)
        tf.add_to_collection("init_op", tf.global_variables_initializer())
        tf.add_to_collection("train_op", loss.op)
        meta_graph = tf.train.export_meta_graph(graph=graph)
    optimized = OptimizeGraph(tf.ConfigProto(), meta_graph)
    assert len(optimized.node) < len(meta_graph.graph_def.node)
    feeds = {"x:0": rng.random((2, 2), np.float32)}
    found = []
    for graph_def in (meta_graph.graph_def, optimized):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(graph_def, name="")
            session.run("init")
            found.append([session.run(["loss:0", "step"], feeds)[0] for _ in range(3)])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    assert found[0][2] < found[0][0]


def test_item():
    item = Item(small_graph("f"))
    assert set(item.IdentifyImportantOps()) == {"a", "b", "c", "x", "d", "e", "f", "f/y"}
    ordered = item.IdentifyImportantOps(sort_topologically=True)
    assert ordered.index("c") < ordered.index("d") < ordered.index("e") < ordered.index("f")


def make_module():
    class Inner:
        _hidden = 1

        class Deeper:
            pass

    module = types.ModuleType("m")
    module.Inner, module.number, module._private = Inner, 3, types.ModuleType("private")
    module.sub = types.ModuleType("sub")
    module.sub.back, module.sub.core = module, types.ModuleType("core")
    module.core, module.sys = module.sub.core, inspect.sys
    return module


def visited(visitor_of):
    seen = {}

    def note(path, parent, children):
        seen[path] = {name for name, _ in children if not name.startswith("__")}

    traverse(make_module(), visitor_of(note))
    return {path: names for path, names in seen.items() if "__" not in path}


def test_traverse():
    seen = visited(lambda note: note)
    paths = ["", "Inner", "Inner.Deeper", "_private", "core", "sub", "sub.core"]
    assert sorted(seen) == paths
    assert seen[""] == {"Inner", "number", "_private", "sub", "core", "sys"}
    traverse(3, pytest.fail)


def test_public_api():
    seen = visited(PublicAPIVisitor)
    assert sorted(seen) == ["", "Inner", "Inner.Deeper", "sub", "sub.core"]
    assert seen[""] == {"Inner", "number", "sub", "core", "sys"} and seen["Inner"] == {"Deeper"}

    def changed(note):
        visitor = PublicAPIVisitor(note)
        visitor.set_root_name("m")
        visitor.private_map["m.sub"] = ["core"]
        visitor.do_not_descend_map["m"] = ["Inner"]
        return visitor

    seen = visited(changed)
    assert sorted(seen) == ["", "core", "sub"] and seen["sub"] == {"back"}


def test_parent_folder():
    assert get_parent_dir(types.SimpleNamespace(__file__="/a/b/c/__init__.py")) == "/a/b"


def test_import_to_tensorboard(tmp_path, capsys):
    graph_def = small_graph("f").graph_def
    (tmp_path / "graph.pb").write_bytes(graph_def.SerializeToString())
    import_to_tensorboard(str(tmp_path / "graph.pb"), str(tmp_path / "logs"))
    assert capsys.readouterr().out.startswith("Model Imported. Visualize by running: tensorboard")
    (path,) = (tmp_path / "logs").iterdir()
    graphs = [event.graph_def for event in tf.train.summary_iterator(str(path)) if event.graph_def]
    assert "import/f" in {node.name for node in tf.GraphDef.FromString(graphs[0]).node}


def test_old_paths(fork):
    fork(
        """
import headwater
headwater.install()
from tensorflow.python.grappler import item, tf_optimizer
from tensorflow.python.tools import import_pb_to_tensorboard, module_util
from tensorflow.tools.common import public_api, traverse
assert tf_optimizer.OptimizeGraph and item.Item and module_util.get_parent_dir
assert public_api.PublicAPIVisitor and traverse.traverse
assert import_pb_to_tensorboard.import_to_tensorboard
"""
    )
