"""Input functions for arrays and DataFrames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf

X = {"b": np.arange(7.0), "a": np.arange(14).reshape(7, 2)}
Y = np.arange(7, dtype=np.float32) * 10


def batches(input_fn: Any, limit: int = 9) -> list[Any]:
    tensors = input_fn()
    result: list[Any] = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop() and len(result) < limit:
            result.append(session.run(tensors))
    return result


def test_epochs_follow_each_other_without_a_gap() -> None:
    numbers = tf.estimator.inputs.numpy_input_fn(X, Y, batch_size=3, shuffle=False, num_epochs=2)
    found = batches(numbers)
    assert [labels.tolist() for _, labels in found] == [
        [0, 10, 20],
        [30, 40, 50],
        [60, 0, 10],
        [20, 30, 40],
        [50, 60],
    ]
    assert found[2][0]["a"].tolist() == [[12, 13], [0, 1], [2, 3]]


def test_shuffled_epoch_has_each_row_once() -> None:
    numbers = tf.estimator.inputs.numpy_input_fn(
        np.arange(20), {"l": -np.arange(20)}, batch_size=6, shuffle=True
    )
    found = batches(numbers)
    assert sorted(np.concatenate([x for x, _ in found]).tolist()) == list(range(20))
    for x, labels in found:
        np.testing.assert_array_equal(x, -labels["l"])


def test_endless_input_has_full_batches() -> None:
    numbers = tf.estimator.inputs.numpy_input_fn(
        np.arange(5), batch_size=2, shuffle=False, num_epochs=None
    )
    assert [x.tolist() for x in batches(numbers, 4)] == [[0, 1], [2, 3], [4, 0], [1, 2]]
    assert numbers().shape.as_list() == [2]


def test_names_of_the_nodes() -> None:
    tf.estimator.inputs.numpy_input_fn(X, Y, batch_size=3, shuffle=True)()
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert names[0] == "enqueue_input/random_shuffle_queue"
    assert names[-1] == "random_shuffle_queue_DequeueUpTo"
    queue = "enqueue_input/random_shuffle_queue"
    assert f"enqueue_input/queue/{queue}fraction_over_250_of_750_full" in names


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ({}, None, ValueError, "x cannot be an empty dict"),
        (3, None, TypeError, "x must be a dict or array; got int"),
        (np.zeros(0), None, ValueError, "x cannot be an empty array"),
        (X, {}, ValueError, "y cannot be empty dict, use None instead"),
        (X, {"a": Y}, ValueError, "1 duplicate keys are found in both x and y: {'a'}"),
        (X, Y[:3], ValueError, "Length of tensors in x and y is mismatched"),
    ],
)
def test_wrong_data(x: Any, y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tf.estimator.inputs.numpy_input_fn(x, y, shuffle=False)()


def test_shuffle_must_be_given() -> None:
    with pytest.raises(ValueError, match="shuffle must be provided and explicitly set"):
        tf.estimator.inputs.numpy_input_fn(X, Y)


def test_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"q": [1.0, 2.0, 3.0], "w": ["a", "b", "c"]}, index=[10, 11, 12])
    labels = pandas.Series([5, 6, 7], index=[10, 11, 12])
    found = batches(tf.estimator.inputs.pandas_input_fn(frame, labels, batch_size=2, shuffle=False))
    assert [y.tolist() for _, y in found] == [[5, 6], [7]]
    assert found[0][0]["w"].tolist() == [b"a", b"b"]
    several = pandas.DataFrame({"u": [1, 2, 3]}, index=[10, 11, 12])
    found = batches(
        tf.estimator.inputs.pandas_input_fn(frame, several, batch_size=3, shuffle=False)
    )
    assert found[0][1]["u"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        tf.estimator.inputs.pandas_input_fn(frame, pandas.Series([1, 2, 3]), shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name q for target column"):
        tf.estimator.inputs.pandas_input_fn(frame, labels, shuffle=False, target_column="q")
