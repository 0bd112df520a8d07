"""Sums of gradients and hessians for gradient boosted trees of tf.contrib: the ops of
StatsAccumulatorScalarResourceHandleOp and StatsAccumulatorTensorResourceHandleOp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.stamped_state import StampedState

_F = np.float32
_Arrays = list[np.ndarray]


def _key_rows(partition_ids: np.ndarray, feature_ids: np.ndarray) -> np.ndarray:
    """A row (partition, feature, dimension) for each entry."""
    if feature_ids.ndim != 2 or feature_ids.shape != (len(partition_ids), 2):
        fail(
            "Feature ids must be a matrix with a row (feature, dimension) for each of "
            f"{len(partition_ids)} partition ids, got shape {shapes.show(feature_ids.shape)}"
        )
    return np.concatenate([partition_ids.astype(np.int64)[:, None], feature_ids], 1)


def _summed(keys: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of keys in ascending order, with the sums of their entries."""
    if not len(keys):
        return keys, sums
    order = np.lexsort((keys[:, 2], keys[:, 1], keys[:, 0]))
    keys, sums = keys[order], sums[order]
    starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(1)])
    if len(starts) == len(keys):
        return keys, sums
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(keys)]))
    result = np.zeros((len(starts), sums.shape[1]), _F)
    # One after the other, as float32 sums depend on the order.
    np.add.at(result, group, sums)
    return keys[starts], result


def _flat(gradients: np.ndarray, hessians: np.ndarray) -> np.ndarray:
    rows = len(gradients)
    width = int(np.prod(gradients.shape[1:])), int(np.prod(hessians.shape[1:]))
    return np.concatenate([gradients.reshape(rows, width[0]), hessians.reshape(rows, width[1])], 1)


