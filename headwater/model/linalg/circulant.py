"""Linear operators of circulant matrices, which Fourier transforms make diagonal."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import broadcast_static_shape
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.value_checks import assert_less, assert_positive
from headwater.ops.linalg.compositions import transposed
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import conj, imag, real
from headwater.ops.math.reduce_functions import reduce_max, reduce_mean, reduce_prod, reduce_sum
from headwater.ops.math.sign import absolute

_COMPLEX = {
    dtypes.float16: dtypes.complex64,
    dtypes.float32: dtypes.complex64,
    dtypes.float64: dtypes.complex128,
}


def _to_complex(x: TensorLike) -> Tensor:
    """A tensor as complex numbers of the nearest type."""
    x = convert_to_tensor(x)
    wanted = _COMPLEX.get(x.dtype.base_dtype)
    return x if wanted is None else cast(x, wanted)


class _BaseLinearOperatorCirculant(LinearOperator):
    """The base of circulant operators of every block depth."""

    def __init__(
        self,
        spectrum: TensorLike,
        block_depth: int,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        if block_depth not in (1, 2, 3):
            raise ValueError(f"Expected block_depth to be in (1, 2, 3).  Found: {block_depth}.")
        self._block_depth = block_depth
        with name_scope(name, values=[spectrum]):
            self._spectrum = convert_to_tensor(spectrum, name="spectrum")
            support.check_least_rank(self._spectrum, "spectrum", block_depth)
            if not self._spectrum.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError(
                        "A real spectrum always corresponds to a self-adjoint operator."
                    )
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("A [[nested] block] circulant operator is always square.")
            super().__init__(
                dtype=dtypes.as_dtype(input_output_dtype),
                graph_parents=[self._spectrum],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    @property
    def spectrum(self) -> Tensor:
        """The Fourier transform of the first column."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How deep blocks are nested: 1, 2 or 3."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """The lengths of the axes of a block."""
        return self.spectrum.get_shape()[-self.block_depth :]

    def block_shape_tensor(self) -> Tensor:
        """Returns the lengths of the axes of a block as an int32 vector."""
        if self.block_shape.is_fully_defined():
            return support.shape_tensor(self.block_shape.as_list(), name="block_shape")
        return shape_of(self.spectrum)[-self.block_depth :]

    @property
    def _axes(self) -> list[int]:
        return list(range(-self.block_depth, 0))

    def _shape(self) -> TensorShape:
        shape = self._spectrum.get_shape()
        if shape.ndims is None:
            return shape
        size = shape[-self.block_depth :].num_elements()
        return shape[: -self.block_depth].concatenate([size, size])

    def _shape_tensor(self) -> Tensor:
        shape = shape_of(self.spectrum)
        size = reduce_prod(shape[-self.block_depth :])
        return concat((shape[: -self.block_depth], [size, size]), 0)

    def _transform(self, name: str, x: Tensor) -> Tensor:
        suffix = "" if self.block_depth == 1 else f"{self.block_depth}D"
        return getattr(build, f"{name}{suffix}")(_to_complex(x))

    def _fft(self, x: Tensor) -> Tensor:
        return self._transform("FFT", x)

    def _ifft(self, x: Tensor) -> Tensor:
        return self._transform("IFFT", x)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """Returns the first column, in the shape of a block."""
        with self._name_scope(name):
            return cast(self._ifft(self.spectrum), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Operation:
        """Returns an op that fails if the matrix is not real."""
        with self._name_scope(name):
            kernel = self._ifft(self.spectrum)
            precision = support.epsilon(kernel.dtype.real_dtype)
            limit = (
                5
                * precision
                * cast(reduce_prod(self.block_shape_tensor()), kernel.dtype.real_dtype)
            )
            return assert_less(
                absolute(imag(kernel)),
                limit * reduce_max(absolute(self.spectrum)),
                message="Spectrum was not Hermitian",
            )

    def _assert_non_singular(self) -> Any:
        return support.assert_no_entries_with_modulus_zero(
            self.spectrum, message="Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            real(self.spectrum),
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> Any:
        return support.assert_zero_imag_part(
            self.spectrum,
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )

    def _filtered(self, x: Tensor, adjoint: bool, adjoint_arg: bool, divided: bool) -> Tensor:
        """Multiplies or divides the Fourier transforms of columns by the spectrum."""
        x = transposed(support.adjoint_if(adjoint_arg, _to_complex(x)))
        given = x.get_shape()
        sizes = concat([shape_of(x)[:-1], self.block_shape_tensor()], axis=0)
        spectrum = _to_complex(conj(self.spectrum) if adjoint else self.spectrum)
        spectrum = expand_dims(spectrum, -(self.block_depth + 1))
        waves = self._fft(reshape(x, sizes))
        waves = waves / spectrum if divided else waves * spectrum
        blocks = self._ifft(waves)
        leading = shape_of(blocks)[: -self.block_depth]
        flat = reshape(blocks, concat([leading, [self.domain_dimension_tensor()]], axis=0))
        own = self.shape
        if given.ndims is not None and own.ndims is not None:
            batch = broadcast_static_shape(own[:-2], given[:-2])
            flat.set_shape(batch.concatenate([given.as_list()[-2], own.as_list()[-1]]))
        return cast(transposed(flat), self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(x, adjoint, adjoint_arg, divided=False)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(rhs, adjoint, adjoint_arg, divided=True)

    def _determinant(self) -> Tensor:
        return cast(reduce_prod(self.spectrum, axis=self._axes), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        logs = build.Log(absolute(self.spectrum))
        return cast(reduce_sum(logs, axis=self._axes), self.dtype)

    def _diag_part(self) -> Tensor:
        known = self.domain_dimension.value
        count = self.domain_dimension_tensor() if known is None else known
        mean = reduce_mean(self.spectrum, axis=self._axes, keepdims=False)
        return cast(expand_dims(mean, -1) * ones([count], self.spectrum.dtype), self.dtype)

    def _trace(self) -> Tensor:
        return cast(reduce_sum(self.spectrum, axis=self._axes), self.dtype)


@export("linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(_BaseLinearOperatorCirculant):
    """The operator of circulant matrices, given by their eigenvalues."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        """Makes the operator.

        Args:
            spectrum: a tensor of shape [batch..., n1].
            input_output_dtype: the type of the matrix and of what it is multiplied with.
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator; True if the spectrum is real.
            is_positive_definite: as for every operator.
            is_square: True.
            name: the name of the operator.

        Raises:
            ValueError: if a hint is wrong or the rank is too small.
        """
        super().__init__(
            spectrum,
            1,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )


@export("linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(_BaseLinearOperatorCirculant):
    """The operator of block circulant matrices, given by their eigenvalues."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        """Makes the operator.

        Args:
            spectrum: a tensor of shape [batch..., n1, n2].
            input_output_dtype: the type of the matrix and of what it is multiplied with.
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator; True if the spectrum is real.
            is_positive_definite: as for every operator.
            is_square: True.
            name: the name of the operator.

        Raises:
            ValueError: if a hint is wrong or the rank is too small.
        """
        super().__init__(
            spectrum,
            2,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )


@export("linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(_BaseLinearOperatorCirculant):
    """The operator of nested block circulant matrices, given by their eigenvalues."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        """Makes the operator.

        Args:
            spectrum: a tensor of shape [batch..., n1, n2, n3].
            input_output_dtype: the type of the matrix and of what it is multiplied with.
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator; True if the spectrum is real.
            is_positive_definite: as for every operator.
            is_square: True.
            name: the name of the operator.

        Raises:
            ValueError: if a hint is wrong or the rank is too small.
        """
        super().__init__(
            spectrum,
            3,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )
