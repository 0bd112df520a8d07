"""Readers: what they read, counters, states; values and texts are those of TensorFlow 1.15.5."""

from __future__ import annotations

import contextlib
import gzip
import os
import threading
import time
import zlib
from pathlib import Path

import pytest

import headwater as tf


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    """Tests name files without a folder, so that keys are short."""
    monkeypatch.chdir(tmp_path)


def write(**files):
    """Writes files whose names have a dot for "_"."""
    for name, data in files.items():
        Path(name.replace("_", ".")).write_bytes(data)


def write_records(name, records, compression=None):
    with tf.python_io.TFRecordWriter(name, compression) as writer:
        for record in records:
            writer.write(record)


class Reading:
    """A reader, a closed queue of names, and the ops to look at them."""

    def __init__(self, reader, names, up_to=None):
        queue = tf.FIFOQueue(99, tf.string, name="names", shared_name="names")
        self.read = reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to)
        self.counters = reader.num_records_produced(), reader.num_work_units_completed()
        self.session = tf.Session()
        if names:
            self.session.run(queue.enqueue_many([names]))
        self.session.run(queue.close())

    def next(self):
        """What the next run returns or raises: keys and values, or the class and the text."""
        try:
            key, value = self.session.run(self.read)
        except tf.errors.OpError as error:
            return type(error).__name__, error.message.split("\n")[0]
        return (key, value) if isinstance(key, bytes) else (list(key), list(value))

    def all(self):
        """The outcomes up to the end of the queue, each with the counters after it."""
        found = []
        while True:
            outcome = self.next()
            if outcome == END:
                self.session.close()
                return found
            found.append((*outcome, *(int(n) for n in self.session.run(self.counters))))


END = (
    "OutOfRangeError",
    "FIFOQueue 'names' is closed and has insufficient elements (requested 1, current size 0)",
)


def test_lines():
    write(
        a_txt=b"one\ntwo\r\nthree\r\r\n\nlast\r",
        empty_txt=b"",
        b_txt=b"x\n\r",
        c_txt=b"\0\n\xff\n",
        d_txt=b"\r\r",
    )
    names = ["a.txt", "empty.txt", "b.txt", "c.txt", "d.txt"]
    assert Reading(tf.TextLineReader(), names).all() == [
        (b"a.txt:1", b"one", 1, 0),
        (b"a.txt:2", b"two", 2, 0),
        (b"a.txt:3", b"three\r", 3, 0),
        (b"a.txt:4", b"", 4, 0),
        (b"a.txt:5", b"last", 5, 0),
        (b"b.txt:1", b"x", 6, 2),
        (b"c.txt:1", b"\0", 7, 3),
        (b"c.txt:2", b"\xff", 8, 3),
        (b"d.txt:1", b"\r", 9, 4),
    ]
    assert Reading(tf.TextLineReader(), names, up_to=4).all() == [
        ([b"a.txt:1", b"a.txt:2", b"a.txt:3", b"a.txt:4"], [b"one", b"two", b"three\r", b""], 4, 0),
        ([b"a.txt:5"], [b"last"], 5, 1),
        ([b"b.txt:1"], [b"x"], 6, 3),
        ([b"c.txt:1", b"c.txt:2"], [b"\0", b"\xff"], 8, 4),
        ([b"d.txt:1"], [b"\r"], 9, 5),
    ]


def test_header_lines():
    write(a_txt=b"one\ntwo\nthree\nfour", b_txt=b"x\n\r")
    reader = tf.TextLineReader(skip_header_lines=2)
    assert Reading(reader, ["a.txt", "b.txt", "a.txt"]).all() == [
        (b"a.txt:3", b"three", 1, 0),
        (b"a.txt:4", b"four", 2, 0),
        (b"a.txt:3", b"three", 3, 2),
        (b"a.txt:4", b"four", 4, 2),
    ]


def test_files_that_are_missing():
    write(a_txt=b"one\n")
    reading = Reading(tf.TextLineReader(), ["missing", "a.txt"])
    assert reading.next() == ("NotFoundError", "missing; No such file or directory")
    assert reading.next() == (b"a.txt:1", b"one")
    # A WholeFileReader reads the file after it has begun with it, so it tries again.
    reading = Reading(tf.WholeFileReader(), ["missing", "a.txt"])
    for _ in range(2):
        assert reading.next() == ("NotFoundError", "missing; No such file or directory")
    write(missing=b"now")
    assert reading.next() == (b"missing", b"now")
    assert reading.next() == (b"a.txt", b"one\n")


