"""The ops that make iterators and take elements from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import dataset_of
from headwater.ops.data.iterator_resource import IteratorResource


def make_iterator(attrs: dict[str, Any]) -> IteratorResource:
    return IteratorResource(attrs["output_types"], attrs["output_shapes"])


def kernel_iterator(xp: ArrayModule, *, state: IteratorResource) -> Any:
    return handle_of(state), state


def kernel_one_shot_iterator(
    xp: ArrayModule,
    *,
    dataset_factory: Any,
    op: Operation,
    functions: FunctionRuntime,
    state: IteratorResource,
) -> Any:
    if not state.initialized:
        factory = functions.captured(op._graph, dataset_factory, ()).instantiate()
        state.start(dataset_of(factory(())[0]))
    return handle_of(state), state


def kernel_make_iterator(xp: ArrayModule, dataset: Array, iterator: Array) -> tuple[()]:
    resource_of(iterator).start(dataset_of(dataset))
    return ()


def kernel_get_next(xp: ArrayModule, iterator: Array) -> list[Array]:
    element = resource_of(iterator).next()
    if element is None:
        raise errors.OutOfRangeError(None, None, "End of sequence")
    return [np.asarray(value) for value in element]


def shape_components(c: shapes.ShapeContext) -> Any:
    """The shapes of the components, which stand in an attr."""
    return list(c.attrs["output_shapes"])


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


def kernel_to_string_handle(xp: ArrayModule, resource_handle: Array) -> Array:
    name = np.empty((), object)
    name[()] = resource_of(resource_handle).name.encode()
    return name


register_op(
    "IteratorToStringHandle",
    inputs="resource_handle: resource",
    outputs="string_handle: string",
    shape=shapes.scalar,
    kernel=kernel_to_string_handle,
    runs_on=RunsOn.HOST,
    stateful=True,
)
