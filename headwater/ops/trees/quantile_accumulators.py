"""Quantiles of features for gradient boosted trees of tf.contrib: the ops of
QuantileStreamResourceHandleOp, MakeQuantileSummaries, QuantileBuckets, Quantiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.trees.quantile_summaries import (
    QuantileStream,
    boundaries,
    quantiles,
)
from headwater.ops.trees.stamped_state import StampedState
from headwater.protos.lazy import quantiles_pb2

_F = np.float32
_Arrays = list[np.ndarray]


def _summary_text(summary: np.ndarray) -> bytes:
    """A summary as a serialized QuantileSummaryState message.

    Summaries of a batch have hundreds of entries for each feature, so that they are written as
    one array of bytes: tag and length of each entry, then tag and float of each field but zeros.
    """
    rows = len(summary)
    fields = np.empty((rows, 4, 5), np.uint8)
    fields[:, :, 0] = [13, 21, 29, 37]
    fields[:, :, 1:] = np.ascontiguousarray(summary, "<f4").view(np.uint8).reshape(rows, 4, 4)
    given = summary != 0
    heads = np.stack([np.full(rows, 10), 5 * given.sum(1)], 1).astype(np.uint8)
    whole = np.concatenate([heads, fields.reshape(rows, 20)], 1)
    present = np.concatenate([np.ones((rows, 2), bool), np.repeat(given, 5, 1)], 1)
    return whole[present].tobytes()


def _from_message(message: Any) -> np.ndarray:
    rows = [(e.value, e.weight, e.min_rank, e.max_rank) for e in message.entries]
    return np.array(rows, _F).reshape(-1, 4)


class QuantileAccumulator(StampedState):
    """The stream of a feature and the boundaries of its buckets, which a session keeps.

    Args:
        name: the shared name, for errors.

    Attributes:
        stamp: summaries have to have this stamp; None before the accumulator is created.
        ready: whether boundaries were computed.
        buckets: the boundaries.
        lock: held while the accumulator is used.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.ready = False
        self.buckets = np.zeros(0, _F)

    def __repr__(self) -> str:
        return f"<QuantileAccumulator: {len(self.buckets)} buckets>"

    def create(
        self, stamp: int, epsilon: float, max_elements: int, count: int, generate: bool
    ) -> None:
        """Prepares the stream, once."""
        if self.stamp is None:
            self.stamp = stamp
            # The attr is a float32, whose rounding decides how many entries are kept.
            self._options = float(_F(epsilon)), max_elements
            self._count = count
            self._divide = quantiles if generate else boundaries
            self._stream = QuantileStream(*self._options)

    def add(self, serialized: bytes) -> None:
        """Adds a serialized QuantileSummaryState message."""
        self._stream.push_summary(
            _from_message(quantiles_pb2.QuantileSummaryState.FromString(serialized))
        )

    def restart(self, stamp: int, next_stamp: int) -> np.ndarray:
        """Ends the stream and begins the next; returns the summary of what came."""
        if self.created().stamp != stamp:
            fail(f"The stamp of the accumulator is {self.stamp}, not {stamp}.")
        summary = self._stream.summary()
        self._stream = QuantileStream(*self._options)
        self.stamp = next_stamp
        return summary

    def flush(self, stamp: int, next_stamp: int) -> None:
        """Computes the boundaries from what came."""
        self.buckets = self._divide(self.restart(stamp, next_stamp), self._count)
        self.ready = True

    def state(self) -> bytes:
        """The stream as a serialized QuantileStreamState message."""
        parse = quantiles_pb2.QuantileSummaryState.FromString
        levels = [parse(_summary_text(level)) for level in self._stream.levels()]
        text: bytes = quantiles_pb2.QuantileStreamState(summaries=levels).SerializeToString()
        return text

    def restore(self, stamp: int, state: bytes, ready: bool, buckets: np.ndarray) -> None:
        """Replaces stamp, stream and boundaries."""
        message = quantiles_pb2.QuantileStreamState.FromString(state)
        self.stamp, self.ready, self.buckets = stamp, ready, buckets.ravel()
        self._stream = QuantileStream(*self._options)
        self._stream.restore([_from_message(level) for level in message.summaries])


