"""A disk that is full, a folder that is read-only: TensorFlow's errors, and nothing lost."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.io import local_files
from headwater.io.file_errors import file_error

V1, V2 = tf.train.SaverDef.V1, tf.train.SaverDef.V2


class Disk:
    """Makes files of this process fail as on a disk with so many free bytes."""

    def __init__(self, monkeypatch):
        self.free = None
        write = local_files._RawFile.write

        def limited(file, data):
            if self.free is not None:
                if len(memoryview(data).cast("B")) > self.free:
                    raise file_error(OSError(errno.ENOSPC, ""), file.name)
                self.free -= len(memoryview(data).cast("B"))
            return write(file, data)

        monkeypatch.setattr(local_files._RawFile, "write", limited)


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def full(path="", kind=tf.errors.ResourceExhaustedError):
    return pytest.raises(kind, match=rf"(?s){path}.*; No space left on device.*Hint: the disk is ")


@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("version", [V1, V2])
# In the first or a later variable, or (V2) in the index.
@pytest.mark.parametrize("free", [0, 500_000, 799_950])
def test_the_checkpoint_before_stays(tmp_path, disk, version, sharded, numbered, free):
    variables = []
    for i in range(2):
        with tf.device(f"/cpu:{i if sharded else 0}"):
            variables.append(tf.get_variable(f"v{i}", initializer=np.zeros(100_000, np.float32)))
    raised = [v.assign_add(np.ones(100_000, np.float32)) for v in variables]
    saver = tf.train.Saver(write_version=version, sharded=sharded)
    kind = tf.errors.ResourceExhaustedError if version == V2 else tf.errors.InternalError
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(tf.global_variables_initializer())
        saver.save(session, str(tmp_path / "m"), 1 if numbered else None)
        before = files(tmp_path)
        session.run(raised)
        disk.free = free
        with full(kind=kind):
            saver.save(session, str(tmp_path / "m"), 2 if numbered else None)
        disk.free = None
        if version == V2 and not sharded:
            assert files(tmp_path) == before
        saver.restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        restored = session.run(variables)
        if version == V1 and sharded and not numbered:
            return  # each shard is a checkpoint of its own
        assert [value.max() for value in restored] == [0, 0]
        # The next save clears away what this one has left.
        session.run(raised)
        saver.save(session, str(tmp_path / "m"), 3 if numbered else None)
        assert not [name for name in files(tmp_path) if "temp" in name or ".tmp" in name]
        saver.restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        assert [value.min() for value in session.run(variables)] == [1, 1]


def test_a_full_disk_after_the_index_has_been_replaced(tmp_path, disk):
    v = tf.get_variable("v", initializer=np.zeros(1000, np.float32))
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
        index = (tmp_path / "m.index").stat().st_size
        session.run(v.assign(np.ones(1000, np.float32)))
        disk.free = 4000 + index + 10
        saver.save(session, str(tmp_path / "m"), write_meta_graph=False, write_state=False)
        assert disk.free < index
        disk.free = None
        saver.restore(session, str(tmp_path / "m"))
        assert session.run(v).min() == 1
        saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
        assert files(tmp_path) == ["checkpoint", "m.data-00000-of-00001", "m.index"]


def test_graphs_and_saved_models(tmp_path, disk):
    graph = tf.get_default_graph()
    tf.get_variable("v", initializer=np.zeros(10, np.float32))
    disk.free = 10
    with full("g.pb"):
        tf.train.write_graph(graph, str(tmp_path), "g.pb")
    with full("g.meta"):
        tf.train.export_meta_graph(str(tmp_path / "g.meta"))
    assert files(tmp_path) == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(tmp_path / "s"))
        with full("variables"):
            builder.add_meta_graph_and_variables(session, ["serve"])
        assert files(tmp_path) == ["s", "s/variables"]
        disk.free = 1000
        builder.add_meta_graph_and_variables(session, ["serve"])
        with full("saved_model.pb"):
            builder.save()
    assert not tf.saved_model.contains_saved_model(str(tmp_path / "s"))


def test_events_and_records(tmp_path, disk):
    disk.free = 1000
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x" * 2000, simple_value=1)]), 1)
    with full("tfevents"):
        writer.flush()
    disk.free = None
    writer.close()
    for path in tmp_path.iterdir():
        assert [event.file_version for event in tf.train.summary_iterator(str(path))]
    for kind in ("", "ZLIB", "GZIP"):
        disk.free = 1000
        records = tf.python_io.TFRecordWriter(str(tmp_path / "r"), kind)
        with full("/r"):
            for _ in range(1000):
                records.write(np.random.RandomState(0).bytes(1000))
            records.close()
        disk.free = None
        records.close()


def test_a_forgotten_writer_logs_what_it_cannot_write(tmp_path, disk, caplog):
    disk.free = 0
    writer = tf.python_io.TFRecordWriter(str(tmp_path / "r"))
    writer.write(b"a")
    # An exception that __del__ raised would fail the test.
    with caplog.at_level("ERROR", logger="tensorflow"):
        del writer
    assert "Could not finish writing file" in caplog.text


def test_files_of_programs(tmp_path, disk):
    (tmp_path / "source").write_bytes(bytes(2000))
    disk.free = 1000
    with full("/f"):
        tf.gfile.Copy(str(tmp_path / "source"), str(tmp_path / "f"))
    with full("/g"), tf.gfile.GFile(str(tmp_path / "g"), "w") as file:
        file.write("a" * 200_000)
    with full("/h"), tf.Session() as session:
        session.run(tf.write_file(str(tmp_path / "h"), "a" * 200_000))


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("version", [V1, V2])
def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch, version, number):
    v = tf.get_variable("v", initializer=np.zeros(10, np.float32))
    saver = tf.train.Saver(write_version=version)
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "m"), 1)
        opened = local_files._RawFile.__init__

        def refused(file, name, mode):
            if mode != "rb":
                raise OSError(number, "")
            opened(file, name, mode)

        monkeypatch.setattr(local_files._RawFile, "__init__", refused)
        hint = "read-only" if number == errno.EROFS else "permissions"
        with pytest.raises(tf.errors.PermissionDeniedError, match=f"(?s)m-2.*Hint.*{hint}"):
            saver.save(session, str(tmp_path / "m"), 2)
        saver.restore(session, path)


@pytest.mark.parametrize("version", [V1, V2])
def test_a_lost_file(tmp_path, version):
    v = tf.get_variable("v", initializer=np.zeros(10, np.float32))
    saver = tf.train.Saver(write_version=version)
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "m"))
        lost = Path(path) if version == V1 else tmp_path / "m.data-00000-of-00001"
        lost.unlink()
        kind, text = (
            (ValueError, "The passed save_path is not a valid checkpoint")
            if version == V1
            else (tf.errors.NotFoundError, "m.data-00000-of-00001; No such file or directory")
        )
        with pytest.raises(kind, match=text):
            saver.restore(session, path)
        assert session.run(v).tolist() == [0] * 10
