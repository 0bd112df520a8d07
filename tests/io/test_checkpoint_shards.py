"""Sharded checkpoints of format V1: new shards replace those of the same name in one step."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.io import checkpoint_shards


@pytest.fixture
def two_devices():
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        yield session


@pytest.fixture
def saved(two_devices, tmp_path):
    """A function that gives two variables on two devices a value and saves; returns the path."""
    x = tf.placeholder(tf.float32, [])
    assigned = []
    for i in range(2):
        with tf.device(f"/cpu:{i}"):
            v = tf.get_variable(f"v{i}", initializer=np.zeros(3, np.float32))
            assigned.append(v.assign(tf.fill([3], x)))
    saver = tf.train.Saver(sharded=True, write_version=tf.train.SaverDef.V1)

    def save(value):
        two_devices.run(assigned, {x: value})
        return saver.save(two_devices, str(tmp_path / "m"), write_meta_graph=False)

    return save


def values(path):
    reader = tf.train.load_checkpoint(path)
    return [float(reader.get_tensor(f"v{i}").max()) for i in range(2)]


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "checkpoint")


SHARDS = ["m-00000-of-00002", "m-00001-of-00002"]


def test_saving_again_leaves_the_shards_only(saved, tmp_path):
    for value in (1, 2, 3):
        path = saved(value)
        assert path == str(tmp_path / "m-?????-of-00002")
        assert values(path) == [value, value]
        assert names(tmp_path) == SHARDS


@pytest.mark.parametrize("step", range(1, 10))
def test_each_state_on_the_way_is_whole(saved, tmp_path, step, monkeypatch):
    path = saved(1)
    count = 0

    class Killed(BaseException):
        pass

    def until_killed(function):
        def call(*args, **kwargs):
            nonlocal count
            count += 1
            if count >= step:
                raise Killed
            return function(*args, **kwargs)

        return call

    # In this order: a new folder, its name, two files replaced, the folder renamed and removed.
    calls = ("make_draft_folder", "rename_file", "remove_file", "link_file", "remove_tree")
    with monkeypatch.context() as patch:
        for name in calls:
            patch.setattr(checkpoint_shards, name, until_killed(getattr(checkpoint_shards, name)))
        try:
            saved(2)
            assert step == 9
        except Killed:
            assert step < 9
    first, second = values(path)
    assert first == second == (1 if step < 3 else 2)
    assert tf.train.checkpoint_exists(path)
    # The next save finishes what is left.
    assert values(saved(3)) == [3, 3]
    assert SHARDS[0] in names(tmp_path) and not any(
        name.endswith(".new") for name in names(tmp_path)
    )


def test_a_failed_save_leaves_the_old_shards(saved, tmp_path, two_devices, monkeypatch):
    path = saved(1)

    def fail(self):
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    monkeypatch.setattr("headwater.io.checkpoint_v1.SlicesWriter.finish", fail)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        saved(2)
    assert values(path) == [1, 1]
    assert names(tmp_path) == SHARDS


def test_removing(saved, tmp_path):
    path = saved(1)
    (tmp_path / "m-of-00002.new").mkdir()
    tf.train.remove_checkpoint(path, tf.train.SaverDef.V1)
    assert names(tmp_path) == []


def test_file_systems_without_links(saved, tmp_path, monkeypatch):
    def refuse(path, target):
        raise tf.errors.PermissionDeniedError(None, None, "Operation not permitted")

    monkeypatch.setattr(checkpoint_shards, "link_file", refuse)
    for value in (1, 2):
        assert values(saved(value)) == [value, value]
    assert names(tmp_path) == SHARDS
