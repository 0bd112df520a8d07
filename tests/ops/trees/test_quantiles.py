"""Quantiles of features; the values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.graph import build
from headwater.ops.trees.quantile_summaries import QuantileStream, boundaries, quantiles

VALUES = [[3.0, 1, 2, 2, 5], [4.0, 3, 2, 1, 0]]


def test_streams_give_boundaries_after_a_flush(session):
    handle = build.BoostedTreesQuantileStreamResourceHandleOp(shared_name="q")
    ready = build.IsBoostedTreesQuantileStreamResourceInitialized(handle)
    limits = build.BoostedTreesQuantileStreamResourceGetBucketBoundaries(handle, num_features=2)

    def found():
        return [a.tolist() for a in session.run(limits)]

    assert not session.run(ready)
    with pytest.raises(tf.errors.NotFoundError, match="Could not find resource: localhost/q"):
        found()
    session.run(build.BoostedTreesCreateQuantileStreamResource(handle, 0.1, 2))
    assert session.run(ready)
    summaries = build.BoostedTreesMakeQuantileSummaries(VALUES, [1.0, 2, 1, 1, 1], 0.1)
    add = build.BoostedTreesQuantileStreamResourceAddSummaries(handle, summaries)
    session.run(add)
    assert found() == [[], []]
    session.run(build.BoostedTreesQuantileStreamResourceFlush(handle, 3))
    assert found() == [[1, 3, 5], [0, 2, 4]]
    session.run(add)
    session.run(build.BoostedTreesQuantileStreamResourceFlush(handle, 3, generate_quantiles=True))
    assert found() == [[1, 2, 5], [0, 3, 4]]
    session.run(add)
    taken = session.run(build.BoostedTreesFlushQuantileSummaries(handle, num_features=2))
    assert taken[0].tolist() == [[1, 2, 0, 2], [2, 2, 2, 4], [3, 1, 4, 5], [5, 1, 5, 6]]
    session.run(build.BoostedTreesQuantileStreamResourceDeserialize(handle, [[1.0, 2], [3.0]]))
    assert found() == [[1, 2], [3]]


def test_weights_must_fit(session):
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="Weights should be a single value or same size as features",
    ):
        session.run(build.BoostedTreesMakeQuantileSummaries(VALUES, [1.0, 2], 0.1))


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 4000), st.sampled_from([0.01, 0.1, 0.3]), st.integers(0, 99), st.integers(1, 7)
)
def test_ranks_are_within_the_error(count, epsilon, seed, parts):
    values = np.random.default_rng(seed).integers(0, 500, count).astype(np.float32)
    stream = QuantileStream(epsilon, 1 << 40)
    for part in np.array_split(values, parts):
        stream.push(part, np.ones(len(part), np.float32))
    summary = stream.summary()
    ordered = np.sort(values)
    assert np.isin(quantiles(summary, 10), values).all()
    for entry in summary:
        below = np.searchsorted(ordered, entry[0], "left")
        above = np.searchsorted(ordered, entry[0], "right")
        assert entry[2] <= below + 1e-3 and entry[3] >= above - 1e-3
    assert (np.diff(boundaries(summary, 10)) > 0).all()
