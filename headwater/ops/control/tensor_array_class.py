"""`tf.TensorArray`: an array of tensors that is written and read element by element."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base import logging
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape, as_shape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    colocate_with,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.graph.control_flow.flows import register_flow_type
from headwater.ops.control.tensor_array_arguments import (
    as_int64,
    check_arguments,
    is_tensor,
    range_to,
    tensors,
    without_device,
)


@export("TensorArray")
class TensorArray:
    """An array of tensors of one type, for use in loops.

    Each element is written once and (by default) read once. Writes return a new object: the *flow*
    in it orders what is done with the array, so use that object from then on.

    Args:
        dtype: the type of the elements.
        size: the number of elements, a scalar int32.
        dynamic_size: whether writes past the end grow the array; False by default.
        clear_after_read: whether a read drops the element to save memory; True by default.
        tensor_array_name: a name for error messages.
        handle: the handle of an existing array; then none of the above but `dtype`.
        flow: the flow of an existing array.
        infer_shape: whether all elements must have one shape, which the first write tells.
        element_shape: the shape of the elements, as far as it is known.
        colocate_with_first_write_call: whether the array is placed with the first value written.
        name: the name of the op.

    Raises:
        ValueError: if the arguments contradict each other.
        TypeError: if `handle` is not a tensor.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        check_arguments(
            handle, size, tensor_array_name, element_shape, dynamic_size, clear_after_read
        )
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape or element_shape is not None
        # Objects for the same array share what is learned about it.
        self._element_shape = [
            TensorShape(None) if element_shape is None else as_shape(element_shape)
        ]
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._colocate_with: list[Any] | None = [] if colocate_with_first_write_call else None
        with name_scope(
            name, "TensorArray", [v for v in (handle, size, flow) if is_tensor(v)]
        ) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self._handle, self._flow = handle, flow
                return
            with without_device() if colocate_with_first_write_call else nullcontext():
                self._handle, self._flow = build.TensorArrayV3(
                    size,
                    dtype=self._dtype,
                    element_shape=self._element_shape[0],
                    identical_element_shapes=infer_shape,
                    dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read is None or clear_after_read,
                    tensor_array_name=tensor_array_name or "",
                    name=scope,
                )

    @property
    def flow(self) -> Tensor:
        """A scalar that is there when all writes so far have been done."""
        return self._flow

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The handle of the array."""
        return self._handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return self._element_shape[0]

    @property
    def dynamic_size(self) -> bool:
        """Whether writes past the end grow the array."""
        return self._dynamic_size

    @property
    def _implementation(self) -> TensorArray:
        return self

    def with_flow(self, flow: Tensor) -> TensorArray:
        """The same array at another point of the order.

        Args:
            flow: the new flow.

        Returns:
            A TensorArray that shares what is known of the elements with this one.
        """
        array = TensorArray(
            dtype=self._dtype,
            handle=self._handle,
            flow=flow,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=self._colocate_with_first_write_call,
        )
        array._dynamic_size = self._dynamic_size
        array._colocate_with = self._colocate_with
        array._element_shape = self._element_shape
        return array

    def identity(self) -> TensorArray:
        """The same array with a flow that waits for the control dependencies in force."""
        return self.with_flow(build.Identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array of the gradients of the elements.

        Args:
            source: which gradients; arrays of one source are one array.
            flow: a flow at which this array has its final size; that of this object if None.
            name: the name scope.

        Returns:
            A TensorArray.
        """
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            handle, _ = build.TensorArrayGradV3(self._handle, flow, source=source, name=name)
            with control_dependencies([handle]):
                flow = build.Identity(flow, name="gradient_flow")
            array = TensorArray(
                dtype=self._dtype,
                handle=handle,
                flow=flow,
                infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )
            array._element_shape = self._element_shape
            return array

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at an index.

        Args:
            index: a scalar int32.
            name: the name of the op.

        Returns:
            A tensor.
        """
        value = build.TensorArrayReadV3(
            self._handle, index, self._flow, dtype=self._dtype, name=name
        )
        value.set_shape(self.element_shape)
        return value

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Writes an element.

        Args:
            index: a scalar int32.
            value: a tensor of the array's type.
            name: the name scope.

        Returns:
            The TensorArray to use from now on.

        Raises:
            ValueError: if the shape is not that of the other elements.
        """
        with name_scope(name, "TensorArrayWrite", tensors(self._handle, index, value)):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._check_dtype(value)
            self._learn_shape(value.shape)
            with self._placed_with(value):
                flow = build.TensorArrayWriteV3(self._handle, index, value, self._flow, name=name)
            return self.with_flow(flow)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new first axis.

        Args:
            name: the name scope.

        Returns:
            A tensor.
        """
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            return self.gather(range_to(self.size()), name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some elements as one tensor, along a new first axis.

        Args:
            indices: int32 vector.
            name: the name of the op.

        Returns:
            A tensor.
        """
        shape = self.element_shape
        value = build.TensorArrayGatherV3(
            self._handle,
            indices,
            self._flow,
            dtype=self._dtype,
            element_shape=shape,
            name=name,
        )
        if shape.dims is not None:
            value.set_shape([None, *shape.as_list()])
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements concatenated along their first axis.

        Args:
            name: the name of the op.

        Returns:
            A tensor.
        """
        shape = self.element_shape
        rest = None if shape.dims is None else shape.as_list()[1:]
        value, _ = build.TensorArrayConcatV3(
            self._handle, self._flow, dtype=self._dtype, element_shape_except0=rest, name=name
        )
        if rest is not None:
            value.set_shape([None, *rest])
        return value

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Writes the slices of a tensor along its first axis as elements 0, 1, ...

        Args:
            value: a tensor of shape [n, ...].
            name: the name scope.

        Returns:
            The TensorArray to use from now on.
        """
        with name_scope(name, "TensorArrayUnstack", tensors(self._handle, value)):
            count = shape_tensor(value)[0]
            return self.scatter(indices=range_to(count), value=value, name=name)

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """Writes the slices of a tensor along its first axis as elements at the given indices.

        Args:
            indices: int32 vector of length n.
            value: a tensor of shape [n, ...].
            name: the name scope.

        Returns:
            The TensorArray to use from now on.

        Raises:
            ValueError: if the shape is not that of the other elements.
        """
        with name_scope(name, "TensorArrayScatter", tensors(self._handle, value, indices)):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._check_dtype(value)
            self._learn_shape(value.shape[1:])
            with self._placed_with(value):
                flow = build.TensorArrayScatterV3(
                    self._handle, indices, value, self._flow, name=name
                )
            return self.with_flow(flow)

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Writes parts of a tensor along its first axis as elements 0, 1, ...

        Args:
            value: a tensor of shape [sum of the lengths, ...].
            lengths: integer vector of the lengths of the parts.
            name: the name scope.

        Returns:
            The TensorArray to use from now on.

        Raises:
            ValueError: if the shape is not that of the other elements.
        """
        with name_scope(name, "TensorArraySplit", tensors(self._handle, value, lengths)):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._placed_with(value):
                lengths = as_int64(lengths)
                known = constant_value(lengths)
                shape = value.shape
                if (
                    shape.dims is not None
                    and known is not None
                    and known.ndim == 1
                    and known.size
                    and known.max() == known.min()
                ):
                    self._learn_shape(TensorShape([int(known[0])]).concatenate(shape[1:]))
                flow = build.TensorArraySplitV3(self._handle, value, lengths, self._flow, name=name)
            return self.with_flow(flow)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements.

        Args:
            name: the name of the op.

        Returns:
            A scalar int32 tensor.
        """
        return build.TensorArraySizeV3(self._handle, self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        """Makes an op that frees the elements.

        Args:
            name: the name of the op.

        Returns:
            An Operation.
        """
        return build.TensorArrayCloseV3(self._handle, name=name)

    # Names of releases before 1.0.
    pack: Callable[..., Tensor] = stack
    unpack: Callable[..., TensorArray] = unstack

    def _learn_shape(self, shape: TensorShape) -> None:
        """Takes the shape of an element as that of all, if they have one shape."""
        if not self._infer_shape:
            return
        known = self._element_shape[0]
        if not shape.is_compatible_with(known):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {known} ")
        self._element_shape[0] = known.merge_with(shape)

    def _check_dtype(self, value: Tensor) -> None:
        if value.dtype.base_dtype is not self._dtype:
            logging.error(
                f"Error: Input value {value} has dtype {value.dtype!r}, but expected dtype "
                f"{self._dtype!r}.  This leads to undefined behavior and will be an error in "
                f"future versions of TensorFlow.  Traceback:\n{''.join(traceback.format_stack())}"
            )

    def _placed_with(self, value: Tensor) -> AbstractContextManager[Any]:
        """Places the ops of writes with the first value that is written."""
        if self._colocate_with is None:
            return nullcontext()
        if not self._colocate_with:
            self._colocate_with.append(value)
        return colocate_with(self._colocate_with[0])


register_flow_type(TensorArray, TensorArray.with_flow)
