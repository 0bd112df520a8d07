"""MultiDeviceIterator: hands the elements of one dataset to several devices in turns."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.base.checks import fail
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.background import Failure, Item, element_of
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    dataset_of,
    input_iterator,
    scalar_of,
    shape_components,
    shape_handle_and_deleter,
)
from headwater.ops.data.string_handles import StringHandles
from headwater.ops.queues.resource import private_name


class MultiDeviceIteratorResource:
    """An iterator whose elements go to shards in turns; each device takes those of one shard.

    Args:
        shard_count: the number of shards.

    Attributes:
        name: its name in the session, which the first run of its op sets.
        owner: what stands for the session, set with the name.
    """

    def __init__(self, shard_count: int) -> None:
        self.name = ""
        self.owner: Any = None
        self._shard_count = shard_count
        self._lock = threading.Lock()
        self._incarnation = -1
        self._context = IteratorContext(Cancellation())
        self._elements: ElementIterator | None = None
        self._waiting: list[deque[Item]] = []
        self._turn = 0

    def start(self, dataset: Dataset) -> int:
        """Begins to iterate over a dataset; returns the number of the iteration."""
        context = IteratorContext(Cancellation())
        elements = input_iterator(dataset, context)
        self.close_resource()
        with self._lock:
            self._context, self._elements = context, elements
            self._waiting = [deque() for _ in range(self._shard_count)]
            self._turn = 0
            self._incarnation += 1
            return self._incarnation

    def next(self, shard: int, incarnation: int) -> Element | None:
        """The next element of a shard; None at the end.

        Raises:
            FailedPreconditionError: if the iterator has not been initialized.
            InvalidArgumentError: if it has begun anew since `incarnation`.
        """
        with self._lock:
            if self._elements is None:
                raise errors.FailedPreconditionError(
                    None, None, "Iterator has not yet been initialized."
                )
            if incarnation != self._incarnation:
                fail(
                    f"Invalid incarnation id. Provided: {incarnation}; "
                    f"Expected: {self._incarnation}"
                )
            if not 0 <= shard < self._shard_count:
                fail(f"Invalid shard_num: {shard}. There are {self._shard_count} devices.")
            items = self._waiting[shard]
            while not items:
                item = self._next_item(self._elements)
                if item is None:
                    return None
                self._waiting[self._turn].append(item)
                self._turn = (self._turn + 1) % self._shard_count
            return element_of(items.popleft())

    def _next_item(self, elements: ElementIterator) -> Item | None:
        try:
            return elements.next()
        except (errors.CancelledError, errors.DeadlineExceededError):
            raise
        except Exception as error:
            # It belongs to the shard whose turn it is.
            return Failure(error)

    def close_resource(self) -> None:
        """Ends background work."""
        # Without the lock, which a thread that waits for an element holds.
        self._context.cancellation.cancel()
        if self._elements is not None:
            self._elements.close()

    def destroy_resource(self) -> None:
        """Ends background work; the iterator cannot be used any more."""
        self.close_resource()
        self._elements = None
        if self.owner is not None:
            self.owner.release(self)


_handles: StringHandles[MultiDeviceIteratorResource] = StringHandles(
    "N10tensorflow4data12_GLOBAL__N_119MultiDeviceIteratorE"
)


def _resource_from(handle: Array) -> MultiDeviceIteratorResource:
    found = resource_of(handle)
    if not isinstance(found, MultiDeviceIteratorResource):
        fail(f"Trying to access a MultiDeviceIterator through a handle of {type(found).__name__}.")
    return found


def make_multi_device_iterator(attrs: dict[str, Any]) -> MultiDeviceIteratorResource:
    return MultiDeviceIteratorResource(len(attrs["devices"]))


def kernel_multi_device_iterator(
    xp: ArrayModule,
    *,
    op_name: str,
    shared_name: str,
    functions: FunctionRuntime,
    state: MultiDeviceIteratorResource,
) -> Any:
    if not state.name:
        state.name = shared_name or private_name(op_name)
        state.owner = functions
    return handle_of(state), state


def kernel_anonymous_multi_device_iterator(
    xp: ArrayModule, *, devices: Sequence[str], op_name: str, functions: FunctionRuntime
) -> list[Array]:
    found = MultiDeviceIteratorResource(len(devices))
    found.name, found.owner = private_name(op_name), functions
    functions.keep(found)
    return [handle_of(found), handle_of(found)]


def kernel_multi_device_iterator_init(
    xp: ArrayModule, dataset: Array, multi_device_iterator: Array, max_buffer_size: Array
) -> Any:
    scalar_of(max_buffer_size, "max_buffer_size")
    return xp.asarray(_resource_from(multi_device_iterator).start(dataset_of(dataset)), "int64")


def kernel_get_next_from_shard(
    xp: ArrayModule, multi_device_iterator: Array, shard_num: Array, incarnation_id: Array
) -> list[Array]:
    shard = int(scalar_of(shard_num, "shard_num"))
    incarnation = int(scalar_of(incarnation_id, "incarnation_id"))
    element = _resource_from(multi_device_iterator).next(shard, incarnation)
    if element is None:
        raise errors.OutOfRangeError(None, None, "End of sequence")
    return list(element)


def kernel_multi_to_string_handle(xp: ArrayModule, multi_device_iterator: Array) -> Array:
    found = _resource_from(multi_device_iterator)
    return handle_of(_handles.text_of(found, found.name))


def kernel_multi_from_string_handle(
    xp: ArrayModule, string_handle: Array, *, functions: FunctionRuntime
) -> Array:
    return handle_of(_handles.find(scalar_of(string_handle, "string_handle"), functions))


def kernel_delete_multi_device_iterator(
    xp: ArrayModule, multi_device_iterator: Array, iterators: Sequence[Array], deleter: Array
) -> tuple[()]:
    _resource_from(multi_device_iterator).destroy_resource()
    return ()


register_op(
    "MultiDeviceIterator",
    outputs="handle: resource",
    attrs="devices: list(string) >= 1, shared_name: string, container: string, "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_multi_device_iterator,
    state=make_multi_device_iterator,
    resource="multi_device_iterator",
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "AnonymousMultiDeviceIterator",
    outputs="handle: resource, deleter: variant",
    attrs="devices: list(string) >= 1, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shape_handle_and_deleter,
    kernel=kernel_anonymous_multi_device_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "MultiDeviceIteratorInit",
    inputs="dataset: variant, multi_device_iterator: resource, max_buffer_size: int64",
    outputs="incarnation_id: int64",
    shape=shapes.scalar,
    kernel=kernel_multi_device_iterator_init,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "MultiDeviceIteratorGetNextFromShard",
    inputs="multi_device_iterator: resource, shard_num: int32, incarnation_id: int64",
    outputs="components: output_types",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shape_components,
    kernel=kernel_get_next_from_shard,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "MultiDeviceIteratorToStringHandle",
    inputs="multi_device_iterator: resource",
    outputs="string_handle: string",
    shape=shapes.scalar,
    kernel=kernel_multi_to_string_handle,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "MultiDeviceIteratorFromStringHandle",
    inputs="string_handle: string",
    outputs="multi_device_iterator: resource",
    attrs="output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []",
    shape=shapes.scalar,
    kernel=kernel_multi_from_string_handle,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DeleteMultiDeviceIterator",
    inputs="multi_device_iterator: resource, iterators: N * resource, deleter: variant",
    attrs="N: int >= 0",
    shape=shapes.none,
    kernel=kernel_delete_multi_device_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)
