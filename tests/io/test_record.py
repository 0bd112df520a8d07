from __future__ import annotations

import base64
import gzip
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.io.checksum import crc32c, masked_crc32c

io = tf.python_io


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "records")


def write(path, records, options=None):
    with io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)


def framed(*records):
    """The bytes of a file, put together from the description of the format."""
    data = b""
    for record in records:
        length = struct.pack("<Q", len(record))
        data += length + struct.pack("<I", masked_crc32c(length))
        data += record + struct.pack("<I", masked_crc32c(record))
    return data


def outcome(path, data, options=None):
    Path(path).write_bytes(data)
    found = []
    try:
        found.extend(iter(io.tf_record_iterator(path, options)))
    except tf.errors.DataLossError as error:
        return found, error.message
    return found, None


def test_checksums():
    # RFC 3720, B.4.
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert masked_crc32c(bytes(32)) == ((0x8A9136AA >> 15 | 0x8A9136AA << 17) + 0xA282EAD8) % 2**32


def test_framing(path):
    write(path, [b"hello", b""])
    assert Path(path).read_bytes() == framed(b"hello", b"")
    assert list(io.tf_record_iterator(path)) == [b"hello", b""]


KINDS = [None, "", "GZIP", "ZLIB", io.TFRecordOptions(io.TFRecordCompressionType.GZIP)]


@pytest.mark.parametrize("options", KINDS, ids=["none", "no_text", "gzip", "zlib", "options"])
def test_round_trip(tmp_path_factory, options):
    name = str(tmp_path_factory.mktemp("round") / "trip")

    @given(st.lists(st.binary(max_size=200), max_size=6))
    def check(records):
        write(name, records, options)
        assert list(io.tf_record_iterator(name, options)) == records

    check()


@pytest.mark.parametrize(
    ("options", "expand"), [("GZIP", gzip.decompress), ("ZLIB", zlib.decompress)]
)
def test_compressed_files_are_readable_by_others(path, options, expand):
    records = [b"x" * 1000, b"y" * 500_000]
    write(path, records, io.TFRecordOptions(options, compression_level=9))
    assert expand(Path(path).read_bytes()) == framed(*records)


def test_flushed_records_are_readable(path):
    for options in (None, "GZIP"):
        writer = io.TFRecordWriter(path, options)
        writer.write(b"one")
        writer.flush()
        data = Path(path).read_bytes()
        writer.close()
        assert outcome(path + "copy", data, options) == ([b"one"], None)


# The errors of release 1.15.5.
RAW = framed(b"hello", b"wwww")


@pytest.mark.parametrize(
    ("data", "records", "text"),
    [
        (RAW, [b"hello", b"wwww"], None),
        (RAW[:3], [], None),
        (RAW[:15], [], "truncated record at 0"),
        (RAW[:22], [b"hello"], None),
        (RAW[:12] + b"X" + RAW[13:], [], "corrupted record at 12"),
        (b"\x07" + RAW[1:], [], "corrupted record at 0"),
        (RAW + b"abc", [b"hello", b"wwww"], None),
        (b"", [], None),
    ],
)
def test_damaged_files(path, data, records, text):
    assert outcome(path, data) == (records, text)


@pytest.mark.parametrize("options", ["GZIP", "ZLIB"])
def test_file_that_is_not_compressed(path, options):
    text = "inflate() failed with error -3: incorrect header check"
    assert outcome(path, RAW, options) == ([], text)


def test_wrong_arguments(path):
    with pytest.raises(ValueError, match='Not a valid compression_type: "x"'):
        io.TFRecordOptions("x")
    with pytest.raises(TypeError, match="expected bytes, str found"):
        io.TFRecordWriter(path).write("text")
    with pytest.raises(tf.errors.NotFoundError, match="/none/x; No such file or directory"):
        io.TFRecordWriter("/none/x")
    with pytest.raises(tf.errors.NotFoundError, match="/none; No such file or directory"):
        list(io.tf_record_iterator("/none"))


# Written by TensorFlow 1.15.5: records of "record i", i + 1 times.
COMPRESSED = {
    "ZLIB": "eJzjYICA/20q/EWpyflFKQoGPCZH2wSg4lN//5OAihvCaKmzBX8koPKL672VoOJG6PT7NR9TAPJ8Hc4=",
    "GZIP": "H4sIAAAAAAAAA+NggID/bSr8RanJ+UUpCgY8JkfbBKDiU3//k4CKG8JoqbMFfySg8ovrvZWg4kbo9Ps1"
    "H1MAkcs36GAAAAA=",
}


@pytest.mark.parametrize("kind", COMPRESSED)
def test_compressed_records_of_tensorflow(path, kind):
    records = [b"record %d" % i * (i + 1) for i in range(3)]
    data = base64.b64decode(COMPRESSED[kind])
    assert outcome(path, data, io.TFRecordOptions(kind)) == (records, None)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", COMPRESSED)
def test_compressed_records_for_tensorflow(path, kind, oracle):
    write(path, [b"one", b"", b"two" * 1000], kind)
    found = oracle(
        f"""
import tensorflow as tf
options = tf.io.TFRecordOptions({kind!r})
print([len(record) for record in tf.io.tf_record_iterator({path!r}, options)])
"""
    )
    assert "[3, 0, 3000]" in str(found)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_a_closed_writer_is_a_failed_precondition(path, kind):
    writer = io.TFRecordWriter(path, io.TFRecordOptions(kind))
    writer.write(b"a")
    for _ in range(2):
        writer.close()
    for call in (writer.flush, lambda: writer.write(b"b")):
        with pytest.raises(
            tf.errors.FailedPreconditionError, match=r"^Writer not initialized or previously closed"
        ):
            call()
    assert list(io.tf_record_iterator(path, io.TFRecordOptions(kind))) == [b"a"]


def test_damage_is_found_where_it_is(path):
    records = [b"%d" % i * (i % 40) for i in range(600)]
    data = framed(*records)
    begins, place = [], 0
    for record in records:
        begins.append(place)
        place += len(record) + 16
    for number in (0, 1, 255, 256, 257, 599):
        begin, size = begins[number], len(records[number])
        # A byte of the length, of its checksum, of the data, and of their checksum.
        for part, offset in ((0, 0), (7, 0), (9, 0), (12, 12), (12 + size, 12)):
            wrong = bytearray(data)
            wrong[begin + part] ^= 4
            found, text = outcome(path, bytes(wrong))
            assert found == records[:number]
            assert f"corrupted record at {begin + offset}" in text
