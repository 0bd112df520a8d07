"""Saver: names of files, retention, lists of variables, shards, refused arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


@pytest.fixture
def v():
    return tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")


def files(folder):
    return sorted(p.name for p in Path(folder).iterdir())


def test_savers(tmp_path):
    v1, v2 = tf.Variable(1.0, name="v1"), tf.Variable(2.0, name="v2")
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        everything = tf.train.Saver().save(session, str(tmp_path / "all"))
        some = tf.train.Saver({"my_v2": v2}).save(session, str(tmp_path / "some"))
    names = [n for n, _ in tf.train.list_variables(everything)]
    assert names == ["v1", "v2"] and tf.train.list_variables(some) == [("my_v2", [])]
    params = tf.Variable(0.0, name="params")
    with tf.Session() as session:
        tf.train.Saver({"v1": params}).restore(session, everything)
        assert session.run(params) == 1.0
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v1"
        ):
            session.run(v1)


def test_names_of_checkpoints(session, tmp_path, v):
    step = tf.Variable(7, name="step")
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver([v])
    base = str(tmp_path / "my-model")
    assert saver.save(session, base, global_step=0) == base + "-0"
    assert saver.save(session, base, global_step=1000) == base + "-1000"
    assert saver.save(session, base, global_step=step) == base + "-7"
    assert saver.save(session, base, global_step="step:0") == base + "-7"
    path = saver.save(session, base)
    assert path == base
    saver.restore(session, path)


def test_retention(session, tmp_path, v):
    session.run(v.initializer)
    base = str(tmp_path / "m")
    saver = tf.train.Saver(max_to_keep=2)
    for step in range(4):
        saver.save(session, base, global_step=step, latest_filename="latest")
    assert saver.last_checkpoints == [base + "-2", base + "-3"]
    assert "latest" in files(tmp_path) and "m-1.meta" not in files(tmp_path)
    assert tf.train.latest_checkpoint(str(tmp_path), "latest") == base + "-3"
    assert tf.train.Saver()._max_to_keep == 5
    for keep in (None, 0):
        saver = tf.train.Saver(max_to_keep=keep)
        for step in range(10, 18):
            saver.save(session, base, global_step=step)
        assert all(f"m-{step}.index" in files(tmp_path) for step in range(10, 18))


def test_one_checkpoint_per_hours_stays(session, tmp_path, v, monkeypatch):
    session.run(v.initializer)
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for step in range(3):
        saver.save(session, str(tmp_path / "m"), global_step=step)
    assert {f"m-{step}.index" for step in range(3)} <= set(files(tmp_path))


def test_lists_of_variables(session, tmp_path, v):
    w = tf.Variable([5.0], name="w")
    session.run(tf.global_variables_initializer())
    as_dict = tf.train.Saver({"renamed": v}).save(session, str(tmp_path / "d"))
    as_list = tf.train.Saver([v, w]).save(session, str(tmp_path / "l"))
    everything = tf.train.Saver().save(session, str(tmp_path / "a"))
    assert list(tf.train.NewCheckpointReader(as_dict).get_variable_to_shape_map()) == ["renamed"]
    for path in (as_list, everything):
        assert sorted(tf.train.NewCheckpointReader(path).get_variable_to_shape_map()) == ["v", "w"]
    with pytest.raises(
        TypeError, match="Variables to save should be passed in a dict or a list: 3"
    ):
        tf.train.Saver(3)
    with pytest.raises(
        (TypeError, ValueError), match="names_to_saveables must be a dict mapping string names to"
    ):
        tf.train.Saver({"x": 3})
    with pytest.raises(TypeError, match="Variable to save is not a Variable: Tensor"):
        tf.train.Saver([v.value()])
    with pytest.raises(TypeError, match="Name is not a string: 3"):
        tf.train.Saver({3: v})
    path = tf.train.Saver({v}).save(session, str(tmp_path / "s"))
    assert [name for name, _ in tf.train.list_variables(path)] == ["v"]
    with pytest.raises(ValueError, match="At least two variables have the same name: v"):
        tf.train.Saver([v, v])
    with pytest.raises(ValueError, match="The same saveable will be restored with two names: b"):
        tf.train.Saver({"a": v, "b": v})


def test_reshape(session, tmp_path, v):
    session.run(v.initializer)
    path = tf.train.Saver([v]).save(session, str(tmp_path / "m"))
    w = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
    tf.train.Saver({"v": w}, reshape=True).restore(session, path)
    equal(session.run(w), [[1, 2], [3, 4]])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Restoring from checkpoint failed\. This is most likely due to a",
    ):
        tf.train.Saver({"v": w}).restore(session, path)


def test_the_old_format_is_advised_against(session, tmp_path, v, caplog):
    session.run(v.initializer)
    old = tf.train.Saver(write_version=tf.train.SaverDef.V1)
    for saver, lines in ((tf.train.Saver(), 0), (old, 5), (old, 10)):
        saver.save(session, str(tmp_path / "m"))
        assert len(caplog.messages) == lines
    assert "Consider switching to the more efficient V2 format:" in caplog.messages


def test_sharded(tmp_path):
    with tf.device("/cpu:0"):
        a = tf.Variable(1.0, name="a")
    with tf.device("/cpu:1"):
        b = tf.Variable(2.0, name="b")
    saver = tf.train.Saver(sharded=True)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "m"))
        data = [f for f in files(tmp_path) if ".data-" in f]
        assert data == ["m.data-00000-of-00002", "m.data-00001-of-00002"]
        session.run([a.assign(0.0), b.assign(0.0)])
        saver.restore(session, path)
        assert session.run([a, b]) == [1.0, 2.0]
    assert tf.train.latest_checkpoint(str(tmp_path)) == path


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("sharded", [False, True])
def test_one_missing_folder_is_made_by_a_plain_saver_of_format_v2(
    session, tmp_path, v, version, sharded
):
    session.run(v.initializer)
    saver = tf.train.Saver([v], sharded=sharded, write_version=version)
    missing = ["new/m", "other/new/m"]
    if version == 2 and not sharded:
        saver.save(session, str(tmp_path / missing.pop(0)))
        assert "m.index" in files(tmp_path / "new")
    for name in missing:
        with pytest.raises(ValueError, match=rf"Parent directory of .*{name} doesn't exist, can't"):
            saver.save(session, str(tmp_path / name))
    with session.as_default():
        path = tf.train.Checkpoint(v=v).save(str(tmp_path / "a" / "b" / "m"))
    assert tf.train.checkpoint_exists(path)


def test_arguments(session, tmp_path, v):
    saver = tf.train.Saver()
    base = str(tmp_path / "m")
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"
    ):
        saver.save(session, base)
    session.run(v.initializer)
    with pytest.raises(TypeError, match="'sess' must be a Session; session"):
        saver.save("session", base)
    with pytest.raises(ValueError, match="'latest_filename' must not contain path components"):
        saver.save(session, base, latest_filename="a/b")
    saver.save(session, base, write_meta_graph=False)
    assert "m.meta" not in files(tmp_path)
    saver.save(session, base, meta_graph_suffix="graph")
    assert "m.graph" in files(tmp_path)
    with tf.Session() as other:
        saver.restore(other, base)
        equal(other.run(v), [1, 2, 3, 4])
        with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint:"):
            saver.restore(other, str(tmp_path / "none"))
        folder = tmp_path / "no_folder"
        with pytest.raises(tf.errors.NotFoundError, match=f"{folder}; No such file or directory"):
            saver.restore(other, str(folder / "m"))
        with pytest.raises(tf.errors.DataLossError, match=f"table file {tmp_path}: Failed precond"):
            saver.restore(other, str(tmp_path))
