"""One variable in several parts along an axis, and the functions that choose the parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    name_scope,
    register_tensor_conversion_function,
)

Partitioner = Callable[..., Sequence[int]]


class PartitionedVariable:
    """Several variables that are the parts of one tensor along one axis.

    Args:
        name: the name of the whole.
        shape: the shape of the whole.
        dtype: the type of the elements.
        variable_list: the parts, in any order.
        partitions: the number of parts along each axis; all but one of them are 1.

    Raises:
        TypeError: if `variable_list` or `partitions` is not a list.
        ValueError: if they do not fit.
    """

    def __init__(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike,
        variable_list: list[Any],
        partitions: list[int],
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        slices = [variable._get_save_slice_info() for variable in variable_list]
        if any(info is None for info in slices):
            names = [variable.name for variable in variable_list]
            raise ValueError(f"All variables must have a save_slice_info available: {names}")
        full_shapes = [list(info.full_shape) for info in slices]
        dims = TensorShape(shape).as_list()
        if any(full_shape != dims for full_shape in full_shapes):
            distinct = [f for i, f in enumerate(full_shapes) if f not in full_shapes[:i]]
            raise ValueError(
                f"All variables' full shapes must match shape: {dims}; but full shapes were: "
                f"{distinct}"
            )
        if len(dims) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {dims} vs. {list(partitions)}")
        self._name = name
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._variable_list = sorted(
            variable_list, key=lambda part: part._get_save_slice_info().var_offset
        )
        self._partitions = list(partitions)

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        axes = [i for i, p in enumerate(self._partitions) if p > 1]
        return axes or [0]

    def as_tensor(self) -> Tensor:
        """The whole as one tensor."""
        with name_scope(None):
            return self._concat()

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            return build.Identity(self._variable_list[0], name=self._name)
        (axis,) = self._partition_axes()
        # The constant of the axis is in the name scope of the concatenation.
        with name_scope(self._name + "/ConcatPartitions/"), name_scope("concat") as scope:
            whole = build.ConcatV2(self._variable_list, axis, name=scope)
        with name_scope(None):
            return build.Identity(whole, name=self._name)

    def _each(self, change: Callable[[Any, Tensor], Any], value: TensorLike) -> list[Any]:
        (axis,) = self._partition_axes()
        sizes = [int(v.shape[axis]) for v in self._variable_list]
        parts = [value]
        if len(sizes) > 1:
            # TensorFlow converts the sizes before it makes the split.
            node = constant_node(sizes, dtypes.int32)
            with name_scope("split") as scope:
                parts = build.SplitV(value, node, axis, num_split=len(sizes), name=scope)
        return [change(v, part) for v, part in zip(self._variable_list, parts)]

    def assign(
        self,
        value: Tensor,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Tensor]:
        """Gives all parts new values.

        Args:
            value: a tensor of the whole shape.
            use_locking: has no effect.
            name: the name of the nodes.
            read_value: whether the results are tensors.

        Returns:
            The results of the parts' assignments.
        """
        results = self._each(
            lambda v, part: v.assign(part, use_locking, name=name, read_value=read_value), value
        )
        return results if read_value else [_operation(r) for r in results]

    def assign_add(
        self,
        value: Tensor,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Tensor]:
        """Adds to all parts; see `assign`."""
        results = self._each(
            lambda v, part: v.assign_add(part, use_locking, name=name, read_value=read_value), value
        )
        return results if read_value else [_operation(r) for r in results]

    def assign_sub(
        self,
        value: Tensor,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Tensor]:
        """Subtracts from all parts; see `assign`."""
        results = self._each(
            lambda v, part: v.assign_sub(part, use_locking, name=name, read_value=read_value), value
        )
        return results if read_value else [_operation(r) for r in results]


def _operation(result: Any) -> Any:
    return result.op if isinstance(result, Tensor) else result


def _whole(
    value: TensorLike,
    dtype: DType | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{value.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _whole)


# The choice of the parts


@export("variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner that keeps each part below a size.

    Args:
        max_shard_bytes: the largest size of a part in bytes.
        axis: the axis that is cut.
        bytes_per_string_element: what a string counts.
        max_shards: the largest number of parts, or None.

    Returns:
        A function ``(shape, dtype)`` that returns the number of parts per axis.

    Raises:
        ValueError: if a number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: ShapeLike, dtype: DTypeLike) -> list[int]:
        shape = _defined(shape)
        size = _element_size(dtype, bytes_per_string_element)
        counts = [1] * len(shape)
        per_slice = max(1, math.prod(shape) // shape[axis] * size)
        slices = max(1, max_shard_bytes // per_slice)
        counts[axis] = -(-shape[axis] // slices)
        if max_shards:
            counts[axis] = min(max_shards, counts[axis])
        return counts

    return partitioner


@export("min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that makes parts of at least a size.

    Args:
        max_partitions: the largest number of parts.
        axis: the axis that is cut.
        min_slice_size: the smallest size of a part in bytes.
        bytes_per_string_element: what a string counts.

    Returns:
        A function ``(shape, dtype)`` that returns the number of parts per axis.
    """

    def partitioner(shape: ShapeLike, dtype: DTypeLike) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        shape = _defined(shape)
        total = math.prod(shape) * _element_size(dtype, bytes_per_string_element)
        counts = [1] * len(shape)
        # The last part may be smaller, as in TensorFlow.
        counts[axis] = max(1, min(shape[axis], max_partitions, -(-total // min_slice_size)))
        return counts

    return partitioner


@export("fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that makes a number of parts, at most one per element of the axis.

    Args:
        num_shards: the number of parts.
        axis: the axis that is cut.

    Returns:
        A function ``(shape, dtype)`` that returns the number of parts per axis.
    """

    def partitioner(shape: TensorShape, **unused: Any) -> list[int]:
        counts = [1] * len(shape)
        counts[axis] = min(num_shards, int(shape[axis]))
        return counts

    return partitioner


def _defined(shape: ShapeLike) -> list[int]:
    shape = TensorShape(shape)
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    return shape.as_list()


def _element_size(dtype: DTypeLike, bytes_per_string_element: int) -> int:
    dtype = as_dtype(dtype)
    return bytes_per_string_element if dtype.base_dtype is dtypes.string else dtype.size