def test_whole_files():
    write(a_txt=b"one\r\ntwo\0", empty_txt=b"")
    names = ["a.txt", "empty.txt"]
    assert Reading(tf.WholeFileReader(), names).all() == [
        (b"a.txt", b"one\r\ntwo\0", 1, 1),
        (b"empty.txt", b"", 2, 2),
    ]
    assert Reading(tf.WholeFileReader(), names, up_to=5).all() == [
        ([b"a.txt"], [b"one\r\ntwo\0"], 1, 1),
        ([b"empty.txt"], [b""], 2, 2),
    ]
    assert Reading(tf.WholeFileReader(), names, up_to=0).next() == ([], [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission():
    write(a_txt=b"one")
    Path("a.txt").chmod(0)
    reading = Reading(tf.WholeFileReader(), ["a.txt"])
    assert reading.next() == ("PermissionDeniedError", "a.txt; Permission denied")


def test_identity():
    assert Reading(tf.IdentityReader(), ["a", ""]).all() == [
        (b"a", b"a", 1, 1),
        (b"", b"", 2, 2),
    ]


BYTES = bytes(range(40, 63))


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({}, [b"()*+,", b"-./01", b"23456", b"789:;"]),
        ({"header_bytes": 3, "footer_bytes": 2}, [b"+,-./", b"01234", b"56789"]),
        ({"footer_bytes": 4}, [b"()*+,", b"-./01", b"23456"]),
        (
            {"header_bytes": 3, "footer_bytes": 2, "hop_bytes": 2},
            [b"+,-./", b"-./01", b"/0123", b"12345", b"34567", b"56789", b"789:;"],
        ),
        ({"header_bytes": 1, "footer_bytes": 3, "hop_bytes": 7}, [b")*+,-", b"01234", b"789:;"]),
        ({"hop_bytes": 7}, [b"()*+,", b"/0123", b"6789:"]),
    ],
)
@pytest.mark.parametrize("encoding", ["", "ZLIB", "GZIP"])
def test_records_of_equal_length(options, values, encoding):
    compress = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}[encoding]
    # Too short for a record, not for a header.
    write(f_bin=compress(BYTES), short_bin=compress(b"1234"))
    names = ["f.bin", "short.bin", "f.bin"]

    def make():
        return tf.FixedLengthRecordReader(5, encoding=encoding, **options)

    keys = [b"f.bin:%d" % i for i in range(len(values))]
    found = Reading(make(), names).all()
    assert [outcome[:2] for outcome in found] == list(zip(keys, values)) * 2
    found = Reading(make(), names, up_to=2).all()
    assert [key for outcome in found for key in outcome[0]] == keys * 2
    assert [value for outcome in found for value in outcome[1]] == values * 2


def test_files_that_are_shorter_than_their_headers():
    write(a_bin=b"ab", b_bin=b"abcdef")
    reading = Reading(tf.FixedLengthRecordReader(2, header_bytes=3), ["a.bin", "b.bin"])
    assert reading.next() == ("OutOfRangeError", "reached end of file")
    assert reading.next() == (b"b.bin:0", b"de")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.TextLineReader(-1), "skip_header_lines must be >= 0 not -1"),
        (lambda: tf.FixedLengthRecordReader(-1), "record_bytes must be >= 0 not -1"),
        (lambda: tf.FixedLengthRecordReader(1, -2), "header_bytes must be >= 0 not -2"),
        (lambda: tf.FixedLengthRecordReader(1, 0, -2), "footer_bytes must be >= 0 not -2"),
        (lambda: tf.FixedLengthRecordReader(1, 0, 0, -2), "hop_bytes must be >= 0 not -2"),
    ],
)
def test_negative_numbers(make, text):
    write(a_bin=b"abc")
    assert Reading(make(), ["a.bin"]).next() == ("InvalidArgumentError", text)


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_tf_records(kind):
    write_records("t.rec", [b"a", b"bb" * 300, b"", b"c"], kind)
    write_records("empty.rec", [], kind)
    options = tf.python_io.TFRecordOptions(kind)
    names = ["t.rec", "empty.rec", "t.rec"]
    offsets = [b"t.rec:0", b"t.rec:17", b"t.rec:633", b"t.rec:649"]
    values = [b"a", b"bb" * 300, b"", b"c"]
    found = Reading(tf.TFRecordReader(options=options), names).all()
    assert [outcome[:2] for outcome in found] == list(zip(offsets, values)) * 2
    assert [outcome[2:] for outcome in found] == list(zip(range(1, 9), [0] * 4 + [2] * 4))
    assert Reading(tf.TFRecordReader(options=options), names, up_to=3).all() == [
        (offsets[:3], values[:3], 3, 0),
        (offsets[3:], values[3:], 4, 1),
        (offsets[:3], values[:3], 7, 2),
        (offsets[3:], values[3:], 8, 3),
    ]


