"""Quantiles of features for boosted trees: BoostedTreesMakeQuantileSummaries,
BoostedTreesBucketize, and the ops of BoostedTreesQuantileStreamResourceHandleOp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.trees.quantile_summaries import (
    QuantileStream,
    boundaries,
    quantiles,
)

_F = np.float32
_Arrays = list[np.ndarray]


class QuantileStreams:
    """Streams of features and the boundaries of their buckets, which a session keeps.

    Args:
        name: the shared name, for errors.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self.lock = threading.RLock()
        self.ready = False
        self._options: tuple[float, int] = (0.01, 0)
        self._streams: list[QuantileStream] = []
        self._boundaries: _Arrays = []

    def __repr__(self) -> str:
        return f"<QuantileStreams: {len(self._streams)} streams>"

    def create(self, epsilon: float, streams: int, max_elements: int) -> None:
        """Prepares the streams, once."""
        if not self.ready:
            self._options = epsilon, max_elements
            self._boundaries = [np.zeros(0, _F)] * streams
            self.restart()
            self.ready = True

    def restart(self) -> None:
        """Forgets what came; the boundaries stay."""
        self._streams = [QuantileStream(*self._options) for _ in self._boundaries]

    def checked(self, features: int) -> QuantileStreams:
        """These streams, if they were created for so many features."""
        if not self.ready:
            raise errors.NotFoundError(
                None,
                None,
                "Container localhost does not exist. "
                f"(Could not find resource: localhost/{self._name})",
                hint="Run the initializers of shared resources first.",
            )
        if features > len(self._boundaries):
            fail(f"There are {len(self._boundaries)} quantile streams, not {features}.")
        return self

    def add(self, summaries: _Arrays) -> None:
        """Adds a summary to each stream."""
        for stream, summary in zip(self._streams, summaries):
            stream.push_summary(summary)

    def take_summaries(self) -> _Arrays:
        """The summaries of all streams, which start again."""
        result = [stream.summary() for stream in self._streams]
        self.restart()
        return result

    def flush(self, divide: Callable[[np.ndarray, int], np.ndarray], buckets: int) -> None:
        """Computes the boundaries from what came."""
        self._boundaries = [divide(summary, buckets) for summary in self.take_summaries()]

    def boundaries(self, features: int) -> _Arrays:
        """The boundaries of the buckets of each feature."""
        return self._boundaries[:features]

    def set_boundaries(self, boundaries: _Arrays) -> None:
        """Replaces the boundaries of the first features."""
        self._boundaries[: len(boundaries)] = [b.ravel() for b in boundaries]


def make_streams(attrs: dict[str, Any]) -> QuantileStreams:
    return QuantileStreams(attrs["shared_name"])


def kernel_handle(xp: ArrayModule, *, state: QuantileStreams) -> tuple[QuantileStreams, ...]:
    return state, state


def kernel_is_initialized(
    xp: ArrayModule, quantile_stream_resource_handle: QuantileStreams
) -> np.ndarray:
    return np.array(quantile_stream_resource_handle.ready)


def kernel_create(
    xp: ArrayModule,
    streams: QuantileStreams,
    epsilon: np.ndarray,
    num_streams: np.ndarray,
    *,
    max_elements: int,
) -> tuple[()]:
    if epsilon <= 0:
        fail("An epsilon value of zero is not allowed.")
    if num_streams < 0:
        fail("Num_streams input cannot be a negative integer")
    with streams.lock:
        streams.create(float(epsilon), int(num_streams), max_elements)
    return ()


def kernel_add(xp: ArrayModule, streams: QuantileStreams, summaries: _Arrays) -> tuple[()]:
    for summary in summaries:
        if summary.shape[1] != 4:
            fail(f"Summaries must have 4 columns, got shape {shapes.show(summary.shape)}")
    with streams.lock:
        streams.checked(len(summaries)).add(summaries)
    return ()


def kernel_flush_summaries(
    xp: ArrayModule, streams: QuantileStreams, *, num_features: int
) -> _Arrays:
    with streams.lock:
        return streams.checked(num_features).take_summaries()[:num_features]


def kernel_flush(
    xp: ArrayModule, streams: QuantileStreams, num_buckets: np.ndarray, *, generate_quantiles: bool
) -> tuple[()]:
    if num_buckets <= 0:
        fail("Num_buckets input cannot be a negative integer")
    with streams.lock:
        if generate_quantiles:
            streams.checked(0).flush(quantiles, int(num_buckets) - 1)
        else:
            streams.checked(0).flush(boundaries, int(num_buckets))
    return ()


def kernel_boundaries(xp: ArrayModule, streams: QuantileStreams, *, num_features: int) -> _Arrays:
    with streams.lock:
        return streams.checked(num_features).boundaries(num_features)


def kernel_deserialize(
    xp: ArrayModule, streams: QuantileStreams, bucket_boundaries: _Arrays
) -> tuple[()]:
    with streams.lock:
        streams.checked(len(bucket_boundaries)).set_boundaries(bucket_boundaries)
    return ()