def make_accumulator(attrs: dict[str, Any]) -> QuantileAccumulator:
    return QuantileAccumulator(attrs["shared_name"])


def kernel_handle(
    xp: ArrayModule, *, state: QuantileAccumulator
) -> tuple[QuantileAccumulator, ...]:
    return state, state


def kernel_create(
    xp: ArrayModule,
    accumulator: QuantileAccumulator,
    stamp_token: np.ndarray,
    *,
    max_elements: int,
    epsilon: float,
    num_quantiles: int,
    generate_quantiles: bool,
) -> tuple[()]:
    with accumulator.lock:
        accumulator.create(
            int(stamp_token), epsilon, max_elements, num_quantiles, generate_quantiles
        )
    return ()


def kernel_is_initialized(xp: ArrayModule, accumulator: QuantileAccumulator) -> np.ndarray:
    return np.array(accumulator.stamp is not None)


def kernel_add(
    xp: ArrayModule,
    accumulators: list[QuantileAccumulator],
    stamp_token: np.ndarray,
    summaries: _Arrays,
) -> tuple[()]:
    for accumulator, summary in zip(accumulators, summaries):
        with accumulator.created().lock:
            # What belongs to trees of before is dropped.
            if accumulator.stamp == stamp_token:
                accumulator.add(summary.item())
    return ()


def kernel_buckets(
    xp: ArrayModule, accumulators: list[QuantileAccumulator], stamp_token: np.ndarray
) -> _Arrays:
    ready, buckets = [], []
    for accumulator in accumulators:
        with accumulator.created().lock:
            valid = accumulator.stamp == stamp_token and accumulator.ready
            ready.append(np.array(valid))
            buckets.append(accumulator.buckets if valid else np.zeros(0, _F))
    return [*ready, *buckets]


def kernel_flush(
    xp: ArrayModule,
    accumulator: QuantileAccumulator,
    stamp_token: np.ndarray,
    next_stamp_token: np.ndarray,
) -> tuple[()]:
    with accumulator.created().lock:
        accumulator.flush(int(stamp_token), int(next_stamp_token))
    return ()


def kernel_flush_summary(
    xp: ArrayModule,
    accumulator: QuantileAccumulator,
    stamp_token: np.ndarray,
    next_stamp_token: np.ndarray,
) -> np.ndarray:
    with accumulator.created().lock:
        summary = accumulator.restart(int(stamp_token), int(next_stamp_token))
    return np.array(_summary_text(summary), object)


def kernel_serialize(xp: ArrayModule, accumulator: QuantileAccumulator) -> _Arrays:
    with accumulator.created().lock:
        return [
            np.array(accumulator.stamp, np.int64),
            np.array(accumulator.state(), object),
            np.array(accumulator.ready),
            accumulator.buckets,
        ]


def kernel_deserialize(
    xp: ArrayModule,
    accumulator: QuantileAccumulator,
    stamp_token: np.ndarray,
    stream_state: np.ndarray,
    are_buckets_ready: np.ndarray,
    buckets: np.ndarray,
) -> tuple[()]:
    with accumulator.created().lock:
        accumulator.restore(int(stamp_token), stream_state.item(), bool(are_buckets_ready), buckets)
    return ()


def _summaries(
    dense: _Arrays,
    indices: _Arrays,
    values: _Arrays,
    weights: np.ndarray,
    epsilons: Iterator[float],
) -> Iterator[np.ndarray]:
    """The summaries of dense and sparse features with weighted examples."""
    weights = weights.reshape(-1)
    for feature in dense:
        if feature.ndim != 2 or feature.shape[1] != 1:
            fail("Dense feature must be a matrix of one column.")
    columns = [(feature[:, 0], weights) for feature in dense]
    columns += [(numbers, weights[places[:, 0]]) for places, numbers in zip(indices, values)]
    for (numbers, of_examples), epsilon in zip(columns, epsilons):
        if len(of_examples) != len(numbers):
            fail(f"There are {len(of_examples)} weights for {len(numbers)} examples.")
        stream = QuantileStream(epsilon, len(numbers) + 1)
        stream.push(numbers, of_examples)
        yield stream.summary()


