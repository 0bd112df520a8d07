"""tf.contrib.meta_graph_transform."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

transform = tf.contrib.meta_graph_transform.meta_graph_transform.meta_graph_transform


@pytest.fixture
def saved(tmp_path):
    """A MetaGraphDef with collections and two signatures, and the path of a checkpoint."""
    path = str(tmp_path / "model")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]])
        y = tf.identity(tf.matmul(tf.identity(x, name="i"), v), name="y")
        z = tf.negative(y, name="unused")
        tf.add_to_collection("mine", y)
        tf.add_to_collection("mine", z)
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.save(session, path)
        meta_graph = tf.train.export_meta_graph(graph=graph, saver_def=saver.as_saver_def())
        for name, output in (("a", y), ("b", z)):
            signature = tf.saved_model.predict_signature_def({"x": x}, {"out": output})
            meta_graph.signature_def[name].CopyFrom(signature)
    meta_graph.meta_info_def.tags.append("old")
    return meta_graph, path


# What TensorFlow 1.15.5 leaves.
@pytest.mark.parametrize(
    ("transforms", "names", "variables", "signatures", "saves"),
    [
        ([], ["y:0", "unused:0"], 1, {"a", "b"}, True),
        (["strip_unused_nodes"], ["y:0"], 1, {"a"}, True),
        (["remove_nodes(op=Identity)"], ["y:0", "unused:0"], 0, {"a", "b"}, True),
        (["freeze_graph"], ["y:0"], 0, {"a"}, False),
        (["freeze_graph", "strip_unused_nodes", "fold_constants"], ["y:0"], 0, {"a"}, False),
    ],
)
def test_what_is_left(saved, transforms, names, variables, signatures, saves):
    meta_graph, path = saved
    before = meta_graph.SerializeToString(deterministic=True)
    result = transform(meta_graph, ["x"], ["y"], transforms, ["serve"], path)
    assert meta_graph.SerializeToString(deterministic=True) == before
    assert list(result.meta_info_def.tags) == ["serve"]
    assert list(result.collection_def["mine"].node_list.value) == names
    for key in ("variables", "trainable_variables"):
        assert len(result.collection_def[key].bytes_list.value) == variables
    assert set(result.signature_def) == signatures
    assert result.HasField("saver_def") == saves
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(result.graph_def, name="")
        if saves:
            session.run(result.saver_def.restore_op_name, {"save/Const:0": path})
        value = session.run("y:0", {"x:0": [[1.0, 1.0]]})
    np.testing.assert_allclose(value, [[4.0, 6.0]])


def test_freezing_needs_a_checkpoint(saved):
    with pytest.raises(ValueError, match="Can't load save_path when it is None"):
        transform(saved[0], ["x"], ["y"], ["freeze_graph"], ["serve"])


def test_tables_of_gathers_are_filled_with_other_tables():
    with tf.Graph().as_default() as graph:
        table = np.zeros([5, 1], np.float32)
        table[3] = 7.0
        ids = tf.placeholder(tf.int64, [None], name="x")
        tf.gather(tf.identity(tf.constant(table)), ids, name="y")
        meta_graph = tf.train.export_meta_graph(graph=graph)
    result = transform(meta_graph, ["x"], ["y"], ["sparsify_gather"], ["serve"])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(result)
        session.run(tf.tables_initializer())
        assert session.run("y:0", {"x:0": [3, 1]}).tolist() == [[7.0], [0.0]]
