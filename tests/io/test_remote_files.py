"""Paths that are URLs: through fsspec, wherever the package reads or writes files."""

from __future__ import annotations

import contextlib
import functools
import http.server
import io
import threading
import uuid
from typing import ClassVar

import numpy as np
import pytest

import headwater as tf
from headwater.io import remote_files

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


@pytest.fixture
def objects():
    """The root of a storage that has names and no folders, as those of clouds."""
    fsspec = pytest.importorskip("fsspec")
    memory = pytest.importorskip("fsspec.implementations.memory")

    class Objects(fsspec.AbstractFileSystem):
        protocol = "objects"
        stored: ClassVar[dict[str, bytes]] = {}

        def ls(self, path, detail=True, **options):
            path = path.rstrip("/")
            found = {}
            for name, data in self.stored.items():
                if name == path:
                    found[name] = {"name": name, "size": len(data), "type": "file"}
                elif name.startswith(f"{path}/"):
                    first, slash, _ = name[len(path) + 1 :].partition("/")
                    entry = f"{path}/{first}"
                    kind = "directory" if slash or not first else "file"
                    found[entry] = {"name": entry, "size": len(data), "type": kind}
            if not found:
                raise FileNotFoundError(path)
            return list(found.values()) if detail else list(found)

        def mkdir(self, path, **options):
            pass

        def makedirs(self, path, exist_ok=False):
            pass

        def rmdir(self, path):
            raise FileExistsError(path)

        def rm_file(self, path):
            del self.stored[path]

        def cp_file(self, path1, path2, **options):
            self.stored[path2] = self.stored[path1]

        def pipe_file(self, path, value, **options):
            self.stored[path] = value

        def rm(self, path, recursive=False, **options):
            for name in [n for n in self.stored if n == path or n.startswith(f"{path}/")]:
                del self.stored[name]

        def _open(self, path, mode="rb", **options):
            stored = self.stored

            class Written(memory.MemoryFile):
                def close(self):
                    if not self.closed:
                        stored[path] = self.getvalue()
                    super(memory.MemoryFile, self).close()

            if mode == "rb":
                return io.BytesIO(stored[path])
            return Written(data=stored.get(path, b"") if mode == "ab" else b"")

    fsspec.register_implementation("objects", Objects, clobber=True)
    Objects.stored["bucket/other"] = b""
    return "objects://bucket/work"


def test_folders_where_only_names_exist(objects):
    gfile.MakeDirs(f"{objects}/a/b")
    assert gfile.IsDirectory(f"{objects}/a") and gfile.IsDirectory(f"{objects}/a/b")
    assert gfile.ListDirectory(f"{objects}/a/b") == []
    with gfile.GFile(f"{objects}/a/b/x", "w") as file:
        file.write("one")
    assert list(gfile.Walk(f"{objects}/a")) == [
        (f"{objects}/a", ["b"], []),
        (f"{objects}/a/b", [], ["x"]),
    ]
    files = tf.io.gfile
    gfile.Rename(f"{objects}/a/b/x", f"{objects}/a/b/y")
    assert files.listdir(f"{objects}/a/b") == ["y"]
    gfile.Remove(f"{objects}/a/b/y")
    assert gfile.IsDirectory(f"{objects}/a/b")
    gfile.DeleteRecursively(objects)
    assert not gfile.Exists(objects)


def test_adding_where_the_client_overwrites(objects, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    client = fsspec.get_filesystem_class("objects")
    opened = client._open

    def overwrites(self, path, mode="rb", **options):
        return opened(self, path, "wb" if mode == "ab" else mode, **options)

    monkeypatch.setattr(client, "_open", overwrites)
    monkeypatch.setattr(remote_files, "_OVERWRITTEN", {"objects"})
    for text in ("one\n", "two\n", "three\n"):
        with gfile.GFile(f"{objects}/lines", "a") as file:
            file.write(text)
    assert gfile.GFile(f"{objects}/lines").readlines() == ["one\n", "two\n", "three\n"]


def test_checkpoints_and_events_where_only_names_exist(objects):
    variable = tf.Variable([1.0, 2.0], name="v")
    saver = tf.train.Saver(sharded=True)
    with tf.Session() as session:
        session.run(variable.initializer)
        path = saver.save(session, f"{objects}/model/m", global_step=3)
        session.run(variable.assign([0.0, 0.0]))
        saver.restore(session, tf.train.latest_checkpoint(f"{objects}/model"))
        assert session.run(variable).tolist() == [1, 2]
        read = {"v": variable.value()}
        tf.saved_model.simple_save(session, f"{objects}/export", read, read)
    assert path == f"{objects}/model/m-3"
    assert sorted(gfile.ListDirectory(f"{objects}/model")) == [
        "checkpoint", "m-3.data-00000-of-00001", "m-3.index", "m-3.meta",
    ]  # fmt: skip
    assert "saved_model.pb" in gfile.ListDirectory(f"{objects}/export")
    with tf.summary.FileWriter(f"{objects}/logs") as writer:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="t", simple_value=1.0)]), 1)
    (name,) = gfile.Glob(f"{objects}/logs/*")
    assert [event.step for event in tf.train.summary_iterator(name)] == [0, 1]


