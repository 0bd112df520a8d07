"""Files of HDFS: through WebHDFS from a server that speaks it, and what is said without Hadoop."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.io import remote_files
from tests.io.webhdfs_server import serving

gfile = tf.gfile


@pytest.fixture
def root(tmp_path):
    pytest.importorskip("requests")
    with serving(tmp_path) as url:
        gfile.MakeDirs(f"{url}/user/me")
        yield f"{url}/user/me"


def write(name, text, mode="w"):
    with gfile.GFile(name, mode) as file:
        file.write(text)


def test_files_are_written_added_to_and_read_in_parts(root):
    for text in ("one\n", "two\n"):
        write(f"{root}/lines", text, "a")
    assert gfile.GFile(f"{root}/lines").readlines() == ["one\n", "two\n"]
    # More than the client sends and reads at once.
    large = np.arange(4_000_000, dtype=np.int32).tobytes()
    write(f"{root}/large", large, "wb")
    write(f"{root}/large", b"end", "ab")
    with gfile.GFile(f"{root}/large", "rb") as file:
        file.seek(9_000_001)
        assert file.read(7) == large[9_000_001:9_000_008]
        file.seek(15_999_999)
        assert file.read() == large[-1:] + b"end"
    assert gfile.Stat(f"{root}/large").length == 16_000_003


def test_files_replace_others_only_if_they_may(root):
    write(f"{root}/a", "a")
    write(f"{root}/b", "b")
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.Rename(f"{root}/a", f"{root}/b")
    gfile.Rename(f"{root}/a", f"{root}/b", overwrite=True)
    assert gfile.ListDirectory(root) == ["b"]
    assert gfile.GFile(f"{root}/b").read() == "a"
    gfile.Copy(f"{root}/b", f"{root}/c")
    assert gfile.Glob(f"{root}/*") == [f"{root}/b", f"{root}/c"]
    with pytest.raises(tf.errors.UnknownError, match=r"/c; Input/output error$"):
        # There is no such folder.
        gfile.Rename(f"{root}/c", f"{root}/none/c")


def test_only_what_exists_is_removed(root):
    write(f"{root}/d/a", "a")
    for call in (gfile.Remove, gfile.Stat, gfile.DeleteRecursively):
        with pytest.raises(tf.errors.NotFoundError, match=r"/none(; No such| not found)"):
            call(f"{root}/none")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Is a directory$"):
        gfile.Remove(f"{root}/d")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Directory not empty$"):
        remote_files.RemoteFiles("webhdfs", root).remove_folder(f"{root}/d")
    assert list(gfile.Walk(root)) == [(root, ["d"], []), (f"{root}/d", [], ["a"])]
    gfile.DeleteRecursively(f"{root}/d")
    assert not gfile.Exists(f"{root}/d")


def test_checkpoints_records_and_events(root, session):
    variable = tf.Variable(np.arange(10.0))
    session.run(variable.initializer)
    saver = tf.train.Saver(max_to_keep=2)
    for step in range(4):
        saver.save(session, f"{root}/run/model", global_step=step)
    session.run(variable.assign(tf.zeros([10], tf.float64)))
    latest = tf.train.latest_checkpoint(f"{root}/run")
    assert latest == f"{root}/run/model-3"
    saver.restore(session, latest)
    np.testing.assert_array_equal(session.run(variable), np.arange(10.0))
    assert {name.split(".")[0] for name in gfile.ListDirectory(f"{root}/run")} == {
        "checkpoint",
        "model-2",
        "model-3",
    }
    with tf.python_io.TFRecordWriter(f"{root}/records") as writer:
        writer.write(b"one")
    dataset = tf.data.TFRecordDataset(f"{root}/records")
    assert session.run(tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()) == b"one"
    with tf.summary.FileWriter(f"{root}/logs") as writer:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="t", simple_value=1.0)]), 7)
    (name,) = gfile.Glob(f"{root}/logs/*")
    assert [event.step for event in tf.train.summary_iterator(name)] == [0, 7]


def test_a_client_without_the_libraries_of_hadoop(monkeypatch):
    def fail(*args):
        raise OSError("Unable to load libjvm\ndlopen failed")

    monkeypatch.setattr(remote_files.RemoteFiles, "_at", fail)
    text = r"^libhdfs.so: cannot open shared object file: No such file or directory\n.*JAVA_HOME"
    with pytest.raises(tf.errors.NotFoundError, match=text):
        gfile.GFile("hdfs://namenode:8020/f").read()
    assert not gfile.Exists("hdfs://namenode:8020/f")


@pytest.mark.parametrize("scheme", ("hdfs", "webhdfs"))
def test_a_missing_client_says_what_to_install(scheme, monkeypatch):
    def fail(*args):
        raise ImportError("No module named 'client'")

    monkeypatch.setattr(remote_files.RemoteFiles, "_at", fail)
    text = (
        rf"^File system scheme '{scheme}' not implemented .*\n.*pip install \"headwater\[hdfs\]\""
    )
    with pytest.raises(tf.errors.UnimplementedError, match=text):
        gfile.GFile(f"{scheme}://namenode:8020/f").read()
