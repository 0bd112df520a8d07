"""Readers and record formats that a program writes in Python."""

from __future__ import annotations

import itertools
import re
import struct
from pathlib import Path

import pytest

import headwater as tf
from headwater.graph import build

_names = (f"ReaderOfTest{i}" for i in itertools.count())


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class PairReader(tf.user_ops.Reader):
    """Two bytes at a time."""

    def __init__(self, skip):
        self.skip = skip
        self.calls = []

    def on_work_started(self):
        self.calls.append(("start", self.current_work))
        self.file = open(self.current_work, "rb")  # noqa: PTH123, SIM115 (as a program does)
        self.file.read(self.skip)

    def on_work_finished(self):
        self.calls.append("finish")
        self.file.close()

    def on_reset(self):
        self.calls.append("reset")
        self.file.close()

    def read(self):
        place = self.file.tell()
        data = self.file.read(2)
        return (f"{self.current_work.decode()}@{place}", data) if data else None


def made(reader_class, attrs="", **values):
    """A reader in the graph, and the ops of a queue for it."""
    name = next(_names)
    assert tf.user_ops.register_reader(name, attrs)(reader_class) is reader_class
    reader = tf.ReaderBase(getattr(build, name)(**values))
    queue = tf.FIFOQueue(9, tf.string)
    return reader, queue


def test_reader_of_a_program(session):
    Path("a").write_bytes(b"01234")
    Path("b").write_bytes(b"")
    reader, queue = made(PairReader, "skip: int = 1", name="pairs")
    assert reader.reader_ref.name == "pairs:0"
    assert reader.reader_ref.dtype == tf.string_ref
    read, read_two = reader.read(queue), reader.read_up_to(queue, 2)
    session.run(queue.enqueue_many([["a", "b", "missing", "a"]]))
    session.run(queue.close())
    assert session.run(read) == (b"a@1", b"12")
    assert session.run(read) == (b"a@3", b"34")
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        session.run(read)
    keys, values = session.run(read_two)
    assert (keys.tolist(), values.tolist()) == ([b"a@1", b"a@3"], [b"12", b"34"])
    assert session.run(reader.num_records_produced()) == 4
    assert session.run(reader.num_work_units_completed()) == 2
    with pytest.raises(tf.errors.UnimplementedError, match="Reader SerializeState"):
        session.run(reader.serialize_state())
    session.run(reader.reset())
    (instance,) = session.run([reader.reader_ref])
    assert instance.calls == [
        *(("start", b"a"), "finish", ("start", b"b"), "finish"),
        *(("start", b"missing"), ("start", b"a"), "reset"),
    ]


def test_attrs_of_a_reader_are_those_of_the_node(session):
    Path("a").write_bytes(b"01234")
    reader, queue = made(PairReader, "skip: int = 1", skip=3)
    session.run(queue.enqueue("a"))
    assert session.run(reader.read(queue)) == (b"a@3", b"34")
    session.run(reader.reset())


def test_state_of_a_program(session):
    class Counting(tf.user_ops.Reader):
        count = 0

        def read(self):
            self.count += 1
            return str(self.count), self.current_work

        def serialize(self):
            return b"%d" % self.count

        def restore(self, state):
            self.count = int(state)

    reader, queue = made(Counting)
    session.run(queue.enqueue("a"))
    key, _ = reader.read(queue)
    assert [session.run(key) for _ in range(3)] == [b"1", b"2", b"3"]
    assert session.run(reader.serialize_state()) == b"3"
    session.run(reader.restore_state("7"))
    session.run(queue.enqueue("b"))
    assert session.run(reader.read(queue)) == (b"8", b"b")
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: invalid literal"):
        session.run(reader.restore_state("x"))


