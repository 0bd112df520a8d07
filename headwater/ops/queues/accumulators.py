"""The ops that make accumulators and use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType, int64
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.base.waiting import Waiting
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.queues.accumulator_resource import Accumulator, SparseAccumulator
from headwater.ops.queues.resource import types_text


def make_accumulator(attrs: dict[str, Any]) -> Accumulator:
    return Accumulator(attrs["dtype"], attrs["shape"], attrs["reduction_type"])


def make_sparse_accumulator(attrs: dict[str, Any]) -> Accumulator:
    return SparseAccumulator(attrs["dtype"], attrs["shape"], attrs["reduction_type"])


def kernel_accumulator(
    xp: ArrayModule, *, state: Accumulator
) -> tuple[Accumulator | np.ndarray, ...]:
    return handle_of(state), state


def _accumulator(handle: Array, op: Operation, dtype: DType, sparse: bool) -> Accumulator:
    """The accumulator of a handle, if the node adds gradients of its type."""
    accumulator = resource_of(handle)
    if dtype is not accumulator.dtype:
        first = types_text([op.inputs[0].dtype.base_dtype])
        first += "_ref" if op.inputs[0].dtype._is_ref_dtype else ""
        texts = []
        for given in (dtype, accumulator.dtype):
            types = (int64, int64, given, int64) if sparse else (int64, given)
            texts.append(f"{first}, {types_text(types)}->")
        fail(f"Signature mismatch, have: {texts[0]} expected: {texts[1]}")
    return accumulator


def _scalar(value: np.ndarray, name: str) -> int:
    if np.ndim(value):
        fail(f"Argument {name} must be scalar, but had bad shape {shapes.show(value.shape)}")
    return int(value)


def kernel_apply(
    xp: ArrayModule,
    handle: Array,
    local_step: Array,
    gradient: Array,
    *,
    dtype: DType,
    op: Operation,
) -> tuple[()]:
    accumulator = _accumulator(handle, op, dtype, sparse=False)
    accumulator.apply(_scalar(local_step, "local_step"), gradient)
    return ()


def kernel_sparse_apply(
    xp: ArrayModule,
    handle: Array,
    local_step: Array,
    gradient_indices: Array,
    gradient_values: Array,
    gradient_shape: Array,
    *,
    dtype: DType,
    has_known_shape: bool,
    op: Operation,
) -> tuple[()]:
    accumulator = _accumulator(handle, op, dtype, sparse=True)
    gradient = gradient_indices, gradient_values, gradient_shape if has_known_shape else None
    accumulator.apply(_scalar(local_step, "local_step"), gradient)
    return ()


def kernel_take(xp: ArrayModule, handle: Array, num_required: TensorLike) -> Waiting:
    return resource_of(handle).take(_scalar(num_required, "num_required"))


def kernel_count(xp: ArrayModule, handle: Array) -> np.ndarray:
    return np.asarray(resource_of(handle).count, np.int32)


def kernel_set_step(xp: ArrayModule, handle: Array, new_global_step: Array) -> tuple[()]:
    resource_of(handle).set_step(_scalar(new_global_step, "new_global_step"))
    return ()


def shape_handle(c: shapes.ShapeContext) -> Shape:
    return (2,)


def shape_take(c: shapes.ShapeContext) -> Any:
    c.with_rank("num_required", 0)
    return shapes.unknown(c)


def shape_set_step(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("new_global_step", 0)
    return []


_MADE = (
    "dtype: numbertype, shape: shape, container: string = '', shared_name: string = '', "
    "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"
)


def _register_accumulator(name: str, handle: str, state: Callable[..., Any]) -> None:
    register_op(
        name,
        outputs=f"handle: {handle}",
        attrs=_MADE,
        shape=shape_handle,
        kernel=kernel_accumulator,
        state=state,
        resource="sparse accumulator" if name[0] == "S" else "accumulator",
        stateful=True,
        runs_on=RunsOn.HOST,
    )


_register_accumulator("ConditionalAccumulator", "Ref(string)", make_accumulator)
_register_accumulator("ResourceConditionalAccumulator", "resource", make_accumulator)
_register_accumulator("SparseConditionalAccumulator", "Ref(string)", make_sparse_accumulator)


def _register_access(
    reference_name: str,
    resource_name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
) -> None:
    for name, handle in (
        (reference_name, "handle: Ref(string)"),
        (resource_name, "handle: resource"),
    ):
        register_op(
            name,
            inputs=f"{handle}{inputs}",
            outputs=outputs,
            attrs=attrs,
            shape=shape,
            kernel=kernel,
            exchanges=True,
            stateful=name == resource_name,
            runs_on=RunsOn.HOST,
        )


_register_access(
    "AccumulatorApplyGradient",
    "ResourceAccumulatorApplyGradient",
    inputs=", local_step: int64, gradient: dtype",
    attrs="dtype: numbertype",
    shape=shapes.none,
    kernel=kernel_apply,
)
_register_access(
    "AccumulatorTakeGradient",
    "ResourceAccumulatorTakeGradient",
    inputs=", num_required: int32",
    outputs="average: dtype",
    attrs="dtype: numbertype",
    shape=shape_take,
    kernel=kernel_take,
)
_register_access(
    "AccumulatorNumAccumulated",
    "ResourceAccumulatorNumAccumulated",
    outputs="num_accumulated: int32",
    shape=shapes.scalar,
    kernel=kernel_count,
)
_register_access(
    "AccumulatorSetGlobalStep",
    "ResourceAccumulatorSetGlobalStep",
    inputs=", new_global_step: int64",
    shape=shape_set_step,
    kernel=kernel_set_step,
)
register_op(
    "SparseAccumulatorApplyGradient",
    inputs="handle: Ref(string), local_step: int64, gradient_indices: int64, "
    "gradient_values: dtype, gradient_shape: int64",
    attrs="dtype: numbertype, has_known_shape: bool",
    shape=shapes.none,
    kernel=kernel_sparse_apply,
    exchanges=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "SparseAccumulatorTakeGradient",
    inputs="handle: Ref(string), num_required: int32",
    outputs="indices: int64, values: dtype, shape: int64",
    attrs="dtype: numbertype",
    shape=shape_take,
    kernel=kernel_take,
    exchanges=True,
    runs_on=RunsOn.HOST,
)
