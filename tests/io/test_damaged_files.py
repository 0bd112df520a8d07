"""Files with wrong bytes give errors of TensorFlow, whichever bytes they are."""

import random
import tracemalloc
import zlib

import numpy as np
import pytest

import headwater as tf
from headwater.io.checkpoint_table import _expanded, read_table, table_bytes
from headwater.io.checksum import masked_crc32c
from headwater.io.record import TFRecordOptions, read_records
from headwater.protos.lazy import tensor_bundle_pb2

# What TensorFlow 1.15.5 raises for damaged files.
DAMAGE = (tf.errors.DataLossError, tf.errors.OutOfRangeError, tf.errors.UnimplementedError)


def mutations(data, step=1):
    """The content with one byte changed, cut off, or with bytes added."""
    for place in range(0, len(data), step):
        for mask in (0x01, 0x80, 0xFF):
            yield data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]
        yield data[:place]
    yield data + b"\0"
    yield data * 2


def outcome(read):
    try:
        read()
        return None
    except DAMAGE as error:
        return type(error)


def read_checkpoint(prefix):
    reader = tf.train.NewCheckpointReader(str(prefix))
    reader.debug_string()
    reader.get_variable_to_dtype_map()
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)


@pytest.fixture
def checkpoints(tmp_path):
    tf.get_variable("alpha/w", initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
    tf.get_variable("beta", initializer=np.array([b"hello", b"w"], object))
    tf.get_variable("part", (4, 2), partitioner=tf.fixed_size_partitioner(2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for version in (1, 2):
            saver = tf.train.Saver(write_version=version)
            saver.save(session, str(tmp_path / f"v{version}"), write_meta_graph=False)
    return tmp_path


@pytest.mark.parametrize("name", ["v2.index", "v2.data-00000-of-00001", "v1"])
def test_checkpoints(checkpoints, name):
    prefix, file = checkpoints / name[:2], checkpoints / name
    sound = file.read_bytes()
    found = []
    for data in mutations(sound):
        file.write_bytes(data)
        found.append(outcome(lambda: read_checkpoint(prefix)))
    assert found.count(tf.errors.DataLossError) > len(found) / 2
    file.write_bytes(sound)
    read_checkpoint(prefix)


def test_index_entries_with_right_checksums(checkpoints):
    index = checkpoints / "v2.index"
    entries = read_table(index.read_bytes())
    found = []
    for key, value in entries.items():
        for data in mutations(value):
            index.write_bytes(table_bytes({**entries, key: data}))
            try:
                found.append(outcome(lambda: read_checkpoint(checkpoints / "v2")))
            # A missing shard or slice, slices with gaps.
            except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError) as error:
                found.append(type(error))
    assert tf.errors.DataLossError in found


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": 99},
        {"dtype": 20},
        {"offset": -1},
        {"size": -1},
        {"size": 2**62},
        {"shard_id": -1},
        {"shape": {"dim": [{"size": -1}]}},
        {"shape": {"dim": [{"size": 2**40}, {"size": 2**40}]}},
        {"shape": {"unknown_rank": True}},
    ],
)
def test_impossible_entries(checkpoints, change):
    index = checkpoints / "v2.index"
    entries = read_table(index.read_bytes())
    entry = tensor_bundle_pb2.BundleEntryProto.FromString(entries[b"alpha/w"])
    for field in change:
        entry.ClearField(field)
    entry.MergeFrom(tensor_bundle_pb2.BundleEntryProto(**change))
    index.write_bytes(table_bytes({**entries, b"alpha/w": entry.SerializeToString()}))
    with pytest.raises(tf.errors.DataLossError, match=r"alpha/w|Invalid size in bundle entry"):
        read_checkpoint(checkpoints / "v2")


def test_names_that_are_not_utf8(checkpoints):
    index = checkpoints / "v2.index"
    entries = read_table(index.read_bytes())
    index.write_bytes(table_bytes({**entries, b"\xff\xfe": entries[b"alpha/w"]}))
    read_checkpoint(checkpoints / "v2")


def test_blocks_of_noise():
    noise = random.Random(0)
    for _ in range(3000):
        outcome(lambda: _expanded(noise.randbytes(noise.randrange(30))))
    for _ in range(3000):
        table = bytearray(table_bytes({noise.randbytes(2): noise.randbytes(3) for _ in range(5)}))
        for _ in range(3):
            table[noise.randrange(len(table) - 8)] = noise.randrange(256)
        outcome(lambda table=bytes(table): read_table(table))


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_records(tmp_path, kind):
    path = tmp_path / "records"
    with tf.python_io.TFRecordWriter(str(path), kind) as writer:
        for i in range(5):
            writer.write(b"abc%d" % i * i)
    sound = path.read_bytes()
    options = TFRecordOptions(kind)
    found = []
    for data in mutations(sound):
        path.write_bytes(data)
        found.append(outcome(lambda: list(tf.python_io.tf_record_iterator(str(path), options))))
    assert set(found) == {None, tf.errors.DataLossError}


def test_events(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        value = tf.Summary.Value(tag="x", simple_value=1.0)
        writer.add_summary(tf.Summary(value=[value]), 1)
    (path,) = tmp_path.iterdir()
    sound = path.read_bytes()
    found = []
    for data in mutations(sound):
        path.write_bytes(data)
        found.append(outcome(lambda: list(tf.train.summary_iterator(str(path)))))
    assert set(found) == {None, tf.errors.DataLossError}
    with tf.python_io.TFRecordWriter(str(path)) as records:
        records.write(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="a record is not an Event"):
        list(tf.train.summary_iterator(str(path)))


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_compressed_records_are_read_in_pieces(tmp_path, kind):
    # 200 MB of zeros in one record after a small one, in a file of 200 kB.
    path = tmp_path / "bomb"
    with tf.python_io.TFRecordWriter(str(path), kind) as writer:
        writer.write(b"small")
        writer.write(bytes(200 << 20))
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    with path.open("rb") as file:
        assert next(read_records(file, kind)) == b"small"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


def test_length_of_a_record_beyond_its_file(tmp_path):
    length = (2**60).to_bytes(8, "little")
    path = tmp_path / "records"
    path.write_bytes(length + masked_crc32c(length).to_bytes(4, "little") + b"abc")
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(tf.python_io.tf_record_iterator(str(path)))
    path.write_bytes(zlib.compress(path.read_bytes()))
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(tf.python_io.tf_record_iterator(str(path), TFRecordOptions("ZLIB")))
