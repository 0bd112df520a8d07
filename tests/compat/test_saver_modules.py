"""The internal module of savers, as programs import it."""

from __future__ import annotations

import pytest

import headwater as tf


@pytest.fixture
def saver():
    import headwater.compat.mirrors.training.saver as module

    return module


def test_own_saveable_objects(saver, session, tmp_path):
    v, w = tf.Variable(1.0, name="v"), tf.Variable([2.0], name="w")

    class Doubled(saver.BaseSaverBuilder.SaveableObject):
        def __init__(self, variable, name):
            spec = saver.BaseSaverBuilder.SaveSpec(variable * 2.0, "", name)
            super().__init__(variable._ref(), [spec], name)

        def restore(self, restored_tensors, restored_shapes):
            return tf.assign(self.op, restored_tensors[0] / 2.0)

    plain = saver.BaseSaverBuilder.VariableSaveable(w._ref(), "", "other")
    made = tf.train.Saver([Doubled(v, "twice"), plain])
    session.run(tf.global_variables_initializer())
    path = made.save(session, str(tmp_path / "m"))
    assert tf.train.load_variable(path, "twice") == 2.0
    session.run([v.assign(0.0), w.assign([0.0])])
    made.restore(session, path)
    assert session.run(v) == 1.0 and session.run(w).tolist() == [2.0]
    assert saver.BaseSaverBuilder.OpListToDict([v]) == {"v": v}


def test_the_saver_of_a_graph(saver):
    tf.Variable(1.0)
    made = saver._get_saver_or_default()
    assert made.saver_def.sharded and saver._get_saver_or_default() is made
    tf.add_to_collection(tf.GraphKeys.SAVERS, 3)
    with pytest.raises(
        RuntimeError, match=r"More than one item in collection savers\. Please indicate which"
    ):
        saver._get_saver_or_default()
