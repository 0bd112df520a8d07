"""TensorArrays whose elements are in a list, a variant tensor: those that datasets yield."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    name_scope,
)
from headwater.ops.control.tensor_array_arguments import as_int64, tensors
from headwater.ops.control.tensor_array_class import TensorArray


class TensorListArray(TensorArray):
    """A TensorArray without a handle; its flow is the list of its elements.

    Args:
        dtype: the type of the elements.
        flow: the list, a scalar variant tensor.
        element_shape: the cell, shared between objects for one array, with the shape of the
            elements.
        dynamic_size: whether writes past the end grow the array.
        infer_shape: whether all elements must have one shape.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        flow: Tensor,
        element_shape: list[TensorShape],
        dynamic_size: bool | None = False,
        infer_shape: bool | None = True,
    ) -> None:
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = bool(infer_shape)
        self._element_shape = element_shape
        self._colocate_with_first_write_call = False
        self._colocate_with = None
        self._flow = flow

    @property
    def handle(self) -> Any:
        """None: there is only the flow."""
        return None

    def with_flow(self, flow: Tensor) -> TensorListArray:
        """The array after further writes.

        Args:
            flow: the new list.
        """
        return TensorListArray(
            self._dtype, flow, self._element_shape, self._dynamic_size, self._infer_shape
        )

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """Not supported: gradients go through the list.

        Args:
            source: unused.
            flow: unused.
            name: unused.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """As `TensorArray.read`."""
        with name_scope(name, "TensorArrayV2Read", tensors(self._flow, index)):
            value = build.TensorListGetItem(
                self._flow, index, self._shape(), element_dtype=self._dtype, name=name
            )
        value.set_shape(self.element_shape)
        return value

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """As `TensorArray.write`."""
        with name_scope(name, "TensorArrayV2Write", tensors(self._flow, index, value)):
            value = self._checked(value)
            self._learn_shape(value.shape)
            flow = self._flow
            if self._dynamic_size:
                flow = _long_enough(flow, index)
            return self.with_flow(build.TensorListSetItem(flow, index, value, name=name))

    def stack(self, name: str | None = None) -> Tensor:
        """As `TensorArray.stack`."""
        with name_scope(name, "TensorArrayV2Stack", [self._flow]):
            return build.TensorListStack(self._flow, self._shape(), element_dtype=self._dtype)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """As `TensorArray.gather`."""
        return build.TensorListGather(
            self._flow, indices, self._shape(), element_dtype=self._dtype, name=name
        )

    def concat(self, name: str | None = None) -> Tensor:
        """As `TensorArray.concat`."""
        shape = self.element_shape
        rest = None if shape.dims is None else [None, *shape.as_list()[1:]]
        no_lengths = np.zeros(0, np.int64)
        value, _ = build.TensorListConcatV2(
            self._flow, _as_vector(rest), no_lengths, element_dtype=self._dtype, name=name
        )
        return value

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """As `TensorArray.unstack`."""
        with name_scope(name, "TensorArrayUnstack", tensors(self._flow, value)):
            value = self._checked(value)
            self._learn_shape(value.shape[1:])
            flow = build.TensorListFromTensor(value, _as_vector(_sizes(value.shape[1:])))
            return self.with_flow(flow)

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """As `TensorArray.scatter`."""
        with name_scope(name, "TensorArrayScatter", tensors(self._flow, value, indices)):
            value = self._checked(value)
            self._learn_shape(value.shape[1:])
            flow = build.TensorListScatterIntoExistingList(self._flow, value, indices, name=name)
            return self.with_flow(flow)

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """As `TensorArray.split`."""
        with name_scope(name, "TensorArraySplit", tensors(self._flow, value, lengths)):
            value = self._checked(value)
            lengths = as_int64(lengths)
            known = constant_value(lengths)
            if known is not None and known.size and known.max() == known.min():
                self._learn_shape(TensorShape([int(known[0])]).concatenate(value.shape[1:]))
            flow = build.TensorListSplit(value, self._shape(), lengths, name=name)
            return self.with_flow(flow)

    def size(self, name: str | None = None) -> Tensor:
        """As `TensorArray.size`."""
        return build.TensorListLength(self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        """Makes an op without effect: the list is freed with the tensor.

        Args:
            name: the name of the op.
        """
        return build.NoOp(name=name)

    def _checked(self, value: TensorLike) -> Tensor:
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        self._check_dtype(value)
        return value

    def _shape(self) -> np.ndarray:
        return _as_vector(_sizes(self.element_shape))


def list_of(array: TensorArray) -> Tensor:
    """The elements of a TensorArray as a list, a scalar variant tensor."""
    if isinstance(array, TensorListArray):
        return array.flow
    with name_scope("convert_tensor_array"):
        shape = _as_vector(_sizes(array.element_shape))
        return build.TensorListFromTensor(array.stack(), shape)


def _long_enough(values: Tensor, index: TensorLike) -> Tensor:
    """A list with room for an element at `index`."""
    length = build.TensorListLength(values)
    return build.TensorListResize(values, build.Maximum(length, build.Add(index, 1)))


def _sizes(shape: TensorShape) -> list[int | None] | None:
    return None if shape.dims is None else shape.as_list()


def _as_vector(sizes: list[int | None] | None) -> np.ndarray:
    """Sizes as list ops take them: -1 for an unknown size, a scalar -1 for an unknown rank."""
    if sizes is None:
        return np.array(-1, np.int32)
    return np.array([-1 if size is None else size for size in sizes], np.int32)
