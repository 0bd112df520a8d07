"""Ops that tell how much memory of the accelerator is in use."""

import pytest

import headwater as tf
from headwater.base.lazy import jax

NAMES = ("BytesInUse", "BytesLimit", "MaxBytesInUse")


def test_statistics_are_those_of_the_accelerator_or_fail_without_one(session):
    tensors = [getattr(tf.contrib.memory_stats, name)() for name in NAMES]
    assert [(t.name, t.dtype, t.shape.as_list()) for t in tensors] == [
        (f"{name}:0", tf.int64, []) for name in NAMES
    ]
    if jax.local_devices()[0].memory_stats():
        used, limit, most = session.run(tensors)
        assert 0 <= used <= most <= limit
    else:
        for name, tensor in zip(NAMES, tensors):
            with pytest.raises(
                tf.errors.InvalidArgumentError,
                match=f"No OpKernel was registered to support Op '{name}'",
            ):
                session.run(tensor)
