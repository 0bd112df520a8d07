"""Linear operators that scale vectors, from the arguments of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, name_scope
from headwater.model.linalg import registrations  # noqa: F401 - solves of compositions need it
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.model.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headwater.model.linalg.lower_triangular import LinearOperatorLowerTriangular
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import expand_dims
from headwater.ops.control.value_checks import assert_none_equal
from headwater.ops.control.value_checks import assert_positive as check_positive
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import matrix_diag_part, matrix_set_diag

if TYPE_CHECKING:
    from headwater.model.linalg.operator import LinearOperator


def _tensor(value: TensorLike, name: str, dtype: DTypeLike) -> Any:
    return None if value is None else convert_to_tensor(value, name=name, dtype=dtype)


def _checked(x: TensorLike, diagonal: TensorLike, validate_args: bool, positive: bool) -> Tensor:
    """`x`, whose diagonal is not 0, or positive."""
    if not validate_args:
        return x
    if positive:
        check = check_positive(diagonal, message="diagonal part must be positive")
    else:
        check = assert_none_equal(
            diagonal, constant(0, diagonal.dtype), message="diagonal part must be non-zero"
        )
    with control_dependencies([check]):
        return build.Identity(x)


def make_diag_scale(
    loc: TensorLike | None = None,
    scale_diag: TensorLike | None = None,
    scale_identity_multiplier: TensorLike | None = None,
    shape_hint: int | None = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
    dtype: DTypeLike | None = None,
) -> Any:
    """A diagonal operator.

    Args:
        loc: a tensor [..., k] that tells the length of vectors.
        scale_diag: the diagonal, [..., k].
        scale_identity_multiplier: what is added to it, [...]; alone a multiple of the identity.
        shape_hint: the length of vectors.
        validate_args: whether the diagonal is checked when the graph runs.
        assert_positive: whether it must be positive, and not only different from 0.
        name: the name scope.
        dtype: the type of the elements.

    Returns:
        A LinearOperator; None if nothing tells the length.

    Raises:
        ValueError: if nothing tells the length of a multiple of the identity.
    """
    with name_scope(name, "make_diag_scale", [loc, scale_diag, scale_identity_multiplier]):
        loc = _tensor(loc, "loc", dtype)
        diagonal: Tensor | None = _tensor(scale_diag, "scale_diag", dtype)
        multiplier: Tensor | None = _tensor(
            scale_identity_multiplier, "scale_identity_multiplier", dtype
        )
        if diagonal is not None:
            if multiplier is not None:
                diagonal = diagonal + expand_dims(multiplier, -1)
            return LinearOperatorDiag(
                diag=_checked(diagonal, diagonal, validate_args, assert_positive),
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=assert_positive,
            )
        if loc is None and shape_hint is None:
            raise ValueError(
                "Cannot infer `event_shape` unless `loc` or `shape_hint` is specified."
            )
        rows = shape_hint
        if rows is None:
            rows = loc.get_shape()[-1].value
            if rows is None:
                sizes: TensorLike = build.Shape(loc)
                rows = sizes[-1]
        if multiplier is None:
            return LinearOperatorIdentity(
                num_rows=rows,
                dtype=loc.dtype.base_dtype if dtype is None and loc is not None else dtype,
                is_self_adjoint=True,
                is_positive_definite=True,
                assert_proper_shapes=validate_args,
            )
        return LinearOperatorScaledIdentity(
            num_rows=rows,
            multiplier=_checked(multiplier, multiplier, validate_args, assert_positive),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=assert_positive,
            assert_proper_shapes=validate_args,
        )


def make_tril_scale(
    loc: TensorLike | None = None,
    scale_tril: TensorLike | None = None,
    scale_diag: TensorLike | None = None,
    scale_identity_multiplier: TensorLike | None = None,
    shape_hint: int | None = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> LinearOperator:
    """A lower triangular operator, or a diagonal one if no triangle is given.

    Args:
        loc: a tensor [..., k] that tells the length of vectors.
        scale_tril: the triangle, [..., k, k].
        scale_diag: what is added to its diagonal, [..., k].
        scale_identity_multiplier: what is added to all of its diagonal, [...].
        shape_hint: the length of vectors.
        validate_args: whether the diagonal is checked when the graph runs.
        assert_positive: whether it must be positive, and not only different from 0.
        name: the name scope.

    Returns:
        A LinearOperator.
    """
    values = [loc, scale_diag, scale_identity_multiplier]
    with name_scope(name, "make_tril_scale", values):
        if scale_tril is None:
            return make_diag_scale(
                loc=loc,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                shape_hint=shape_hint,
                validate_args=validate_args,
                assert_positive=assert_positive,
            )
        triangle: Tensor = matrix_band_part(convert_to_tensor(scale_tril, name="scale_tril"), -1, 0)
        diagonal: TensorLike = matrix_diag_part(triangle)
        if scale_diag is not None or scale_identity_multiplier is not None:
            if scale_diag is not None:
                diagonal = diagonal + convert_to_tensor(scale_diag, dtype=triangle.dtype)
            if scale_identity_multiplier is not None:
                multiplier = convert_to_tensor(scale_identity_multiplier, dtype=triangle.dtype)
                diagonal = diagonal + expand_dims(multiplier, -1)
            triangle = matrix_set_diag(triangle, diagonal)
        return LinearOperatorLowerTriangular(
            _checked(triangle, diagonal, validate_args, assert_positive),
            is_non_singular=True,
            is_self_adjoint=False,
            is_positive_definite=assert_positive,
        )
