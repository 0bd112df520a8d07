"""RecordInput: every record once per epoch, in random order."""

from __future__ import annotations

import pytest

import headwater as tf


@pytest.fixture
def files(tmp_path):
    for i in range(5):
        with tf.python_io.TFRecordWriter(str(tmp_path / f"records.{i}")) as writer:
            for j in range(8):
                writer.write(b"%d-%d" % (i, j))
    return str(tmp_path / "records.*")


ALL = {b"%d-%d" % (i, j) for i in range(5) for j in range(8)}


def epochs_of(files, count, **options):
    records = tf.contrib.framework.RecordInput(files, batch_size=10, **options).get_yield_op()
    with tf.Session() as session:
        return [[r for _ in range(4) for r in session.run(records).tolist()] for _ in range(count)]


@pytest.mark.parametrize("buffer_size", [1, 16, 1000])
def test_every_epoch_has_each_record_once(files, buffer_size):
    first, second = epochs_of(files, 2, buffer_size=buffer_size)
    assert set(first) == ALL and set(second) == ALL
    assert first != second


def test_seed_fixes_the_order(files):
    assert epochs_of(files, 1, seed=3) == epochs_of(files, 1, seed=3)
    assert epochs_of(files, 1, seed=3) != epochs_of(files, 1, seed=4)


def test_shift_rotates_the_files(files):
    (plain,), (shifted,) = epochs_of(files, 1), epochs_of(files, 1, shift_ratio=0.4)
    assert shifted == plain[16:] + plain[:16]


def test_several_batches_are_lists_of_scalars(files):
    batches = tf.contrib.framework.RecordInput(
        files, batch_size=2, batches=3, name="input"
    ).get_yield_op()
    assert [[record.shape for record in batch] for batch in batches] == [[(), ()]] * 3
    with tf.Session() as session:
        values = session.run(batches)
    assert len({record for batch in values for record in batch}) == 6


def test_compressed_files(tmp_path):
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    path = str(tmp_path / "packed")
    with tf.python_io.TFRecordWriter(path, options) as writer:
        writer.write(b"one")
    records = tf.contrib.framework.RecordInput(
        path, compression_type=tf.python_io.TFRecordCompressionType.GZIP
    ).get_yield_op()
    with tf.Session() as session:
        assert session.run(records).tolist() == [b"one"]


def test_no_files(tmp_path):
    records = tf.contrib.framework.RecordInput(str(tmp_path / "none*")).get_yield_op()
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match=r"Found no files at .*none"):
            session.run(records)
        with pytest.raises(tf.errors.NotFoundError, match=r"Found no files at .*none"):
            session.run(records)


def test_files_without_records(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    records = tf.contrib.framework.RecordInput(str(tmp_path / "empty")).get_yield_op()
    with tf.Session() as session, pytest.raises(tf.errors.NotFoundError, match="Found no records"):
        session.run(records)