def test_servers_that_never_replace_files(root, monkeypatch):
    memory = pytest.importorskip("fsspec.implementations.memory")
    moved = memory.MemoryFileSystem.mv

    def moves(self, path1, path2, **options):
        if not self.exists(path2):
            moved(self, path1, path2, **options)

    monkeypatch.setattr(memory.MemoryFileSystem, "mv", moves)
    monkeypatch.setattr(remote_files, "_NOT_REPLACED", {"memory"})
    for name in "ab":
        gfile.GFile(f"{root}/{name}", "w").write(name)
    gfile.Rename(f"{root}/a", f"{root}/b", overwrite=True)
    assert gfile.ListDirectory(root) == ["b"]
    assert gfile.GFile(f"{root}/b").read() == "a"
    monkeypatch.setattr(memory.MemoryFileSystem, "mv", lambda *args, **options: None)
    with pytest.raises(tf.errors.UnknownError, match=r"/b; Input/output error$"):
        gfile.Rename(f"{root}/b", f"{root}/c")


def test_a_client_that_lacks_a_library(root, monkeypatch):
    memory = pytest.importorskip("fsspec.implementations.memory")

    def fail(*args, **kwargs):
        raise ModuleNotFoundError("No module named 'pyarrow'")

    monkeypatch.setattr(memory.MemoryFileSystem, "_open", fail)
    text = rf"^File system scheme 'memory' not implemented \(file: '{root}/f'\)"
    with pytest.raises(tf.errors.UnimplementedError, match=text):
        gfile.GFile(f"{root}/f", "w").write("x")


@pytest.fixture
def server(tmp_path):
    """The URL of a server of the files of a folder."""
    pytest.importorskip("aiohttp")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def copyfile(self, source, outputfile):
            # The client leaves in the middle of a file that is sent whole.
            with contextlib.suppress(ConnectionError):
                super().copyfile(source, outputfile)

    serves = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serves) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_files_of_a_web_server(server, tmp_path):
    (tmp_path / "lines.txt").write_text("one\ntwo\n")
    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for record in (b"a", b"b"):
            writer.write(record)
    # More than the client reads at once.
    large = np.arange(3_000_000, dtype=np.int32).tobytes()
    (tmp_path / "large").write_bytes(large)
    assert gfile.GFile(f"{server}/lines.txt").readlines() == ["one\n", "two\n"]
    assert gfile.GFile(f"{server}/large", "rb").read() == large
    with gfile.GFile(f"{server}/large", "rb") as file:
        file.seek(9_000_001)
        assert file.read(7) == large[9_000_001:9_000_008]
    assert gfile.Exists(f"{server}/lines.txt") and not gfile.Exists(f"{server}/none")
    assert gfile.Stat(f"{server}/lines.txt").length == 8
    gfile.Copy(f"{server}/lines.txt", str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text() == "one\ntwo\n"
    records = tf.data.TFRecordDataset(f"{server}/records").batch(2)
    found = [records.make_one_shot_iterator().get_next(), tf.read_file(f"{server}/lines.txt")]
    with tf.Session() as session:
        batch, text = session.run(found)
    assert batch.tolist() == [b"a", b"b"] and text == b"one\ntwo\n"
    with pytest.raises(tf.errors.NotFoundError, match=f"^{server}/none;"):
        gfile.GFile(f"{server}/none").read()
    with pytest.raises(tf.errors.UnimplementedError, match=r"; the file system does not support"):
        gfile.GFile(f"{server}/new", "w").write("x")
