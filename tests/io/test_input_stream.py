"""Streams and the formats that are parsed from them, with pieces of few bytes."""

from __future__ import annotations

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.io import compressed_file, input_stream
from headwater.io.fixed_length_records import FixedLengthRecords
from headwater.io.input_stream import InputStream
from headwater.io.record import RecordReader, RecordWriter
from headwater.io.text_lines import LineReader

COMPRESSIONS = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}


@pytest.fixture(params=[1, 3, 1 << 18], autouse=True)
def piece(request, monkeypatch):
    monkeypatch.setattr(input_stream, "_PIECE", request.param)
    monkeypatch.setattr(compressed_file, "_PIECE", request.param)


@pytest.fixture(params=list(COMPRESSIONS))
def opened(request):
    """Opens content that the file has compressed."""
    return lambda data: InputStream(io.BytesIO(COMPRESSIONS[request.param](data)), request.param)


def in_turns(read, counts):
    """All that a function of a count returns, called with one count after the other."""
    found = []
    for i in range(10_000):
        part = read(counts[i % len(counts)])
        if not part:
            return found
        assert len(part) <= counts[i % len(counts)]
        found += part
    raise AssertionError("does not end")


def lines_of(data):
    """The lines as TextLineReader defines them."""
    *lines, last = data.split(b"\n")
    lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    last = last[:-1] if last.endswith(b"\r") else last
    return [*lines, last] if last else lines


counts = st.lists(st.integers(1, 5), min_size=1, max_size=3)
texts = st.lists(st.sampled_from([b"\n", b"\r", b"a", b"bc", b"\0"]), max_size=30).map(b"".join)


def test_lines(opened):
    @given(texts, counts)
    def check(data, counts):
        assert in_turns(LineReader(opened(data)).read, counts) == lines_of(data)

    check()


def test_skipped_lines(opened):
    @given(texts, st.integers(0, 5))
    def check(data, count):
        reader, lines = LineReader(opened(data)), lines_of(data)
        assert reader.skip(count) == min(count, len(lines))
        assert in_turns(reader.read, [2]) == lines[count:]

    check()


def test_records(opened):
    @given(st.lists(st.binary(max_size=20), max_size=6), counts)
    def check(records, counts):
        file = io.BytesIO()
        writer = RecordWriter(file)
        offsets = []
        for record in records:
            offsets.append(file.tell())
            writer.write(record)
        reader = RecordReader(opened(file.getvalue()))

        def read(count):
            return list(zip(*reader.read(count)))

        assert in_turns(read, counts) == list(zip(records, offsets))

    check()


def fixed_length(data, record, header, footer, hop):
    """The records of equal length, one by one."""
    found, first = [], header
    while first + record + footer <= len(data):
        found.append(data[first : first + record])
        first += hop or record
    return found


def test_records_of_equal_length(opened):
    @given(
        st.binary(max_size=40),
        st.integers(1, 7),
        st.integers(0, 5),
        st.integers(0, 5),
        st.integers(0, 9),
        counts,
    )
    def check(data, record, header, footer, hop, counts):
        if header > len(data):
            with pytest.raises(tf.errors.OutOfRangeError):
                FixedLengthRecords(opened(data), record, header, footer, hop)
            return
        reader = FixedLengthRecords(opened(data), record, header, footer, hop)
        assert in_turns(reader.read, counts) == fixed_length(data, record, header, footer, hop)

    check()


def test_reading_and_skipping(opened):
    data = bytes(range(100))
    stream = opened(data)
    assert stream.read(3) == data[:3]
    assert stream.skip(50)
    assert (stream.offset, stream.read(5)) == (53, data[53:58])
    assert stream.fill(10) >= 10
    assert stream.read(1000) == data[58:]
    assert (stream.offset, stream.read(1), stream.skip(0)) == (100, b"", True)
    assert not stream.skip(1)


class Interrupted(io.BytesIO):
    """A file whose reads fail now and then, after they have moved it."""

    calls = 0

    def read(self, count=-1):
        data = super().read(count)
        self.calls += 1
        if self.calls % 2:
            raise KeyboardInterrupt
        return data


def test_interrupted_reads_lose_nothing():
    stream = InputStream(Interrupted(b"0123456789" * 3))
    found = b""
    while len(found) < 30:
        try:
            found += stream.read(7)
        except KeyboardInterrupt:
            continue
    assert found == b"0123456789" * 3


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_what_comes_before_damage_is_read(kind, rng):
    data = rng.bytes(2000)
    packed = COMPRESSIONS[kind](data)
    damaged = bytearray(packed)
    damaged[-5] ^= 1  # the checksum at the end of the file
    stream = InputStream(io.BytesIO(bytes(damaged)), kind)
    assert stream.read(1990) == data[:1990]
    for _ in range(2):
        with pytest.raises(tf.errors.DataLossError, match=r"inflate\(\) failed with error -3"):
            stream.read(20)
