"""Invertible functions with the determinants of their Jacobians."""

from __future__ import annotations

import abc
import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.arguments import maybe_get_static_value
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import broadcast_static_shape, rank, shape
from headwater.ops.control.rank_checks import assert_rank
from headwater.ops.control.value_checks import assert_greater_equal
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum

# No tensor has more.
_MOST_DIMENSIONS = 254


class _Mapping:
    """The cache entry of one pair x, y: log-determinants of the inverse by event dimensions."""

    def __init__(self, x: TensorLike | None = None, y: Tensor | None = None) -> None:
        self.x = x
        self.y = y
        self.log_dets: dict[Any, Any] = {}


@export("contrib.distributions.bijectors.Bijector")
class Bijector(abc.ABC):
    """A function y = forward(x) with its inverse and log |det dx/dy|.

    A class defines `_forward`, `_inverse`, and one of `_inverse_log_det_jacobian` and
    `_forward_log_det_jacobian`. Results are remembered, so that the inverse of a forward value is
    the very tensor that it was made of.

    Args:
        graph_parents: the tensors that it was made of.
        is_constant_jacobian: whether the determinant is the same everywhere.
        validate_args: whether arguments are checked when the graph runs.
        dtype: the type of the arguments; None for any.
        forward_min_event_ndims: the number of dimensions of x that go together.
        inverse_min_event_ndims: the number of dimensions of y that go together.
        name: the name; that of the class in snake case by default.

    Raises:
        ValueError: if a graph parent is not a tensor, or the dimensions are missing or negative.
        TypeError: if a number of dimensions is not an integer.
    """

    @abc.abstractmethod
    def __init__(
        self,
        graph_parents: Sequence[TensorLike] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: DTypeLike | None = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        self._graph_parents = graph_parents or []
        for role, ndims in (
            ("forward_min_event_ndims", forward_min_event_ndims),
            ("inverse_min_event_ndims", inverse_min_event_ndims),
        ):
            _check_ndims(role, ndims)
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError(
                "Must specify at least one of `forward_min_event_ndims` and "
                "`inverse_min_event_ndims`."
            )
        if forward_min_event_ndims is None:
            forward_min_event_ndims = inverse_min_event_ndims
        if inverse_min_event_ndims is None:
            inverse_min_event_ndims = forward_min_event_ndims
        for i, parent in enumerate(self._graph_parents):
            if not hasattr(parent, "graph"):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        self._is_constant_jacobian = is_constant_jacobian
        self._constant_log_dets: dict[Any, Any] = {}
        self._validate_args = validate_args
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._forward_min_event_ndims = forward_min_event_ndims
        self._inverse_min_event_ndims = inverse_min_event_ndims
        self._by_x: dict[int, _Mapping] = {}
        self._by_y: dict[int, _Mapping] = {}
        self._name = name or _snake_case(type(self).__name__.lstrip("_"))

    @property
    def graph_parents(self) -> NestedTensors:
        """The tensors that it was made of."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> Any:
        """The number of event dimensions of x."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> Any:
        """The number of event dimensions of y."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the determinant is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        return True

    @property
    def validate_args(self) -> bool:
        """Whether arguments are checked when the graph runs."""
        return self._validate_args

    @property
    def dtype(self) -> DType | None:
        """The type of the arguments; None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    # Shapes

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        return input_shape

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        return output_shape

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        return output_shape

    def forward_event_shape_tensor(
        self, input_shape: TensorLike, name: str = "forward_event_shape_tensor"
    ) -> Tensor:
        """The shape of y for a shape of x.

        Args:
            input_shape: an int32 vector.
            name: the name scope.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name, [input_shape]):
            given = convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
            return self._forward_event_shape_tensor(given)

    def forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of y for a shape of x, as far as it is known.

        Args:
            input_shape: the shape of x.

        Returns:
            The shape.
        """
        return TensorShape(self._forward_event_shape(TensorShape(input_shape)))

    def inverse_event_shape_tensor(
        self, output_shape: TensorLike, name: str = "inverse_event_shape_tensor"
    ) -> Tensor:
        """The shape of x for a shape of y.

        Args:
            output_shape: an int32 vector.
            name: the name scope.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name, [output_shape]):
            given = convert_to_tensor(output_shape, dtype=dtypes.int32, name="output_shape")
            return self._inverse_event_shape_tensor(given)

    def inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        """The shape of x for a shape of y, as far as it is known.

        Args:
            output_shape: the shape of y.

        Returns:
            The shape.
        """
        return TensorShape(self._inverse_event_shape(TensorShape(output_shape)))

    # Values

    def _forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("forward not implemented.")

    def _call_forward(self, x: TensorLike, name: str, **kwargs: Any) -> Tensor:
        with self._name_scope(name, [x]):
            x = self._argument(x, "x")
            if not self._is_injective:
                return self._forward(x, **kwargs)
            mapping = self._mapping_of_x(x)
            if mapping.y is None:
                mapping.y = self._forward(x, **kwargs)
                self._remember(mapping)
            return mapping.y

    def forward(self, x: TensorLike, name: str = "forward") -> Tensor:
        """Computes y.

        Args:
            x: a tensor.
            name: the name scope.

        Returns:
            A tensor.

        Raises:
            TypeError: if `x` is of another type than this bijector.
        """
        return self._call_forward(x, name)

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError("inverse not implemented")

    def _call_inverse(self, y: TensorLike, name: str, **kwargs: Any) -> NestedTensors:
        with self._name_scope(name, [y]):
            y = self._argument(y, "y")
            if not self._is_injective:
                return self._inverse(y, **kwargs)
            mapping = self._mapping_of_y(y)
            if mapping.x is None:
                mapping.x = self._inverse(y, **kwargs)
                self._remember(mapping)
            return mapping.x

    def inverse(self, y: TensorLike, name: str = "inverse") -> NestedTensors:
        """Computes x.

        Args:
            y: a tensor.
            name: the name scope.

        Returns:
            A tensor.

        Raises:
            TypeError: if `y` is of another type than this bijector.
        """
        return self._call_inverse(y, name)

    # Jacobians

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _of_y(self, y: Tensor, event_ndims: TensorLike, kwargs: dict[str, Any]) -> Tensor:
        log_det = self._inverse_log_det_jacobian(y, **kwargs)
        return self._reduced(y, log_det, self.inverse_min_event_ndims, event_ndims)

    def _of_x(self, x: Tensor, event_ndims: TensorLike, kwargs: dict[str, Any]) -> Tensor:
        log_det = -self._forward_log_det_jacobian(x, **kwargs)
        return self._reduced(x, log_det, self.forward_min_event_ndims, event_ndims)

    def _call_inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: TensorLike, name: str, **kwargs: Any
    ) -> Tensor:
        with self._name_scope(name, [y]):
            y = self._argument(y, "y")
            if self.is_constant_jacobian and _key(event_ndims) in self._constant_log_dets:
                return self._constant_log_dets[_key(event_ndims)]
            checks = self._event_ndims_checks(self.inverse_min_event_ndims, event_ndims)
            with control_dependencies(checks):
                mapping = self._mapping_of_y(y)
                known = self._known(mapping, event_ndims)
                if known is not None:
                    return known
                try:
                    log_det = self._of_y(y, event_ndims, kwargs)
                except NotImplementedError as error:
                    try:
                        if mapping.x is None:
                            mapping.x = self._inverse(y, **kwargs)
                        log_det = self._of_x(mapping.x, event_ndims, kwargs)
                    except NotImplementedError:
                        raise error from None
                return self._kept(mapping, event_ndims, log_det)

    def _call_forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: TensorLike, name: str, **kwargs: Any
    ) -> Tensor:
        if not self._is_injective:
            raise NotImplementedError(
                "forward_log_det_jacobian cannot be implemented for non-injective transforms."
            )
        with self._name_scope(name, [x]):
            checks = self._event_ndims_checks(self.forward_min_event_ndims, event_ndims)
            with control_dependencies(checks):
                x = self._argument(x, "x")
                mapping = self._mapping_of_x(x)
                known = self._known(mapping, event_ndims)
                if known is not None:
                    return -known
                try:
                    log_det = self._of_x(x, event_ndims, kwargs)
                except NotImplementedError as error:
                    try:
                        if mapping.y is None:
                            mapping.y = self._forward(x, **kwargs)
                        log_det = self._of_y(mapping.y, event_ndims, kwargs)
                    except NotImplementedError:
                        raise error from None
                return -self._kept(mapping, event_ndims, log_det)

    def inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: TensorLike, name: str = "inverse_log_det_jacobian"
    ) -> Tensor:
        """log |det dx/dy|, summed over the event's dimensions.

        Args:
            y: a tensor.
            event_ndims: the number of dimensions of an event of y.
            name: the name scope.

        Returns:
            A tensor with one number per event.

        Raises:
            ValueError: if `event_ndims` is not an integer scalar, or too small.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: TensorLike, name: str = "forward_log_det_jacobian"
    ) -> Tensor:
        """log |det dy/dx|, summed over the event's dimensions.

        Args:
            x: a tensor.
            event_ndims: the number of dimensions of an event of x.
            name: the name scope.

        Returns:
            A tensor with one number per event.

        Raises:
            ValueError: if `event_ndims` is not an integer scalar, or too small.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _event_ndims_checks(self, least: int, event_ndims: TensorLike) -> list[Any]:
        given = convert_to_tensor(event_ndims, name="event_ndims")
        known = maybe_get_static_value(event_ndims)
        if not given.dtype.is_integer:
            raise ValueError(f"Expected integer dtype, got dtype {given.dtype}")
        checks = []
        if known is not None:
            if given.get_shape().ndims != 0:
                raise ValueError(f"Expected scalar event_ndims, got shape {given.get_shape()}")
            if least > known:
                raise ValueError(
                    f"event_ndims ({known}) must be larger than min_event_ndims ({least})"
                )
        elif self.validate_args:
            checks.append(assert_greater_equal(given, least))
        if given.get_shape().is_fully_defined():
            if given.get_shape().ndims != 0:
                raise ValueError(f"Expected scalar shape, got ndims {given.get_shape().ndims}")
        elif self.validate_args:
            checks.append(assert_rank(given, 0, message="Expected scalar."))
        return checks

    def _reduced(
        self, y: TensorLike, log_det: Tensor, least: int, event_ndims: TensorLike
    ) -> Tensor:
        """Sums a log-determinant over the dimensions of the event that it does not cover."""
        known = maybe_get_static_value(event_ndims)
        ndims = y.get_shape().ndims
        most = _MOST_DIMENSIONS if ndims is None else ndims
        if known is not None and known > most:
            raise ValueError(f"event_ndims ({known}) must not be larger than the rank ({most})")
        count: TensorLike = rank(y)
        sizes: TensorLike = shape(y)
        covered: Tensor = ones(sizes[count - event_ndims : count - least], log_det.dtype)
        covered = covered * log_det
        if known is None:
            axes: TensorLike = range_(-(event_ndims - least), 0)
        else:
            axes = [-i for i in range(1, int(known) - least + 1)]
        result: TensorLike = reduce_sum(covered, axis=axes)
        if known is not None and ndims is not None and log_det.get_shape().ndims == ndims:
            batch = y.get_shape()[: ndims - int(known)]
            if result.get_shape().ndims is not None:
                batch = broadcast_static_shape(result.get_shape(), batch)
            result.set_shape(batch)
        return result

    # Cache

    @contextlib.contextmanager
    def _name_scope(
        self, name: str | None = None, values: Sequence[TensorLike] | None = None
    ) -> Iterator[str]:
        with (
            name_scope(self.name),
            name_scope(name, None, [*(values or []), *self._graph_parents]) as scope,
        ):
            yield scope

    def _argument(self, value: TensorLike, name: str) -> Tensor:
        tensor = convert_to_tensor(value, name=name)
        if self.dtype is not None and tensor.dtype.base_dtype != self.dtype.base_dtype:
            raise TypeError(f"Input had dtype {self.dtype} but expected {tensor.dtype}.")
        return tensor

    def _mapping_of_x(self, x: Tensor) -> _Mapping:
        return self._by_x.get(id(x)) or _Mapping(x=x)

    def _mapping_of_y(self, y: Tensor) -> _Mapping:
        return self._by_y.get(id(y)) or _Mapping(y=y)

    def _remember(self, mapping: _Mapping) -> None:
        # A mapping keeps its tensors alive, so that their ids are not reused.
        if mapping.x is not None:
            self._by_x[id(mapping.x)] = mapping
        if mapping.y is not None:
            self._by_y[id(mapping.y)] = mapping

    def _known(self, mapping: _Mapping, event_ndims: TensorLike) -> Tensor | None:
        key = _key(event_ndims)
        if self.is_constant_jacobian and key in self._constant_log_dets:
            return self._constant_log_dets[key]
        return mapping.log_dets.get(key)

    def _kept(self, mapping: _Mapping, event_ndims: TensorLike, log_det: Tensor) -> Tensor:
        key = _key(event_ndims)
        if key is not None:
            mapping.log_dets[key] = log_det
            if self.is_constant_jacobian:
                self._constant_log_dets[key] = log_det
        self._remember(mapping)
        return log_det


def _key(event_ndims: TensorLike) -> int | None:
    known = np.asarray(maybe_get_static_value(event_ndims))
    return int(known) if known.ndim == 0 and known.dtype.kind == "i" else None


def _check_ndims(role: str, ndims: int | None) -> None:
    if ndims is None:
        return
    if not isinstance(ndims, int):
        raise TypeError(f"Expected {role} to be of type int, got {type(ndims).__name__}")
    if ndims < 0:
        raise ValueError(f"{role} must be a non-negative integer.")


def _snake_case(name: str) -> str:
    parted = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", parted).lower()


@export("contrib.distributions.bijectors.Identity")
class Identity(Bijector):
    """The bijector y = x.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Tensor) -> Tensor:
        return x

    def _inverse(self, y: Tensor) -> NestedTensors:
        return y

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return constant(0.0, dtype=x.dtype)
