"""Accumulators: several workers add gradients, one takes their mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype, int64
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    convert_to_tensor,
)
from headwater.ops.math.cast import cast


def _as_int64(value: TensorLike) -> Tensor:
    return cast(value, int64)


@export("ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """The base of accumulators of dense and of sparse gradients.

    Args:
        dtype: the type of the gradients.
        shape: their shape, or None.
        accumulator_ref: the handle.
    """

    def __init__(self, dtype: DTypeLike, shape: ShapeLike | None, accumulator_ref: Tensor) -> None:
        self._dtype = dtype
        self._shape = TensorShape(None) if shape is None else TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the node, without its scopes."""
        return self._name

    @property
    def dtype(self) -> DTypeLike:
        """The type of the gradients."""
        return self._dtype

    def _builder(self, op_type: str) -> Callable[..., Any]:
        """The builder of the version of an op that takes this handle."""
        is_resource = self._accumulator_ref.dtype.name == "resource"
        return getattr(build, f"Resource{op_type}" if is_resource else op_type)

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of accumulated gradients."""
        name = f"{self._name}_NumAccumulated" if name is None else name
        return self._builder("AccumulatorNumAccumulated")(self._accumulator_ref, name=name)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Operation:
        """Makes an op that sets the step: gradients of earlier ones are dropped.

        Args:
            new_global_step: an integer scalar.
            name: the name of the op.

        Returns:
            An Operation.
        """
        step = _as_int64(_as_constant(new_global_step))
        return self._builder("AccumulatorSetGlobalStep")(self._accumulator_ref, step, name=name)


def _as_constant(value: TensorLike) -> Tensor:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


@export("ConditionalAccumulator")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulates dense gradients until there are enough of them.

    Args:
        dtype: the type of the gradients.
        shape: their shape, or None.
        shared_name: the name under which sessions share the accumulator.
        name: the name of the node.
        reduction_type: what `take_grad` returns, "MEAN" or "SUM".
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = build.ResourceConditionalAccumulator(
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(
        self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None
    ) -> Operation:
        """Makes an op that adds a gradient, unless it comes too late.

        Args:
            grad: the gradient.
            local_step: the step at which it was computed.
            name: the name of the op.

        Returns:
            An Operation.
        """
        grad = convert_to_tensor(grad, as_dtype(self._dtype))
        grad.get_shape().assert_is_compatible_with(self._shape)
        step = _as_int64(_as_constant(local_step))
        return self._builder("AccumulatorApplyGradient")(
            self._accumulator_ref, step, grad, name=name
        )

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Tensor:
        """Takes the mean or sum; waits until there are enough gradients.

        Args:
            num_required: how many are enough.
            name: the name of the op.

        Returns:
            The gradient.
        """
        grad = self._builder("AccumulatorTakeGradient")(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )
        grad.set_shape(self._shape)
        return grad


@export("SparseConditionalAccumulator", "sparse.SparseConditionalAccumulator")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulates sparse gradients, which have some rows only.

    Args:
        dtype: the type of the gradients.
        shape: their dense shape, or None.
        shared_name: the name under which sessions share the accumulator.
        name: the name of the node.
        reduction_type: what `take_grad` returns, "MEAN" or "SUM".
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = build.SparseConditionalAccumulator(
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> Operation:
        """Makes an op that adds a gradient, unless it comes too late.

        Args:
            grad: the gradient.
            local_step: the step at which it was computed.
            name: the name of the op.

        Returns:
            An Operation.
        """
        return self.apply_grad(
            grad_indices=grad.indices,
            grad_values=grad.values,
            grad_shape=grad.dense_shape,
            local_step=local_step,
            name=name,
        )

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Operation:
        """Makes an op that adds a gradient, unless it comes too late.

        Args:
            grad_indices: the numbers of the rows.
            grad_values: the rows.
            grad_shape: the shape of the dense gradient, or None.
            local_step: the step at which it was computed.
            name: the name of the op.

        Returns:
            An Operation.
        """
        step = _as_int64(_as_constant(local_step))
        indices = _as_int64(grad_indices)
        shape = _as_int64(np.zeros(0, np.float32) if grad_shape is None else grad_shape)
        return build.SparseAccumulatorApplyGradient(
            self._accumulator_ref,
            step,
            indices,
            grad_values,
            shape,
            dtype=self._dtype,
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> NestedTensors:
        """Takes the mean or sum; waits until there are enough gradients.

        Args:
            num_required: how many are enough.
            name: the name of the op.

        Returns:
            A named tuple of indices, values and the shape, whose first dimension is -1 where the
            accumulator does not know it.
        """
        return build.SparseAccumulatorTakeGradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )

    def take_indexed_slices_grad(
        self, num_required: TensorLike, name: str | None = None
    ) -> IndexedSlices:
        """Takes the mean or sum as IndexedSlices; waits until there are enough gradients.

        Args:
            num_required: how many are enough.
            name: the name of the op.

        Returns:
            The gradient.
        """
        taken = self.take_grad(num_required, name=name)
        return IndexedSlices(indices=taken.indices, values=taken.values, dense_shape=taken.shape)
