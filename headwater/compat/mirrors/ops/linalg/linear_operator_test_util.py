"""tensorflow.python.ops.linalg.linear_operator_test_util: test cases for classes of operators."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import build
from headwater.graph.default_graph import name_scope
from headwater.graph.gradients import gradients
from headwater.graph.graph import Graph
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import matrix_diag_part, matrix_set_diag, trace
from headwater.ops.linalg.solve import adjoint_, matrix_determinant, matrix_solve, slogdet
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import complex_
from headwater.ops.math.matmul import matmul
from headwater.ops.random.normal import random_normal as normal_numbers
from headwater.ops.random.uniform import random_uniform as uniform_numbers
from headwater.testing.test_case import TestCase

_REAL = (dtypes.float32, dtypes.float64)
_ALL = (*_REAL, dtypes.complex64, dtypes.complex128)


class OperatorBuildInfo:
    """The shape of an operator under test, and what else its class needs to be made."""

    def __init__(self, shape: Any, **kwargs: Any) -> None:
        self.shape = shape
        self.__dict__.update(kwargs)


OperatorShapesInfo = OperatorBuildInfo


class CheckTapeSafeSkipOptions:
    """Names of results that `check_tape_safe` can leave out."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


class LinearOperatorDerivedClassTest(TestCase):
    """Compares an operator with a matrix of the same values.

    A subclass has `_operator_and_mat_and_feed_dict(build_info, dtype, use_placeholder)`, or in
    newer tests `operator_and_matrix(shapes_info, dtype, use_placeholder)`.
    """

    _atol: ClassVar[dict[Any, float]] = {
        dtypes.float16: 1e-3,
        dtypes.float32: 1e-6,
        dtypes.float64: 1e-12,
        dtypes.complex64: 1e-6,
        dtypes.complex128: 1e-12,
    }
    _rtol: ClassVar[dict[Any, float]] = dict(_atol)

    def assertAC(self, x: Any, y: Any) -> None:
        """Fails if two arrays differ by more than their type explains."""
        dtype = dtypes.as_dtype(np.asarray(x).dtype)
        self.assertAllClose(x, y, atol=self._atol[dtype], rtol=self._rtol[dtype])

    def assertRaisesError(self, msg: str) -> Any:
        """Expects that a run fails with a text."""
        return self.assertRaisesOpError(msg)

    # What is tested

    @property
    def _adjoint_options(self) -> list[bool]:
        return list(self.adjoint_options())

    @property
    def _adjoint_arg_options(self) -> list[bool]:
        return list(self.adjoint_arg_options())

    @property
    def _dtypes_to_test(self) -> list[Any]:
        return list(self.dtypes_to_test())

    @property
    def _use_placeholder_options(self) -> list[bool]:
        return list(self.use_placeholder_options())

    @property
    def _operator_build_infos(self) -> list[OperatorBuildInfo]:
        return list(self.operator_shapes_infos())

    @property
    def _tests_to_skip(self) -> list[str]:
        return list(self.skip_these_tests())

    @staticmethod
    def adjoint_options() -> list[bool]:
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> list[bool]:
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> list[Any]:
        return list(_ALL)

    @staticmethod
    def use_placeholder_options() -> list[bool]:
        return [False, True]

    @staticmethod
    def operator_shapes_infos() -> list[OperatorBuildInfo]:
        raise NotImplementedError("operator_shapes_infos has not been implemented.")

    @staticmethod
    def skip_these_tests() -> list[str]:
        return []

    def _operator_and_mat_and_feed_dict(self, build_info: Any, dtype: Any, use_placeholder: bool):
        operator, matrix = self.operator_and_matrix(build_info, dtype, use_placeholder)
        return operator, matrix, None

    def operator_and_matrix(
        self,
        shapes_info: Any,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> Any:
        raise NotImplementedError("Not implemented yet.")

    def _make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        return self.make_rhs(operator, adjoint, with_batch=with_batch)

    def _make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        return self.make_x(operator, adjoint, with_batch=with_batch)

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        raise NotImplementedError("make_rhs is not defined.")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        raise NotImplementedError("make_x is not defined.")

    # The tests

    def _skip_if_tests_to_skip_contains(self, test_name: str) -> None:
        if test_name in self._tests_to_skip:
            self.skipTest(f"{test_name} skipped because it was added to self._tests_to_skip.")

    def _cases(self, test_name: str, *options: Any) -> Iterator[Any]:
        """Yields (session, build info, operator, matrix, feed, further options) for each case."""
        self._skip_if_tests_to_skip_contains(test_name)
        choices = (
            self._use_placeholder_options,
            self._operator_build_infos,
            self._dtypes_to_test,
            *options,
        )
        for use_placeholder, info, dtype, *others in itertools.product(*choices):
            with self.session(graph=Graph()) as session:
                session.graph.seed = 123
                operator, matrix, feed = self._operator_and_mat_and_feed_dict(
                    info, dtype, use_placeholder=use_placeholder
                )
                yield session, info, use_placeholder, operator, matrix, feed, others

    def _compare(
        self, test_name: str, result_of: Any, expected_of: Any, name_of_shape: str | None = None
    ) -> None:
        for session, _, use_placeholder, operator, matrix, feed, _ in self._cases(test_name):
            result, expected = result_of(operator), expected_of(matrix)
            if not use_placeholder and name_of_shape is not None:
                self.assertAllEqual(result.get_shape(), expected.get_shape())
            self.assertAC(*session.run([result, expected], feed_dict=feed))

    def test_to_dense(self) -> None:
        for session, info, use_placeholder, operator, matrix, feed, _ in self._cases("to_dense"):
            dense = operator.to_dense()
            if not use_placeholder:
                self.assertAllEqual(info.shape, dense.get_shape())
            self.assertAC(*session.run([dense, matrix], feed_dict=feed))

    def test_det(self) -> None:
        self._compare("det", lambda op: op.determinant(), matrix_determinant, "shape")

    def test_log_abs_det(self) -> None:
        def expected(matrix: TensorLike) -> Any:
            return slogdet(matrix)[1]

        for session, _, _, operator, matrix, feed, _ in self._cases("log_abs_det"):
            found, wanted = session.run(
                [operator.log_abs_determinant(), expected(matrix)], feed_dict=feed
            )
            self.assertAC(found, np.asarray(wanted).astype(np.asarray(found).dtype))

    def test_trace(self) -> None:
        self._compare("trace", lambda op: op.trace(), trace, "shape")

    def test_diag_part(self) -> None:
        self._compare("diag_part", lambda op: op.diag_part(), matrix_diag_part, "shape")

    def test_add_to_tensor(self) -> None:
        self._compare(
            "add_to_tensor",
            lambda op: op.add_to_tensor(2 * op.to_dense()),
            lambda matrix: 3 * matrix,
        )

    def _test_product(self, test_name: str, with_batch: bool) -> None:
        options = self._adjoint_options, self._adjoint_arg_options
        for session, info, use_placeholder, operator, matrix, feed, others in self._cases(
            test_name, *options
        ):
            if not with_batch and len(info.shape) <= 2:
                continue
            adjoint, adjoint_arg = others
            x = self._make_x(operator, adjoint=adjoint, with_batch=with_batch)
            given = adjoint_(x) if adjoint_arg else x
            result = operator.matmul(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
            expected = matmul(matrix, x, adjoint_a=adjoint)
            if not use_placeholder:
                self.assertAllEqual(result.get_shape(), expected.get_shape())
            self.assertAC(*session.run([result, expected], feed_dict=feed))

    def test_matmul(self) -> None:
        self._test_product("matmul", with_batch=True)

    def test_matmul_with_broadcast(self) -> None:
        self._test_product("matmul_with_broadcast", with_batch=False)

    def _test_solution(self, test_name: str, with_batch: bool) -> None:
        options = self._adjoint_options, self._adjoint_arg_options
        for session, info, use_placeholder, operator, matrix, feed, others in self._cases(
            test_name, *options
        ):
            if not with_batch and len(info.shape) <= 2:
                continue
            adjoint, adjoint_arg = others
            rhs = self._make_rhs(operator, adjoint=adjoint, with_batch=with_batch)
            given = adjoint_(rhs) if adjoint_arg else rhs
            result = operator.solve(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
            if not with_batch:
                rhs = rhs + zeros_like(matrix[..., :1])
            expected = matrix_solve(matrix, rhs, adjoint=adjoint)
            if not use_placeholder:
                self.assertAllEqual(result.get_shape(), expected.get_shape())
            self.assertAC(*session.run([result, expected], feed_dict=feed))

    def test_solve(self) -> None:
        self._test_solution("solve", with_batch=True)

    def test_solve_with_broadcast(self) -> None:
        self._test_solution("solve_with_broadcast", with_batch=False)

    def check_tape_safe(self, operator: Any, skip_options: Any = None) -> None:
        """Checks that results depend on the tensors that define an operator."""
        for name in ("determinant", "diag_part", "log_abs_determinant", "trace", "to_dense"):
            if name not in (skip_options or ()):
                found = gradients(getattr(operator, name)(), operator.graph_parents)
                self.assertTrue(any(g is not None for g in found))


class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """The tests for operators with as many rows as columns."""

    @staticmethod
    def operator_shapes_infos() -> list[OperatorBuildInfo]:
        shapes = (0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4)
        return [OperatorBuildInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        return self._make_x(operator, adjoint=not adjoint, with_batch=with_batch)

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        count = self._get_num_systems(operator)
        if operator.shape.is_fully_defined():
            batch = operator.batch_shape.as_list() if with_batch else []
            size: Any = [*batch, operator.domain_dimension.value, count]
        else:
            batch = operator.batch_shape_tensor() if with_batch else constant([], dtypes.int32)
            size = concat([batch, [operator.domain_dimension_tensor(), count]], 0)
        return random_normal(size, dtype=operator.dtype)

    def _get_num_systems(self, operator: Any) -> int:
        rank = operator.tensor_rank
        return 1 if rank is None or rank % 2 else 2


class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """The tests for operators whose rows and columns differ in number."""

    @property
    def _tests_to_skip(self) -> list[str]:
        return list(self.skip_these_tests())

    @staticmethod
    def skip_these_tests() -> list[str]:
        return ["cholesky", "solve", "solve_with_broadcast", "det", "log_abs_det", "inverse"]

    @staticmethod
    def operator_shapes_infos() -> list[OperatorBuildInfo]:
        shapes = (2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4)
        return [OperatorBuildInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        raise NotImplementedError("make_rhs not implemented because we don't test solve")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        count = self._get_num_systems(operator)
        if operator.shape.is_fully_defined():
            rows = operator.range_dimension if adjoint else operator.domain_dimension
            size: Any = [*(operator.batch_shape.as_list() if with_batch else []), rows.value, count]
        else:
            batch = operator.batch_shape_tensor() if with_batch else constant([], dtypes.int32)
            if adjoint:
                rows = operator.range_dimension_tensor()
            else:
                rows = operator.domain_dimension_tensor()
            size = concat([batch, [rows, count]], 0)
        return random_normal(size, dtype=operator.dtype)

    def _get_num_systems(self, operator: Any) -> int:
        rank = operator.tensor_rank
        return 1 if rank is None or rank % 2 else 2


def add_tests(test_cls: Any) -> None:
    """Adds the tests of newer releases to a class: those that the base classes have already."""


# Random matrices


def _with_imaginary_part(function: Any) -> Any:
    def made(shape: Any, *args: Any, dtype: DTypeLike = dtypes.float32, seed: Any = None) -> Any:
        dtype = dtypes.as_dtype(dtype)
        samples = function(shape, *args, dtype=dtype.real_dtype, seed=seed)
        if not dtype.is_complex:
            return samples
        other = None if seed is None else seed + 1234
        return complex_(samples, function(shape, *args, dtype=dtype.real_dtype, seed=other))

    return made


def random_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Returns normal numbers, complex ones with normal parts."""
    with name_scope("random_normal"):
        return _with_imaginary_part(normal_numbers)(shape, mean, stddev, dtype=dtype, seed=seed)


def random_uniform(
    shape: Any,
    minval: float | None = None,
    maxval: float | None = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Returns uniform numbers, complex ones with uniform parts."""
    low = 0 if minval is None else minval
    with name_scope("random_uniform"):
        return _with_imaginary_part(uniform_numbers)(shape, low, maxval, dtype=dtype, seed=seed)


def random_sign_uniform(
    shape: TensorLike,
    minval: float | None = None,
    maxval: float | None = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Returns uniform numbers with random signs."""
    with name_scope("random_sign_uniform"):
        numbers = random_uniform(shape, minval, maxval, dtype=dtype, seed=seed)
        other = None if seed is None else seed + 12
        signs = build.Sign(uniform_numbers(shape, minval=-1.0, maxval=1.0, seed=other))
        return numbers * cast(signs, numbers.dtype)


def random_normal_correlated_columns(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = dtypes.float32,
    eps: float = 1e-4,
    seed: int | None = None,
) -> Any:
    """Returns matrices with nearly equal columns: one normal column and a little noise."""
    sizes = list(shape)
    noise = eps * random_normal(sizes, 0.0, stddev, dtype=dtype, seed=seed)
    column = random_normal([*sizes[:-1], 1], mean, stddev, dtype=dtype, seed=seed)
    return column + noise


def random_tril_matrix(
    shape: Any, dtype: DTypeLike, force_well_conditioned: bool = False, remove_upper: bool = True
) -> Any:
    """Returns lower triangular matrices, on demand with a diagonal away from zero."""
    with name_scope("random_tril_matrix"):
        tril = random_normal(shape, dtype=dtype)
        if remove_upper:
            tril = matrix_band_part(tril, -1, 0)
        if not force_well_conditioned:
            return tril
        scale = build.Sqrt(cast(shape_of(tril)[-1], dtypes.float32))
        diag = random_sign_uniform(shape[:-1], dtype=dtype, minval=1.0, maxval=2.0)
        return matrix_set_diag(tril / cast(scale, dtype), diag)


def random_positive_definite_matrix(
    shape: Any, dtype: DTypeLike, force_well_conditioned: bool = False
) -> Any:
    """Returns positive definite matrices, the squares of lower triangular ones."""
    dtype = dtypes.as_dtype(dtype)
    with name_scope("random_positive_definite_matrix"):
        root = random_tril_matrix(shape, dtype, force_well_conditioned=force_well_conditioned)
        return matmul(root, root, adjoint_b=True)
