"""Arguments and scopes of the methods of TensorArrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    colocate_with,
    convert_to_tensor,
    get_default_graph,
    name_scope,
)


def check_arguments(
    handle: TensorLike | None,
    size: TensorLike | None,
    array_name: str | None,
    element_shape: ShapeLike | None,
    dynamic_size: bool | None,
    clear: bool | None,
) -> None:
    if handle is None:
        if size is None:
            raise ValueError("Size must be provided if handle is not provided")
        return
    if array_name:
        raise ValueError("Cannot construct with both handle and tensor_array_name")
    if not isinstance(handle, Tensor):
        raise TypeError("Handle must be a Tensor")
    both = "Cannot provide both a handle and {} at the same time"
    if size is not None:
        raise ValueError(both.format("size"))
    if element_shape is not None:
        raise ValueError(both.format("element_shape"))
    if dynamic_size is not None:
        raise ValueError(both.format("dynamic_size"))
    if clear is not None:
        raise ValueError(both.format("clear_after_read"))


def is_tensor(value: Any) -> bool:
    return hasattr(value, "graph")


def tensors(*values: Any) -> list[Any]:
    return [value for value in values if is_tensor(value)]


def range_to(limit: Tensor) -> Tensor:
    return build.Range(0, limit, 1, name="range")


def as_int64(lengths: TensorLike) -> Tensor:
    if isinstance(lengths, Tensor) and lengths.dtype.base_dtype is dtypes.int64:
        return lengths
    with name_scope(None, "Cast", tensors(lengths)) as scope:
        lengths = convert_to_tensor(lengths, name="x")
        if lengths.dtype.base_dtype is dtypes.int64:
            return lengths
        return build.Cast(lengths, DstT=dtypes.int64, name=scope)


@contextmanager
def without_device() -> Iterator[None]:
    """Leaves the device of new ops open: the first write places the array."""
    with get_default_graph().device(None), colocate_with(None, ignore_existing=True):
        yield