def kernel_make_summaries(
    xp: ArrayModule,
    dense: _Arrays,
    indices: _Arrays,
    values: _Arrays,
    shape: _Arrays,
    example_weights: np.ndarray,
    *,
    epsilon: float,
) -> _Arrays:
    count = len(dense) + len(values)
    summaries = _summaries(
        dense, indices, values, example_weights, iter([float(_F(epsilon))] * count)
    )
    return [np.array(_summary_text(s), object) for s in summaries]


def kernel_quantile_buckets(
    xp: ArrayModule,
    dense: _Arrays,
    indices: _Arrays,
    values: _Arrays,
    shape: _Arrays,
    example_weights: np.ndarray,
    *,
    dense_config: list[bytes],
    sparse_config: list[bytes],
) -> _Arrays:
    if len(dense_config) != len(dense) or len(sparse_config) != len(values):
        fail("There must be a config for each feature.")
    configs = [
        quantiles_pb2.QuantileConfig.FromString(text) for text in (*dense_config, *sparse_config)
    ]
    epsilons = (config.eps for config in configs)
    summaries = _summaries(dense, indices, values, example_weights, epsilons)
    return [boundaries(s, config.num_quantiles) for s, config in zip(summaries, configs)]


def kernel_quantiles(
    xp: ArrayModule,
    dense_values: _Arrays,
    sparse_values: _Arrays,
    dense_buckets: _Arrays,
    sparse_buckets: _Arrays,
    sparse_indices: _Arrays,
) -> _Arrays:
    dense = [
        np.stack([_bucket_of(values[:, 0], limits), np.zeros(len(values), np.int32)], 1)
        for values, limits in zip(dense_values, dense_buckets)
    ]
    sparse = [
        np.stack([_bucket_of(values, limits), places[:, 1].astype(np.int32)], 1)
        for values, limits, places in zip(sparse_values, sparse_buckets, sparse_indices)
    ]
    return [*dense, *sparse]


