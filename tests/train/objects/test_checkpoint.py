"""tf.train.Checkpoint: saving, restoring at once and later, its checks, and files of 1.15.5."""

from __future__ import annotations

import gc
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
GOLDEN = Path(__file__).parents[2] / "golden"
# The variable of the golden checkpoint, as 1.15.5 has it.
GOLDEN_WEIGHT = [0.8065471649169922, 1.805515170097351]


def initialize(session):
    session.run(tf.global_variables_initializer())


def test_values_come_back(tmp_path, session):
    v, r = tf.Variable([1.0, 2.0]), tf.Variable(3.0, use_resource=True)
    checkpoint = tf.train.Checkpoint(v=v, r=r)
    initialize(session)
    path = checkpoint.save(str(tmp_path / "model"), session)
    assert path == str(tmp_path / "model-1") == tf.train.latest_checkpoint(str(tmp_path))
    session.run([v.assign([7.0, 8.0]), r.assign(9.0)])
    checkpoint.restore(path).assert_consumed().run_restore_ops(session)
    equal(session.run(v), [1.0, 2.0])
    assert session.run(r) == 3.0
    assert checkpoint.save(str(tmp_path / "model"), session).endswith("model-2")
    assert session.run(checkpoint.save_counter) == 2


def test_keys(tmp_path, session):
    inner = tf.contrib.checkpoint.Checkpointable()
    inner.v = tf.Variable(1.0, name="some_name")
    checkpoint = tf.train.Checkpoint(inner=inner)
    checkpoint.items = [inner.v, {"a/b.c": tf.Variable(2.0)}]
    initialize(session)
    path = checkpoint.write(str(tmp_path / "model"), session)
    assert path == str(tmp_path / "model")
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "inner/v/.ATTRIBUTES/VARIABLE_VALUE",
        "items/1/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    assert tf.train.load_variable(path, "inner/v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0
    graph = tf.contrib.checkpoint.object_metadata(path)
    assert [child.local_name for child in graph.nodes[0].children] == ["inner", "items"]
    (attribute,) = graph.nodes[3].attributes
    assert (attribute.name, attribute.full_name) == ("VARIABLE_VALUE", "some_name")


def test_restore_before_the_variables_exist(tmp_path, session):
    layer = tf.layers.Dense(2)
    layer(tf.ones([1, 3]))
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(layer.kernel))
    initialize(session)
    session.run(
        [
            layer.kernel.assign(tf.ones([3, 2])),
            optimizer.get_slot(layer.kernel, "m").assign(tf.fill([3, 2], 5.0)),
        ]
    )
    path = tf.train.Checkpoint(layer=layer, optimizer=optimizer).save(
        str(tmp_path / "model"), session
    )
    with tf.Graph().as_default(), tf.Session() as other:
        layer, optimizer = tf.layers.Dense(2, name="other"), tf.train.AdamOptimizer()
        checkpoint = tf.train.Checkpoint(layer=layer, optimizer=optimizer)
        status = checkpoint.restore(path)
        with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)"):
            status.assert_consumed()
        layer(tf.ones([1, 3]))
        optimizer.minimize(tf.reduce_sum(layer.kernel))
        status.assert_consumed().initialize_or_restore(other)
        equal(other.run(layer.kernel), np.ones([3, 2]))
        equal(other.run(optimizer.get_slot(layer.kernel, "m")), np.full([3, 2], 5.0))
        equal(other.run(optimizer.get_slot(layer.kernel, "v")), np.zeros([3, 2]))
        equal(other.run(layer.bias), [0.0, 0.0])


def test_the_latest_restore_counts(tmp_path, session):
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(v=v)
    paths = []
    for value in (1.0, 2.0):
        session.run(v.assign(value))
        paths.append(checkpoint.save(str(tmp_path / "model"), session))
    later = tf.train.Checkpoint()
    first, second = later.restore(paths[0]), later.restore(paths[1])
    later.v = tf.Variable(3.0)
    initialize(session)
    second.run_restore_ops(session)
    assert session.run(later.v) == 2.0
    first.expect_partial()


def test_partial_matches(tmp_path, session):
    checkpoint = tf.train.Checkpoint(a=tf.Variable([1.0]), b=tf.Variable(2.0))
    initialize(session)
    path = checkpoint.save(str(tmp_path / "model"), session)
    fewer = tf.train.Checkpoint(a=tf.Variable([0.0]))
    status = fewer.restore(path).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b: "):
        status.assert_consumed()
    more = tf.train.Checkpoint(a=tf.Variable([0.0]), c=tf.Variable(4.0))
    status = more.restore(path)
    with pytest.raises(AssertionError, match="Some Python objects were not bound to checkpointed"):
        status.assert_existing_objects_matched()
    status.expect_partial().initialize_or_restore(session)
    equal(session.run(more.a), [1.0])
    assert session.run(more.c) == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes of both tensors to match"):
        other = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0]))
        other.restore(path).expect_partial().run_restore_ops(session)


def test_unused_values_are_reported(tmp_path, session, caplog):
    # What earlier tests have restored reports now.
    gc.collect()
    caplog.clear()
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0))
    initialize(session)
    path = checkpoint.save(str(tmp_path / "model"), session)
    fewer = tf.train.Checkpoint(a=tf.Variable(0.0))
    fewer.restore(path).expect_partial()
    gc.collect()
    assert "Unresolved" not in caplog.text
    fewer = tf.train.Checkpoint(a=tf.Variable(0.0))
    fewer.restore(path)
    del fewer
    gc.collect()
    text = caplog.text
    assert "Unresolved object in checkpoint: (root).b" in text
    assert "(root).a" not in text and "not all checkpointed values were used" in text


