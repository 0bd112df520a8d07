"""Bijectors of vectors: ordering, permutation, reshaping, and points of a simplex."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    with_dependencies,
)
from headwater.model.distributions.arrays import pad
from headwater.model.distributions.bijector import Bijector
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape, size
from headwater.ops.array.transpose import invert_permutation
from headwater.ops.control.assertion import assert_
from headwater.ops.control.value_checks import assert_equal, assert_greater
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_prod, reduce_sum
from headwater.ops.math.scan import cumsum
from headwater.ops.nn.softmax import softmax
from headwater.ops.nn.softplus import softplus
from headwater.ops.nn.top_k import top_k


@export("contrib.distributions.bijectors.SoftmaxCentered")
class SoftmaxCentered(Bijector):
    """The bijector y = softmax(concat(x, 0)), from n numbers to a point of a simplex of n + 1.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        if input_shape.ndims is None or input_shape[-1].value is None:
            return input_shape
        return TensorShape([input_shape[-1].value + 1])

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        return build.ExpandDims(input_shape[-1] + 1, 0)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        if output_shape.ndims is None or output_shape[-1].value is None:
            return output_shape
        if output_shape[-1].value <= 1:
            raise ValueError(f"output_shape[-1] = {output_shape[-1].value} <= 1")
        return TensorShape([output_shape[-1].value - 1])

    def _inverse_event_shape_tensor(self, output_shape: TensorLike) -> Tensor:
        if self.validate_args:
            text = "Need last dimension greater than 1."
            output_shape = with_dependencies(
                [assert_greater(output_shape[-1], 1, message=text)], output_shape
            )
        return build.ExpandDims(output_shape[-1] - 1, 0)

    def _forward(self, x: TensorLike) -> Tensor:
        y = pad(x, axis=-1, back=True)
        return softmax(y)

    def _inverse(self, y: TensorLike) -> Tensor:
        # The last logarithm is minus the normalizer that softmax has subtracted from all of them.
        x: TensorLike = build.Log(y)
        log_normalization = -x[..., -1:]
        x = x[..., :-1] + log_normalization
        known = y.get_shape()
        if known.ndims is not None:
            x.set_shape(
                known[:-1].concatenate([None if known[-1].value is None else known[-1].value - 1])
            )
        return x

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        # The determinant of diag(y) - y y' is the product of all y, the last one included.
        return -reduce_sum(build.Log(y), axis=-1)

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        sizes: TensorLike = shape(x)
        n: Tensor = cast(sizes[-1], x.dtype)
        normalization: Tensor = softplus(reduce_logsumexp(x, axis=-1))
        return reduce_sum(x, axis=-1) - (n + 1.0) * normalization


