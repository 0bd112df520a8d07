"""Ops of TensorFlow's own unit tests that run, or that check the version of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, ShapeContext, get_default_graph, register_op, shapes
from headwater.graph.versions import GRAPH_DEF_VERSION


def kernel_test_attr(xp: ArrayModule, *, T: DType) -> Array:
    """The number 1."""
    return xp.asarray(1, T.numpy_dtype)


register_op(
    "TestAttr",
    outputs="out: T",
    attrs="T: {float, double}",
    shape=shapes.unknown,
    kernel=kernel_test_attr,
)


def kernel_label(xp: ArrayModule, *, _kernel: str = "") -> Array:
    """Names the label that `Graph._kernel_label_map` has chosen."""
    if _kernel not in ("", "overload_1", "overload_2"):
        raise errors.InvalidArgumentError(
            None, None, "No OpKernel was registered to support Op 'KernelLabel' with these attrs."
        )
    return np.asarray(f"My label is: {_kernel or 'default'}".encode(), object)


register_op(
    "KernelLabel",
    outputs="result: string",
    shape=shapes.scalar,
    kernel=kernel_label,
    runs_on=RunsOn.HOST,
)


def kernel_label_required(xp: ArrayModule, input: Array, *, _kernel: str = "") -> Array:
    """As KernelLabel, but there is no kernel without a label."""
    if _kernel not in ("overload_1", "overload_2"):
        raise errors.InvalidArgumentError(
            None,
            None,
            "No OpKernel was registered to support Op 'KernelLabelRequired' with these attrs.",
        )
    return np.asarray(f"My label is: {_kernel}".encode(), object)


def shape_kernel_label_required(c: ShapeContext) -> Any:
    """A scalar; the input is a vector."""
    c.with_rank("input", 1)
    return ()


register_op(
    "KernelLabelRequired",
    inputs="input: int32",
    outputs="result: string",
    shape=shape_kernel_label_required,
    kernel=kernel_label_required,
    runs_on=RunsOn.HOST,
)


def kernel_graph_def_version(xp: ArrayModule, *, op: Any = None) -> Array:
    """The version of the program that made the graph."""
    version = GRAPH_DEF_VERSION if op is None else op.graph.graph_def_versions.producer
    return np.asarray(version, np.int32)


register_op(
    "GraphDefVersion",
    outputs="version: int32",
    shape=shapes.scalar,
    kernel=kernel_graph_def_version,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def shape_requires_older(c: ShapeContext) -> Any:
    """Fails in graphs of all versions but the last one before this."""
    if get_default_graph()._producer != GRAPH_DEF_VERSION - 1:
        c.fail("Wrong graph version for shape")
    return ()


register_op(
    "RequiresOlderGraphVersion", outputs="version: int32", shape=shape_requires_older, stateful=True
)


def shape_old(c: ShapeContext) -> Any:
    """Fails in graphs of all versions but the oldest."""
    if get_default_graph()._producer >= 8:
        raise NotImplementedError(
            "Op Old is not available in GraphDef version "
            f"{get_default_graph()._producer}. It has been removed in version 8. For reasons."
        )
    return []


register_op("Old", shape=shape_old)


class StubResource:
    """A resource that either exists or not."""

    def __init__(self) -> None:
        self.exists = False


def make_stub(attrs: dict[str, Any]) -> StubResource:
    return StubResource()


def kernel_stub_handle(xp: ArrayModule, *, state: StubResource) -> tuple[StubResource, ...]:
    """The handle of a resource, without creating it."""
    return state, state


def _only(resource: StubResource | np.ndarray) -> StubResource:
    """Returns the one resource of a handle, which may have been in an array of handles."""
    return resource.item() if isinstance(resource, np.ndarray) else resource


def kernel_create(xp: ArrayModule, resource: StubResource | np.ndarray) -> tuple[()]:
    """Makes the resource."""
    stub = _only(resource)
    if stub.exists:
        raise errors.AlreadyExistsError(None, None, "Resource exists already.")
    stub.exists = True
    return ()


def kernel_initialized(xp: ArrayModule, resource: StubResource) -> Array:
    """Tells whether the resource has been made."""
    return np.asarray(_only(resource).exists)


def kernel_using(xp: ArrayModule, resource: Array) -> tuple[()]:
    """Fails if the resource has not been made."""
    if not _only(resource).exists:
        raise errors.NotFoundError(None, None, "Resource does not exist.")
    return ()


register_op(
    "StubResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_stub_handle,
    state=make_stub,
    resource="stub",
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "ResourceInitializedOp",
    inputs="resource: resource",
    outputs="initialized: bool",
    shape=shapes.scalar,
    kernel=kernel_initialized,
    stateful=True,
    runs_on=RunsOn.HOST,
)


def _register_resource_op(name: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="resource: resource",
        shape=shapes.none,
        kernel=kernel,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


_register_resource_op("ResourceCreateOp", kernel_create)
_register_resource_op("ResourceUsingOp", kernel_using)
register_op("DevicePlacementOp", outputs="device: string", shape=shapes.scalar, stateful=True)
