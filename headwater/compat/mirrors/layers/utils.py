"""tensorflow.python.layers.utils."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base import nest
from headwater.graph import Tensor
from headwater.model.layers.windows import checked_format as normalize_data_format
from headwater.model.layers.windows import checked_padding as normalize_padding
from headwater.model.layers.windows import numbers, short_format
from headwater.model.smart_cond import known_value as constant_value
from headwater.model.smart_cond import smart_cond

__all__ = [
    "constant_value",
    "conv_input_length",
    "conv_output_length",
    "convert_data_format",
    "deconv_output_length",
    "get_reachable_from_inputs",
    "normalize_data_format",
    "normalize_padding",
    "normalize_tuple",
    "object_list_uid",
    "smart_cond",
    "static_shape",
]


def convert_data_format(data_format: str, ndim: int) -> str:
    """Returns the layout of ops: "NHWC" for "channels_last" and four dimensions, and so on.

    Raises:
      ValueError: if there is none.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if ndim not in (3, 4, 5):
        raise ValueError(f"Input rank not supported: {ndim}")
    return short_format(data_format, ndim - 2)


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """Returns one integer for each of `n` axes, of an integer for all or a list.

    Raises:
      ValueError: if there are more or fewer of them, or other values.
    """
    return numbers(value, n, name)


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """Returns the number of windows along an axis; None if the length is unknown."""
    if input_length is None:
        return None
    if padding not in ("same", "valid", "full"):
        raise AssertionError(padding)
    reach = (filter_size - 1) * dilation
    length = input_length + {"same": 0, "valid": -reach, "full": reach}[padding]
    return (length + stride - 1) // stride


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """Returns the length of an axis that has so many windows; None if that is unknown."""
    if output_length is None:
        return None
    if padding not in ("same", "valid", "full"):
        raise AssertionError(padding)
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length: Any, filter_size: int, padding: str, stride: int) -> Any:
    """Returns the length that a transposed convolution gives; None if the length is unknown."""
    if input_length is None:
        return None
    length = input_length * stride
    if padding == "valid":
        return length + max(filter_size - stride, 0)
    return length - (stride + filter_size - 2) if padding == "full" else length


def static_shape(x: Tensor) -> tuple[int | None, ...] | None:
    """Returns the sizes of a tensor as far as they are known; None if its rank is unknown."""
    shape = x.get_shape()
    return None if shape.ndims is None else tuple(shape.as_list())


def object_list_uid(object_list: Any) -> str:
    """Returns a text that no other list of objects has."""
    return ", ".join(str(abs(id(each))) for each in nest.flatten(object_list))


def get_reachable_from_inputs(inputs: Iterable[Any], targets: Any = None) -> set[Any]:
    """Returns tensors and what is computed from them.

    Args:
      inputs: tensors and variables.
      targets: tensors; the search ends when all are found.
    """
    reached = set(inputs)
    wanted = set(nest.flatten(targets)) if targets is not None else None
    waiting = list(reached)
    while waiting:
        source = waiting.pop(0)
        if isinstance(source, Tensor):
            found = [tensor for op in source.consumers() for tensor in op.outputs]
        else:
            found = list(source.op.outputs)
        new = [tensor for tensor in found if tensor not in reached]
        reached.update(new)
        waiting.extend(new)
        if wanted is not None and wanted <= reached:
            break
    return reached