def damaged(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_damaged_records():
    write_records("t.rec", [b"a", b"bb" * 300, b"", b"c"])
    sound = Path("t.rec").read_bytes()
    write(
        cut_rec=sound[:-1],
        data_rec=damaged(sound, 40),
        length_rec=damaged(sound, 17),
        header_rec=sound[:20],
    )
    reading = Reading(tf.TFRecordReader(), ["cut.rec"], up_to=3)
    assert reading.next()[0] == [b"cut.rec:0", b"cut.rec:17", b"cut.rec:633"]
    for _ in range(2):
        assert reading.next() == ("DataLossError", "truncated record at 649")
    for name, text in (("data.rec", "at 29"), ("length.rec", "at 17")):
        reading = Reading(tf.TFRecordReader(), [name])
        assert reading.next() == (name.encode() + b":0", b"a")
        for _ in range(2):
            assert reading.next() == ("DataLossError", f"corrupted record {text}")
    # A file that ends within a header ends before it.
    assert Reading(tf.TFRecordReader(), ["header.rec"]).all() == [(b"header.rec:0", b"a", 1, 0)]
    with pytest.raises(tf.errors.DataLossError, match=r"Hint: the file is data\.rec"):
        reading = Reading(tf.TFRecordReader(), ["data.rec"], up_to=9)
        reading.session.run(reading.read)


def test_records_that_are_not_compressed():
    write_records("t.rec", [b"a"])
    reader = tf.TFRecordReader(options=tf.python_io.TFRecordOptions("GZIP"))
    text = "inflate() failed with error -3: incorrect header check"
    assert Reading(reader, ["t.rec"]).next() == ("DataLossError", text)


def test_records_of_a_compression_that_does_not_exist_are_read_as_they_are():
    write_records("t.rec", [b"a"])
    reader = tf.ReaderBase(tf.raw_ops.TFRecordReaderV2(compression_type="SNAPPY"))
    assert Reading(reader, ["t.rec"]).next() == (b"t.rec:0", b"a")


def test_files_at_urls():
    pytest.importorskip("fsspec")
    with tf.gfile.GFile("memory://readers/a.txt", "w") as file:
        file.write("one\ntwo\n")
    found = Reading(tf.TextLineReader(), ["memory://readers/a.txt"]).all()
    assert found[1] == (b"memory://readers/a.txt:2", b"two", 2, 0)


# States


@pytest.mark.parametrize("make", [tf.IdentityReader, tf.WholeFileReader])
def test_states(make):
    write(a=b"A", b=b"B", c=b"C", d=b"D")
    reader = make()
    assert reader.supports_serialize
    name = f"{make.__name__} '{reader.reader_ref.op.name}'"
    queue = tf.FIFOQueue(9, tf.string)
    key, _ = reader.read(queue)
    state = reader.serialize_state()
    given = tf.placeholder(tf.string, [])
    restore = reader.restore_state(given)
    with tf.Session() as session:
        session.run(queue.enqueue_many([["a", "b", "c", "d"]]))
        assert session.run(state) == b""
        assert [session.run(key), session.run(key)] == [b"a", b"b"]
        saved = session.run(state)
        assert saved == b'\x08\x02\x10\x02\x18\x02"\x01b'
        session.run(reader.reset())
        assert session.run(state) == b""
        session.run(restore, {given: saved})
        assert session.run(reader.num_records_produced()) == 2
        assert session.run(reader.num_work_units_completed()) == 2
        assert session.run(key) == b"c"
        for bad, text in (
            (b"BO\xff\n", rf"Could not parse state for {name}: BO\\377\\n"),
            (
                b"\x08\x05\x10\x04\x18\x07",
                f"work started vs. finished when restoring in {name}: work_started: 5",
            ),
            (
                b"\x18" + b"\xff" * 9 + b"\x01",
                rf"Unexpected negative value when restoring in {name}: num_records_produced: -1",
            ),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(restore, {given: bad})
            # A reader without a state is a new one.
            assert session.run(state) == b""
        assert session.run(key) == b"d"


@pytest.mark.parametrize(
    "make",
    [tf.TextLineReader, tf.TFRecordReader, lambda: tf.FixedLengthRecordReader(1), tf.LMDBReader],
)
def test_readers_without_states(make):
    reader = make()
    assert not reader.supports_serialize
    with tf.Session() as session:
        with pytest.raises(tf.errors.UnimplementedError, match="Reader SerializeState"):
            session.run(reader.serialize_state())
        with pytest.raises(tf.errors.UnimplementedError, match="Reader RestoreState"):
            session.run(reader.restore_state(b""))


def test_a_state_is_a_scalar(session):
    given = tf.placeholder(tf.string)
    restore = tf.IdentityReader().restore_state(given)
    text = r"Reader state must be scalar, but had shape: \[1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(restore, {given: [b""]})
    session.run(restore, {given: b""})


def test_reset_drops_the_rest_of_a_file():
    write(a_txt=b"one\ntwo\n", b_txt=b"three\n")
    reader = tf.TextLineReader()
    reading = Reading(reader, ["a.txt", "b.txt"])
    assert reading.next() == (b"a.txt:1", b"one")
    reading.session.run(reader.reset())
    assert [int(n) for n in reading.session.run(reading.counters)] == [0, 0]
    assert reading.all() == [(b"b.txt:1", b"three", 1, 0)]


# Queues


def test_queues_of_other_elements():
    reader = tf.IdentityReader()
    with tf.Session() as session:
        for queue, element, text in (
            (tf.FIFOQueue(9, tf.int32), [1], "Expected queue with single string component"),
            (tf.FIFOQueue(9, [tf.string] * 2), ["a", "b"], "Expected single component queue"),
            (
                tf.FIFOQueue(9, tf.string),
                [["a", "b"]],
                "Expected to dequeue a one-element string tensor",
            ),
        ):
            session.run(queue.enqueue(element))
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(reader.read(queue))
            assert session.run(queue.size()) == 0
        queue = tf.RandomShuffleQueue(9, 0, tf.string)
        session.run(queue.enqueue([["a"]]))
        assert session.run(reader.read(queue)) == (b"a", b"a")


def test_handles_of_other_resources():
    queue, reader = tf.FIFOQueue(9, tf.string), tf.IdentityReader()
    text = "Trying to access resource using the wrong type. Expected a {}, got"
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text.format("reader")):
            session.run(tf.ReaderBase(queue.queue_ref).read(queue))
        with pytest.raises(tf.errors.InvalidArgumentError, match=text.format("queue")):
            session.run(reader.read(reader.reader_ref))


def test_negative_number_of_records():
    queue = tf.FIFOQueue(9, tf.string)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=">= 0 not -1"),
    ):
        session.run(tf.IdentityReader().read_up_to(queue, -1))


