"""Snapshots of datasets."""

import struct
import time

import pytest

import headwater as tf
from headwater.base import errors
from headwater.data.datasets.snapshot import snapshot


def pairs():
    dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
    return dataset.map(lambda x: (x, tf.as_string(x)))


def taken(session, dataset, count=None):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    found = []
    while count is None or len(found) < count:
        try:
            found.append(session.run(element))
        except errors.OutOfRangeError:
            break
    return found


def test_the_files_are_those_of_tensorflow(session, tmp_path):
    # As TensorFlow 1.15.5 writes them, the hash and the run aside.
    taken(session, pairs().apply(snapshot(str(tmp_path))))
    (folder,) = tmp_path.iterdir()
    metadata, run = sorted(folder.iterdir(), key=lambda path: not path.is_file())
    (file,) = run.iterdir()
    assert file.name == "00000000.snapshot"
    assert file.read_bytes().hex() == (
        "24000000000000000a1208031204120208022208"
        "01000000020000000a0e0807120412020802220401013132"
        "24000000000000000a1208031204120208022208"
        "03000000040000000a0e0807120412020802220401013334"
        "24000000000000000a1208031204120208022208"
        "05000000060000000a0e0807120412020802220401013536"
    )
    record = metadata.read_bytes()
    assert metadata.name == "snapshot.metadata"
    assert struct.unpack("<q", record[:8]) == (len(record) - 8,)
    hash_and_run = b"\n\x10%s\x12%c%s\x18" % (
        folder.name.encode(),
        len(run.name),
        run.name.encode(),
    )
    assert record[8:].startswith(hash_and_run)
    assert record.endswith(b"\xc0\x3e\x01")


def test_names_do_not_matter(tmp_path):
    def kept(function):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.constant(0, name="RangeDataset")
            dataset = tf.data.Dataset.range(5).map(function).apply(snapshot(str(tmp_path)))
            assert taken(session, dataset) == [0, 2, 4, 6, 8]
        return len(list(tmp_path.iterdir()))

    def doubled(number):
        return tf.multiply(number, 2, name="twice")

    assert kept(lambda x: x * 2) == kept(doubled) == 1
    assert kept(lambda x: x + x) == 2


@pytest.mark.parametrize("dtype", ["bool", "float16", "complex64", "uint8", "string"])
def test_elements_of_all_types_are_read_as_written(session, tmp_path, dtype):
    values = tf.as_string([[1], [0]]) if dtype == "string" else tf.cast([[1], [0]], dtype)
    dataset = tf.data.Dataset.from_tensor_slices({"a": values, "empty": tf.zeros([2, 0])})
    written = taken(session, dataset.apply(snapshot(str(tmp_path))))
    read = taken(session, dataset.apply(snapshot(str(tmp_path))))
    assert len(read) == 2
    for one, other in zip(written, read):
        assert one["a"].tolist() == other["a"].tolist()
        assert one["a"].dtype == other["a"].dtype
        assert other["empty"].shape == (0,)


def test_sparse_components(session, tmp_path):
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 3])
    dataset = tf.data.Dataset.from_tensor_slices(sparse)
    kept = dataset.apply(snapshot(str(tmp_path))).map(tf.sparse.to_dense)
    for _ in range(2):
        assert [row.tolist() for row in taken(session, kept)] == [[0, 5, 0], [6, 0, 0]]


def test_no_element_is_lost_before_an_error(session, tmp_path):
    dataset = tf.data.Dataset.range(4).map(lambda x: 6 // (x - 2)).apply(snapshot(str(tmp_path)))
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    assert [session.run(element), session.run(element)] == [-3, -6]
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        session.run(element)
    assert session.run(element) == 6
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


def test_a_snapshot_that_was_not_finished_expires(session, tmp_path, monkeypatch):
    def kept():
        path = str(tmp_path)
        return tf.data.Dataset.range(3).apply(snapshot(path, pending_snapshot_expiry_seconds=100))

    taken(session, kept(), 1)
    assert taken(session, kept()) == [0, 1, 2]
    (folder,) = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 2
    now = time.time()
    monkeypatch.setattr("headwater.ops.data.snapshot.time.time", lambda: now + 101)
    assert taken(session, kept()) == [0, 1, 2]
    assert len(list(folder.iterdir())) == 3
    assert taken(session, kept()) == [0, 1, 2]
    assert len(list(folder.iterdir())) == 3


def damaged(tmp_path, change):
    (folder,) = tmp_path.iterdir()
    (path,) = folder.glob("*/*.snapshot")
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: data[:-1], "truncated record at 88 of .*00000000.snapshot"),
        (lambda data: data[:91], "truncated record at 88 of .*00000000.snapshot"),
        (lambda data: data[:88] + b"\xff" * 8, "truncated record at 88"),
        (lambda data: data[:96] + b"\x0f" * 36, "corrupted record at 88"),
        (lambda data: data[:105] + b"\x05" + data[106:], "Unable to parse tensor from proto"),
        (lambda data: data[:99] + b"\x01" + data[100:], "components of float32, string"),
    ],
)
def test_a_damaged_file(session, tmp_path, change, text):
    dataset = pairs().apply(snapshot(str(tmp_path)))
    taken(session, dataset)
    damaged(tmp_path, change)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    assert [session.run(element)[1].tolist() for _ in range(2)] == [[b"1", b"2"], [b"3", b"4"]]
    with pytest.raises(errors.DataLossError, match=text):
        session.run(element)
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


def test_damaged_metadata(session, tmp_path):
    dataset = tf.data.Dataset.range(3).apply(snapshot(str(tmp_path)))
    taken(session, dataset)
    (folder,) = tmp_path.iterdir()
    (folder / "snapshot.metadata").write_bytes(b"\x05")
    with pytest.raises(errors.DataLossError, match=r"truncated record at 0 of .*metadata"):
        taken(session, dataset)


def test_a_folder_that_cannot_be_written(session, tmp_path):
    (tmp_path / "file").write_text("")
    dataset = tf.data.Dataset.range(3).apply(snapshot(str(tmp_path / "file")))
    with pytest.raises(errors.OpError):
        taken(session, dataset)


def test_files_that_have_gone(session, tmp_path):
    dataset = tf.data.Dataset.range(3).apply(snapshot(str(tmp_path)))
    taken(session, dataset)
    for path in tmp_path.glob("*/*/*.snapshot"):
        path.unlink()
    with pytest.raises(errors.InvalidArgumentError, match="Could not find any files in dir: "):
        taken(session, dataset)


@pytest.mark.parametrize("before", [False, True])
def test_iterators_over_snapshots_are_saved(session, tmp_path, before):
    dataset = tf.data.Dataset.range(5).apply(snapshot(str(tmp_path)))
    if before:
        taken(session, dataset)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    saved = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    given = tf.placeholder(tf.variant, [])
    restore = tf.raw_ops.DeserializeIterator(
        resource_handle=iterator._iterator_resource, serialized=given
    )
    session.run(iterator.initializer)
    assert [session.run(element) for _ in range(2)] == [0, 1]
    state = session.run(saved)
    assert [session.run(element) for _ in range(2)] == [2, 3]
    session.run(restore, {given: state})
    assert [session.run(element) for _ in range(3)] == [2, 3, 4]
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)
