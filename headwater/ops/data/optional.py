"""The ops of optionals: OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.handles import handle_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, Tensor, build, register_op, shapes
from headwater.ops.data.dataset import shape_components
from headwater.ops.data.optional_value import OptionalValue, optional_of


def kernel_from_value(xp: ArrayModule, components: Sequence[Array]) -> Array:
    return handle_of(OptionalValue(list(components)))


def kernel_none(xp: ArrayModule) -> Array:
    return handle_of(OptionalValue(None))


def kernel_has_value(xp: ArrayModule, optional: Array) -> Array:
    return np.asarray(optional_of(optional).element is not None)


def kernel_get_value(xp: ArrayModule, optional: Array) -> list[Array]:
    element = optional_of(optional).element
    if element is None:
        fail("The given optional does not have a value.")
    return list(element)


def gradient_from_value(op: Operation, grad: Tensor) -> Any:
    inputs = op.inputs
    return build.OptionalGetValue(
        grad,
        output_types=[tensor.dtype.base_dtype for tensor in inputs],
        output_shapes=[tensor.shape for tensor in inputs],
    )


def gradient_get_value(op: Operation, *grads: Tensor) -> Any:
    return build.OptionalFromValue(list(grads))


register_op(
    "OptionalFromValue",
    inputs="components: Toutput_types",
    outputs="optional: variant",
    attrs="Toutput_types: list(type) >= 1",
    shape=shapes.scalar,
    kernel=kernel_from_value,
    gradient=gradient_from_value,
    runs_on=RunsOn.HOST,
)

register_op(
    "OptionalNone",
    outputs="optional: variant",
    shape=shapes.scalar,
    kernel=kernel_none,
    runs_on=RunsOn.HOST,
)

register_op(
    "OptionalHasValue",
    inputs="optional: variant",
    outputs="has_value: bool",
    shape=shapes.scalar,
    kernel=kernel_has_value,
    runs_on=RunsOn.HOST,
)

register_op(
    "OptionalGetValue",
    inputs="optional: variant",
    outputs="components: output_types",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shape_components,
    kernel=kernel_get_value,
    gradient=gradient_get_value,
    runs_on=RunsOn.HOST,
)
