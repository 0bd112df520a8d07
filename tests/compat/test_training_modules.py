"""Internal modules of training, saving and summaries; values are those of 1.15.5."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater as tf
from headwater.compat.mirrors.ops.variable_scope import _PartitionInfo
from headwater.compat.mirrors.saved_model.nested_structure_coder import (
    NotEncodableError,
    StructureCoder,
)
from headwater.compat.mirrors.saved_model.utils import build_tensor_info_from_op
from headwater.compat.mirrors.training import tensorboard_logging as messages
from headwater.compat.mirrors.training.saver_test_utils import CheckpointedOp


@pytest.fixture(autouse=True)
def _without_writer() -> Iterator[None]:
    yield
    messages._clear_summary_writer()
    messages.set_verbosity(messages.WARN)


def test_messages_in_event_files(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Must call set_summary_writer before doing any logging"):
        messages.log("bad", "text")
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        messages.set_summary_writer(writer)
        messages.info("left out")
        messages.warn("%s %d", "number", 3)
        messages.set_verbosity(messages.DEBUG)
        messages.debug("detail")
        messages.set_summary_writer(None)
        messages.error("only in the log")
    with pytest.raises(ValueError, match="Level bad is not a valid tensorboard_logging level"):
        messages.log("bad", "text")
    with pytest.raises(ValueError, match="Level failure is not a valid"):
        messages.set_verbosity("failure")
    _, *events = tf.train.summary_iterator(str(next(tmp_path.iterdir())))
    found = [(event.log_message.level, event.log_message.message) for event in events]
    assert found == [(30, "number 3"), (10, "detail")]


def test_a_table_that_saves_itself(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = CheckpointedOp("table")
        table.insert(["a", "b"], [1.0, 2.0]).run()
        assert session.run([table.lookup("a", 5.0), table.lookup("c", 5.0)]) == [1.0, 5.0]
        assert tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS) == [table.saveable]
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    assert tf.train.list_variables(path) == [("table-keys", [2]), ("table-values", [2])]
    with tf.Graph().as_default(), tf.Session() as session:
        table = CheckpointedOp("table")
        tf.train.Saver().restore(session, path)
        same = CheckpointedOp("same", table_ref=table.table_ref)
        assert sorted(session.run(same.keys())) == [b"a", b"b"]
        assert sorted(session.run(same.values())) == [1.0, 2.0]


def test_structures_as_protos() -> None:
    coder = StructureCoder()
    for value in (
        [1, 2.5, "a", None, True],
        {"b": (tf.float32, tf.TensorSpec([2], tf.int32, "n"))},
    ):
        assert coder.can_encode(value)
        assert coder.decode_proto(coder.encode_structure(value)) == value
    assert not coder.can_encode([b"bytes"])
    with pytest.raises(NotEncodableError, match=r"No encoder for object \[b'x'\] of type"):
        coder.encode_structure(b"x")


def test_names_of_operations_and_parts() -> None:
    with tf.Graph().as_default():
        info = build_tensor_info_from_op(tf.group(tf.constant(1), name="op"))
    assert (info.name, info.dtype) == ("op", 0)
    assert _PartitionInfo(full_shape=[5, 1], var_offset=[3, 0]).var_offset == [3, 0]