def test_no_checkpoint(session):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.5))
    status = checkpoint.restore(None)
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            check()
    with pytest.raises(AssertionError, match="no restore ops are available"):
        status.run_restore_ops(session)
    status.initialize_or_restore(session)
    assert session.run(checkpoint.v) == 1.5 and session.run(checkpoint.save_counter) == 0


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match=r"was expecting a trackable object .* got 3"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.Checkpoint().restore(str(tmp_path / "none"))


def test_checkpoints_by_name(tmp_path, session):
    x, y = tf.Variable(5.0, name="x"), tf.Variable(6.0, name="y")
    initialize(session)
    path = tf.train.Saver().save(session, str(tmp_path / "named"))
    checkpoint = tf.train.Checkpoint(a=x)
    session.run([x.assign(0.0), y.assign(0.0)])
    status = checkpoint.restore(path)
    with pytest.raises(AssertionError, match="Object not restored: "):
        status.assert_consumed()
    status.initialize_or_restore(session)
    status.assert_consumed()
    assert session.run([x, y]) == [5.0, 0.0]
    # The name-based checkpoint does not have the counter.
    assert session.run(checkpoint.save_counter) == 0


def test_a_saver_reads_checkpoints_of_objects(tmp_path, session):
    x, y = tf.Variable(5.0, name="x"), tf.Variable(6.0, name="y", use_resource=True)
    initialize(session)
    path = tf.train.Checkpoint(a=x, b=y).save(str(tmp_path / "model"), session)
    session.run([x.assign(0.0), y.assign(0.0)])
    saver = tf.train.Saver([x, y])
    for _ in range(2):
        saver.restore(session, path)
    assert session.run([x, y]) == [5.0, 6.0]
    missing = tf.Variable(1.0, name="z")
    with pytest.raises(
        tf.errors.NotFoundError, match=r"not in the checkpoint: z\n\n.*save_counter"
    ):
        tf.train.Saver([x, missing]).restore(session, path)


def test_values_in_python(tmp_path, session):
    class Names(tf.train.experimental.PythonState):
        def __init__(self, names):
            self.names = names

        def serialize(self):
            return ",".join(self.names)

        def deserialize(self, string_value):
            self.names = string_value.decode().split(",")

    checkpoint = tf.train.Checkpoint(names=Names(["a", "b"]))
    first = checkpoint.save(str(tmp_path / "model"), session)
    checkpoint.names.names = ["c"]
    second = checkpoint.save(str(tmp_path / "model"), session)
    checkpoint.restore(first).assert_consumed()
    assert checkpoint.names.names == ["a", "b"]
    restored = tf.train.Checkpoint()
    restored.restore(second)
    restored.names = Names([])
    assert restored.names.names == ["c"]


def test_iterators(tmp_path, session):
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10))
    element = iterator.get_next()
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    session.run(iterator.initializer)
    assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    path = checkpoint.save(str(tmp_path / "model"), session)
    assert [session.run(element) for _ in range(2)] == [3, 4]
    checkpoint.restore(path).assert_consumed().run_restore_ops(session)
    assert session.run(element) == 3


def golden_objects():
    spec = importlib.util.spec_from_file_location("maker", GOLDEN / "make_object_checkpoint.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    return maker.build(tf)


def test_a_checkpoint_of_tensorflow(session):
    root, train, table = golden_objects()
    status = root.restore(str(GOLDEN / "object_checkpoint" / "model-1"))
    status.assert_consumed().initialize_or_restore(session)
    assert session.run(root.step) == 2
    np.testing.assert_allclose(session.run(root.parts[0]), GOLDEN_WEIGHT, rtol=1e-6)
    equal(session.run(table.lookup(tf.constant(["b", "a", "c"]))), [2, 1, -1])
    session.run(train)
    assert session.run(root.step) == 3


def test_the_same_objects_as_in_tensorflow(tmp_path, session):
    root, _, _ = golden_objects()
    initialize(session)
    path = root.save(str(tmp_path / "model"), session)
    golden = str(GOLDEN / "object_checkpoint" / "model-1")
    assert tf.contrib.checkpoint.object_metadata(path) == tf.contrib.checkpoint.object_metadata(
        golden
    )
    assert [name for name, _ in tf.train.list_variables(path)] == [
        name for name, _ in tf.train.list_variables(golden)
    ]


@pytest.mark.oracle
def test_tensorflow_reads_ours(tmp_path, session, oracle):
    root, train, _ = golden_objects()
    initialize(session)
    session.run(train)
    path = root.save(str(tmp_path / "model"), session)
    printed = oracle(
        f"""
import importlib.util
import tensorflow as tf
spec = importlib.util.spec_from_file_location("m", {str(GOLDEN / "make_object_checkpoint.py")!r})
maker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(maker)
root = maker.build(tf)[0]
with tf.Session() as session:
    root.restore({path!r}).assert_consumed().initialize_or_restore(session)
    print(session.run(root.step), session.run(root.parts[0]).tolist())
"""
    )
    assert str(session.run(root.parts[0]).tolist()) in printed
