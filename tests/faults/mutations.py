"""Damaged files are refused with TensorFlow's errors: no crash, no hang, no huge allocation.

Bytes are changed, cut out, put in, copied and set to forged sizes. Where a format has checksums,
the content is also changed below them, so that what reads it is reached.
"""

from __future__ import annotations

import random
import signal
import struct
import tempfile
import time
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

import headwater as tf
from headwater.io.checkpoint_table import read_table, table_bytes
from headwater.io.record import framed
from headwater.model.defun import Defun
from headwater.protos.saved_model_pb2 import SavedModel

# What a damaged file may end in; a message that cannot be parsed at all is DecodeError, as in
# TensorFlow, where a program parses it.
_FILE_ERRORS = (
    tf.errors.DataLossError,
    tf.errors.OutOfRangeError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.UnimplementedError,
)
_GRAPH_ERRORS = (*_FILE_ERRORS, ValueError, TypeError, KeyError)
_LOADED_ERRORS = (
    *(tf.errors.OpError, ValueError, TypeError, KeyError, OSError, RuntimeError),
    # Of the protos in collections, as in TensorFlow.
    DecodeError,
)
_SIZES = (0, 1, 255, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63, 2**64 - 1)
_SECONDS = 10
_BYTES_PER_BYTE, _BYTES_FREE = 200, 48 << 20


@dataclass
class Outcome:
    """What came of a series of mutations.

    Attributes:
        count: how many files were damaged.
        refused: how many of them could not be read.
        faults: what should not have happened: one line for each kind of it.
        slowest: the longest time that one file took, in seconds.
        largest: the largest memory that one file took, in bytes.
    """

    count: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    largest: int = 0


def mutated(data: bytes, random: random.Random) -> bytes:
    """Bytes with one to four changes."""
    result = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(result) + 1)
        kind = random.randrange(8)
        if kind == 0 and result:
            result[at % len(result)] ^= 1 << random.randrange(8)
        elif kind == 1 and result:
            result[at % len(result)] = random.choice((0, 1, 127, 128, 255))
        elif kind == 2:
            del result[at : at + random.randrange(1, 20)]
        elif kind == 3:
            result[at:at] = random.randbytes(random.randrange(1, 8))
        elif kind == 4:
            del result[at:]
        elif kind == 5:
            result[at : at + 8] = struct.pack("<Q", random.choice(_SIZES))
        elif kind == 6:
            result[at : at + random.randrange(1, 3)] = _varint(random.choice(_SIZES))
        else:
            start = random.randrange(len(result) + 1)
            result[at:at] = result[start : start + random.randrange(64)]
    return bytes(result)


def _varint(value: int) -> bytes:
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    return bytes([*result, value])


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class _Case:
    """A file that is damaged and read.

    Args:
        folder: an empty folder.
    """

    errors: tuple[type[BaseException], ...] = _FILE_ERRORS

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def damage(self, random: random.Random) -> int:
        """Writes a damaged file; returns its size."""
        raise NotImplementedError

    def read(self) -> None:
        """Reads it."""
        raise NotImplementedError


def _model() -> None:
    tf.get_variable("alpha/w", initializer=np.arange(60, dtype=np.float32).reshape(6, 10))
    tf.get_variable("beta", initializer=np.array([b"hello", b"w"], object))
    tf.get_variable("ids", initializer=np.arange(-5, 5, dtype=np.int64))
    tf.get_variable("flags", initializer=np.array([True, False]))
    tf.get_variable("part", (4, 2), partitioner=tf.fixed_size_partitioner(2))


class _Checkpoint(_Case):
    version = tf.train.SaverDef.V2
    names: tuple[str, ...] = ("m.index", "m.data-00000-of-00001")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with tf.Graph().as_default(), tf.Session() as session:
            _model()
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(write_version=self.version)
            saver.save(session, str(folder / "m"), write_meta_graph=False, write_state=False)
        self._sound = {name: (folder / name).read_bytes() for name in self.names}

    def damage(self, random: random.Random) -> int:
        for name, data in self._sound.items():
            (self.folder / name).write_bytes(data)
        name = random.choice(self.names)
        data = self._sound[name]
        if random.random() < 0.6 and "data" not in name:
            # Below the checksums.
            entries = read_table(data)
            key = random.choice(sorted(entries))
            value = mutated(entries.pop(key), random)
            entries[mutated(key, random) if random.random() < 0.2 else key] = value
            data = table_bytes(entries)
        else:
            data = mutated(data, random)
        (self.folder / name).write_bytes(data)
        return sum((self.folder / name).stat().st_size for name in self.names)

    def read(self) -> None:
        reader = tf.train.NewCheckpointReader(str(self.folder / "m"))
        reader.debug_string()
        failure: Exception | None = None
        for name in reader.get_variable_to_shape_map():
            try:
                reader.get_tensor(name)
            except self.errors as error:
                failure = error
        if failure is not None:
            raise failure


class _CheckpointV1(_Checkpoint):
    version = tf.train.SaverDef.V1
    names = ("m",)


class _Records(_Case):
    errors = (tf.errors.DataLossError,)

    def damage(self, random: random.Random) -> int:
        self._kind = random.choice(("", "ZLIB", "GZIP"))
        path = self.folder / "records"
        with tf.python_io.TFRecordWriter(str(path), self._kind) as writer:
            for i in range(5):
                writer.write(b"abc%d" % i * i)
        path.write_bytes(mutated(path.read_bytes(), random))
        return path.stat().st_size

    def read(self) -> None:
        options = tf.python_io.TFRecordOptions(
            tf.python_io.TFRecordCompressionType.NONE if not self._kind else self._kind
        )
        list(tf.python_io.tf_record_iterator(str(self.folder / "records"), options))


