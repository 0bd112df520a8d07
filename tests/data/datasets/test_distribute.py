"""Datasets for several workers and replicas; values of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.compat.internals.datasets import AutoShardDataset, RebatchDataset

D = tf.data.Dataset


def elements(dataset: Any) -> list[Any]:
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(np.asarray(session.run(element)).tolist())
            except tf.errors.OutOfRangeError:
                return found


def from_files(files: Any) -> Any:
    return files.flat_map(tf.data.TFRecordDataset)


# Of four files "r0" to "r3" with the records "00", "01", "10", "11" ...: what a worker reads.
SHARDS: dict[str, tuple[Callable[[list[str]], Any], int, int, list[Any]]] = {
    "files": (tf.data.TFRecordDataset, 2, 1, [b"10", b"11", b"30", b"31"]),
    "batches": (
        lambda f: tf.data.TFRecordDataset(f).batch(4),
        2,
        0,
        [[b"00", b"01", b"20", b"21"]],
    ),
    "flat_map": (lambda f: from_files(D.from_tensor_slices(f)), 3, 1, [b"10", b"11"]),
    "interleave": (
        lambda f: D.from_tensor_slices(f).interleave(tf.data.TFRecordDataset, 2),
        *(2, 0, [b"00", b"20", b"01", b"21"]),
    ),
    "shuffled files": (
        lambda f: from_files(D.from_tensor_slices(f).shuffle(4, seed=1)).repeat(2),
        *(2, 0, [b"00", b"01", b"20", b"21"] * 2),
    ),
    "concatenated": (
        lambda f: tf.data.TFRecordDataset(f[:2]).concatenate(tf.data.TFRecordDataset(f[2:])),
        *(2, 1, [b"10", b"11", b"30", b"31"]),
    ),
    "fewer files than workers": (lambda f: tf.data.TFRecordDataset(f[:1]), 3, 2, []),
    "no files": (lambda f: D.range(7).batch(2), 2, 1, [[2, 3], [6]]),
}


@pytest.mark.parametrize("name", SHARDS)
def test_a_worker_reads_some_files_or_some_elements(tmp_path: Path, name: str) -> None:
    files = [str(tmp_path / f"r{i}") for i in range(4)]
    for i, path in enumerate(files):
        with tf.python_io.TFRecordWriter(path) as writer:
            writer.write(b"%d0" % i)
            writer.write(b"%d1" % i)
    make, workers, index, expected = SHARDS[name]
    assert elements(AutoShardDataset(make(files), workers, index)) == expected


def test_batches_are_divided_among_replicas() -> None:
    assert elements(RebatchDataset(D.range(5).batch(5), 2)) == [[0, 1, 2], [3, 4]]
    assert elements(RebatchDataset(D.range(3).batch(3), 4)) == [[0], [1], [2], []]
    even = D.range(9).batch(4, drop_remainder=True)
    assert RebatchDataset(even, 2).element_spec == tf.TensorSpec([2], tf.int64)
    assert RebatchDataset(even, 3).element_spec == tf.TensorSpec([None], tf.int64)
    with pytest.raises(ValueError, match="Input shape should have at least one dimension"):
        RebatchDataset(D.range(4), 2)


def test_no_element_is_lost_if_only_a_part_comes_from_files(tmp_path: Path) -> None:
    # TensorFlow 1.15.5 shards the files and then the elements too.
    path = str(tmp_path / "r0")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(4):
            writer.write(b"%d" % i)
    zipped = D.zip((tf.data.TFRecordDataset(path), D.range(9))).map(lambda record, i: record)
    shards = [elements(AutoShardDataset(zipped, 2, index)) for index in range(2)]
    assert shards == [[b"0", b"2"], [b"1", b"3"]]
