"""Dates up to which graphs must be readable by older versions."""

from __future__ import annotations

import headwater as tf


def test_the_horizon_decides() -> None:
    assert tf.compat.forward_compatible(2019, 8, 20)
    assert not tf.compat.forward_compatible(2019, 8, 21)


def test_a_block_has_its_own_horizon() -> None:
    with tf.compat.forward_compatibility_horizon(2019, 4, 26):
        assert tf.compat.forward_compatible(2019, 4, 25)
        assert not tf.compat.forward_compatible(2019, 4, 26)
    assert tf.compat.forward_compatible(2019, 4, 26)