def test_shared_names():
    queue = tf.FIFOQueue(9, tf.string)
    one, two = (tf.ReaderBase(tf.raw_ops.IdentityReaderV2(shared_name="s")) for _ in range(2))
    with tf.Session() as session:
        session.run(queue.enqueue("a"))
        session.run(one.read(queue))
        assert session.run(two.num_records_produced()) == 1


def in_threads(session, fetches, count):
    """Starts threads that run fetches; returns them and the list of what comes of it."""
    found = []

    def run():
        try:
            found.append(session.run(fetches))
        except tf.errors.OpError as error:
            found.append((type(error).__name__, error.message.split("\n")[0]))

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads, found


def ended(threads):
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def wait_for_reads(session):
    # Nothing tells that a read waits; a shorter time only tests less.
    time.sleep(0.2)


def test_reads_wait_for_the_queue():
    queue, reader = tf.FIFOQueue(9, tf.string, name="q", shared_name="q"), tf.IdentityReader()
    key, _ = reader.read(queue)
    with tf.Session() as session:
        threads, found = in_threads(session, key, 3)
        wait_for_reads(session)
        # Others get on meanwhile.
        assert session.run(reader.num_records_produced()) == 0
        session.run(queue.enqueue_many([["a", "b"]]))
        session.run(queue.close())
        ended(threads)
        assert sorted(found, key=str) == sorted(
            [b"a", b"b", ("OutOfRangeError", END[1].replace("names", "q"))], key=str
        )