class _Events(_Case):
    errors = (tf.errors.DataLossError,)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        values = [tf.Summary.Value(tag="x", simple_value=1.0)]
        values.append(tf.Summary.Value(tag="t", tensor=tf.make_tensor_proto([1.0, 2.0])))
        event = tf.Event(step=3, summary=tf.Summary(value=values))
        self._events = [tf.Event(file_version="brain.Event:2"), event]

    def damage(self, random: random.Random) -> int:
        content = [event.SerializeToString() for event in self._events]
        if random.random() < 0.5:
            at = random.randrange(len(content))
            content[at] = mutated(content[at], random)
            data = b"".join(map(framed, content))
        else:
            data = mutated(b"".join(map(framed, content)), random)
        (self.folder / "events").write_bytes(data)
        return len(data)

    def read(self) -> None:
        list(tf.train.summary_iterator(str(self.folder / "events")))


class _MetaGraph(_Case):
    errors = _LOADED_ERRORS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with tf.Graph().as_default():
            _model()
            tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
            tf.add_to_collection("numbers", 5)
            tf.train.Saver()
            self._sound = tf.train.export_meta_graph().SerializeToString(deterministic=True)

    def damage(self, random: random.Random) -> int:
        data = mutated(self._sound, random)
        (self.folder / "g.meta").write_bytes(data)
        return len(data)

    def read(self) -> None:
        with tf.Graph().as_default():
            tf.train.import_meta_graph(str(self.folder / "g.meta"))


class _SavedModel(_Case):
    errors = _LOADED_ERRORS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None, 6])
            v = tf.get_variable("v", [6, 2])
            session.run(tf.global_variables_initializer())
            tf.saved_model.simple_save(session, str(folder / "s"), {"x": x}, {"y": tf.matmul(x, v)})
        self._file = folder / "s" / "saved_model.pb"
        proto = SavedModel.FromString(self._file.read_bytes())
        self._sound = proto.SerializeToString(deterministic=True)

    def damage(self, random: random.Random) -> int:
        self._file.write_bytes(mutated(self._sound, random))
        return self._file.stat().st_size

    def read(self) -> None:
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], str(self.folder / "s"))


class _GraphDef(_Case):
    # FailedPreconditionError: of datasets whose function is missing, as in TensorFlow.
    errors = (*_GRAPH_ERRORS, DecodeError, RuntimeError, tf.errors.FailedPreconditionError)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with tf.Graph().as_default() as graph:
            _functions()
            self._sound = graph.as_graph_def()

    def damage(self, random: random.Random) -> int:
        if random.random() < 0.5:
            data = mutated(self._sound.SerializeToString(deterministic=True), random)
        else:
            proto = tf.GraphDef()
            proto.CopyFrom(self._sound)
            function = random.choice(proto.library.function)
            other = random.choice(proto.library.function).signature.name
            node = random.choice([*function.node_def, *proto.node])
            if random.random() < 0.5:
                # Perhaps a function that calls itself.
                node.op = other
            else:
                for value in node.attr.values():
                    value.func.name = other
            data = proto.SerializeToString()
        self._data = data
        return len(data)

    def read(self) -> None:
        proto = tf.GraphDef.FromString(self._data)
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.import_graph_def(proto, name="")
            fetches = [op for op in graph.get_operations() if not op.outputs or op.type != "Const"]
            for op in fetches[-3:]:
                session.run(op)


def _functions() -> None:
    @Defun(tf.float32)
    def square(x):
        return x * x

    @Defun(tf.float32)
    def sum_of_squares(x):
        return square(x) + square(x + 1.0)

    sum_of_squares(tf.constant([1.0, 2.0]))
    dataset = tf.data.Dataset.range(5).map(lambda x: x * 2).filter(lambda x: x > 2)
    tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()


CASES: dict[str, Callable[[Path], _Case]] = {
    "V1": _CheckpointV1,
    "V2": _Checkpoint,
    "records": _Records,
    "events": _Events,
    "MetaGraph": _MetaGraph,
    "SavedModel": _SavedModel,
    "GraphDef": _GraphDef,
}


def damage_files(name: str, count: int, seed: int = 0) -> Outcome:
    """Damages files of one kind and reads them.

    Args:
        name: a key of `CASES`.
        count: how many.
        seed: of the mutations; mutation i of a seed is always the same.

    Returns:
        What came of it.
    """
    outcome = Outcome()
    kinds: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        case = CASES[name](Path(folder))
        tracemalloc.start()
        for i in range(count):
            size = case.damage(random.Random(f"{name}{seed}-{i}"))
            tracemalloc.reset_peak()
            before, start = tracemalloc.get_traced_memory()[0], time.monotonic()
            fault = ""
            try:
                with _limited(_SECONDS):
                    case.read()
            except case.errors as error:
                outcome.refused += 1
                if isinstance(error, (TimeoutError, RecursionError)) or not str(error):
                    fault = f"{type(error).__name__}: {error}"
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                fault = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
            outcome.count += 1
            memory = tracemalloc.get_traced_memory()[1] - before
            outcome.slowest = max(outcome.slowest, time.monotonic() - start)
            outcome.largest = max(outcome.largest, memory)
            if memory > _BYTES_PER_BYTE * size + _BYTES_FREE:
                fault = fault or f"{memory >> 20} MiB for a file of {size} bytes"
            if fault and fault[:60] not in kinds:
                kinds.add(fault[:60])
                outcome.faults.append(f"mutation {i}: {fault[:300]}")
        tracemalloc.stop()
    return outcome