def _bucket_of(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """The buckets of values, the last one for those above all boundaries."""
    last = max(0, len(limits) - 1)
    return np.minimum(np.searchsorted(limits, values), last).astype(np.int32)


def shape_create(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    return []


def shape_add(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    return []


def shape_buckets(c: shapes.ShapeContext) -> list[Shape]:
    count = c.attr("num_resource_handles")
    return [*[()] * count, *[(None,)] * count]


def shape_make_summaries(c: shapes.ShapeContext) -> list[Shape]:
    return [()] * (c.attr("num_dense_features") + c.attr("num_sparse_features"))


def shape_quantile_buckets(c: shapes.ShapeContext) -> list[Shape]:
    return [None] * (c.attr("num_dense_features") + c.attr("num_sparse_features"))


def shape_quantiles(c: shapes.ShapeContext) -> list[Shape]:
    dense = [(s[0] if s else None, 2) for s in c.shape("dense_values")]
    sparse = [(s[0] if s else None, 2) for s in c.shape("sparse_values")]
    return [*dense, *sparse]


def samples_make_summaries() -> Iterator[Sample]:
    column = np.array([[3], [1], [2], [2], [5]], _F)
    indices, values = np.array([[0, 0], [4, 0]], np.int64), np.array([2, 3], _F)
    shape = np.array([5, 1], np.int64)
    weights = np.array([[1], [2], [1], [1], [0.5]], _F)
    yield Sample([column], [indices], [values], [shape], weights, epsilon=0.1)


def samples_quantile_buckets() -> Iterator[Sample]:
    column = np.arange(20, dtype=_F).reshape(20, 1)
    # eps 0.1, num_quantiles 4.
    config = b"\x09\x9a\x99\x99\x99\x99\x99\xb9\x3f\x10\x04"
    ones = np.ones((20, 1), _F)
    yield Sample([column], [], [], [], ones, dense_config=[config], sparse_config=[])


def samples_quantiles() -> Iterator[Sample]:
    column = np.array([[1], [2.5], [10], [-1]], _F)
    places = np.array([[0, 0], [1, 2], [4, 0]], np.int64)
    limits = np.array([1, 3, 5], _F)
    yield Sample([column], [np.array([3, 4, 9], _F)], [limits], [limits[1:]], [places])


_HANDLE = "quantile_accumulator_handle: resource"
_HANDLES = "quantile_accumulator_handles: num_resource_handles * resource, stamp_token: int64"
_FEATURES = (
    "dense_float_features: num_dense_features * float, "
    "sparse_float_feature_indices: num_sparse_features * int64, "
    "sparse_float_feature_values: num_sparse_features * float, "
    "sparse_float_feature_shapes: num_sparse_features * int64, example_weights: float"
)
_COUNTS = "num_dense_features: int >= 0, num_sparse_features: int >= 0"
_STATE = "stamp_token: int64, stream_state: string, are_buckets_ready: bool, buckets: float"
_STAMPS = "stamp_token: int64, next_stamp_token: int64"


def _register_use(
    name: str,
    kernel: Callable[..., Any],
    shape: Callable[..., Any],
    inputs: str = _HANDLE,
    outputs: str = "",
    attrs: str = "",
) -> None:
    """Registers an op on accumulators."""
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
    "QuantileStreamResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_handle,
    state=make_accumulator,
    resource="quantile accumulator",
    stateful=True,
    runs_on=RunsOn.HOST,
)
_register_use(
    "CreateQuantileAccumulator",
    kernel_create,
    shape_create,
    f"{_HANDLE}, stamp_token: int64",
    attrs=(
        "container: string = '', shared_name: string = '', max_elements: int = 1099511627776, "
        "epsilon: float, num_quantiles: int, generate_quantiles: bool = false"
    ),
)
_register_use(
    "QuantileAccumulatorIsInitialized",
    kernel_is_initialized,
    shapes.scalar,
    outputs="is_initialized: bool",
)
_register_use(
    "QuantileAccumulatorAddSummaries",
    kernel_add,
    shape_add,
    f"{_HANDLES}, summaries: num_resource_handles * string",
    attrs="num_resource_handles: int >= 1",
)
_register_use(
    "QuantileAccumulatorGetBuckets",
    kernel_buckets,
    shape_buckets,
    _HANDLES,
    "are_buckets_ready: num_resource_handles * bool, buckets: num_resource_handles * float",
    "num_resource_handles: int >= 1",
)
_register_use("QuantileAccumulatorFlush", kernel_flush, shapes.none, f"{_HANDLE}, {_STAMPS}")
_register_use(
    "QuantileAccumulatorFlushSummary",
    kernel_flush_summary,
    shapes.scalar,
    f"{_HANDLE}, {_STAMPS}",
    "output: string",
)
_register_use(
    "QuantileAccumulatorSerialize",
    kernel_serialize,
    lambda c: [(), (), (), (None,)],
    outputs=_STATE,
)
_register_use(
    "QuantileAccumulatorDeserialize", kernel_deserialize, shapes.none, f"{_HANDLE}, {_STATE}"
)
register_op(
    "MakeQuantileSummaries",
    inputs=_FEATURES,
    outputs="dense_summaries: num_dense_features * string, "
    "sparse_summaries: num_sparse_features * string",
    attrs=f"{_COUNTS}, epsilon: float",
    shape=shape_make_summaries,
    kernel=kernel_make_summaries,
    samples=samples_make_summaries,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantileBuckets",
    inputs=_FEATURES,
    outputs="dense_buckets: num_dense_features * float, "
    "sparse_buckets: num_sparse_features * float",
    attrs=f"{_COUNTS}, dense_config: list(string), sparse_config: list(string)",
    shape=shape_quantile_buckets,
    kernel=kernel_quantile_buckets,
    samples=samples_quantile_buckets,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "Quantiles",
    inputs=(
        "dense_values: num_dense_features * float, sparse_values: num_sparse_features * float, "
        "dense_buckets: num_dense_features * float, sparse_buckets: num_sparse_features * float, "
        "sparse_indices: num_sparse_features * int64"
    ),
    outputs="dense_quantiles: num_dense_features * int32, "
    "sparse_quantiles: num_sparse_features * int32",
    attrs=_COUNTS,
    shape=shape_quantiles,
    kernel=kernel_quantiles,
    samples=samples_quantiles,
    runs_on=RunsOn.HOST,
)
