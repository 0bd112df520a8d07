"""tf.train.CheckpointManager: which checkpoints it keeps, and what it takes over."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf


@pytest.fixture
def checkpoint(session):
    result = tf.train.Checkpoint(v=tf.Variable(1.0))
    session.run(tf.global_variables_initializer())
    return result


def kept(folder):
    return sorted(path.name for path in Path(folder).glob("*.index"))


def test_old_checkpoints_are_deleted(tmp_path, session, checkpoint):
    folder = str(tmp_path / "new")
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    paths = [manager.save() for _ in range(3)]
    assert paths == [f"{folder}/ckpt-{i}" for i in (1, 2, 3)]
    assert manager.save(checkpoint_number=20) == manager.latest_checkpoint == f"{folder}/ckpt-20"
    assert kept(folder) == ["ckpt-20.index", "ckpt-3.index"]
    assert tf.train.latest_checkpoint(folder) == f"{folder}/ckpt-20"
    state = tf.train.get_checkpoint_state(folder)
    assert len(state.all_model_checkpoint_timestamps) == 2 and state.last_preserved_timestamp > 0
    again = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    assert again.checkpoints == [f"{folder}/ckpt-3", f"{folder}/ckpt-20"]
    number = tf.Variable(30)
    session.run(number.initializer)
    again.save(number)
    assert kept(folder) == ["ckpt-30.index"]


def test_saves_with_a_number_count(tmp_path, session, checkpoint):
    number = tf.Variable(7.0)
    session.run(number.initializer)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=None)
    paths = [manager.save(3), manager.save(), manager.save(number), manager.save()]
    assert [Path(path).name for path in paths] == ["ckpt-3", "ckpt-2", "ckpt-7", "ckpt-4"]
    assert session.run(checkpoint.save_counter) == 4


def test_some_are_kept_for_good(tmp_path, checkpoint, monkeypatch):
    now = [1e9]
    monkeypatch.setattr("time.time", lambda: now[0])
    manager = tf.train.CheckpointManager(
        checkpoint, str(tmp_path), max_to_keep=1, keep_checkpoint_every_n_hours=2
    )
    for _ in range(6):
        now[0] += 3600
        manager.save()
    assert kept(tmp_path) == ["ckpt-2.index", "ckpt-4.index", "ckpt-6.index"]
    assert [Path(path).name for path in manager.checkpoints] == ["ckpt-6"]


def test_all_may_be_kept(tmp_path, checkpoint):
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), None, checkpoint_name="model")
    for _ in range(3):
        manager.save()
    assert kept(tmp_path) == ["model-1.index", "model-2.index", "model-3.index"]
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for"):
        tf.train.CheckpointManager(checkpoint, str(tmp_path), 0)


# As TensorFlow 1.15.5: times, the time of the preserved one -> the checkpoints that may be deleted.
@pytest.mark.parametrize(
    ("times", "preserved", "deletable"),
    [
        ([], 0.0, []),
        ([5.0, 6.0], 0.0, ["c-1", "c-2"]),
        ([5.0, 6.0, 7.0], 0.0, ["c-1", "c-2", "c-3"]),
        ([5.0, 6.0, 7.0], 6.0, ["c-3"]),
        ([], 3.0, []),
    ],
)
def test_the_state_that_other_writers_leave(tmp_path, checkpoint, times, preserved, deletable):
    paths = [str(tmp_path / f"c-{i}") for i in (1, 2, 3)]
    state = tf.train.generate_checkpoint_state_proto(
        str(tmp_path), paths[-1], paths, None, preserved
    )
    state.all_model_checkpoint_timestamps.extend(times)
    (tmp_path / "checkpoint").write_text(str(state))
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
    assert [Path(path).name for path in manager.checkpoints] == deletable
    assert manager.latest_checkpoint == paths[-1]
