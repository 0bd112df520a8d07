"""Interleaved datasets hand on rows in the order of single elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import headwater as tf
from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.ops.data.dataset import Dataset, ElementIterator, IteratorContext, dataset_of

LENGTHS = st.lists(st.integers(0, 9), min_size=1, max_size=7)


def interleaved(
    session: tf.Session, lengths: list[int], cycle: int, block: int, threads: int | None
) -> Dataset:
    """Pairs of numbers of datasets of some lengths in turns."""

    def numbers(length: Any, start: Any) -> Any:
        return tf.data.Dataset.range(start, start + length).map(lambda x: (x, x * 2))

    starts = 100 * np.arange(len(lengths))
    dataset = tf.data.Dataset.from_tensor_slices((np.array(lengths, np.int64), starts))
    dataset = dataset.interleave(numbers, cycle, block, threads)
    return dataset_of(session.run(tf.data.experimental.to_variant(dataset)))


def taken(iterator: ElementIterator, count: int) -> list[int]:
    """The next numbers, taken as rows: `count`, or fewer at the end."""
    found: list[int] = []
    while len(found) < count:
        rows = iterator.next_rows(count - len(found))
        if rows is None:
            break
        assert 1 <= len(rows[0]) <= count - len(found)
        assert np.array_equal(rows[0] * 2, rows[1])
        found += rows[0].tolist()
    return found


def one_by_one(iterator: ElementIterator) -> list[int]:
    """All numbers, taken as single elements."""
    found: list[int] = []
    while (element := iterator.next()) is not None:
        found.append(int(element[0]))
    return found


@pytest.mark.parametrize("threads", [None, 2])
@settings(max_examples=15, deadline=None)
@given(
    lengths=LENGTHS,
    cycle=st.integers(2, 4),
    block=st.integers(1, 4),
    counts=st.lists(st.integers(1, 30), min_size=1, max_size=4),
)
def test_rows_come_in_the_order_of_elements(
    threads: int | None, lengths: list[int], cycle: int, block: int, counts: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = interleaved(session, lengths, cycle, block, threads)
        iterators = [dataset.iterate(IteratorContext(Cancellation())) for _ in range(3)]
        expected = one_by_one(iterators[0])
        found = [number for count in counts for number in taken(iterators[1], count)]
        assert found == expected[: sum(counts)]
        state: dict[str, Any] = {}
        iterators[1].save(state, "Iterator")
        iterators[2].restore(state, "Iterator")
        rest = taken(iterators[1], 5) + one_by_one(iterators[1])
        assert rest == expected[sum(counts) :]
        assert taken(iterators[2], 100) == rest
        for iterator in iterators:
            iterator.close()


def test_many_rows_are_taken_at_once() -> None:
    with tf.Session() as session:
        dataset = interleaved(session, [50] * 4, 4, 1, None)
        iterator = dataset.iterate(IteratorContext(Cancellation()))
        sizes = [len(rows[0]) for rows in iter(lambda: iterator.next_rows(40), None)]
    assert sum(sizes) == 200
    assert len(sizes) < 20


@pytest.mark.parametrize("threads", [None, 2])
def test_an_error_comes_when_it_is_its_turn(tmp_path: Path, threads: int | None) -> None:
    paths = [tmp_path / name for name in ("first", "second")]
    for path in paths:
        with tf.python_io.TFRecordWriter(str(path)) as writer:
            for i in range(6):
                writer.write(b"%d" % i)
    with paths[1].open("r+b") as file:
        file.seek(3 * 17 + 12)
        file.write(b"x")
    dataset = tf.data.Dataset.from_tensor_slices([str(path) for path in paths])
    dataset = dataset.interleave(tf.data.TFRecordDataset, 2, 1, threads)
    with tf.Session() as session:
        made = dataset_of(session.run(tf.data.experimental.to_variant(dataset)))
        iterator = made.iterate(IteratorContext(Cancellation()))
        found: list[bytes] = []
        with pytest.raises(errors.DataLossError):
            while (rows := iterator.next_rows(8)) is not None:
                found += rows[0].tolist()
        assert found == [b"0", b"0", b"1", b"1", b"2", b"2", b"3"]
        rest = [bytes(element[0][()]) for element in iter(iterator.next, None)]
        assert rest == [b"4", b"5"]
        iterator.close()


def test_functions_that_others_notice_do_not_run_ahead() -> None:
    calls: list[int] = []

    def noted(x: Any) -> Any:
        return tf.py_func(lambda v: calls.append(int(v)) or v, [x], tf.int64)

    dataset = tf.data.Dataset.range(0, 40, 10).interleave(
        lambda start: tf.data.Dataset.range(start, start + 3).map(noted), 4, 1
    )
    batch = dataset.batch(6).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(batch).tolist() == [0, 10, 20, 30, 1, 11]
    assert calls == [0, 10, 20, 30, 1, 11]
