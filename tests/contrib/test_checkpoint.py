"""tf.contrib.checkpoint: arrays, split buffers, drawings."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

contrib = tf.contrib.checkpoint
equal = np.testing.assert_array_equal


def test_arrays(tmp_path, session):
    arrays = contrib.NumpyState()
    checkpoint = tf.train.Checkpoint(arrays=arrays)
    arrays.a, arrays.b = np.ones([2, 2]), np.int64(3)
    first = checkpoint.save(str(tmp_path / "model"), session)
    nodes = len(tf.get_default_graph().get_operations())
    arrays.a[1, 1], arrays.b = 2.0, np.int64(4)
    second = checkpoint.save(str(tmp_path / "model"), session)
    assert len(tf.get_default_graph().get_operations()) == nodes
    restored = contrib.NumpyState()
    loader = tf.train.Checkpoint(arrays=restored)
    loader.restore(first).assert_consumed()
    equal(restored.a, np.ones([2, 2]))
    loader.restore(second).assert_consumed()
    equal(restored.a, [[1, 1], [1, 2]])
    assert restored.b == 4 and not hasattr(restored, "c")
    with pytest.raises(NotImplementedError, match=r"the v property of .* is not a NumPy array"):
        restored.v = tf.Variable(1.0)


class Halves(contrib.CheckpointableBase):
    def __init__(self):
        self.whole = tf.Variable([0.0] * 4, use_resource=True)

        def fill(buffers):
            buffers.update(first=self.whole[:2], second=self.whole[2:])

        def consume(buffers):
            return self.whole.assign(tf.concat([buffers["first"], buffers["second"]], 0))

        parts = contrib.split_dependency(
            ("first", "second"), (tf.float32, tf.float32), fill, consume, "/cpu:0"
        )
        for name, part in parts.items():
            self._track_trackable(part, name=name)


def test_split_buffers(tmp_path, session):
    checkpoint = tf.train.Checkpoint(halves=Halves())
    session.run(checkpoint.halves.whole.assign([1.0, 2.0, 3.0, 4.0]).op)
    path = checkpoint.save(str(tmp_path / "model"), session)
    shapes = dict(tf.train.list_variables(path))
    assert shapes["halves/second/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
    later = tf.train.Checkpoint()
    status = later.restore(path)
    later.halves = Halves()
    status.assert_consumed().run_restore_ops(session)
    equal(session.run(later.halves.whole), [1.0, 2.0, 3.0, 4.0])


def test_drawings(tmp_path, session):
    x = tf.Variable(5.0, name="x")
    session.run(x.initializer)
    path = tf.train.Checkpoint(a=x).save(str(tmp_path / "model"), session)
    assert contrib.dot_graph_from_checkpoint(path) == (
        "digraph {\n"
        'N_0 [shape=point label="" width=.25]\n'
        'N_0 -> N_1 [label="a"]\n'
        'N_0 -> N_2 [label="save_counter"]\n'
        'N_1 [shape=point label="" color=blue width=.25 tooltip="Variable x shape=[] float32"]\n'
        'N_2 [shape=point label="" color=blue width=.25 '
        'tooltip="Variable save_counter shape=[] int64"]\n'
        "}\n"
    )
    named = tf.train.Saver([x]).save(session, str(tmp_path / "named"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        contrib.object_metadata(named)
