"""Rows that a mask keeps, as one call: the values and errors of the single ops."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.filtered_rows import FilteredRows


@pytest.fixture
def session(monkeypatch):
    """A session that compiles nothing."""
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as session:
        yield session


@pytest.fixture
def calls(monkeypatch):
    """How many rows each call has been given, in order."""
    made = []
    call = FilteredRows.__call__

    def noted(self, rows, mask):
        made.append(len(rows))
        return call(self, rows, mask)

    monkeypatch.setattr(FilteredRows, "__call__", noted)
    return made


MASKS = ([True, True, True], [True, False, True], [False, False, False])


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_rows_of_a_mask(session, calls, rank):
    rows = tf.placeholder(tf.int32, [None, 2, 2][:rank])
    mask = tf.placeholder(tf.bool, [None])
    places = tf.reshape(tf.where(mask), [-1])
    kept = tf.gather(rows, places)
    fed = np.arange(3 * 2 ** (rank - 1)).reshape([3, 2, 2][:rank])
    for chosen in MASKS * 2:
        found = session.run(kept, {rows: fed, mask: chosen})
        np.testing.assert_array_equal(found, fed[np.array(chosen)])
    assert calls


def test_words_of_a_dense_tensor(session, calls):
    words = tf.placeholder(tf.string, [None, 2])
    indices = tf.where(tf.not_equal(words, ""))
    results = indices, tf.gather_nd(words, indices)
    for fed in ([["a", "b"], ["c", "d"]], [["a", ""], ["", "d"]], [["", ""], ["", ""]]) * 2:
        places, found = session.run(results, {words: fed})
        fed = np.array(fed, object)
        np.testing.assert_array_equal(places, np.argwhere(fed != ""))
        assert [word.decode() for word in found] == fed[fed != ""].tolist()
    assert calls


def test_positions_that_others_read_are_computed(session, calls):
    rows, mask = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [None])
    places = tf.reshape(tf.where(mask), [-1])
    for chosen in MASKS * 2:
        found = session.run([places, tf.gather(rows, places)], {rows: [1, 2, 3], mask: chosen})
        assert found[0].tolist() == np.flatnonzero(chosen).tolist()


def test_masks_of_other_lengths(session, calls):
    rows, mask = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [None])
    kept = tf.gather(rows, tf.reshape(tf.where(mask), [-1]), name="kept")
    for _ in range(3):
        assert session.run(kept, {rows: [1, 2, 3], mask: [False, True]}).tolist() == [2]
        assert session.run(kept, {rows: [1], mask: [True, False]}).tolist() == [1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="kept"):
            session.run(kept, {rows: [1], mask: [False, True]})
    assert calls


def test_a_variable_does_not_change_with_the_rows_that_it_got(session, calls):
    mask = tf.placeholder(tf.bool, [None])
    first, second = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    kept = tf.gather(first + 0, tf.reshape(tf.where(mask), [-1]))
    copied, added = second.assign(kept), first.assign_add([1.0, 1.0])
    session.run(tf.global_variables_initializer())
    for run in range(4):
        assert session.run(copied, {mask: [True, True]}).tolist() == [1 + run, 2 + run]
        session.run(added)
        assert session.run(second).tolist() == [1 + run, 2 + run]


def test_masks_of_few_integers(session, calls):
    numbers, rows = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.float32, [4])
    mask = numbers * 2 + 1 > 5
    kept = tf.gather(rows, tf.reshape(tf.where(mask), [-1]))
    for run in range(8):
        fed = np.arange(4) + run
        found = session.run(kept, {numbers: fed, rows: fed})
        assert found.tolist() == [n for n in fed if n > 2]
    assert calls
