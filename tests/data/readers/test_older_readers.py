"""Readers whose handles are references to strings: those of old graphs, and LMDBReader."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import headwater as tf
from headwater.io import lmdb_files


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


MAKERS = {
    "WholeFileReader": (lambda: tf.raw_ops.WholeFileReader(), [(b"f", b"ab\ncd\n")]),
    "IdentityReader": (lambda: tf.raw_ops.IdentityReader(), [(b"f", b"f")]),
    "TextLineReader": (
        lambda: tf.raw_ops.TextLineReader(skip_header_lines=1),
        [(b"f:2", b"cd")],
    ),
    "FixedLengthRecordReader": (
        lambda: tf.raw_ops.FixedLengthRecordReader(record_bytes=2, header_bytes=1),
        [(b"f:0", b"b\n"), (b"f:1", b"cd")],
    ),
    "TFRecordReader": (lambda: tf.raw_ops.TFRecordReader(), [(b"r:0", b"one"), (b"r:19", b"two")]),
}


@pytest.mark.parametrize("make_queue", [tf.FIFOQueue, None], ids=["resource", "reference"])
@pytest.mark.parametrize("kind", MAKERS)
def test_readers_of_old_graphs(kind, make_queue):
    Path("f").write_bytes(b"ab\ncd\n")
    with tf.python_io.TFRecordWriter("r") as writer:
        writer.write(b"one")
        writer.write(b"two")
    make, records = MAKERS[kind]
    reader = tf.ReaderBase(make())
    assert (reader.reader_ref.dtype, reader.reader_ref.op.type) == (tf.string_ref, kind)
    if make_queue is None:
        queue = tf.QueueBase(
            [tf.string], [[]], None, tf.raw_ops.FIFOQueue(component_types=[tf.string])
        )
    else:
        queue = make_queue(9, tf.string)
    name = "r" if kind == "TFRecordReader" else "f"
    reads = reader.read(queue), reader.read_up_to(queue, 9)
    assert [read[0].op.type for read in reads] == ["ReaderRead", "ReaderReadUpTo"]
    counters = reader.num_records_produced(), reader.num_work_units_completed()
    with tf.Session() as session:
        session.run(queue.enqueue(name))
        session.run(queue.enqueue(name))
        session.run(queue.close())
        assert [tuple(session.run(reads[0])) for _ in records] == records
        keys, values = session.run(reads[1])
        assert list(zip(keys.tolist(), values.tolist())) == records
        assert session.run(counters[0]) == 2 * len(records)
        if kind in ("WholeFileReader", "IdentityReader"):
            state = session.run(reader.serialize_state())
            assert state == b'\x08\x02\x10\x02\x18\x02"\x01f'
            session.run(reader.reset())
            session.run(reader.restore_state(state))
            assert session.run(counters[1]) == 2
        else:
            session.run(reader.reset())
            assert session.run(counters[1]) == 0
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(reads[0])


# LMDB


def write_database(path, entries, subdir=True):
    lmdb = pytest.importorskip("lmdb")
    with lmdb.open(path, subdir=subdir) as database, database.begin(write=True) as transaction:
        for key, value in entries.items():
            transaction.put(key, value)


def outcomes(session, read):
    """What the runs of a read return up to the end of the queue; errors as class and text."""
    found = []
    while True:
        try:
            found.append(tuple(session.run(read)))
        except tf.errors.OutOfRangeError:
            return found
        except tf.errors.OpError as error:
            found.append((type(error), error.message.split("\n")[0]))


def test_entries_of_databases():
    entries = {b"b": b"B", b"a": b"", b"c": bytes(5000)}
    write_database("folder", entries)
    write_database("empty", {})
    write_database("file.mdb", {b"x": b"y"}, subdir=False)
    Path("bad").write_bytes(b"nonsense" * 1000)
    queue = tf.FIFOQueue(9, tf.string)
    reader = tf.LMDBReader()
    read = reader.read(queue)
    with tf.Session() as session:
        names = ["folder", "empty", "missing", "file.mdb", "bad", "folder"]
        session.run(queue.enqueue_many([names]))
        session.run(queue.close())
        # TensorFlow aborts the process for those that cannot be opened.
        assert outcomes(session, read) == [
            *sorted(entries.items()),
            (tf.errors.NotFoundError, "missing; No such file or directory"),
            (b"x", b"y"),
            (tf.errors.DataLossError, "bad: MDB_INVALID: File is not an LMDB file"),
            *sorted(entries.items()),
        ]
        assert session.run(reader.num_work_units_completed()) == 4


def test_databases_that_are_cut_off():
    write_database("file", {b"%d" % i: bytes(500) for i in range(100)}, subdir=False)
    data = Path("file").read_bytes()
    queue = tf.FIFOQueue(9, tf.string)
    read = tf.LMDBReader().read_up_to(queue, 200)
    with tf.Session() as session:
        for size in (10_000, len(data) - 4096, len(data)):
            Path(f"file{size}").write_bytes(data[:size])
            session.run(queue.enqueue(f"file{size}"))
            if size == len(data):
                assert len(session.run(read)[0]) == 100
            else:
                with pytest.raises(tf.errors.DataLossError, match=f"file{size}: the file is short"):
                    session.run(read)


def test_readers_of_one_database():
    write_database("folder", {b"a": b"A", b"b": b"B"})
    queue = tf.FIFOQueue(9, tf.string)
    reads = [tf.LMDBReader().read(queue) for _ in range(2)]
    with tf.Session() as session:
        session.run(queue.enqueue_many([["folder", "folder"]]))
        assert [tuple(session.run(read)) for read in reads] == [(b"a", b"A")] * 2
        assert tuple(session.run(reads[0])) == (b"b", b"B")
    tf.reset_default_graph()
    gc.collect()
    assert not lmdb_files._open


def test_without_the_package(monkeypatch):
    Path("file").write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "lmdb", None)
    monkeypatch.setattr(lmdb_files, "_lmdb", lmdb_files.LazyModule("lmdb"))
    queue = tf.FIFOQueue(9, tf.string)
    read = tf.LMDBReader().read(queue)
    with tf.Session() as session:
        session.run(queue.enqueue("file"))
        text = r"(?s)LMDB databases needs the package lmdb.*Hint: pip install 'headwater\[lmdb\]'"
        with pytest.raises(tf.errors.UnimplementedError, match=text):
            session.run(read)