@pytest.mark.parametrize(
    ("failure", "kind", "text"),
    [
        (ValueError("bad"), tf.errors.InvalidArgumentError, "ValueError: bad"),
        (KeyError("k"), tf.errors.UnknownError, "KeyError: 'k'"),
        (tf.errors.DataLossError(None, None, "lost"), tf.errors.DataLossError, "lost"),
    ],
)
def test_exceptions_of_a_program(session, failure, kind, text):
    class Failing(tf.user_ops.Reader):
        fails = True

        def read(self):
            if self.fails:
                self.fails = False
                raise failure
            return "key", self.current_work

    reader, queue = made(Failing)
    read = reader.read(queue)
    session.run(queue.enqueue("a"))
    with pytest.raises(kind, match=text):
        session.run(read)
    # The reader goes on with the same work unit.
    assert session.run(read) == (b"key", b"a")


def test_readers_that_do_not_end(session):
    class Nothing(tf.user_ops.Reader):
        def read_up_to(self, count):
            return [], [], False

    reader, queue = made(Nothing, name="n")
    session.run(queue.enqueue("a"))
    text = (
        r"ReadManyLocked\(\) for Nothing 'n' must set \*at_end=true, \*num_produced > 0 or return "
        "an error"
    )
    with pytest.raises(tf.errors.InternalError, match=text):
        session.run(reader.read(queue))


def test_op_types_that_exist():
    with pytest.raises(ValueError, match="op type 'IdentityReader' is registered twice"):
        tf.user_ops.register_reader("IdentityReader")(PairReader)


PAGE = Path(__file__).parents[3] / "docs" / "custom_readers.md"


def test_page_of_the_documentation(forks):
    records = [struct.pack("<3f", 1, 2, 3), b"", struct.pack("<f", 4), b"wrong"]
    data = b"H" + b"".join(struct.pack("<H", len(record)) + record for record in records)
    path = Path("measurements").resolve()
    path.write_bytes(data)
    file_format, record_format = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    program = f"""
import headwater
headwater.install()
import numpy as np
{file_format}
queue = tf.FIFOQueue(9, tf.string)
{record_format.replace("SomeReader()", "SomeReader(header_bytes=1)")}
with tf.Session() as session:
    session.run(queue.enqueue({str(path)!r}))
    session.run(queue.close())
    for _ in range(3):
        print(session.run(numbers).tolist())
    try:
        session.run(numbers)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split(chr(10))[0])
"""
    (printed,) = forks("import headwater", [(program, [])])
    assert printed.splitlines() == [
        *("[1.0, 2.0, 3.0]", "[]", "[4.0]"),
        f"ValueError: the record {path}:23 has 5 bytes",
    ]


PROGRAM = """
import headwater
headwater.install()
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import common_shapes, gen_user_ops, io_ops

@tf.user_ops.register_reader("SomeReader")
class WordReader(tf.user_ops.Reader):
    def on_work_started(self):
        self.words = iter(self.current_work.split())
    def read(self):
        word = next(self.words, None)
        return None if word is None else (self.current_work, word)

class SomeReader(io_ops.ReaderBase):
    def __init__(self, name=None):
        rr = gen_user_ops.some_reader(name=name)
        super(SomeReader, self).__init__(rr)

ops.NoGradient("SomeReader")
ops.RegisterShape("SomeReader")(common_shapes.scalar_shape)

files = tf.train.string_input_producer(["a b", "c d e"], num_epochs=2, shuffle=False)
key, word = SomeReader().read(files)

# A record format: a decoder that takes the key for its errors.
def decode(key, word):
    if word == b"d":
        raise ValueError("bad record in " + key.decode())
    return word.upper()

decoded, = tf.py_func(decode, [key, word], [tf.string])
print(key.get_shape(), SomeReader().reader_ref.get_shape())
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while True:
            try:
                print(session.run(decoded).decode())
            except tf.errors.InvalidArgumentError as error:
                print(error.message.split("\\n")[0])
    except tf.errors.OutOfRangeError:
        print("done")
    coordinator.request_stop()
    coordinator.join(threads)
"""


def test_program_of_the_documents(forks):
    (printed,) = forks("import headwater", [(PROGRAM, [])])
    bad = "ValueError: bad record in c d e"
    assert printed.split("\n")[1:-1] == ["A", "B", "C", bad, "E", "A", "B", "C", bad, "E", "done"]
    assert printed.split("\n")[0] == "() ()"
