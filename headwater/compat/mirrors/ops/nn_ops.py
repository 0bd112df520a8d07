"""tensorflow.python.ops.nn_ops: what is not public of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.model.nn.convolution import convolution
from headwater.model.nn.dense import xw_plus_b_v1
from headwater.model.nn.dilated_windows import with_space_to_batch

__all__ = [
    "Convolution",
    "_NonAtrousConvolution",
    "_WithSpaceToBatch",
    "_get_strides_and_dilation_rate",
    "convolution_internal",
    "xw_plus_b_v1",
]

convolution_internal = convolution


def _get_strides_and_dilation_rate(
    num_spatial_dims: int, strides: Any, dilation_rate: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Strides and dilation rates as arrays, one number per spatial dimension."""
    found = []
    for name, given in (("dilation_rate", dilation_rate), ("strides", strides)):
        if given is None:
            found.append(np.ones(num_spatial_dims, np.int32))
            continue
        if len(given) != num_spatial_dims:
            raise ValueError(f"len({name})={len(given)} but should be {num_spatial_dims}")
        values = np.array(given, np.int32)
        if np.any(values < 1):
            raise ValueError(f"all values of {name} must be positive")
        found.append(values)
    rate, steps = found
    if np.any(steps > 1) and np.any(rate > 1):
        raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
    return steps, rate


class Convolution:
    """A convolution whose shapes are checked at construction, before the call.

    Args:
        input_shape: the shape of the inputs.
        filter_shape: the shape of the filters.
        padding: SAME or VALID.
        strides: the steps of the window.
        dilation_rate: the distances of the filter's elements.
        name: the name of the ops.
        data_format: the layout.

    Raises:
        ValueError: if the shapes do not fit or no rank is known.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        input_shape, filter_shape = TensorShape(input_shape), TensorShape(filter_shape)
        ndims = input_shape.ndims if filter_shape.ndims is None else filter_shape.ndims
        if ndims is None:
            raise ValueError("rank of input or filter must be known")
        count = ndims - 2
        input_shape = input_shape.with_rank(ndims)
        filter_shape = filter_shape.with_rank(ndims)
        first = data_format is not None and data_format.startswith("NC")
        channels = input_shape[1 if first else -1]
        if not channels.is_compatible_with(filter_shape[count]):
            raise ValueError(
                "number of input channels does not match corresponding dimension of filter, "
                f"{channels} != {filter_shape[count]}"
            )
        self.strides, self.dilation_rate = _get_strides_and_dilation_rate(
            count, strides, dilation_rate
        )
        self.input_shape = input_shape
        self.filter_shape = filter_shape
        self.data_format = data_format
        self.padding = padding
        self.name = name

    def __call__(self, inp: TensorLike, filter: Any) -> Any:
        """Convolves inputs with filters of the shapes that were given."""
        return convolution(
            inp,
            filter,
            self.padding,
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            name=self.name,
            data_format=self.data_format,
        )


class _NonAtrousConvolution(Convolution):
    """A convolution without dilation."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        data_format: str | None = None,
        strides: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_shape, filter_shape, padding, strides, None, name, data_format)


class _WithSpaceToBatch:
    """An operation on blocks of a dilated window; see `tf.nn.with_space_to_batch`."""

    def __init__(
        self,
        input_shape: Any,
        dilation_rate: Any,
        padding: str,
        build_op: Callable[[int, Any], Callable[[Any, Any], Any]],
        filter_shape: Any = None,
        spatial_dims: Any = None,
        data_format: str | None = None,
    ) -> None:
        self.input_shape = input_shape
        self.dilation_rate = dilation_rate
        self.padding = padding
        self.build_op = build_op
        self.filter_shape = filter_shape
        self.spatial_dims = spatial_dims
        self.data_format = data_format

    def __call__(self, inp: TensorLike, filter: Any) -> Any:
        """Applies the operation."""
        window = self.filter_shape
        if window is not None:
            known = TensorShape(window)
            window = known.as_list()[:-2] if known.is_fully_defined() else window

        def operation(x: Any, count: int, padding: Any) -> Any:
            return self.build_op(count, padding)(x, filter)

        return with_space_to_batch(
            inp,
            self.dilation_rate,
            self.padding,
            operation,
            window,
            spatial_dims=self.spatial_dims,
            data_format=self.data_format,
        )
