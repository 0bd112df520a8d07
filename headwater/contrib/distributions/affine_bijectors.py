"""Bijectors y = scale x + shift of vectors."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.distributions.scales import make_tril_scale
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.bijector import Bijector
from headwater.model.linalg.low_rank_update import LinearOperatorLowRankUpdate
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import shape


@export("contrib.distributions.bijectors.AffineLinearOperator")
class AffineLinearOperator(Bijector):
    """The bijector y = scale x + shift of vectors, where scale is a linear operator.

    Args:
        shift: what is added, [..., k]; None for nothing.
        scale: the operator, not singular; None for the identity.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        TypeError: if `scale` is not a LinearOperator, or its type is not that of `shift`.
        ValueError: if it is not known to be invertible.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        parents: list[Any] = []
        with name_scope(name, None, [shift]):
            self._shift: Tensor | None = (
                None if shift is None else convert_to_tensor(shift, name="shift")
            )
            dtype = None
            if self._shift is not None:
                parents.append(self._shift)
                dtype = self._shift.dtype.base_dtype
            if scale is not None:
                if not isinstance(scale, LinearOperator):
                    raise TypeError("scale is not an instance of tf.LinearOperator")
                if validate_args and not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
                if dtype is not None and scale.dtype.base_dtype != dtype:
                    raise TypeError(
                        f"shift.dtype({dtype}) does not match scale.dtype({scale.dtype})"
                    )
                dtype = scale.dtype.base_dtype
                parents += scale.graph_parents
            self._scale = scale
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=parents,
            is_constant_jacobian=True,
            dtype=dtype,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Tensor | None:
        """What is added; None for nothing."""
        return self._shift

    @property
    def scale(self) -> LinearOperator | None:
        """The operator; None for the identity."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        y = x
        if self.scale is not None:
            y = self.scale.matvec(y)
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = y if self.shift is None else y - self.shift
        return x if self.scale is None else self.scale.solvevec(x)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        # The same everywhere: one number for all vectors.
        if self.scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        return self.scale.log_abs_determinant()


@export("contrib.distributions.bijectors.Affine")
class Affine(Bijector):
    """The bijector y = scale x + shift, where scale is a sum of the given parts.

    scale = multiplier * identity + diag(scale_diag) + scale_tril
        + scale_perturb_factor diag(scale_perturb_diag) scale_perturb_factor'.

    Args:
        shift: what is added, [..., k]; None for nothing.
        scale_identity_multiplier: a multiple of the identity, [...].
        scale_diag: a diagonal, [..., k].
        scale_tril: a lower triangle, [..., k, k].
        scale_perturb_factor: a matrix, [..., k, r].
        scale_perturb_diag: a diagonal, [..., r]; ones if None.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        ValueError: if `scale_perturb_diag` is given and `scale_perturb_factor` is not.
        TypeError: if shift and scale have different types.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError(
                "When scale_perturb_diag is specified, scale_perturb_factor must be specified."
            )
        matrices = (scale_diag, scale_tril, scale_perturb_factor)
        self._only_multiplier = all(x is None for x in matrices)
        with name_scope(name, None, [shift, scale_identity_multiplier, *matrices]):
            parts = [shift, scale_identity_multiplier, *matrices, scale_perturb_diag]
            tensors = [x for x in parts if hasattr(x, "dtype")]
            dtype = convert_to_tensor(tensors[0]).dtype.base_dtype if tensors else None
            self._shift: Tensor | None = (
                None if shift is None else convert_to_tensor(shift, dtype=dtype, name="shift")
            )
            if self._only_multiplier:
                one = 1.0 if scale_identity_multiplier is None else scale_identity_multiplier
                self._scale: TensorLike = convert_to_tensor(
                    one, dtype=dtype, name="scale_identity_multiplier"
                )
            else:
                self._scale = self._operator(
                    scale_identity_multiplier,
                    scale_diag,
                    scale_tril,
                    scale_perturb_factor,
                    scale_perturb_diag,
                    validate_args,
                )
            if self._shift is not None and self._shift.dtype.base_dtype != (
                self._scale.dtype.base_dtype
            ):
                raise TypeError(
                    f"shift.dtype({self._shift.dtype}) does not match "
                    f"scale.dtype({self._scale.dtype})"
                )
            parents = [self._scale] if self._only_multiplier else self._scale.graph_parents
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=[*parents, *([] if self._shift is None else [self._shift])],
            is_constant_jacobian=True,
            dtype=self._scale.dtype.base_dtype,
            validate_args=validate_args,
            name=name,
        )

    @staticmethod
    def _operator(
        multiplier: Any,
        diag: TensorLike,
        tril: TensorLike,
        factor: TensorLike,
        perturb_diag: TensorLike,
        validate: bool,
    ) -> LinearOperator:
        hint = None
        if factor is not None:
            factor = convert_to_tensor(factor, name="scale_perturb_factor")
            hint = factor.get_shape()[-2].value
            if hint is None:
                sizes: TensorLike = shape(factor)
                hint = sizes[-2]
            if multiplier is None and diag is None and tril is None:
                multiplier = constant(1.0, factor.dtype)
        scale = make_tril_scale(
            scale_tril=tril,
            scale_diag=diag,
            scale_identity_multiplier=multiplier,
            shape_hint=hint,
            validate_args=validate,
        )
        if factor is None:
            return scale
        if perturb_diag is not None:
            perturb_diag = convert_to_tensor(perturb_diag, name="scale_perturb_diag")
        return LinearOperatorLowRankUpdate(
            scale,
            u=factor,
            diag_update=perturb_diag,
            is_diag_update_positive=perturb_diag is None,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    @property
    def shift(self) -> Tensor | None:
        """What is added; None for nothing."""
        return self._shift

    @property
    def scale(self) -> LinearOperator:
        """The operator, or the multiplier if that is all."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        if self._only_multiplier:
            y = x * self._expanded()
        else:
            y = self.scale.matvec(x)
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = y if self.shift is None else y - self.shift
        return x / self._expanded() if self._only_multiplier else self.scale.solvevec(x)

    def _expanded(self) -> Tensor:
        return self._scale[..., None] if self._scale.get_shape().ndims else self._scale

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        # The same everywhere: one number for all vectors.
        if self._only_multiplier:
            sizes: TensorLike = shape(x)
            length = build.Cast(sizes[-1], DstT=x.dtype)
            return build.Log(build.Abs(self._scale)) * length
        return self.scale.log_abs_determinant()
