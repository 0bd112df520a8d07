"""Checkpoint state, global step and written graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf


@pytest.fixture
def v():
    return tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")


def test_checkpoint_state(tmp_path, v):
    saver = tf.train.Saver()
    for set_them in (saver.set_last_checkpoints, saver.set_last_checkpoints_with_time):
        with pytest.raises(AssertionError):
            set_them("no list")
    folder = str(tmp_path)
    assert tf.train.latest_checkpoint(folder) is None
    assert tf.train.get_checkpoint_state(folder) is None
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    tf.train.update_checkpoint_state(folder, paths[1], paths)
    state = tf.train.get_checkpoint_state(folder)
    assert list(state.all_model_checkpoint_paths) == paths
    tf.train.update_checkpoint_state(folder, paths[0], paths)
    state = tf.train.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == paths[0] == state.all_model_checkpoint_paths[-1]
    with pytest.raises(RuntimeError, match="Save path '"):
        tf.train.update_checkpoint_state(folder, str(tmp_path / "checkpoint"))


def test_step_and_graph(session, tmp_path):
    step = tf.Variable(10, trainable=False, name="global_step")
    session.run(step.initializer)
    assert tf.train.global_step(session, step) == 10
    assert tf.train.global_step(session, "global_step:0") == 10
    folder = str(tmp_path)
    text = tf.train.write_graph(session.graph_def, folder, "train.pbtxt")
    assert "global_step" in Path(text).read_text()
    binary = tf.train.write_graph(session.graph, folder, "train.pb", as_text=False)
    assert tf.GraphDef.FromString(Path(binary).read_bytes()) == session.graph_def
