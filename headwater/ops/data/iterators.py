"""The ops that make iterators, save them, and take elements from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data import saved_state
from headwater.ops.data.dataset import (
    IteratorContext,
    dataset_of,
    input_iterator,
    shape_components,
    shape_handle_and_deleter,
)
from headwater.ops.data.iterator_resource import IteratorResource, iterator_of_handle
from headwater.ops.data.optional_value import OptionalValue
from headwater.ops.queues.resource import private_name


def make_iterator(attrs: dict[str, Any]) -> IteratorResource:
    return IteratorResource(attrs["output_types"], attrs["output_shapes"])


def iterator_from(handle: Array) -> IteratorResource:
    """The iterator of a resource handle.

    Raises:
        InvalidArgumentError: if the handle is one of something else.
    """
    found = resource_of(handle)
    if not isinstance(found, IteratorResource):
        fail(f"Trying to access an iterator through a handle of {type(found).__name__}.")
    return found


def _named(
    state: IteratorResource, op_name: str, shared_name: str, functions: FunctionRuntime
) -> IteratorResource:
    if not state.name:
        state.name = shared_name or private_name(op_name)
        state.owner = functions
    return state


def kernel_iterator(
    xp: ArrayModule,
    *,
    output_types: Any,
    output_shapes: Any,
    op_name: str,
    shared_name: str,
    functions: FunctionRuntime,
    state: IteratorResource,
) -> Any:
    # Another node may have made the iterator under the same name.
    state.check(output_types, output_shapes)
    return handle_of(_named(state, op_name, shared_name, functions)), state


def kernel_one_shot_iterator(
    xp: ArrayModule,
    *,
    dataset_factory: Any,
    shared_name: str,
    op: Operation,
    functions: FunctionRuntime,
    state: IteratorResource,
) -> Any:
    if not state.initialized:
        _named(state, op.name, shared_name, functions)
        factory = functions.captured(op._graph, dataset_factory, ()).instantiate()
        state.start(dataset_of(factory(())[0]))
    return handle_of(state), state


def kernel_anonymous_iterator(
    xp: ArrayModule,
    *,
    output_types: Any,
    output_shapes: Sequence[ShapeLike],
    op_name: str,
    functions: FunctionRuntime,
) -> Array:
    found = _named(IteratorResource(output_types, output_shapes), op_name, "", functions)
    functions.keep(found)
    return handle_of(found)


def kernel_anonymous_iterator_v2(
    xp: ArrayModule,
    *,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    op_name: str,
    functions: FunctionRuntime,
) -> list[Array]:
    found = IteratorResource(output_types, output_shapes)
    return [handle_of(_named(found, op_name, "", functions)), handle_of(found)]


def kernel_delete_iterator(xp: ArrayModule, handle: Array, deleter: Array) -> tuple[()]:
    iterator_from(handle).destroy_resource()
    return ()


def kernel_make_iterator(xp: ArrayModule, dataset: Array, iterator: Array) -> tuple[()]:
    iterator_from(iterator).start(dataset_of(dataset))
    return ()


def kernel_get_next(xp: ArrayModule, iterator: Array) -> list[Array]:
    element = iterator_from(iterator).next()
    if element is None:
        raise errors.OutOfRangeError(None, None, "End of sequence")
    return list(element)


def kernel_get_next_as_optional(xp: ArrayModule, iterator: Array) -> Array:
    return handle_of(OptionalValue(iterator_from(iterator).next()))


def kernel_to_single_element(xp: ArrayModule, dataset: Array) -> list[Array]:
    context = IteratorContext()
    elements = input_iterator(dataset_of(dataset), context)
    try:
        found = elements.next()
        if found is None:
            fail("Dataset was empty.")
        if elements.next() is not None:
            fail("Dataset had more than one element.")
        return list(found)
    finally:
        context.cancellation.cancel()
        elements.close()


def kernel_to_string_handle(xp: ArrayModule, resource_handle: Array) -> Array:
    return handle_of(iterator_from(resource_handle).string_handle())


def kernel_from_string_handle(
    xp: ArrayModule,
    string_handle: Array,
    *,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    functions: FunctionRuntime,
) -> Array:
    if np.ndim(string_handle):
        fail("string_handle must be a scalar")
    found = iterator_of_handle(resource_of(string_handle), functions)
    found.check(output_types, output_shapes)
    return handle_of(found)


def kernel_serialize_iterator(xp: ArrayModule, resource_handle: Array) -> Array:
    return handle_of(saved_state.to_proto(iterator_from(resource_handle).save()))


def kernel_deserialize_iterator(
    xp: ArrayModule, resource_handle: Array, serialized: Array
) -> tuple[()]:
    state = saved_state.from_proto(resource_of(serialized))
    iterator_from(resource_handle).restore(state)
    return ()


def kernel_get_device(xp: ArrayModule, resource: Array) -> Array:
    iterator_from(resource)
    return handle_of(b"/job:localhost/replica:0/task:0/device:CPU:0")


def _register_iterator(name: str) -> None:
    register_op(
        name,
        outputs="handle: resource",
        attrs="shared_name: string, container: string, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_iterator,
        state=make_iterator,
        resource="iterator",
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_iterator("Iterator")
_register_iterator("IteratorV2")

register_op(
    "OneShotIterator",
    outputs="handle: resource",
    attrs="dataset_factory: func, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1, container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_one_shot_iterator,
    state=make_iterator,
    resource="iterator",
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "AnonymousIterator",
    outputs="handle: resource",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_anonymous_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "AnonymousIteratorV2",
    outputs="handle: resource, deleter: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shape_handle_and_deleter,
    kernel=kernel_anonymous_iterator_v2,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DeleteIterator",
    inputs="handle: resource, deleter: variant",
    shape=shapes.none,
    kernel=kernel_delete_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "MakeIterator",
    inputs="dataset: variant, iterator: resource",
    shape=shapes.none,
    kernel=kernel_make_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def _register_get_next(name: str) -> None:
    register_op(
        name,
        inputs="iterator: resource",
        outputs="components: output_types",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shape_components,
        kernel=kernel_get_next,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_get_next("IteratorGetNext")
_register_get_next("IteratorGetNextSync")

register_op(
    "IteratorGetNextAsOptional",
    inputs="iterator: resource",
    outputs="optional: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_get_next_as_optional,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DatasetToSingleElement",
    inputs="dataset: variant",
    outputs="components: output_types",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shape_components,
    kernel=kernel_to_single_element,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "IteratorToStringHandle",
    inputs="resource_handle: resource",
    outputs="string_handle: string",
    shape=shapes.scalar,
    kernel=kernel_to_string_handle,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def _register_from_string_handle(name: str) -> None:
    register_op(
        name,
        inputs="string_handle: string",
        outputs="resource_handle: resource",
        attrs="output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []",
        shape=shapes.scalar,
        kernel=kernel_from_string_handle,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_from_string_handle("IteratorFromStringHandle")
_register_from_string_handle("IteratorFromStringHandleV2")

register_op(
    "SerializeIterator",
    inputs="resource_handle: resource",
    outputs="serialized: variant",
    shape=shapes.scalar,
    kernel=kernel_serialize_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "DeserializeIterator",
    inputs="resource_handle: resource, serialized: variant",
    shape=shapes.none,
    kernel=kernel_deserialize_iterator,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def _register_get_device(name: str) -> None:
    register_op(
        name,
        inputs="resource: resource",
        outputs="device: string",
        shape=shapes.scalar,
        kernel=kernel_get_device,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_get_device("IteratorGetDevice")
_register_get_device("ExperimentalIteratorGetDevice")
