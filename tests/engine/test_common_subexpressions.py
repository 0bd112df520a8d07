"""Equal pure ops share a node, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.analysis.purity import is_pure
from headwater.engine.nodes.node import Node
from headwater.graph import lookup


def nodes_of(session, fetch):
    """The op types of the nodes of the plan that fetches something."""
    (plan,) = [p for key, p in session._plans.items() if fetch in key]
    return [node.op.type for node in plan.nodes if isinstance(node, Node)]


def test_equal_ops_are_one_node(session):
    x = tf.placeholder(tf.float32, [None, 3])
    rows = [tf.reshape(tf.exp(x), [tf.shape(x)[0] * 3])[1:] for _ in range(5)]
    total = tf.add_n(rows, name="total")
    fed = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(3):
        np.testing.assert_allclose(
            session.run(total, {x: fed}), 5 * np.exp(np.arange(1, 6)), rtol=1e-6
        )
    types = nodes_of(session, total)
    assert types.count("Exp") == types.count("Shape") == types.count("Reshape") == 1
    assert types.count("Mul") == 1
    assert types.count("StridedSlice") == 2


def test_every_one_of_equal_ops_can_be_fetched(session):
    x = tf.placeholder(tf.float32, [2])
    first, second = tf.square(x), tf.square(x)
    one, other = session.run([first, second], {x: [2.0, 3.0]})
    one[:] = 0
    np.testing.assert_array_equal(other, [4, 9])
    np.testing.assert_array_equal(session.run(second + 1, {x: [2, 3], first: [0, 0]}), [5, 10])
    np.testing.assert_array_equal(session.run(first + second, {x: [2, 3], second: [1, 1]}), [5, 10])


def test_other_attrs_types_and_zeros_are_other_work(session):
    x = tf.placeholder(tf.float32, [2])
    results = [
        tf.cast(x, tf.int32),
        tf.cast(x, tf.float64),
        tf.argmax(x, 0),
        tf.argmin(x, 0),
        x / tf.constant(0.0),
        x / tf.constant(-0.0),
        tf.concat([x, tf.constant([1.0])], 0),
        tf.concat([x, tf.constant([2.0])], 0),
        tf.nn.leaky_relu(x, 0.0),
        tf.nn.leaky_relu(x, -0.0),
    ]
    values = session.run(results, {x: [-1.0, 2.0]})
    assert [v.dtype.name for v in values[:2]] == ["int32", "float64"]
    assert values[2:4] == [1, 0]
    np.testing.assert_array_equal(values[4:6], [[-np.inf, np.inf], [np.inf, -np.inf]])
    np.testing.assert_array_equal(values[6:8], [[-1, 2, 1], [-1, 2, 2]])
    assert [np.signbit(v[0]) for v in values[8:]] == [True, False]


def test_random_ops_and_reads_of_variables_are_not_merged(session):
    first, second = (tf.random_uniform([4]) for _ in range(2))
    a, b = session.run([first, second])
    assert (a != b).all()
    v = tf.Variable(1.0, use_resource=True)
    session.run(v.initializer)
    before = v.read_value() * 2
    with tf.control_dependencies([before]):
        update = v.assign(5.0)
    with tf.control_dependencies([update]):
        after = v.read_value() * 2
    assert session.run([before, after]) == [2, 10]


def test_ops_whose_handles_are_strings_are_not_merged(op_types):
    found = []
    for name in op_types:
        record = lookup(name)
        strings = [a for a in record.schema.inputs if a.dtype is tf.string and not a.is_ref]
        if any("handle" in argument.name for argument in strings):
            found.append(name)
            assert not is_pure(record), name
    assert "TensorArrayReadV2" in found


def test_reference_variables_are_read_where_the_graph_says(session):
    v = tf.Variable(1.0, use_resource=False)
    session.run(v.initializer)
    before = tf.multiply(v, 2.0)
    with tf.control_dependencies([before]):
        update = tf.assign(v, 5.0)
    with tf.control_dependencies([update]):
        after = tf.multiply(v, 2.0)
    for _ in range(3):
        session.run(v.initializer)
        assert session.run([before, after]) == [2, 10]


def test_an_error_names_the_first_of_equal_ops(session):
    x = tf.placeholder(tf.float32)
    with tf.control_dependencies([tf.check_numerics(x, "bad", name="first")]):
        other = tf.check_numerics(x, "bad", name="second")
    equal = tf.check_numerics(x, "bad", name="third")
    with pytest.raises(tf.errors.InvalidArgumentError, match="node first"):
        session.run([other, equal], {x: np.nan})


def test_ops_that_wait_for_others_are_not_merged(session):
    x = tf.placeholder(tf.float32)
    free = tf.negative(x, name="free")
    with tf.control_dependencies([tf.Assert(x > 0, [x])]):
        waiting = tf.negative(x, name="waiting")
    assert session.run([free, waiting], {x: 1.0}) == [-1, -1]
    assert session.run(free, {x: -1.0}) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        session.run([free, waiting], {x: -1.0})


@pytest.mark.parametrize("positive", [True, False])
def test_ops_of_other_branches_are_not_merged(session, positive):
    x = tf.placeholder(tf.float32, [])
    chosen = tf.cond(x > 0, lambda: tf.exp(x) + tf.exp(x), lambda: tf.exp(x) * 3)
    outside = tf.exp(x)
    value = 1.0 if positive else -1.0
    for _ in range(3):
        got = session.run([chosen, outside], {x: value})
        np.testing.assert_allclose(
            got, [np.exp(value) * (2 if positive else 3), np.exp(value)], rtol=1e-6
        )


def test_equal_ops_of_an_iteration_are_merged(session):
    def body(i, total):
        return i + 1, total + tf.square(total) - tf.square(total) + tf.cast(i, tf.float32)

    result = tf.while_loop(lambda i, _: i < 5, body, [0, 1.0])[1]
    for _ in range(3):
        assert session.run(result) == 11


def test_equal_strings_are_merged(session):
    x = tf.placeholder(tf.string, [None])
    joined = [tf.string_join([x, tf.constant("!")]) for _ in range(2)]
    longer = tf.string_join([x, tf.constant("!!")])
    both = tf.stack([*joined, longer])
    assert session.run(both, {x: ["a"]}).tolist() == [[b"a!"], [b"a!"], [b"a!!"]]
    assert nodes_of(session, both).count("StringJoin") == 2


def test_traces_have_every_one_of_equal_ops(session):
    x = tf.placeholder(tf.float32, [2])
    fetch = tf.square(x, name="one") + tf.square(x, name="other")
    options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    session.run(fetch, {x: [1.0, 2.0]}, options=options, run_metadata=metadata)
    stats = {
        node.node_name: [list(o.tensor_description.shape.dim) for o in node.output]
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    assert {"one", "other"} <= set(stats)
    assert stats["one"] == stats["other"] != []


def test_a_partial_run_finds_every_one_of_equal_ops(session):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first, second = tf.square(x), tf.square(x)
    total = first + second + y
    handle = session.partial_run_setup([second, total], [x, y])
    assert session.partial_run(handle, second, {x: 3.0}) == 9
    assert session.partial_run(handle, total, {y: 1.0}) == 19


def test_work_that_waits_for_a_queue_is_not_taken_over(session):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    x = tf.placeholder(tf.float32, [])
    taken = queue.dequeue()
    later = tf.exp(x) + taken
    put = queue.enqueue(tf.exp(x))
    for _ in range(3):
        got, _ = session.run([later, put], {x: 0.0})
        assert got == 2
