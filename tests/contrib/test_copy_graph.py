"""tf.contrib.copy_graph; names and collections are those of TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf

copy_graph = tf.contrib.copy_graph


@pytest.fixture
def original():
    """A graph with two variables and an op that reads one and waits for the other."""
    with tf.Graph().as_default() as graph:
        keys = ["mine", tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES]
        v = tf.Variable(np.arange(3.0), name="v", collections=keys)
        u = tf.Variable(2.0, trainable=False, name="u")
        with tf.device("/cpu:0"):
            p = tf.placeholder(tf.float64, [3], name="p")
        with tf.name_scope("s"):
            y = tf.add(p, v, name="y")
        with tf.control_dependencies([u.initializer]):
            z = tf.multiply(y, y, name="z")
        tf.add_to_collection("tensors", z)
        tf.add_to_collection("ops", z.op)
    return graph, v, u, p, z


@pytest.mark.parametrize("prefix", ["", "copied/"])
def test_copies_compute_in_the_other_graph(original, prefix):
    _, v, u, p, z = original
    scope = prefix[:-1]
    graph = tf.Graph()
    variables = [copy_graph.copy_variable_to_graph(x, graph, scope) for x in (v, u)]
    copy = copy_graph.copy_op_to_graph(z, graph, variables, scope)
    assert copy.graph is graph and copy.name == f"{prefix}z:0"
    assert copy_graph.copy_op_to_graph(z.op, graph, variables, scope) is copy.op
    assert copy_graph.copy_op_to_graph(v, graph, variables, scope) is variables[0]
    assert [x.name for x in copy.op.inputs] == [f"{prefix}s/y:0"] * 2
    assert [x.name for x in copy.op.control_inputs] == [f"{prefix}u/Assign"]
    collections = {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}
    assert collections == {
        "variables": variables,
        "trainable_variables": variables[:1],
        f"{prefix}mine": variables[:1],
        f"{prefix}tensors": [copy],
    }
    fed = copy_graph.get_copied_op(p, graph, scope)
    assert fed.op.device == "/device:CPU:0"
    with tf.Session(graph=graph) as session:
        session.run(variables[0].initializer)
        np.testing.assert_array_equal(session.run(copy, {fed: [1, 2, 3]}), [1, 9, 25])
        assert session.run(variables[1]) == 2.0


def test_what_cannot_be_copied(original):
    _, v, _, _, z = original
    graph = tf.Graph()
    with pytest.raises(TypeError, match=r"Could not copy instance: <tf.Variable 'v:0'"):
        copy_graph.copy_op_to_graph(v, graph, [])
    with pytest.raises(TypeError, match=r'Tensor\("z:0".*\) is not a Variable'):
        copy_graph.copy_variable_to_graph(z, graph)
    with pytest.raises(KeyError, match="'z:0' refers to a Tensor which does not exist"):
        copy_graph.get_copied_op(z, graph)


def test_long_chains_are_copied():
    with tf.Graph().as_default():
        x = tf.constant(0)
        for _ in range(2000):
            x = tf.identity(x)
    assert copy_graph.copy_op_to_graph(x, tf.Graph(), []).name == x.name
