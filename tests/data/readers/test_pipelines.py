"""Pipelines of readers: their ends, threads, interrupts and memory.

tests/differential/cases/readers.py compares what they produce with TensorFlow.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

import headwater as tf
from headwater.io.input_stream import PlainFile


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def write_lines(files, lines):
    """Writes files of numbers; returns their names and all numbers."""
    names = [f"lines{i}" for i in range(files)]
    for i, name in enumerate(names):
        Path(name).write_text("".join(f"{i * lines + j}\n" for j in range(lines)))
    return names, range(files * lines)


def results(fetch):
    """What runs of a tensor return up to the end of the pipeline."""
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while not coordinator.should_stop():
                found.append(session.run(fetch))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coordinator.request_stop()
            coordinator.join(threads)
    return found


@pytest.mark.parametrize("join", [tf.train.batch_join, tf.train.shuffle_batch_join])
@pytest.mark.parametrize("readers", [1, 4])
def test_each_record_is_read_once_an_epoch(join, readers):
    names, numbers = write_lines(files=6, lines=30)
    files = tf.train.string_input_producer(names, num_epochs=2)
    lines = [[tf.TextLineReader().read(files).value] for _ in range(readers)]
    more = {"min_after_dequeue": 16} if join is tf.train.shuffle_batch_join else {}
    batch = join(lines, 7, capacity=40, allow_smaller_final_batch=True, **more)
    found = [int(line) for part in results(batch) for line in part]
    assert sorted(found) == sorted([*numbers, *numbers])


def test_threads_share_a_reader():
    names, numbers = write_lines(files=6, lines=30)
    files = tf.train.string_input_producer(names, num_epochs=1)
    reader = tf.TextLineReader()
    _, lines = reader.read_up_to(files, 4)
    batch = tf.train.batch(
        [lines], 7, num_threads=4, enqueue_many=True, shapes=[[]], allow_smaller_final_batch=True
    )
    found = [int(line) for part in results(batch) for line in part]
    assert sorted(found) == list(numbers)


def test_readers_take_different_files():
    names, _ = write_lines(files=3, lines=2)
    files = tf.train.string_input_producer(names, shuffle=False)
    keys = [tf.TextLineReader().read(files).key for _ in range(3)]
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert [session.run(key) for key in keys] == [b"lines0:1", b"lines1:1", b"lines2:1"]
        coordinator.request_stop()
        coordinator.join(threads)


def test_a_file_that_vanishes_ends_the_pipeline():
    names, _ = write_lines(files=2, lines=5)
    files = tf.train.string_input_producer([*names, "missing"], shuffle=False, num_epochs=1)
    batch = tf.train.batch([tf.TextLineReader().read(files).value], 5)
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        results(batch)


def test_a_damaged_record_ends_the_pipeline():
    with tf.python_io.TFRecordWriter("records") as writer:
        for i in range(20):
            writer.write(b"%d" % i)
    data = bytearray(Path("records").read_bytes())
    data[-3] ^= 1
    Path("records").write_bytes(bytes(data))
    files = tf.train.string_input_producer(["records"], num_epochs=1)
    batch = tf.train.batch([tf.TFRecordReader().read(files).value], 5)
    text = r"(?s)corrupted record at \d+.*Hint: the file is records"
    with pytest.raises(tf.errors.DataLossError, match=text):
        results(batch)


def test_a_closed_session_ends_the_threads():
    names, _ = write_lines(files=2, lines=50)
    files = tf.train.string_input_producer(names)
    batch = tf.train.batch([tf.TextLineReader().read(files).value], 5, num_threads=2)
    session = tf.Session()
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    session.run(batch)
    session.close()
    for thread in threads:
        thread.join(30)


def test_an_interrupted_read_gives_up_its_turn():
    names, _ = write_lines(files=1, lines=3)
    queue = tf.FIFOQueue(9, tf.string)
    line = tf.TextLineReader().read(queue).value
    with tf.Session() as session:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(line)
        timer.join()
        session.run(queue.enqueue(names[0]))
        assert [session.run(line) for _ in range(3)] == [b"0", b"1", b"2"]


def test_an_interrupt_while_a_file_is_read(monkeypatch):
    names, _ = write_lines(files=1, lines=3)
    queue = tf.FIFOQueue(9, tf.string)
    line = tf.TextLineReader().read(queue).value
    read_piece = PlainFile.read_piece

    def interrupted(self):
        data = read_piece(self)
        monkeypatch.undo()
        os.kill(os.getpid(), signal.SIGINT)
        return data

    monkeypatch.setattr(PlainFile, "read_piece", interrupted)
    with tf.Session() as session:
        session.run(queue.enqueue_many([[Path(names[0]).resolve().as_posix()]]))
        with pytest.raises(KeyboardInterrupt):
            session.run(line)
        # The run that was interrupted had read the first line.
        assert [session.run(line) for _ in range(2)] == [b"1", b"2"]


@pytest.mark.parametrize("kind", ["lines", "records", "compressed"])
def test_memory_does_not_grow(kind):
    count, record = 40_000, b"x" * 250
    if kind == "lines":
        Path("data").write_bytes((record + b"\n") * count)
        reader = tf.TextLineReader()
    else:
        options = tf.python_io.TFRecordOptions("ZLIB" if kind == "compressed" else "")
        with tf.python_io.TFRecordWriter("data", options) as writer:
            for _ in range(count):
                writer.write(record)
        reader = tf.TFRecordReader(options=options)
    queue = tf.FIFOQueue(9, tf.string)
    _, values = reader.read_up_to(queue, 1000)
    with tf.Session() as session:
        session.run(queue.enqueue("data"))
        session.run(values)
        tracemalloc.start()
        read = 1000
        while read < count:
            read += len(session.run(values))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        session.run(reader.reset())
    assert read == count
    # The data are 10 MB; a piece of the file and the records of two runs are in memory.
    assert peak < 4 << 20
