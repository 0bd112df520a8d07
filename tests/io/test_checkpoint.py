from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.io.checkpoint_bundle import BundleReader, BundleWriter
from headwater.io.checkpoint_slices import slice_key
from headwater.io.checkpoint_table import _expanded, read_table, table_bytes

GOLDEN = Path(__file__).parent.parent / "golden" / "checkpoint"
SUFFIXES = (".index", ".data-00000-of-00001")
NUMBERS = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128"
).split()


def halves(rows, axis):
    """The value of a variable whose two slices hold their offsets."""
    value = np.zeros((rows, 4), np.int32)
    start = -(-value.shape[axis] // 2)
    value[(slice(None),) * axis + (slice(start, None),)] = start
    return value


EXPECTED = {
    **{n: np.array([[0, 1], [1, 0], [1, 1]], tf.as_dtype(n).as_numpy_dtype) for n in NUMBERS},
    "string": np.array([b"", b"one", b"x" * 200], object),
    "scalar": np.array(7, np.int32),
    "empty": np.zeros((0, 3), np.float32),
    "scope/resource": np.array([1.5, -2.5], np.float32),
    "slices_0": halves(3, 0),
    "slices_1": halves(200, 1),
}
SPECS = {
    "slices_0": ("3 4 0,2:0,4", "3 4 2,1:0,4"),
    "slices_1": ("200 4 0,200:0,2", "200 4 0,200:2,2"),
}


def test_reads_a_checkpoint_of_tensorflow():
    reader = BundleReader(str(GOLDEN / "v2"))
    assert reader.names() == sorted(EXPECTED)
    for name, expected in EXPECTED.items():
        dtype, shape = reader.dtype_and_shape(name)
        assert (dtype, shape) == (tf.as_dtype(expected.dtype), expected.shape)
        value = reader.read(name)
        assert value.dtype == expected.dtype
        np.testing.assert_array_equal(value, expected)


def test_reads_slices():
    reader = BundleReader(str(GOLDEN / "v2"))
    for spec, part in (
        ("3 4 0,2:0,4", np.s_[:2]),
        ("3 4 1,2:1,2", np.s_[1:3, 1:3]),
        ("3 4 -:0,1", np.s_[:, :1]),
    ):
        np.testing.assert_array_equal(reader.read("slices_0", spec), EXPECTED["slices_0"][part])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[4,3\] does not match.*\[3,4\]"):
        reader.read("slices_0", "4 3 -:-")


def test_writes_the_same_bytes_as_tensorflow(tmp_path):
    writer = BundleWriter(str(tmp_path / "own"))
    for name in sorted(EXPECTED):
        value = EXPECTED[name]
        dtype = tf.as_dtype(value.dtype)
        if name in SPECS:
            for part, spec in zip(
                np.split(value, [-(-value.shape[int(name[-1])] // 2)], axis=int(name[-1])),
                SPECS[name],
            ):
                writer.add(name, part, dtype, spec)
        else:
            writer.add(name, value, dtype)
    writer.finish()
    for suffix in SUFFIXES:
        own = (tmp_path / f"own{suffix}").read_bytes()
        assert own == (GOLDEN / f"v2{suffix}").read_bytes()


def test_damaged_values(tmp_path):
    for suffix in SUFFIXES:
        (tmp_path / f"bad{suffix}").write_bytes((GOLDEN / f"v2{suffix}").read_bytes())
    values = tmp_path / f"bad{SUFFIXES[1]}"
    values.write_bytes(bytes(b ^ 1 for b in values.read_bytes()))
    reader = BundleReader(str(tmp_path / "bad"))
    with pytest.raises(tf.errors.DataLossError, match="Checksum does not match"):
        reader.read("float32")
    values.write_bytes(b"")
    with pytest.raises(tf.errors.OutOfRangeError, match="Read less bytes than requested"):
        reader.read("float32")


def test_damaged_index(tmp_path):
    index = tmp_path / "bad.index"
    data = bytearray((GOLDEN / "v2.index").read_bytes())
    data[30] ^= 1
    index.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match="block checksum mismatch"):
        BundleReader(str(tmp_path / "bad"))
    index.write_bytes(b"something else" * 10)
    with pytest.raises(tf.errors.DataLossError, match="bad magic number"):
        BundleReader(str(tmp_path / "bad"))
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        BundleReader(str(tmp_path / "none"))


@given(st.dictionaries(st.binary(max_size=8), st.binary(max_size=9), max_size=60))
def test_table_round_trip(entries):
    assert read_table(table_bytes(entries)) == entries


def test_table_of_many_blocks():
    entries = {struct.pack(">Q", i * i): bytes([i % 256]) * 3000 for i in range(300)}
    assert read_table(table_bytes(entries)) == entries


BIG = st.integers(-1, 2**62)


@given(st.tuples(BIG, BIG), st.tuples(BIG, BIG))
def test_slice_keys_sort_as_slices(a, b):
    assert (slice_key("n", (a,)) < slice_key("n", (b,))) == (a < b)


def test_compressed_blocks():
    # A literal, a copy with a short offset that overlaps itself, and one with a long offset.
    assert _expanded(b"\x0c\x04ab\x15\x02\x02\x02\x00") == b"ab" + b"ababababa" + b"b"
