"""tf.keras.utils: arrays and sequences."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

UTILS = tf.keras.utils


def test_classes_become_vectors() -> None:
    np.testing.assert_array_equal(UTILS.to_categorical([0, 2]), [[1, 0, 0], [0, 0, 1]])
    assert UTILS.to_categorical([[1], [0]], 4).shape == (2, 4)
    assert UTILS.to_categorical([[1, 0]], dtype="int8").dtype == np.int8
    assert UTILS.to_categorical([[1, 0]]).shape == (1, 2, 2)


def test_arrays_get_length_one() -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(UTILS.normalize(x), [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_allclose(UTILS.normalize(x, axis=0, order=1), [[1.0, 1.0], [0.0, 0.0]])


def test_a_sequence_yields_its_batches_once() -> None:
    class Squares(UTILS.Sequence):
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> int:
            return index * index

    assert list(Squares()) == [0, 1, 4]
    with pytest.raises(NotImplementedError):
        len(UTILS.Sequence())
