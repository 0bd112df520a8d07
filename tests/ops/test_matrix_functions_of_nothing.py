"""Functions of matrices without elements."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


@pytest.mark.parametrize("shape", [[0, 2, 2], [2, 0, 0]])
def test_nothing_stays_nothing(shape: list[int]) -> None:
    x = np.empty(shape, np.complex64)
    with tf.Session() as session:
        for function in (tf.linalg.logm, tf.linalg.expm, tf.linalg.sqrtm):
            result = session.run(function(x))
            assert (list(result.shape), result.dtype) == (shape, np.complex64)
