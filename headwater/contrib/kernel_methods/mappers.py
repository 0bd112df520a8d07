"""Kernel mappers: functions of tensors into spaces in which a linear model is a kernel machine."""

from __future__ import annotations

import abc
import math
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.graph import Tensor, build
from headwater.ops.array.constant import constant


class InvalidShapeError(Exception):
    """A tensor whose shape a mapper does not take."""


class DenseKernelMapper(abc.ABC):
    """A map of dense vectors to dense vectors."""

    @abc.abstractmethod
    def map(self, input_tensor: Tensor) -> Tensor:
        """Maps each row of a matrix.

        Args:
            input_tensor: a tensor [batch, input_dim].

        Returns:
            A tensor [batch, output_dim].
        """

    @property
    @abc.abstractmethod
    def name(self) -> Any:
        """The name of the mapper."""

    @property
    @abc.abstractmethod
    def input_dim(self) -> int:
        """The size of a vector that is mapped."""

    @property
    @abc.abstractmethod
    def output_dim(self) -> int:
        """The size of a mapped vector."""


@export("contrib.kernel_methods.RandomFourierFeatureMapper")
class RandomFourierFeatureMapper(DenseKernelMapper):
    """Random features whose inner products approximate the Gaussian kernel.

    A vector x becomes sqrt(2 / output_dim) cos(x W + b) with normal W and uniform b.

    Args:
        input_dim: the size of a vector that is mapped.
        output_dim: the size of a mapped vector: the larger, the closer the approximation.
        stddev: the standard deviation of the Gaussian.
        seed: the seed of W and b.
        name: the name of the mapper; by default a number of its own.

    Example:
        >>> mapper = tf.contrib.kernel_methods.RandomFourierFeatureMapper(3, 100, stddev=2.0)
        >>> print(mapper.map(tf.zeros([5, 3])).get_shape())
        (5, 100)

    Source: A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines, 2007.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        stddev: float = 1.0,
        seed: int = 1,
        name: str | None = None,
    ) -> None:
        self._input_dim = input_dim
        self._output_dim = output_dim
        self._stddev = stddev
        self._seed = seed
        self._name = name

    @property
    def name(self) -> Any:
        """The name of the mapper."""
        return self._name or id(self)

    @property
    def input_dim(self) -> int:
        """The size of a vector that is mapped."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """The size of a mapped vector."""
        return self._output_dim

    def map(self, input_tensor: Tensor) -> Tensor:
        """Maps each row of a matrix.

        Args:
            input_tensor: a float32 tensor [batch, input_dim].

        Returns:
            A float32 tensor [batch, output_dim].

        Raises:
            InvalidShapeError: if the tensor is no matrix of `input_dim` columns.
        """
        known = input_tensor.get_shape()
        if len(known) != 2:
            raise InvalidShapeError(
                f"The shape of the tensor should be 2. Got {len(known)} instead."
            )
        columns = known[1].value
        if columns is not None and columns != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got {columns} "
                "instead."
            )
        source = np.random.RandomState(self._seed)
        directions = source.normal(
            scale=1.0 / self._stddev, size=[self._input_dim, self._output_dim]
        )
        phases = source.uniform(low=0.0, high=2 * np.pi, size=[self._output_dim])
        omega = constant(directions, dtype=dtypes.float32)
        bias = constant(phases, dtype=dtypes.float32)
        mapped: Tensor = build.Cos(build.Add(build.MatMul(input_tensor, omega), bias))
        return math.sqrt(2.0 / self._output_dim) * mapped