@export("contrib.distributions.bijectors.Ordered")
class Ordered(Bijector):
    """The bijector from increasing vectors to all vectors: the logarithms of differences.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "ordered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        return self._shape_checked(input_shape)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        return self._shape_checked(output_shape)

    @staticmethod
    def _shape_checked(given: TensorShape) -> TensorShape:
        if given.ndims is None or given[-1].value is None:
            return given
        return TensorShape([given[-1]])

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        return input_shape[-1:]

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        return output_shape[-1:]

    def _forward(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return concat([x[..., :1], build.Log(x[..., 1:] - x[..., :-1])], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return cumsum(concat([y[..., :1], build.Exp(y[..., 1:])], -1), axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return -reduce_sum(build.Log(x[..., 1:] - x[..., :-1]), axis=-1)

    def _checked(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        text = "Forward transformation input must be strictly increasing."
        check = assert_greater(
            x[..., 1:] - x[..., :-1], convert_to_tensor(0, x.dtype), message=text
        )
        return with_dependencies([check], x)


@export("contrib.distributions.bijectors.Permute")
class Permute(Bijector):
    """The bijector that permutes the elements of vectors: y[i] = x[permutation[i]].

    Args:
        permutation: an integer vector with each of 0 ... n - 1 once.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        TypeError: if the permutation has no integers.
        ValueError: if it is known and not a permutation.
    """

    def __init__(
        self, permutation: TensorLike, validate_args: bool = False, name: str | None = None
    ) -> None:
        with name_scope(name, "permute", [permutation]):
            given: Tensor = convert_to_tensor(permutation, name="permutation")
            if not given.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({given.dtype.name}) should be `int`-like.")
            known = constant_value(given)
            text = "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
            if known is not None:
                if not np.all(np.sort(known) == np.arange(known.shape[-1])):
                    raise ValueError(text)
            elif validate_args:
                count = size(given)
                ordered, _ = top_k(-given, k=count, sorted=True)
                check = assert_equal(ordered, build.Neg(build.Range(0, count, 1)), message=text)
                given = with_dependencies([check], given)
        self._permutation = given
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    @property
    def permutation(self) -> Tensor:
        """The permutation."""
        return self._permutation

    def _forward(self, x: TensorLike) -> Tensor:
        return gather(x, self.permutation, axis=-1)

    def _inverse(self, y: TensorLike) -> Tensor:
        return gather(y, invert_permutation(self.permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return convert_to_tensor(0, dtype=y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return convert_to_tensor(0, dtype=x.dtype.base_dtype)


@export("contrib.distributions.bijectors.Reshape")
class Reshape(Bijector):
    """The bijector that reshapes events.

    Args:
        event_shape_out: the shape of y, an integer vector with at most one -1.
        event_shape_in: the shape of x; a vector of any length by default.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        TypeError: if a shape has no integers.
        ValueError: if a shape is not a vector, has two -1, or other negative elements.
    """

    def __init__(
        self,
        event_shape_out: TensorLike,
        event_shape_in: TensorLike = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "reshape", [event_shape_out, event_shape_in]):
            out: Tensor = convert_to_tensor(
                event_shape_out, name="event_shape_out", preferred_dtype=dtypes.int32
            )
            into: Tensor = convert_to_tensor(
                event_shape_in, name="event_shape_in", preferred_dtype=dtypes.int32
            )
            checks = self._checks(out, validate_args) + self._checks(into, validate_args)
            if checks:
                with control_dependencies(checks):
                    out, into = build.Identity(out), build.Identity(into)
        self._out, self._in = out, into
        super().__init__(
            forward_min_event_ndims=_length(into),
            inverse_min_event_ndims=_length(out),
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "reshape",
        )

    @staticmethod
    def _checks(given: TensorLike, validate_args: bool) -> list[Any]:
        if not given.dtype.is_integer:
            raise TypeError(f"{given.op.name} dtype ({given.dtype.name}) should be `int`-like.")
        if given.get_shape().ndims is not None and given.get_shape().ndims > 1:
            raise ValueError(f"`{given.op.name}` rank should be <= 1.")
        known = constant_value(given)
        if not validate_args:
            return []
        if known is not None:
            if np.sum(known == -1) > 1:
                raise ValueError(f"`{given.op.name}` must have at most one `-1` (given {known})")
            if np.any(known < -1):
                raise ValueError(
                    f"`{given.op.name}` elements must be either positive integers or `-1`"
                    f"(given {known})"
                )
            return []
        unknown = reduce_sum(cast(build.Equal(given, -1), dtypes.int32))
        return [
            assert_(
                build.LessEqual(unknown, 1), [f"`{given.op.name}` must have at most one `-1`."]
            ),
            assert_(
                build.All(build.Greater(given, -2), [0]),
                [f"`{given.op.name}` elements must be either positive integers or `-1`."],
            ),
        ]

    def _reshaped(self, x: TensorLike, before: TensorLike, after: Tensor) -> Tensor:
        known, old, new = x.get_shape(), constant_value(before), constant_value(after)
        result_shape = None
        if known.ndims is not None and old is not None and new is not None:
            batch = known[: known.ndims - len(old)]
            event = self._static(known[known.ndims - len(old) :], old, new)
            result_shape = batch.concatenate(event)
            if result_shape.is_fully_defined():
                return reshape(x, result_shape.as_list())
        sizes: TensorLike = shape(x)
        count = size(before) if old is None else len(old)
        whole = concat([sizes[: size(sizes) - count], after], 0)
        y = reshape(x, whole)
        if result_shape is not None:
            y.set_shape(result_shape)
        return y

    @staticmethod
    def _static(event: ShapeLike, before: np.ndarray, after: np.ndarray) -> TensorShape:
        """The static shape of an event afterwards, if it fits."""
        if event.ndims is None:
            return TensorShape([None] * len(after)) if after is not None else TensorShape(None)
        expected = TensorShape([None if n == -1 else int(n) for n in before])
        if not event.is_compatible_with(expected):
            raise ValueError(
                "Input `event_shape` does not match `event_shape_in` "
                f"({_listed(event)} vs {_listed(expected)})."
            )
        sizes = [None if n == -1 else int(n) for n in after]
        event = event.merge_with(expected)
        if None in sizes and event.is_fully_defined():
            total = int(np.prod(event.as_list()))
            rest = int(np.prod([n for n in sizes if n is not None]))
            if rest and total % rest == 0:
                sizes[sizes.index(None)] = total // rest
        return TensorShape(sizes)

    def _shape_tensor(self, given: TensorLike, before: Tensor, after: TensorLike) -> Tensor:
        known = constant_value(after)
        if known is not None and -1 not in known:
            return after
        # The length for -1 follows from the other ones.
        total = reduce_prod(given)
        rest = build.Abs(reduce_prod(after))
        return build.SelectV2(
            build.Equal(after, -1), build.FloorDiv(total, build.Maximum(rest, 1)), after
        )

    def _forward(self, x: Tensor) -> Tensor:
        return self._reshaped(x, self._in, self._out)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._reshaped(y, self._out, self._in)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return convert_to_tensor(0, dtype=y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return convert_to_tensor(0, dtype=x.dtype.base_dtype)

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        old, new = constant_value(self._in), constant_value(self._out)
        if old is None or new is None:
            return TensorShape(None)
        return self._static(input_shape, old, new)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        old, new = constant_value(self._in), constant_value(self._out)
        if old is None or new is None:
            return TensorShape(None)
        return self._static(output_shape, new, old)

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        return self._shape_tensor(input_shape, self._in, self._out)

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        return self._shape_tensor(output_shape, self._out, self._in)


def _length(vector: Tensor) -> int:
    """The static number of dimensions of a shape; 0 if unknown."""
    known = vector.get_shape()
    return 0 if not known.ndims or known[0].value is None else known[0].value


def _listed(given: TensorShape) -> str:
    return str([-1 if n is None else n for n in given.as_list()])
