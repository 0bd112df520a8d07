"""Paths that are URLs: through fsspec, wherever the package reads or writes files."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

import headwater as tf

gfile = tf.gfile


@pytest.fixture
def root():
    return f"memory://{uuid.uuid4().hex}"


def test_files_and_folders(root):
    gfile.MakeDirs(f"{root}/a/b")
    with gfile.GFile(f"{root}/a/x", "w") as file:
        file.write("one\ntwo\n")
    assert gfile.GFile(f"{root}/a/x").readlines() == ["one\n", "two\n"]
    assert gfile.Glob(f"{root}/*/*") == [f"{root}/a/b", f"{root}/a/x"]
    assert list(gfile.Walk(root)) == [
        (root, ["a"], []),
        (f"{root}/a", ["b"], ["x"]),
        (f"{root}/a/b", [], []),
    ]
    found = gfile.Stat(f"{root}/a/x")
    assert (found.length, found.is_directory, found.mtime_nsec > 0) == (8, False, True)
    gfile.Rename(f"{root}/a/x", f"{root}/y")
    assert not gfile.Exists(f"{root}/a/x")
    gfile.Remove(f"{root}/y")
    gfile.DeleteRecursively(root)
    assert not gfile.Exists(root)


def test_adding_seeking_and_size(root):
    with gfile.GFile(f"{root}/f", "w+") as file:
        file.write("abc")
        file.flush()
        file.seek(1)
        assert (file.read(), file.size()) == ("bc", 3)
    with gfile.GFile(f"{root}/f", "a") as file:
        file.write("d")
        assert file.tell() == 4
    assert gfile.GFile(f"{root}/f").read() == "abcd"


def test_copies_between_file_systems(root, tmp_path):
    (tmp_path / "f").write_text("content")
    gfile.Copy(str(tmp_path / "f"), f"{root}/f")
    gfile.Copy(f"{root}/f", str(tmp_path / "g"))
    assert (tmp_path / "g").read_text() == "content"
    with pytest.raises(tf.errors.UnimplementedError, match=r"^Renaming .* to .* not implemented"):
        gfile.Rename(f"{root}/f", str(tmp_path / "h"))


@pytest.mark.parametrize(
    "call",
    [gfile.Remove, gfile.Stat, gfile.DeleteRecursively, lambda name: gfile.Open(name).read()],
)
def test_missing_files(root, call):
    with pytest.raises(tf.errors.NotFoundError, match=f"^{root}/none(;| not found)"):
        call(f"{root}/none")


def test_kinds_that_do_not_fit(root):
    gfile.MakeDirs(f"{root}/d")
    gfile.GFile(f"{root}/f", "w").write("x")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Is a directory$"):
        gfile.Remove(f"{root}/d")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Not a directory$"):
        gfile.DeleteRecursively(f"{root}/f")


def test_errors_of_a_client_become_those_of_tensorflow(root, monkeypatch):
    memory = pytest.importorskip("fsspec.implementations.memory")

    def broken(*args, **kwargs):
        raise RuntimeError("the service is down")

    gfile.GFile(f"{root}/f", "w").write("x")
    monkeypatch.setattr(memory.MemoryFileSystem, "info", broken)
    with pytest.raises(tf.errors.UnknownError, match=r"/f; the service is down$"):
        gfile.Stat(f"{root}/f")


def test_unknown_schemes():
    text = r"^File system scheme 'foo' not implemented \(file: 'foo://x/y'\)"
    for call in (gfile.Exists, gfile.Stat, gfile.MakeDirs, lambda name: gfile.Open(name).read()):
        with pytest.raises(tf.errors.UnimplementedError, match=text):
            call("foo://x/y")


def test_file_urls_are_local(tmp_path):
    (tmp_path / "a.txt").write_text("text")
    assert gfile.GFile(f"file://{tmp_path}/a.txt").read() == "text"
    assert gfile.Glob(f"file://{tmp_path}/*.txt") == [f"file://{tmp_path}/a.txt"]


def test_local_files_do_not_load_fsspec(forks, tmp_path):
    program = f"""
import sys
import headwater as tf
with tf.gfile.GFile({str(tmp_path / "f")!r}, "w") as file:
    file.write("x")
assert "fsspec" not in sys.modules
tf.gfile.Exists("memory://x")
assert "fsspec" in sys.modules
print("done")
"""
    (result,) = forks("", [(program, [])])
    assert "done" in str(result)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("sharded", [False, True])
def test_checkpoints(root, session, version, sharded):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    saver = tf.train.Saver([v], max_to_keep=1, sharded=sharded, write_version=version)
    for step in range(2):
        path = saver.save(session, f"{root}/model", global_step=step)
    assert path.startswith(f"{root}/model-1")
    assert tf.train.latest_checkpoint(root) == path
    assert not [name for name in gfile.ListDirectory(root) if name.startswith("model-0")]
    session.run(v.assign([0.0, 0.0]))
    tf.train.Saver([v]).restore(session, path)
    np.testing.assert_array_equal(session.run(v), [1.0, 2.0])
    assert tf.train.list_variables(root) == [("Variable", [2])]


def test_records_events_and_graphs(root, session):
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter(f"{root}/records", options) as writer:
        writer.write(b"hello")
    assert list(tf.python_io.tf_record_iterator(f"{root}/records", options)) == [b"hello"]
    tf.constant(1, name="one")
    tf.summary.FileWriter(f"{root}/run", session.graph).close()
    (events,) = gfile.Glob(f"{root}/run/*")
    assert any(event.graph_def for event in tf.train.summary_iterator(events))
    path = tf.train.write_graph(session.graph, root, "graph.pbtxt")
    assert path == f"{root}/graph.pbtxt"
    assert 'name: "one"' in gfile.GFile(path).read()


def test_ops(root, session):
    session.run(tf.write_file(f"{root}/new/a", "content"))
    assert session.run(tf.read_file(f"{root}/new/a")) == b"content"
    assert session.run(tf.matching_files(f"{root}/new/*")).tolist() == [f"{root}/new/a".encode()]
