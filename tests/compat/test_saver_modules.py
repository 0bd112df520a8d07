"""The internal module of savers, as programs import it."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.compat.internals import all_internals


def internal(path):
    return all_internals()[f"tensorflow.python.{path}"]


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


def test_builders_of_programs_read_and_write(saver, session, tmp_path):
    v = tf.get_variable("v", initializer=[1.5, 2.0])
    w = tf.get_variable("w", initializer=3.0, use_resource=True)

    class Negated(saver.BulkSaverBuilder):
        def save_op(self, filename_tensor, saveables):
            specs = [spec for saveable in saveables for spec in saveable.specs]
            names, slices = [s.name for s in specs], [s.slice_spec for s in specs]
            tensors = [-s.tensor for s in specs]
            return tf.raw_ops.SaveV2(
                prefix=filename_tensor,
                tensor_names=names,
                shape_and_slices=slices,
                tensors=tensors,
            )

    class Swapped(saver.BaseSaverBuilder):
        def restore_op(self, filename_tensor, saveable, preferred_shard):
            (value,) = super().restore_op(filename_tensor, saveable, preferred_shard)
            return [10.0 * value]

    session.run(tf.global_variables_initializer())
    for sharded in (False, True):
        builder = Negated()
        path = tf.train.Saver(builder=builder, sharded=sharded).save(session, str(tmp_path / "m"))
        assert tf.train.load_variable(path, "w") == -3.0
    tf.train.Saver(builder=Swapped(), restore_sequentially=True).restore(session, path)
    assert session.run(v).tolist() == [-15.0, -20.0] and session.run(w) == -30.0


def test_names_of_saveable_object_util(saver):
    util = "training.saving.saveable_object_util"
    v = tf.get_variable("v", initializer=1.0)
    r = tf.get_variable("r", initializer=1.0, use_resource=True)
    found = internal(f"{util}.op_list_to_dict")([v, r])
    assert found["v"].op.type == "VariableV2" and found["r"] is r
    assert internal(f"{util}.op_list_to_dict")([v], convert_variable_to_tensor=False) == {"v": v}
    (one,) = internal(f"{util}.saveable_objects_for_op")(r, "other")
    assert (one.name, type(one)) == ("other", internal(f"{util}.ResourceVariableSaveable"))
    (two,) = internal(f"{util}.validate_and_slice_inputs")({"mine": v})
    assert two.specs[0].name == "mine"


def test_parts_of_checkpoint_utils(saver, session, tmp_path):
    tf.get_variable("v", initializer=[1.0, 2.0])
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, str(tmp_path / "m"))
    filename = internal("training.checkpoint_utils._get_checkpoint_filename")
    assert filename(str(tmp_path)) == filename(path) == path
    w = tf.get_variable("w", [2])
    internal("training.checkpoint_utils._set_checkpoint_initializer")(w, path, "v", "", name="mine")
    session.run(w.initializer)
    assert session.run(w).tolist() == [1.0, 2.0]
    assert session.graph.get_operation_by_name("mine").type == "RestoreV2"
    mapping = internal("training.saver.object_graph_key_mapping")
    with pytest.raises(tf.errors.NotFoundError, match="_CHECKPOINTABLE_OBJECT_GRAPH not found"):
        mapping(path)
    objects = tf.train.Checkpoint(a=w).save(str(tmp_path / "o"), session=session)
    assert mapping(objects)["w"] == "a/.ATTRIBUTES/VARIABLE_VALUE"