def kernel_summaries(
    xp: ArrayModule, float_values: _Arrays, example_weights: np.ndarray, epsilon: np.ndarray
) -> _Arrays:
    result = []
    for values in float_values:
        if example_weights.size not in (1, len(values)):
            fail("Weights should be a single value or same size as features.")
        weights = np.broadcast_to(example_weights.ravel(), values.shape)
        stream = QuantileStream(float(epsilon), len(values) + 1)
        stream.push(values, weights)
        result.append(stream.summary())
    return result


def kernel_bucketize(xp: ArrayModule, float_values: _Arrays, bucket_boundaries: _Arrays) -> _Arrays:
    return [
        np.minimum(np.searchsorted(limits, values), max(0, len(limits) - 1)).astype(np.int32)
        for values, limits in zip(float_values, bucket_boundaries)
    ]


def shape_summaries(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("example_weights", 1)
    for shape in c.shape("float_values"):
        _check_rank(c, shape, 1)
    c.with_rank("epsilon", 0)
    return [(None, 4)] * c.attr("num_features")


def _check_rank(c: shapes.ShapeContext, shape: Shape, rank: int) -> tuple[int | None, ...]:
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        c.fail(f"Shape must be rank {rank} but is rank {len(shape)}")
    return shape


def shape_add(c: shapes.ShapeContext) -> list[Shape]:
    for shape in c.shape("summaries"):
        _check_rank(c, shape, 2)
    return []


def shape_flush_summaries(c: shapes.ShapeContext) -> list[Shape]:
    return [(None, 4)] * c.attr("num_features")


def shape_boundaries(c: shapes.ShapeContext) -> list[Shape]:
    return [(None,)] * c.attr("num_features")


def shape_bucketize(c: shapes.ShapeContext) -> list[Shape]:
    count: int | None = None
    for shape in c.shape("float_values"):
        count = c.merge_dims(count, _check_rank(c, shape, 1)[0])
    return [(count,)] * c.attr("num_features")


def samples_summaries() -> Iterator[Sample]:
    values = [np.array([3, 1, 2, 2, 5], _F), np.array([4, 3, 2, 1, 0], _F)]
    yield Sample(values, np.array([1, 2, 1, 1, 0], _F), _F(0.1))
    yield Sample(values, np.array([2], _F), _F(0.1))


def samples_bucketize() -> Iterator[Sample]:
    yield Sample([np.arange(7, dtype=_F)], [np.array([1, 3, 5], _F)])


_HANDLE = "quantile_stream_resource_handle: resource"
_FEATURES = "num_features: int >= 0"


def _register_use(
    name: str,
    *,
    inputs: str = _HANDLE,
    outputs: str = "",
    attrs: str = _FEATURES,
    shape: Callable[..., Any] = shapes.none,
    kernel: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


register_op(
    "BoostedTreesQuantileStreamResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_handle,
    state=make_streams,
    resource="quantile streams",
    stateful=True,
    runs_on=RunsOn.HOST,
)
_register_use(
    "IsBoostedTreesQuantileStreamResourceInitialized",
    outputs="is_initialized: bool",
    attrs="",
    shape=shapes.scalar,
    kernel=kernel_is_initialized,
)
_register_use(
    "BoostedTreesCreateQuantileStreamResource",
    inputs=f"{_HANDLE}, epsilon: float, num_streams: int64",
    attrs="max_elements: int = 1099511627776",
    kernel=kernel_create,
)
_register_use(
    "BoostedTreesQuantileStreamResourceAddSummaries",
    inputs=f"{_HANDLE}, summaries: num_features * float",
    shape=shape_add,
    kernel=kernel_add,
)
_register_use(
    "BoostedTreesQuantileStreamResourceDeserialize",
    inputs=f"{_HANDLE}, bucket_boundaries: num_streams * float",
    attrs="num_streams: int >= 1",
    kernel=kernel_deserialize,
)
_register_use(
    "BoostedTreesQuantileStreamResourceFlush",
    inputs=f"{_HANDLE}, num_buckets: int64",
    attrs="generate_quantiles: bool = false",
    kernel=kernel_flush,
)
_register_use(
    "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    outputs="bucket_boundaries: num_features * float",
    shape=shape_boundaries,
    kernel=kernel_boundaries,
)
_register_use(
    "BoostedTreesFlushQuantileSummaries",
    outputs="summaries: num_features * float",
    shape=shape_flush_summaries,
    kernel=kernel_flush_summaries,
)
register_op(
    "BoostedTreesMakeQuantileSummaries",
    inputs="float_values: num_features * float, example_weights: float, epsilon: float",
    outputs="summaries: num_features * float",
    attrs=_FEATURES,
    shape=shape_summaries,
    kernel=kernel_summaries,
    samples=samples_summaries,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "BoostedTreesBucketize",
    inputs="float_values: num_features * float, bucket_boundaries: num_features * float",
    outputs="buckets: num_features * int32",
    attrs=_FEATURES,
    shape=shape_bucketize,
    kernel=kernel_bucketize,
    samples=samples_bucketize,
    runs_on=RunsOn.HOST,
)