def test_a_closed_session_ends_reads():
    queue = tf.FIFOQueue(9, tf.string)
    session = tf.Session()
    threads, found = in_threads(session, tf.IdentityReader().read(queue), 3)
    wait_for_reads(session)
    session.close()
    ended(threads)
    assert found == [("CancelledError", "Dequeue operation was cancelled")] * 3


def test_a_read_that_runs_out_of_time_gives_up_its_turn():
    queue = tf.FIFOQueue(9, tf.string)
    key, _ = tf.IdentityReader().read(queue)
    with tf.Session() as session:
        threads, found = in_threads(session, key, 1)
        wait_for_reads(session)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(key, options=tf.RunOptions(timeout_in_ms=50))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(tf.IdentityReader().read(queue), options=tf.RunOptions(timeout_in_ms=50))
        session.run(queue.enqueue_many([["a", "b"]]))
        ended(threads)
        assert (found, session.run(key)) == ([b"a"], b"b")


def test_a_run_that_reads_and_enqueues():
    write(empty_txt=b"", a_txt=b"one\n")
    queue = tf.FIFOQueue(9, tf.string)
    reader = tf.TextLineReader()
    value = reader.read(queue).value
    enqueue = [queue.enqueue("empty.txt"), queue.enqueue("a.txt")]
    with tf.Session() as session:
        # The read comes first, and waits for both enqueues of its own run.
        assert session.run([value, *enqueue])[0] == b"one"


def test_readers_of_a_closed_session_close_their_files():
    write(a_txt=b"one\n" * 3)
    reading = Reading(tf.TextLineReader(), ["a.txt"])
    reading.next()
    file = str(Path("a.txt").resolve())
    assert file in open_files()
    reading.session.close()
    del reading
    tf.reset_default_graph()
    assert file not in open_files()


def open_files():
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("no /proc")
    found = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):  # that of the iteration itself
            found.append(str(entry.readlink()))
    return found


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_damaged_compressed_files(kind, rng):
    compress = zlib.compress if kind == "ZLIB" else gzip.compress
    write_records("t.rec", [rng.bytes(20) for _ in range(5)])
    sound = compress(Path("t.rec").read_bytes())
    options = tf.python_io.TFRecordOptions(kind)
    readers = [
        tf.TFRecordReader(options=options),
        tf.FixedLengthRecordReader(7, 3, 2, encoding=kind),
    ]
    queue = tf.FIFOQueue(99, tf.string)
    reads = [(reader.read_up_to(queue, 99), reader.reset()) for reader in readers]
    found = set()
    with tf.Session() as session:
        for i in range(100):
            data = bytearray(sound)
            data[rng.integers(len(data))] ^= rng.integers(1, 256)
            Path(f"file{i}").write_bytes(bytes(data[: rng.integers(1, 2 * len(data))]))
            for read, reset in reads:
                # The second one is for a reader that is at the end of the first at once.
                session.run(queue.enqueue_many([[f"file{i}", "missing"]]))
                try:
                    session.run(read)
                    found.add(None)
                except tf.errors.OpError as error:
                    found.add(type(error))
                session.run(reset)
                while session.run(queue.size()):
                    session.run(queue.dequeue())
    allowed = {None, tf.errors.DataLossError, tf.errors.OutOfRangeError, tf.errors.NotFoundError}
    assert {None, tf.errors.DataLossError} <= found <= allowed
