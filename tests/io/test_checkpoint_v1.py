"""Checkpoints of format V1: the files of TensorFlow, shards, slices and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.io.checkpoint_slices import to_proto
from headwater.io.checkpoint_v1 import SlicesReader, SlicesWriter, open_checkpoint
from headwater.io.checkpoint_v1_values import read_values, slice_parts
from headwater.io.tensor_proto import value_field
from headwater.protos.lazy import saved_tensor_slice_pb2, tensor_pb2

GOLDEN = Path(__file__).parent.parent / "golden" / "checkpoint_v1"


def test_a_file_of_tensorflow_is_read():
    reader = open_checkpoint(str(GOLDEN))
    assert isinstance(reader, SlicesReader)
    np.testing.assert_array_equal(reader.read("f32"), [[1, 2], [3, 4]])
    assert reader.read("i64") == 7 and reader.read("c64").tolist() == [1 + 2j]
    assert reader.read("s").tolist() == [b"ab", b""] and reader.read("i8").tolist() == [-3]
    assert reader.read("empty").shape == (0, 3) and reader.dtype_and_shape("b")[0] is tf.bool
    np.testing.assert_array_equal(reader.read("f32", "2 2 0,1:-"), [[1, 2]])


def test_the_same_file_is_written(tmp_path):
    reader = SlicesReader(str(GOLDEN))
    writer = SlicesWriter(str(tmp_path / "m"))
    for name in reader.names():
        writer.add(name, reader.read(name), reader.dtype_and_shape(name)[0])
    writer.finish()
    assert (tmp_path / "m").read_bytes() == GOLDEN.read_bytes()


def test_slices_are_put_together(tmp_path):
    writer = SlicesWriter(str(tmp_path / "m-00000-of-00002"))
    writer.add("v", np.float32([[1, 2]]), tf.float32, "2 2 0,1:-")
    writer.finish()
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not cover"):
        SlicesReader(str(tmp_path / "m-00000-of-00002")).read("v")
    writer = SlicesWriter(str(tmp_path / "m-00001-of-00002"))
    writer.add("v", np.float32([[3, 4]]), tf.float32, "2 2 1,1:-")
    writer.finish()
    reader = SlicesReader(str(tmp_path / "m-?????-of-00002"))
    np.testing.assert_array_equal(reader.read("v"), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(reader.read("v", "2 2 -:1,1"), [[2], [4]])
    np.testing.assert_array_equal(reader.read("v", "2 2 1,1:-"), [[3, 4]])


def test_errors(tmp_path):
    reader = SlicesReader(str(GOLDEN))
    with pytest.raises(tf.errors.NotFoundError, match='"none" not found in checkpoint files'):
        reader.read("none")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,3\], save file shape: \[2,2\]"):
        reader.read("f32", "2 3 0,1:-")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        SlicesReader(str(tmp_path / "none"))
    (tmp_path / "broken").write_bytes(b"x" * 100)
    with pytest.raises(tf.errors.DataLossError, match="not an sstable"):
        SlicesReader(str(tmp_path / "broken"))


@pytest.mark.parametrize("sharded", [False, True])
def test_a_saver_of_format_v1(session, tmp_path, sharded):
    with tf.device("/cpu:0"):
        v = tf.Variable([1.0, 2.0], name="v")
    w = tf.Variable(3, name="w")
    saver = tf.train.Saver(sharded=sharded, write_version=tf.train.SaverDef.V1, max_to_keep=1)
    session.run(tf.global_variables_initializer())
    for step in range(2):
        path = saver.save(session, str(tmp_path / "m"), global_step=step)
    names = {p.name for p in tmp_path.iterdir()}
    shards = {"m-1-00000-of-00002", "m-1-00001-of-00002"} if sharded else {"m-1"}
    assert names == {"checkpoint", "m-1.meta"} | shards
    session.run([v.assign([0.0, 0.0]), w.assign(0)])
    saver.restore(session, path)
    assert session.run(v).tolist() == [1.0, 2.0] and session.run(w) == 3
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    assert tf.train.list_variables(path) == [("v", [2]), ("w", [])]
    assert len(tf.train.get_checkpoint_mtimes([path])) == 1


NUMBERS = {
    "float32": [0.0, -1.5, 3e38],
    "float64": [1e-300, -2.0],
    "float16": [1.5, -2.0],
    "bfloat16": [1.0, -3.0],
    "int8": [-128, 127, 0],
    "int16": [-32768, 300],
    "int32": [-(2**31), 2**31 - 1, 127, 128],
    "int64": [-(2**63), 2**63 - 1, -1, 0],
    "uint8": [0, 255],
    "uint16": [65535, 1],
    "uint32": [2**32 - 1, 5],
    "uint64": [2**64 - 1, 2**63, 7],
    "bool": [True, False, True],
    "complex64": [1 + 2j, -3j],
    "complex128": [1e200 - 1j, 0],
    "string": [b"", b"ab"],
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("empty", [False, True])
def test_values_are_those_of_the_protocol_buffers(name, empty):
    dtype = tf.as_dtype(name)
    array = np.array(NUMBERS[name], dtype.as_numpy_dtype)[: 0 if empty else None]
    place = to_proto((None,))
    data = tensor_pb2.TensorProto()
    if name == "string":
        data.string_val.extend(array.tolist())
    else:
        field, entries = value_field(dtype)
        getattr(data, field).extend(array.view(entries).tolist())
    expected = saved_tensor_slice_pb2.SavedTensorSlices()
    expected.data.name = "v"
    expected.data.slice.CopyFrom(place)
    expected.data.data.CopyFrom(data)
    parts = slice_parts("v", place, array, dtype)
    written = b"".join(bytes(part) for part in parts)
    assert written == expected.SerializeToString()
    read = read_values(written, dtype, array.shape)
    assert read.dtype == array.dtype and read.tolist() == array.tolist()


@pytest.mark.parametrize("name", ["float32", "int32", "string"])
@pytest.mark.parametrize("shape", [(2**33,), (2,), (0,)])
def test_another_number_of_values_than_the_shape_has(name, shape):
    dtype = tf.as_dtype(name)
    array = np.array([b"a"] if name == "string" else [1], dtype.as_numpy_dtype)
    written = b"".join(bytes(part) for part in slice_parts("v", to_proto((None,)), array, dtype))
    with pytest.raises(tf.errors.DataLossError, match="it has 1 values, but its shape has room"):
        read_values(written, dtype, shape)
