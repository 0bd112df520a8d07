"""The ops that use readers: reading, counters, states."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.handles import resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes
from headwater.ops.queues.queue_resource import Queue
from headwater.ops.readers.reader_resource import Reader


def _reader(handle: np.ndarray) -> Reader:
    reader = resource_of(handle)
    if not isinstance(reader, Reader):
        fail(f"Trying to access resource using the wrong type. Expected a reader, got {reader!r}")
    return reader


def _queue(handle: np.ndarray) -> Queue:
    queue = resource_of(handle)
    if not isinstance(queue, Queue):
        fail(f"Trying to access resource using the wrong type. Expected a queue, got {queue!r}")
    return queue


def kernel_read(xp: ArrayModule, reader_handle: np.ndarray, queue_handle: np.ndarray) -> Any:
    return _reader(reader_handle).start_read(_queue(queue_handle))


def kernel_read_up_to(
    xp: ArrayModule, reader_handle: np.ndarray, queue_handle: np.ndarray, num_records: Array
) -> Any:
    return _reader(reader_handle).start_read_up_to(_queue(queue_handle), int(num_records))


def kernel_num_records_produced(xp: ArrayModule, reader_handle: np.ndarray) -> np.ndarray:
    return np.asarray(_reader(reader_handle).num_records_produced, np.int64)


def kernel_num_work_units_completed(xp: ArrayModule, reader_handle: np.ndarray) -> np.ndarray:
    return np.asarray(_reader(reader_handle).num_work_units_completed, np.int64)


def kernel_serialize_state(xp: ArrayModule, reader_handle: np.ndarray) -> Any:
    return _reader(reader_handle).start_serialize()


def kernel_restore_state(xp: ArrayModule, reader_handle: np.ndarray, state: np.ndarray) -> Any:
    if np.ndim(state):
        fail(f"Reader state must be scalar, but had shape: {shapes.show(state.shape)}")
    return _reader(reader_handle).start_restore(state.item())


def kernel_reset(xp: ArrayModule, reader_handle: np.ndarray) -> Any:
    return _reader(reader_handle).start_reset()


def shape_read(c: shapes.ShapeContext) -> list[tuple[int, ...]]:
    return [(), ()]


def shape_read_up_to(c: shapes.ShapeContext) -> list[tuple[int | None, ...]]:
    c.with_rank("num_records", 0)
    return [(None,), (None,)]


def shape_restore_state(c: shapes.ShapeContext) -> list[tuple[int, ...]]:
    c.with_rank("state", 0)
    return []


def _register_access(
    old_name: str,
    new_name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    shape: Any,
    kernel: Any,
) -> None:
    for name, kind in ((old_name, "Ref(string)"), (new_name, "resource")):
        register_op(
            name,
            inputs=f"reader_handle: {kind}{inputs.format(kind)}",
            outputs=outputs,
            shape=shape,
            kernel=kernel,
            exchanges=True,
            stateful=name == new_name,
            runs_on=RunsOn.HOST,
            gradient=NOT_DIFFERENTIABLE if name == old_name else None,
        )


_register_access(
    "ReaderRead",
    "ReaderReadV2",
    inputs=", queue_handle: {}",
    outputs="key: string, value: string",
    shape=shape_read,
    kernel=kernel_read,
)
_register_access(
    "ReaderReadUpTo",
    "ReaderReadUpToV2",
    inputs=", queue_handle: {}, num_records: int64",
    outputs="keys: string, values: string",
    shape=shape_read_up_to,
    kernel=kernel_read_up_to,
)
_register_access(
    "ReaderNumRecordsProduced",
    "ReaderNumRecordsProducedV2",
    outputs="records_produced: int64",
    shape=shapes.scalar,
    kernel=kernel_num_records_produced,
)
_register_access(
    "ReaderNumWorkUnitsCompleted",
    "ReaderNumWorkUnitsCompletedV2",
    outputs="units_completed: int64",
    shape=shapes.scalar,
    kernel=kernel_num_work_units_completed,
)
_register_access(
    "ReaderSerializeState",
    "ReaderSerializeStateV2",
    outputs="state: string",
    shape=shapes.scalar,
    kernel=kernel_serialize_state,
)
_register_access(
    "ReaderRestoreState",
    "ReaderRestoreStateV2",
    inputs=", state: string",
    shape=shape_restore_state,
    kernel=kernel_restore_state,
)
_register_access("ReaderReset", "ReaderResetV2", shape=shapes.none, kernel=kernel_reset)
