"""Loss scales: a fixed one, and one that follows the gradients."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.base.typing import DTypeLike, NestedTensors
from headwater.graph import Operation, Tensor, build, convert_to_tensor, get_default_graph, group
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.model.variables.variable import Variable
from headwater.ops.control.cond import cond


@export("train.experimental.LossScale")
class LossScale(Trackable, abc.ABC):
    """A factor of the loss that keeps gradients within the range of float16."""

    def __init__(self) -> None:
        # (name, graph) -> variable
        self._weights: dict[tuple[str, Any], Variable] = {}

    @abc.abstractmethod
    def __call__(self) -> Tensor:
        """The scale, a float32 scalar."""

    @abc.abstractmethod
    def update(self, grads: NestedTensors) -> tuple[Any, Any]:
        """Adapts the scale to gradients.

        Args:
            grads: the gradients, after division by the scale.

        Returns:
            The op that adapts the scale, and whether the gradients are to be applied: a bool or a
            tensor.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a loss scale.

        Args:
            config: what `get_config` returned.
        """
        return cls(**config)

    def _add_weight(
        self, name: str, initial_value: Any, dtype: DTypeLike | None = None
    ) -> Variable:
        """Makes a variable that checkpoints have."""
        variable = Variable(
            initial_value=initial_value, name=name, dtype=dtype, trainable=False, use_resource=True
        )
        self._weights[name, get_default_graph()] = variable
        self._handle_deferred_dependencies(name=name, trackable=variable)
        return variable

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        graph = get_default_graph()
        own = [
            TrackableReference(name=name, ref=variable)
            for (name, owner), variable in sorted(
                self._weights.items(), key=lambda item: item[0][0]
            )
            if owner is graph
        ]
        return super()._checkpoint_dependencies + own

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._weights.get((name, get_default_graph())) if found is None else found


@export("train.experimental.FixedLossScale")
class FixedLossScale(LossScale):
    """A loss scale that never changes.

    Args:
        loss_scale_value: the scale, a number of at least 1.

    Raises:
        ValueError: if it is not such a number.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        """The scale, a float32 scalar."""
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: NestedTensors) -> tuple[Operation, bool]:
        """Does nothing.

        Args:
            grads: ignored.

        Returns:
            An op without effect, and True.
        """
        return build.NoOp(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"loss_scale_value": self._loss_scale_value}


@export("train.experimental.DynamicLossScale")
class DynamicLossScale(LossScale):
    """A loss scale that grows while gradients are finite, and shrinks when one is not.

    Args:
        initial_loss_scale: the first scale, at least 1.
        increment_period: after how many steps with finite gradients the scale grows.
        multiplier: the factor by which it grows and shrinks.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight(
            "current_loss_scale", self._initial_loss_scale, dtypes.float32
        )
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The first scale."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps with finite gradients the scale grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """The factor by which it grows and shrinks."""
        return self._multiplier

    def __call__(self) -> Tensor:
        """The scale, a float32 scalar."""
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: NestedTensors) -> tuple[Any, Tensor]:
        """Adapts the scale to gradients.

        Args:
            grads: the gradients, after division by the scale; None for a variable without one.

        Returns:
            The op that adapts the scale, and a tensor: whether all gradients are finite.
        """
        finite = _all_finite(nest.flatten(grads))
        scale, steps = self._current_loss_scale, self._num_good_steps

        def grown() -> Any:
            larger = scale * self._multiplier
            kept = cond(build.IsFinite(larger), lambda: scale.assign(larger).op, build.NoOp)
            return group(kept, steps.assign(0))

        def after_good_step() -> Any:
            return cond(steps + 1 >= self._increment_period, grown, lambda: steps.assign_add(1).op)

        def shrunk() -> Any:
            smaller = build.Maximum(scale / self._multiplier, 1.0)
            return group(steps.assign(0), scale.assign(smaller))

        return cond(finite, after_good_step, shrunk), finite

    def __repr__(self) -> str:
        return (
            f"DynamicLossScale(initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _all_finite(grads: list[Any]) -> Tensor:
    """Whether all gradients are finite."""
    each = [
        build.All(build.IsFinite(g), _all_axes(g), keep_dims=False)
        for g in (convert_to_tensor(g) for g in grads if g is not None)
    ]
    return build.All(build.Pack(each), [0], keep_dims=False)


def _all_axes(tensor: Tensor) -> Any:
    if tensor.shape.ndims is not None:
        return list(range(tensor.shape.ndims))
    return build.Range(0, build.Rank(tensor), 1)


def loss_scale_of(identifier: Any) -> LossScale | None:
    """The loss scale that an argument stands for.

    Args:
        identifier: a number, "dynamic", a LossScale or None.

    Raises:
        ValueError: if it is something else.
    """
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")
