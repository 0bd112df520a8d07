"""Distributions of single numbers whose batch is that of their parameters."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, with_dependencies
from headwater.model.distributions.distribution import Distribution
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import fill, ones
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.control.value_checks import assert_less


class ScalarDistribution(Distribution):
    """A distribution of numbers; a class names the parameters that span the batch."""

    _shape_parameters: ClassVar[tuple[str, ...]]

    def _parameter_tensors(self) -> list[Any]:
        return [getattr(self, name) for name in self._shape_parameters]

    def _batch_shape_tensor(self) -> Tensor:
        first, *others = [shape(x) for x in self._parameter_tensors()]
        if not others:
            return first
        return broadcast_dynamic_shape(first, functools.reduce(broadcast_dynamic_shape, others))

    def _batch_shape(self) -> TensorShape:
        shapes = [x.get_shape() for x in self._parameter_tensors()]
        return functools.reduce(broadcast_static_shape, shapes)

    def _event_shape_tensor(self) -> Tensor:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _filled(self, value: float, name: str | None = None) -> Tensor:
        """A number for each distribution of the batch."""
        number = np.array(value, dtype=self.dtype.as_numpy_dtype)
        return fill(self.batch_shape_tensor(), number, name=name)

    def _ones(self) -> Tensor:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


def checked_above(
    value: TensorLike, limit: float, parameters: list[tuple[Any, str]], dtype: DTypeLike
) -> Tensor:
    """A copy of `value` that fails if a parameter is not above a limit.

    Args:
        value: a statistic.
        limit: what the parameters must exceed.
        parameters: the parameters and the error texts.
        dtype: the type of the parameters.

    Returns:
        A tensor like `value`.
    """
    bound = ones([], dtype) if limit == 1 else limit
    checks = [assert_less(bound, x, message=text) for x, text in parameters]
    return with_dependencies(checks, value)
