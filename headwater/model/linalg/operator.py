"""The base class of linear operators."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import Dimension, TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import algebra, support
from headwater.model.module import Module
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.control.value_checks import assert_equal, assert_less
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.linalg.decompositions import svd
from headwater.ops.linalg.diagonal import eye, matrix_diag_part
from headwater.ops.linalg.solve import adjoint_, matrix_determinant, slogdet
from headwater.ops.math.reduce_functions import reduce_max, reduce_min, reduce_sum


@export("linalg.LinearOperator", "contrib.linalg.LinearOperator")
class LinearOperator(Module, metaclass=abc.ABCMeta):
    """A matrix, or a batch of matrices, defined by its products.

    A subclass says its shape (`_shape`, `_shape_tensor`) and how it is multiplied (`_matmul`); all
    else follows from that, and a subclass replaces what it can do faster.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: Sequence[TensorLike] | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes an operator; the hints say what is known of the matrix.

        Args:
            dtype: the type of the matrix.
            graph_parents: the tensors that define the matrix.
            is_non_singular: whether it has an inverse.
            is_self_adjoint: whether it equals its conjugate transpose.
            is_positive_definite: whether ``x^H A x`` has a positive real part for all x but 0.
            is_square: whether it has as many rows as columns.
            name: the name of the operator.

        Raises:
            ValueError: if hints contradict each other, or a parent is not a tensor.
        """
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        parents = [] if graph_parents is None else list(graph_parents)
        for i, parent in enumerate(parents):
            if parent is None or not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {i} is {parent}; supports only Tensors.")
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._graph_parents = parents
        self._is_square_set_or_implied_by_hints = is_square
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(
        self, name: str | None = None, values: Sequence[TensorLike] | None = None
    ) -> Iterator[str]:
        parents = self._graph_parents + [v for v in values or () if isinstance(v, Tensor)]
        with name_scope(self.name + "/" + name if name else self.name, values=parents) as scope:
            yield scope

    # Properties

    @property
    def dtype(self) -> DTypeLike:
        """The type of the matrix."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self._name

    @property
    def graph_parents(self) -> list[Tensor]:
        """The tensors that define the matrix."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether there are as many rows as columns; None if that is not known.

        Raises:
            ValueError: if the hint was False and the static shape is square.
        """
        rows, columns = self.range_dimension.value, self.domain_dimension.value
        square = None if rows is None or columns is None else rows == columns
        if self._is_square_set_or_implied_by_hints is False and square:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        hint = self._is_square_set_or_implied_by_hints
        return square if hint is None else hint

    # Shapes

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    @abc.abstractmethod
    def _shape_tensor(self) -> Tensor:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The static shape [batch..., rows, columns]."""
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the tensor of the same values, if it is known."""
        with self._name_scope("tensor_rank"):
            return self.shape.ndims

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        shape = self.shape
        return Dimension(None) if shape.ndims is None else Dimension(shape.as_list()[-1])

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        shape = self.shape
        return Dimension(None) if shape.ndims is None else Dimension(shape.as_list()[-2])

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """Returns the shape, known when the graph runs, as an int32 vector."""
        with self._name_scope(name):
            shape = self.shape
            if shape.is_fully_defined():
                return support.shape_tensor(shape.as_list())
            return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Returns the shape of the batch as an int32 vector."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return support.shape_tensor(self.batch_shape.as_list(), name="batch_shape")
            return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """Returns the rank as an int32 scalar."""
        with self._name_scope(name):
            rank = self.tensor_rank
            if rank is not None:
                return convert_to_tensor(rank)
            return build.Size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """Returns the number of columns as an int32 scalar."""
        with self._name_scope(name):
            known = self.domain_dimension.value
            return self.shape_tensor()[-1] if known is None else convert_to_tensor(known)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """Returns the number of rows as an int32 scalar."""
        with self._name_scope(name):
            known = self.range_dimension.value
            return self.shape_tensor()[-2] if known is None else convert_to_tensor(known)

    # Checks of values

    def _assert_non_singular(self) -> Any:
        values = svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        limit = convert_to_tensor(
            1.0 / support.epsilon(self.dtype),
            dtype=self.dtype.real_dtype,
            name="max_nonsingular_condition_number",
        )
        return assert_less(condition, limit, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        """Returns an op that fails if the matrix has no inverse in its precision."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        return cholesky(self.to_dense()).op

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        """Returns an op that fails if the matrix is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return assert_equal(dense, adjoint_(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        """Returns an op that fails if the matrix differs from its conjugate transpose."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg: Tensor) -> None:
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}"
            )

    # Products

    @abc.abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        raise NotImplementedError("_matmul is not implemented.")

    def _adjoint_of_two(
        self, x: LinearOperator, adjoint: bool, adjoint_arg: bool
    ) -> tuple[LinearOperator, ...]:
        left = self.adjoint() if adjoint else self
        right = x.adjoint() if adjoint_arg else x
        rows, columns = right.range_dimension.value, left.domain_dimension.value
        if rows is not None and columns is not None and rows != columns:
            raise ValueError(
                "Operators are incompatible. Expected `x` to have dimension "
                f"{columns} but got {rows}."
            )
        return left, right

    def _checked(
        self, x: TensorLike, adjoint: bool, name: str, rows: int, solved: bool = False
    ) -> Tensor:
        x = convert_to_tensor(x, name=name)
        self._check_input_dtype(x)
        own = -2 if adjoint != solved else -1
        if self.shape.ndims is not None and x.get_shape().ndims is not None:
            self.shape[own].assert_is_compatible_with(x.get_shape()[rows])
        return x

    def matmul(
        self,
        x: LinearOperator | TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Multiplies the matrix with other ones.

        Args:
            x: a tensor of shape [batch..., columns, k] and of the same type, or an operator.
            adjoint: whether the conjugate transpose of this matrix is taken.
            adjoint_arg: whether the conjugate transpose of `x` is taken.
            name: the name scope.

        Returns:
            A tensor of shape [batch..., rows, k], or an operator.

        Raises:
            TypeError: if `x` is of another type.
            ValueError: if the shapes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self._adjoint_of_two(x, adjoint, adjoint_arg)
            with self._name_scope(name):
                return algebra.matmul(left, right)
        with self._name_scope(name, [x]):
            x = self._checked(x, adjoint, "x", -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), axis=[-1])

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """Multiplies the matrix with vectors [batch..., columns]."""
        with self._name_scope(name, [x]):
            return self._matvec(self._checked(x, adjoint, "x", -1), adjoint=adjoint)

    # Systems of equations

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = support.adjoint_if(adjoint_arg, rhs)
        if self._can_use_cholesky():
            return support.cholesky_solve_with_broadcast(cholesky(self.to_dense()), rhs)
        return support.matrix_solve_with_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def _check_solvable(self) -> None:
        text = "Exact solve not implemented for an operator that is expected to "
        if self.is_non_singular is False:
            raise NotImplementedError(text + "be singular.")
        if self.is_square is False:
            raise NotImplementedError(text + "not be square.")

    def solve(
        self,
        rhs: LinearOperator | TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """Solves ``A X = rhs``.

        Args:
            rhs: a tensor of shape [batch..., rows, k] and of the same type, or an operator.
            adjoint: whether the conjugate transpose of this matrix is taken.
            adjoint_arg: whether the conjugate transpose of `rhs` is taken.
            name: the name scope.

        Returns:
            A tensor of shape [batch..., columns, k], or an operator.

        Raises:
            NotImplementedError: if the matrix has no inverse.
            TypeError: if `rhs` is of another type.
            ValueError: if the shapes do not fit.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._adjoint_of_two(rhs, adjoint, adjoint_arg)
            with self._name_scope(name):
                return algebra.solve(left, right)
        with self._name_scope(name, [rhs]):
            rhs = self._checked(rhs, adjoint, "rhs", -1 if adjoint_arg else -2, solved=True)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), axis=[-1])

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """Solves ``A x = rhs`` for vectors [batch..., rows]."""
        with self._name_scope(name, [rhs]):
            rhs = self._checked(rhs, adjoint, "rhs", -1, solved=True)
            return self._solvevec(rhs, adjoint=adjoint)

    # Numbers of the matrix

    def _check_determinant(self) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

    def _determinant(self) -> Tensor:
        if self._can_use_cholesky():
            return build.Exp(self.log_abs_determinant())
        return matrix_determinant(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """Returns the determinants, shape [batch...].

        Raises:
            NotImplementedError: if the matrix is not square.
        """
        self._check_determinant()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._can_use_cholesky():
            diagonal = matrix_diag_part(cholesky(self.to_dense()))
            return 2 * reduce_sum(build.Log(diagonal), axis=[-1])
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """Returns the logarithms of the determinants' absolute values.

        Raises:
            NotImplementedError: if the matrix is not square.
        """
        self._check_determinant()
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _to_dense(self) -> Tensor:
        if self.batch_shape.is_fully_defined():
            batch: ShapeLike = self.batch_shape
        else:
            batch = self.batch_shape_tensor()
        known = self.domain_dimension.value
        count = self.domain_dimension_tensor() if known is None else known
        return self.matmul(eye(num_rows=count, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """Returns the matrix as a tensor."""
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self) -> Tensor:
        return matrix_diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """Returns the diagonal, shape [batch..., min(rows, columns)]."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """Returns the sums of the diagonal."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """Returns ``A + x`` as a tensor."""
        with self._name_scope(name, [x]):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    # Operators made of this one

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Returns the conjugate transpose."""
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return algebra.adjoint(self)

    H = property(adjoint, None, doc="The conjugate transpose.")

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the inverse.

        Raises:
            ValueError: if there is none.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._name_scope(name):
            return algebra.inverse(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Returns the lower triangular L with ``L L^H = A``.

        Raises:
            ValueError: if the matrix is not said to be positive definite and self-adjoint.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: "
                "Not a positive definite self adjoint matrix."
            )
        with self._name_scope(name):
            return algebra.cholesky(self)

    # Methods by their names in tf.contrib.linalg of release 1.0
    apply = matmul
    shape_dynamic = shape_tensor
    batch_shape_dynamic = batch_shape_tensor
    tensor_rank_dynamic = tensor_rank_tensor
    domain_dimension_dynamic = domain_dimension_tensor
    range_dimension_dynamic = range_dimension_tensor