class StatsAccumulator(StampedState):
    """Sums by partition, feature and dimension, which a session keeps between runs.

    Args:
        name: the shared name, for errors.

    Attributes:
        stamp: what is added has to have this stamp; None before the accumulator is created.
        updates: how often something was added.
        lock: held while the accumulator is used.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.updates = 0
        self._shapes: list[tuple[int, ...]] = [(), ()]
        self.clear()

    def __repr__(self) -> str:
        return f"<StatsAccumulator: {self.updates} updates>"

    def create(self, stamp: int, gradient: tuple[int, ...], hessian: tuple[int, ...]) -> None:
        """Prepares the accumulator, once."""
        if self.stamp is None:
            self.stamp = stamp
            self._shapes = [gradient, hessian]
            self.clear()

    def clear(self) -> None:
        """Forgets all sums."""
        self._keys = np.zeros((0, 3), np.int64)
        width = sum(int(np.prod(shape)) for shape in self._shapes)
        self._sums = np.zeros((0, width), _F)
        self._pending: list[tuple[np.ndarray, np.ndarray]] = []
        self.updates = 0

    def add(
        self,
        partition_ids: np.ndarray,
        feature_ids: np.ndarray,
        gradients: np.ndarray,
        hessians: np.ndarray,
    ) -> None:
        """Adds entries."""
        names = ("Gradients", "Hessians")
        for name, array, shape in zip(names, (gradients, hessians), self._shapes):
            if array.shape[1:] != shape:
                fail(f"{name} dimensions must match: {list(array.shape[1:])}, {list(shape)}")
        keys = _key_rows(partition_ids, feature_ids)
        self._pending.append((keys, _flat(gradients, hessians)))
        self.updates += 1

    def rows(self) -> _Arrays:
        """Partition ids, feature ids, gradients and hessians, by key in ascending order."""
        if self._pending:
            parts = [(self._keys, self._sums), *self._pending]
            keys, sums = (np.concatenate(column) for column in zip(*parts))
            self._keys, self._sums = _summed(keys, sums)
            self._pending = []
        return _columns(self._keys, self._sums, *self._shapes)


def _columns(
    keys: np.ndarray, sums: np.ndarray, gradient: tuple[int, ...], hessian: tuple[int, ...]
) -> _Arrays:
    width = int(np.prod(gradient))
    rows = len(keys)
    return [
        keys[:, 0].astype(np.int32),
        keys[:, 1:],
        sums[:, :width].reshape(rows, *gradient),
        sums[:, width:].reshape(rows, *hessian),
    ]


def make_accumulator(attrs: dict[str, Any]) -> StatsAccumulator:
    return StatsAccumulator(attrs["shared_name"])


def kernel_handle(xp: ArrayModule, *, state: StatsAccumulator) -> tuple[StatsAccumulator, ...]:
    return state, state


def kernel_create_scalar(
    xp: ArrayModule, accumulator: StatsAccumulator, stamp_token: np.ndarray
) -> tuple[()]:
    with accumulator.lock:
        accumulator.create(int(stamp_token), (), ())
    return ()


def kernel_create_tensor(
    xp: ArrayModule,
    accumulator: StatsAccumulator,
    stamp_token: np.ndarray,
    gradient_shape: np.ndarray,
    hessian_shape: np.ndarray,
) -> tuple[()]:
    with accumulator.lock:
        shape_pair = tuple(gradient_shape.tolist()), tuple(hessian_shape.tolist())
        accumulator.create(int(stamp_token), *shape_pair)
    return ()


def kernel_is_initialized(xp: ArrayModule, accumulator: StatsAccumulator) -> np.ndarray:
    return np.array(accumulator.stamp is not None)


def kernel_add(
    xp: ArrayModule,
    accumulators: list[StatsAccumulator],
    stamp_token: np.ndarray,
    partition_ids: _Arrays,
    feature_ids: _Arrays,
    gradients: _Arrays,
    hessians: _Arrays,
) -> tuple[()]:
    for accumulator, *columns in zip(accumulators, partition_ids, feature_ids, gradients, hessians):
        with accumulator.created().lock:
            # What belongs to trees of before is dropped.
            if accumulator.stamp == stamp_token:
                accumulator.add(*columns)
    return ()


def kernel_serialize(xp: ArrayModule, accumulator: StatsAccumulator) -> _Arrays:
    with accumulator.created().lock:
        rows = accumulator.rows()
        updates = np.array(accumulator.updates, np.int64)
        return [np.array(accumulator.stamp, np.int64), updates, *rows]


def kernel_deserialize(
    xp: ArrayModule,
    accumulator: StatsAccumulator,
    stamp_token: np.ndarray,
    num_updates: np.ndarray,
    partition_ids: np.ndarray,
    feature_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
) -> tuple[()]:
    with accumulator.created().lock:
        accumulator.clear()
        accumulator.add(partition_ids, feature_ids, gradients, hessians)
        accumulator.stamp, accumulator.updates = int(stamp_token), int(num_updates)
    return ()


def kernel_flush(
    xp: ArrayModule,
    accumulator: StatsAccumulator,
    stamp_token: np.ndarray,
    next_stamp_token: np.ndarray,
) -> _Arrays:
    with accumulator.created().lock:
        if accumulator.stamp != stamp_token:
            fail(f"The stamp of the accumulator is {accumulator.stamp}, not {stamp_token}.")
        result = [np.array(accumulator.updates, np.int64), *accumulator.rows()]
        accumulator.clear()
        accumulator.stamp = int(next_stamp_token)
        return result


def kernel_make_summary(
    xp: ArrayModule,
    partition_ids: np.ndarray,
    feature_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
) -> _Arrays:
    keys = _key_rows(partition_ids, feature_ids)
    keys, sums = _summed(keys, _flat(gradients, hessians))
    return _columns(keys, sums, gradients.shape[1:], hessians.shape[1:])


def shape_create(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    return []


def shape_create_tensor(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("per_slot_gradient_shape", 1)
    c.with_rank("per_slot_hessian_shape", 1)
    return shape_create(c)


def shape_add(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    columns = [c.shape(name) for name in ("partition_ids", "feature_ids", "gradients", "hessians")]
    for partitions, *others in zip(*columns):
        count = partitions[0] if partitions else None
        for other in others:
            count = c.merge_dims(count, other[0] if other else None)
    return []


def shape_serialize(c: shapes.ShapeContext) -> list[Shape]:
    return [(), (), (None,), None, None, None]


def shape_deserialize(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    c.with_rank("num_updates", 0)
    return []


def shape_flush(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    c.with_rank("next_stamp_token", 0)
    return [(), (None,), None, None, None]


def shape_make_summary(c: shapes.ShapeContext) -> list[Shape]:
    return [None] * 4


_ROWS = "partition_ids: int32, feature_ids: int64, gradients: float, hessians: float"
_OUTPUTS = (
    "output_partition_ids: int32, output_feature_ids: int64, output_gradients: float, "
    "output_hessians: float"
)
_HANDLE = "stats_accumulator_handle: resource"


def _register(
    name: str,
    kernel: Callable[..., Any],
    shape: Callable[..., Any],
    inputs: str,
    outputs: str = "",
    attrs: str = "",
    is_stateful: bool = True,
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        stateful=is_stateful,
        runs_on=RunsOn.HOST,
        dynamic_shape=not is_stateful,
    )


def _register_handle(name: str) -> None:
    register_op(
        name,
        outputs="resource: resource",
        attrs="container: string = '', shared_name: string = ''",
        shape=shapes.scalar,
        kernel=kernel_handle,
        state=make_accumulator,
        resource="stats accumulator",
        stateful=True,
        runs_on=RunsOn.HOST,
    )


def _register_add(name: str) -> None:
    _register(
        name,
        kernel_add,
        shape_add,
        "stats_accumulator_handles: num_resource_handles * resource, stamp_token: int64, "
        "partition_ids: num_resource_handles * int32, feature_ids: num_resource_handles * int64, "
        "gradients: num_resource_handles * float, hessians: num_resource_handles * float",
        attrs="num_resource_handles: int >= 1",
    )


def _register_is_initialized(name: str) -> None:
    _register(name, kernel_is_initialized, shapes.scalar, _HANDLE, "is_initialized: bool")


def _register_serialize(name: str) -> None:
    outputs = f"stamp_token: int64, num_updates: int64, {_OUTPUTS}"
    _register(name, kernel_serialize, shape_serialize, _HANDLE, outputs)


def _register_deserialize(name: str) -> None:
    inputs = f"{_HANDLE}, stamp_token: int64, num_updates: int64, {_ROWS}"
    _register(name, kernel_deserialize, shape_deserialize, inputs)


def _register_flush(name: str) -> None:
    inputs = f"{_HANDLE}, stamp_token: int64, next_stamp_token: int64"
    _register(name, kernel_flush, shape_flush, inputs, f"num_updates: int64, {_OUTPUTS}")


def _register_make_summary(name: str) -> None:
    _register(name, kernel_make_summary, shape_make_summary, _ROWS, _OUTPUTS, is_stateful=False)


_register_handle("StatsAccumulatorScalarResourceHandleOp")
_register_handle("StatsAccumulatorTensorResourceHandleOp")
_register_is_initialized("StatsAccumulatorScalarIsInitialized")
_register_is_initialized("StatsAccumulatorTensorIsInitialized")
_register(
    "CreateStatsAccumulatorScalar",
    kernel_create_scalar,
    shape_create,
    f"{_HANDLE}, stamp_token: int64",
)
_register(
    "CreateStatsAccumulatorTensor",
    kernel_create_tensor,
    shape_create_tensor,
    f"{_HANDLE}, stamp_token: int64, per_slot_gradient_shape: int64, per_slot_hessian_shape: int64",
)
_register_add("StatsAccumulatorScalarAdd")
_register_add("StatsAccumulatorTensorAdd")
_register_serialize("StatsAccumulatorScalarSerialize")
_register_serialize("StatsAccumulatorTensorSerialize")
_register_deserialize("StatsAccumulatorScalarDeserialize")
_register_deserialize("StatsAccumulatorTensorDeserialize")
_register_flush("StatsAccumulatorScalarFlush")
_register_flush("StatsAccumulatorTensorFlush")
_register_make_summary("StatsAccumulatorScalarMakeSummary")
_register_make_summary("StatsAccumulatorTensorMakeSummary")
