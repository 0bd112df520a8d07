"""Bijectors that are made of other bijectors, or of given functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, export
from headwater.model.distributions.arguments import maybe_get_static_value
from headwater.model.distributions.bijector import Bijector
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import rank, shape, size

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


@export("contrib.distributions.bijectors.ConditionalBijector")
class ConditionalBijector(Bijector):
    """A bijector whose methods pass further keywords to the methods that a class defines."""

    def forward(self, x: TensorLike, name: str = "forward", **condition_kwargs: Any) -> Tensor:
        """Computes y; further keywords go to `_forward`."""
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: TensorLike, name: str = "inverse", **condition_kwargs: Any) -> Tensor:
        """Computes x; further keywords go to `_inverse`."""
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self,
        y: TensorLike,
        event_ndims: TensorLike,
        name: str = "inverse_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Tensor:
        """log |det dx/dy|; further keywords go to `_inverse_log_det_jacobian`."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self,
        x: TensorLike,
        event_ndims: int,
        name: str = "forward_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Tensor:
        """log |det dy/dx|; further keywords go to `_forward_log_det_jacobian`."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)


def _touched_ndims(steps: list[tuple[int, int]]) -> int:
    """The number of event dimensions of the argument of a composition.

    Args:
        steps: (dimensions that go in, dimensions that come out) of each.

    Returns:
        Their number.
    """
    total = covered = 0
    for into, out in steps:
        total += max(0, into - covered)
        # What is covered now, counted in dimensions of the result.
        covered = max(into, covered) - (into - out)
    return total


@export("contrib.distributions.bijectors.Chain")
class Chain(Bijector):
    """One bijector after the other; the last of the list is the first that is applied.

    Args:
        bijectors: the bijectors; the identity if None or empty.
        validate_args: whether arguments are checked when the graph runs.
        name: the name; by default chain_of_ and those of the bijectors.

    Raises:
        ValueError: if bijectors have different types, or one has several inverses.
    """

    def __init__(
        self,
        bijectors: Sequence[Bijector] | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self._bijectors = list(bijectors or ())
        if any(not b._is_injective for b in self._bijectors):
            raise NotImplementedError(
                "Invert is not implemented for non-injective bijector "
                f"({', '.join(b.name for b in self._bijectors if not b._is_injective)})"
            )
        types = {b.dtype for b in self._bijectors if b.dtype is not None}
        if len(types) > 1:
            raise ValueError(f"incompatible dtypes: {[b.dtype for b in self._bijectors]}")
        steps = [(b.forward_min_event_ndims, b.inverse_min_event_ndims) for b in self._bijectors]
        if name is None:
            name = "identity"
            if self._bijectors:
                name = "_of_".join(["chain", *(b.name for b in self._bijectors)])
        super().__init__(
            graph_parents=[p for b in self._bijectors for p in b.graph_parents],
            forward_min_event_ndims=_touched_ndims(steps[::-1]),
            inverse_min_event_ndims=_touched_ndims([(out, into) for into, out in steps]),
            is_constant_jacobian=all(b.is_constant_jacobian for b in self._bijectors),
            validate_args=validate_args,
            dtype=types.pop() if types else None,
            name=name,
        )

    @property
    def bijectors(self) -> list[Any]:
        """The bijectors."""
        return self._bijectors

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        for b in reversed(self.bijectors):
            input_shape = b.forward_event_shape(input_shape)
        return input_shape

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        for b in reversed(self.bijectors):
            input_shape = b.forward_event_shape_tensor(input_shape)
        return input_shape

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        for b in self.bijectors:
            output_shape = b.inverse_event_shape(output_shape)
        return output_shape

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        for b in self.bijectors:
            output_shape = b.inverse_event_shape_tensor(output_shape)
        return output_shape

    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        for b in reversed(self.bijectors):
            x = b.forward(x, **kwargs.get(b.name, {}))
        return x

    def _inverse(self, y: Tensor, **kwargs: Any) -> Tensor:
        for b in self.bijectors:
            y = b.inverse(y, **kwargs.get(b.name, {}))
        return y

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Tensor:
        total: Tensor = constant(0.0, dtype=y.dtype, name="ildj")
        ndims = self.inverse_min_event_ndims
        event = self._event_of(y, ndims)
        for b in self.bijectors:
            more = kwargs.get(b.name, {})
            total = total + b.inverse_log_det_jacobian(y, event_ndims=ndims, **more)
            event, ndims = self._after(event, b.inverse_event_shape, b.inverse_event_shape_tensor)
            y = b.inverse(y, **more)
        return total

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Tensor:
        x = constant(0.0) if x is None else x
        total: TensorLike = constant(0.0, dtype=x.dtype, name="fldj")
        ndims = self.forward_min_event_ndims
        event = self._event_of(x, ndims)
        for b in reversed(self.bijectors):
            more = kwargs.get(b.name, {})
            total = total + b.forward_log_det_jacobian(x, event_ndims=ndims, **more)
            event, ndims = self._after(event, b.forward_event_shape, b.forward_event_shape_tensor)
            x = b.forward(x, **more)
        return total

    @staticmethod
    def _event_of(x: TensorLike, ndims: int) -> TensorShape:
        """The shape of an event: a TensorShape if its rank is known, else a vector."""
        known = x.get_shape()
        if known.ndims is not None:
            return known[known.ndims - ndims :]
        sizes: TensorLike = shape(x)
        return sizes[rank(x) - ndims :]

    @staticmethod
    def _after(
        event: TensorShape, static: Callable[[Any], Any], dynamic: Callable[[Any], Any]
    ) -> Any:
        """The shape of an event after one of the bijectors, and its rank."""
        if hasattr(event, "ndims"):
            event = static(event)
            if event.ndims is not None:
                return event, event.ndims
        event = dynamic(event)
        ndims = size(event)
        known = maybe_get_static_value(ndims)
        return event, ndims if known is None else int(known)


@export("contrib.distributions.bijectors.Inline")
class Inline(Bijector):
    """A bijector of given functions.

    Args:
        forward_fn: from x to y.
        inverse_fn: from y to x.
        inverse_log_det_jacobian_fn: from y to log |det dx/dy|.
        forward_log_det_jacobian_fn: from x to log |det dy/dx|.
        forward_event_shape_fn: from the static shape of x to that of y; the same if None.
        forward_event_shape_tensor_fn: the same of shape tensors.
        inverse_event_shape_fn: from the static shape of y to that of x.
        inverse_event_shape_tensor_fn: the same of shape tensors.
        is_constant_jacobian: whether the determinant is the same everywhere.
        validate_args: whether arguments are checked when the graph runs.
        forward_min_event_ndims: the number of dimensions of x that go together.
        inverse_min_event_ndims: the number of dimensions of y that go together.
        name: the name.
    """

    def __init__(
        self,
        forward_fn: Any = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Any = None,
        forward_log_det_jacobian_fn: Any = None,
        forward_event_shape_fn: Any = None,
        forward_event_shape_tensor_fn: Any = None,
        inverse_event_shape_fn: Any = None,
        inverse_event_shape_tensor_fn: Any = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        self._forward_fn = forward_fn
        self._inverse_fn = inverse_fn
        self._inverse_log_det_jacobian_fn = inverse_log_det_jacobian_fn
        self._forward_log_det_jacobian_fn = forward_log_det_jacobian_fn
        self._forward_event_shape_fn = forward_event_shape_fn
        self._forward_event_shape_tensor_fn = forward_event_shape_tensor_fn
        self._inverse_event_shape_fn = inverse_event_shape_fn
        self._inverse_event_shape_tensor_fn = inverse_event_shape_tensor_fn

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        fn = self._forward_event_shape_fn
        return input_shape if fn is None else fn(input_shape)

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        fn = self._forward_event_shape_tensor_fn
        return input_shape if fn is None else fn(input_shape)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        fn = self._inverse_event_shape_fn
        return output_shape if fn is None else fn(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        fn = self._inverse_event_shape_tensor_fn
        return output_shape if fn is None else fn(output_shape)

    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        if not callable(self._forward_fn):
            raise NotImplementedError("forward_fn is not a callable function.")
        return self._forward_fn(x, **kwargs)

    def _inverse(self, y: Tensor, **kwargs: Any) -> Tensor:
        if not callable(self._inverse_fn):
            raise NotImplementedError("inverse_fn is not a callable function.")
        return self._inverse_fn(y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Tensor:
        if not callable(self._inverse_log_det_jacobian_fn):
            raise NotImplementedError("inverse_log_det_jacobian_fn is not a callable function.")
        return self._inverse_log_det_jacobian_fn(y, **kwargs)

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Tensor:
        if not callable(self._forward_log_det_jacobian_fn):
            raise NotImplementedError("forward_log_det_jacobian_fn is not a callable function.")
        return self._forward_log_det_jacobian_fn(x, **kwargs)
