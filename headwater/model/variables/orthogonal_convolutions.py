"""Initializers that make convolutions preserve norms.

Source: L. Xiao et al., "Dynamical Isometry and a Mean Field Theory of CNNs", 2018, algorithms 1
and 2; "delta" filters are orthogonal matrices at the centre of the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import Tensor, build
from headwater.model.variables.initializers import Initializer, floating
from headwater.ops.array.stack import stack
from headwater.ops.linalg.diagonal import eye
from headwater.ops.random.normal import random_normal

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo

Kernel = dict[tuple[int, ...], Any]
"""A square matrix for each place of the window."""


class _ConvolutionInitializer(Initializer):
    """The base of the initializers of this file.

    Args:
        gain: a factor.
        seed: the op seed; it grows by one with every random tensor.
        dtype: the default type, a floating-point one.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.gain = gain
        self.seed = seed
        self.dtype = floating(as_dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}

    def _orthogonal(self, size: int) -> Tensor:
        """A random orthogonal matrix."""
        normal = random_normal([size, size], dtype=self.dtype, seed=self.seed)
        q, r = build.Qr(normal, full_matrices=False)
        # The sign of the diagonal makes the distribution uniform.
        return q * build.Sign(build.DiagPart(r))


@export("contrib.framework.convolutional_delta_orthogonal")
class ConvolutionDeltaOrthogonal(_ConvolutionInitializer):
    """Filters that are zero except for an orthogonal matrix at the centre."""

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See Initializer."""
        sizes = [int(size) for size in shape]
        if not 3 <= len(sizes) <= 5:
            raise ValueError(
                "The tensor to initialize must be at least three-dimensional and at most "
                "five-dimensional"
            )
        _check_filters(sizes)
        q = self._orthogonal(sizes[-1])[: sizes[-2], :] * self.gain
        centre = [(size - 1) // 2 for size in sizes[:-2]]
        return build.ScatterNd([centre], build.ExpandDims(q, 0), sizes)


class _ConvolutionOrthogonal(_ConvolutionInitializer):
    """Filters whose convolution, with periodic borders, is an orthogonal matrix."""

    _dims = 0
    _words = ""

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See Initializer."""
        sizes = [int(size) for size in shape]
        if len(sizes) != self._dims + 2:
            raise ValueError(f"The tensor to initialize must be {self._words}-dimensional")
        _check_filters(sizes)
        if len(set(sizes[:-2])) > 1:
            raise ValueError("Kernel sizes must be equal.")
        return self._filters(sizes[0], sizes[-2], sizes[-1]) * self.gain

    def _filters(self, size: int, inputs: int, outputs: int) -> Tensor:
        matrix = self._next(self._orthogonal(outputs))[:inputs, :]
        if size == 1:
            for _ in range(self._dims):
                matrix = build.ExpandDims(matrix, 0)
            return matrix
        kernel = self._block(outputs)
        for _ in range(size - 2):
            kernel = _convolved(kernel, self._block(outputs))
        places = {place: build.MatMul(matrix, value) for place, value in kernel.items()}
        return _stacked(places, size, self._dims, ())

    def _next(self, tensor: Tensor) -> Tensor:
        if self.seed:
            self.seed += 1
        return tensor

    def _projection(self, size: int) -> Tensor:
        """A random symmetric projection: p = p^T = p p."""
        q = self._next(self._orthogonal(size))
        normal = self._next(random_normal([size], seed=self.seed))
        chosen = q * build.Cast(normal > 0, DstT=self.dtype)
        return build.MatMul(chosen, build.Transpose(chosen, [1, 0]))

    def _block(self, size: int) -> Kernel:
        """A window of length 2: products of projections and of their complements."""
        projections = [self._projection(size) for _ in range(self._dims)]
        one = eye(size, dtype=self.dtype)
        choices = [(p, one - p) for p in projections]
        if self._dims == 3:  # TensorFlow's order, so that seeds give its numbers
            choices = [(rest, p) for p, rest in choices]
        kernel: Kernel = {}
        for place in product(range(2), repeat=self._dims):
            value = choices[0][place[0]]
            for pair, side in zip(choices[1:], place[1:]):
                value = build.MatMul(value, pair[side])
            kernel[place] = value
        return kernel


def _check_filters(sizes: Sequence[int]) -> None:
    if sizes[-2] > sizes[-1]:
        raise ValueError("In_filters cannot be greater than out_filters.")


def _convolved(a: Kernel, b: Kernel) -> Kernel:
    """The full convolution of two windows of matrices."""
    result: Kernel = {}
    for (at_a, x), (at_b, y) in product(a.items(), b.items()):
        place = tuple(i + j for i, j in zip(at_a, at_b))
        term = build.MatMul(x, y)
        result[place] = result[place] + term if place in result else term
    return result


def _stacked(kernel: Kernel, size: int, dims: int, place: tuple[int, ...]) -> Tensor:
    if len(place) == dims:
        return kernel[place]
    return stack([_stacked(kernel, size, dims, (*place, i)) for i in range(size)])


@export("contrib.framework.convolutional_orthogonal_1d")
class ConvolutionOrthogonal1D(_ConvolutionOrthogonal):
    """Orthogonal filters ``[w, inputs, outputs]``."""

    _dims = 1
    _words = "three"


@export("contrib.framework.convolutional_orthogonal_2d")
class ConvolutionOrthogonal2D(_ConvolutionOrthogonal):
    """Orthogonal filters ``[w, w, inputs, outputs]``."""

    _dims = 2
    _words = "four"


@export("contrib.framework.convolutional_orthogonal_3d")
class ConvolutionOrthogonal3D(_ConvolutionOrthogonal):
    """Orthogonal filters ``[w, w, w, inputs, outputs]``."""

    _dims = 3
    _words = "five"
