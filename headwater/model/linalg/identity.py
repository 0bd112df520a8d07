"""Linear operators of the identity, its multiples, and of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.rank_checks import assert_rank
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_non_negative,
    assert_positive,
)
from headwater.ops.linalg.diagonal import matrix_diag_part, matrix_set_diag
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import conj, imag, real
from headwater.ops.math.powers import power
from headwater.ops.math.sign import absolute


def _checked_number(value: TensorLike, name: str, checked: bool) -> tuple[Tensor, int | None]:
    """A number of rows as a tensor and, if it is known, as an int."""
    tensor = support.shape_tensor(value, name=name)
    known = constant_value(tensor)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    if known is not None and np.ndim(known) != 0:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {known}")
    if known is not None and known < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {known}")
    if known is None and checked:
        checks = [
            assert_rank(tensor, 0, message=f"Argument {name} must be a 0-D Tensor."),
            assert_non_negative(tensor, message=f"Argument {name} must be non-negative."),
        ]
        with control_dependencies(checks):
            tensor = build.Identity(tensor)
    return tensor, None if known is None else int(known)


def _checked_batch(value: TensorLike, checked: bool) -> tuple[Tensor | None, np.ndarray | None]:
    """The shape of a batch as a tensor and, if it is known, as an array."""
    if value is None:
        return None, None
    tensor = support.shape_tensor(value, name="batch_shape_arg")
    known = constant_value(tensor)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {tensor}")
    if known is not None and np.ndim(known) != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {known}")
    if known is not None and (known < 0).any():
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{known}")
    if known is None and checked:
        checks = [
            assert_rank(tensor, 1, message="Argument batch_shape must be a 1-D Tensor."),
            assert_non_negative(tensor, message="Argument batch_shape must be non-negative."),
        ]
        with control_dependencies(checks):
            tensor = build.Identity(tensor)
    return tensor, known


def _static_batch(tensor: Tensor | None, known: np.ndarray | None) -> TensorShape:
    if tensor is None:
        return TensorShape([])
    if known is not None:
        return TensorShape(known.tolist())
    return TensorShape(None)


def _wider_zeros(operator: LinearOperator, x: Tensor) -> Tensor | None:
    """Zeros that give `x` the batch dimensions of an operator by addition; None if it has them."""
    own, other = operator.batch_shape, x.get_shape()[:-2]
    if own.is_fully_defined() and other.is_fully_defined():
        if len(own.as_list()) <= len(other.as_list()) and all(
            a == b for a, b in zip(reversed(own.as_list()), reversed(other.as_list()))
        ):
            return None
        return zeros([*own.as_list(), 1, 1], dtype=x.dtype)
    return zeros(concat((operator.batch_shape_tensor(), [1, 1]), 0), dtype=x.dtype)


class BaseLinearOperatorIdentity(LinearOperator):
    """The base of the identity and its multiples."""

    _num_rows: Tensor
    _num_rows_static: int | None
    _assert_proper_shapes: bool

    def _min_matrix_dim(self) -> int | None:
        columns, rows = self.domain_dimension.value, self.range_dimension.value
        return None if columns is None or rows is None else min(columns, rows)

    def _min_matrix_dim_tensor(self) -> Tensor:
        return build.Min(self.shape_tensor()[-2:], 0)

    def _ones_diag(self) -> Tensor:
        if self.shape.is_fully_defined():
            sizes: Array = [*self.batch_shape.as_list(), self._min_matrix_dim()]
        else:
            sizes = concat([self.batch_shape_tensor(), [self._min_matrix_dim_tensor()]], axis=0)
        return ones(sizes, dtype=self.dtype)

    def _check(self, x: Tensor) -> Tensor:
        if not self._assert_proper_shapes:
            return x
        with control_dependencies([support.assert_compatible_matrix_dimensions(self, x)]):
            return build.Identity(x)


@export("linalg.LinearOperatorIdentity", "contrib.linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """The operator of identity matrices."""

    def __init__(
        self,
        num_rows: TensorLike,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        """Makes the operator.

        Args:
            num_rows: the number of rows, an int or an integer scalar.
            batch_shape: the shape of the batch, a vector; None means no batch.
            dtype: the type of the matrix; None is float32.
            is_non_singular: True.
            is_self_adjoint: True.
            is_positive_definite: True.
            is_square: True.
            assert_proper_shapes: whether shapes are checked when the graph runs.
            name: the name of the operator.

        Raises:
            TypeError: if a number is not an integer.
            ValueError: if a hint is not True, or a number is not possible.
        """
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            for value, what in (
                (is_self_adjoint, "self adjoint"),
                (is_non_singular, "non-singular"),
                (is_positive_definite, "positive-definite"),
                (is_square, "square"),
            ):
                if not value:
                    raise ValueError(f"An identity operator is always {what}.")
            super().__init__(
                dtype=dtype or dtypes.float32,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._num_rows, self._num_rows_static = _checked_number(
                num_rows, "num_rows", assert_proper_shapes
            )
            self._batch_shape_arg, self._batch_shape_static = _checked_batch(
                batch_shape, assert_proper_shapes
            )

    def _shape(self) -> TensorShape:
        n = self._num_rows_static
        return _static_batch(self._batch_shape_arg, self._batch_shape_static).concatenate([n, n])

    def _shape_tensor(self) -> Tensor:
        matrix = build.Pack([self._num_rows, self._num_rows], axis=0)
        if self._batch_shape_arg is None:
            return matrix
        return concat((self._batch_shape_arg, matrix), 0)

    def _assert_non_singular(self) -> Tensor:
        return build.NoOp(name="assert_non_singular")

    def _assert_positive_definite(self) -> Tensor:
        return build.NoOp(name="assert_positive_definite")

    def _assert_self_adjoint(self) -> Tensor:
        return build.NoOp(name="assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = self._check(support.adjoint_if(adjoint_arg, x))
        if self._batch_shape_arg is None:
            return x
        more = _wider_zeros(self, x)
        return x if more is None else x + more

    def _determinant(self) -> Tensor:
        return ones(self._batch_sizes(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self._batch_sizes(), dtype=self.dtype)

    def _batch_sizes(self) -> Any:
        known = self.batch_shape
        return known.as_list() if known.is_fully_defined() else self.batch_shape_tensor()

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _trace(self) -> Tensor:
        number = cast(self.domain_dimension_tensor(), self.dtype)
        return number * ones(self._batch_sizes(), dtype=self.dtype)

    def _diag_part(self) -> Tensor:
        return self._ones_diag()

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """Returns ``I + mat`` as a tensor."""
        with self._name_scope(name, [mat]):
            mat = convert_to_tensor(mat, name="mat")
            diagonal = matrix_diag_part(mat)
            return matrix_set_diag(mat, 1 + diagonal)


@export("linalg.LinearOperatorScaledIdentity", "contrib.linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """The operator of identity matrices times numbers."""

    def __init__(
        self,
        num_rows: TensorLike,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        """Makes the operator.

        Args:
            num_rows: the number of rows, an int or an integer scalar.
            multiplier: the numbers, a tensor of shape [batch...].
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator; real numbers are always self-adjoint.
            is_positive_definite: as for every operator.
            is_square: None or True.
            assert_proper_shapes: whether shapes are checked when the graph runs.
            name: the name of the operator.

        Raises:
            TypeError: if the number of rows is not an integer.
            ValueError: if a hint is wrong, or the number of rows is not possible.
        """
        self._assert_proper_shapes = assert_proper_shapes
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        with name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = convert_to_tensor(multiplier, name="multiplier")
            if not self._multiplier.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            super().__init__(
                dtype=self._multiplier.dtype.base_dtype,
                graph_parents=[self._multiplier],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._num_rows, self._num_rows_static = _checked_number(
                num_rows, "num_rows", assert_proper_shapes
            )
            self._num_rows_cast_to_dtype = cast(self._num_rows, self.dtype)

    @property
    def multiplier(self) -> Tensor:
        """The numbers."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        n = self._num_rows_static
        return self._multiplier.get_shape().concatenate([n, n])

    def _shape_tensor(self) -> Tensor:
        matrix = build.Pack([self._num_rows, self._num_rows], axis=0)
        return concat((shape_of(self._multiplier), matrix), 0)

    def _assert_non_singular(self) -> Any:
        return assert_positive(absolute(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            real(self._multiplier), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        parts = imag(self._multiplier)
        return assert_equal(
            build.ZerosLike(parts), parts, message="LinearOperator was not self-adjoint"
        )

    def _make_multiplier_matrix(self, conjugate: bool = False) -> Tensor:
        matrix = expand_dims(expand_dims(self._multiplier, -1), -1)
        return conj(matrix) if conjugate else matrix

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = self._check(support.adjoint_if(adjoint_arg, x))
        return x * self._make_multiplier_matrix(conjugate=adjoint)

    def _determinant(self) -> Tensor:
        return power(self._multiplier, self._num_rows_cast_to_dtype)

    def _log_abs_determinant(self) -> Tensor:
        rows = cast(self._num_rows, self.dtype.real_dtype)
        return rows * build.Log(absolute(self._multiplier))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = self._check(support.adjoint_if(adjoint_arg, rhs))
        return rhs / self._make_multiplier_matrix(conjugate=adjoint)

    def _trace(self) -> Tensor:
        return self._multiplier * self._num_rows_cast_to_dtype

    def _diag_part(self) -> Tensor:
        return self._ones_diag() * expand_dims(self._multiplier, -1)

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """Returns ``A + mat`` as a tensor."""
        with self._name_scope(name, [mat]):
            mat = convert_to_tensor(mat, name="mat")
            diagonal = matrix_diag_part(mat)
            return matrix_set_diag(mat, diagonal + expand_dims(self._multiplier, -1))


@export("linalg.LinearOperatorZeros")
class LinearOperatorZeros(BaseLinearOperatorIdentity):
    """The operator of matrices of zeros."""

    def __init__(
        self,
        num_rows: TensorLike,
        num_columns: TensorLike | None = None,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        """Makes the operator.

        Args:
            num_rows: the number of rows, an int or an integer scalar.
            num_columns: the number of columns; None is as many as rows.
            batch_shape: the shape of the batch, a vector; None means no batch.
            dtype: the type of the matrix; None is float32.
            is_non_singular: False.
            is_self_adjoint: True, if the matrix is square.
            is_positive_definite: False.
            is_square: whether there are as many rows as columns.
            assert_proper_shapes: whether shapes are checked when the graph runs.
            name: the name of the operator.

        Raises:
            TypeError: if a number is not an integer.
            ValueError: if a hint is wrong, or a number is not possible.
        """
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            if not is_self_adjoint and is_square:
                raise ValueError("A zero operator is always self adjoint.")
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            super().__init__(
                dtype=dtype or dtypes.float32,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint and is_square,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._num_rows, self._num_rows_static = _checked_number(
                num_rows, "num_rows", assert_proper_shapes
            )
            self._num_columns, self._num_columns_static = self._num_rows, self._num_rows_static
            if num_columns is not None:
                self._num_columns, self._num_columns_static = _checked_number(
                    num_columns, "num_columns", assert_proper_shapes
                )
            self._batch_shape_arg, self._batch_shape_static = _checked_batch(
                batch_shape, assert_proper_shapes
            )
            rows, columns = self._num_rows_static, self._num_columns_static
            if is_square and rows != columns and rows is not None and columns is not None:
                raise ValueError(
                    f"LinearOperatorZeros initialized as is_square=True, but got num_rows({rows}) "
                    f"!= num_columns({columns})"
                )

    def _shape(self) -> TensorShape:
        batch = _static_batch(self._batch_shape_arg, self._batch_shape_static)
        return batch.concatenate([self._num_rows_static, self._num_columns_static])

    def _shape_tensor(self) -> Tensor:
        matrix = build.Pack([self._num_rows, self._num_columns], axis=0)
        if self._batch_shape_arg is None:
            return matrix
        return concat((self._batch_shape_arg, matrix), 0)

    def _assert_non_singular(self) -> Tensor:
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Tensor:
        raise errors.InvalidArgumentError(
            None, None, "Zero operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Tensor:
        return build.NoOp(name="assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = self._check(support.adjoint_if(adjoint_arg, x))
        rows = self.domain_dimension if adjoint else self.range_dimension
        batch = x.get_shape()[:-2]
        if rows.value is not None and x.get_shape().is_fully_defined():
            result = zeros([*batch.as_list(), rows.value, x.get_shape().as_list()[-1]], self.dtype)
        else:
            count = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
            sizes = shape_of(x)
            result = zeros(concat([sizes[:-2], [count], sizes[-1:]], axis=0), self.dtype)
        if self._batch_shape_arg is None:
            return result
        more = _wider_zeros(self, result)
        return result if more is None else result + more

    def _zeros_of_batch(self, more: Any = ()) -> Tensor:
        known = self.batch_shape
        if known.is_fully_defined() and all(isinstance(n, int) for n in more):
            return zeros([*known.as_list(), *more], dtype=self.dtype)
        sizes = self.batch_shape_tensor()
        return zeros(concat([sizes, list(more)], axis=0) if more else sizes, dtype=self.dtype)

    def _determinant(self) -> Tensor:
        return self._zeros_of_batch()

    def _trace(self) -> Tensor:
        return self._zeros_of_batch()

    def _diag_part(self) -> Tensor:
        known = self._min_matrix_dim()
        return self._zeros_of_batch([self._min_matrix_dim_tensor() if known is None else known])

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """Returns `mat`, with the batch dimensions of the operator."""
        with self._name_scope(name, [mat]):
            mat = convert_to_tensor(mat, name="mat")
            more = None if self._batch_shape_arg is None else _wider_zeros(self, mat)
            return mat if more is None else mat + more
