"""Loss scales: a fixed one, and one that follows the gradients."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.graph import Operation, Tensor, build, convert_to_tensor, group
from headwater.model.variables.variable import Variable
from headwater.ops.control.cond import cond
from headwater.ops.math.select import where


@export("contrib.mixed_precision.LossScaleManager")
class LossScaleManager(abc.ABC):
    """A factor of the loss, and how it changes."""

    @abc.abstractmethod
    def get_loss_scale(self) -> Any:
        """The scale, a float32 scalar."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads: Tensor) -> Any:
        """Adapts the scale after a step.

        Args:
            finite_grads: a bool scalar, whether all gradients of the step are finite.

        Returns:
            An op or a tensor to run.
        """


@export("contrib.mixed_precision.FixedLossScaleManager")
class FixedLossScaleManager(LossScaleManager):
    """A loss scale that never changes.

    Args:
        loss_scale: the scale, a number of at least 1.

    Raises:
        ValueError: if it is less than 1.
    """

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self) -> Tensor:
        """The scale, a float32 scalar."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Tensor) -> Operation:
        """Does nothing.

        Args:
            finite_grads: ignored.

        Returns:
            An op without effect.
        """
        return build.NoOp()


@export("contrib.mixed_precision.ExponentialUpdateLossScaleManager")
class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A loss scale that grows while gradients are finite, and shrinks when they are not.

    Args:
        init_loss_scale: the first scale.
        incr_every_n_steps: after how many steps in a row with finite gradients the scale grows.
        decr_every_n_nan_or_inf: after how many steps without, since the last change, it shrinks.
        incr_ratio: the factor by which it grows.
        decr_ratio: the factor by which it shrinks, to no less than 1.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        scale = convert_to_tensor(init_loss_scale, dtype=dtypes.float32)
        self._loss_scale = Variable(
            name="loss_scale", initial_value=scale, dtype=dtypes.float32, trainable=False
        )
        self._num_good_steps = _counter("good_steps")
        self._num_bad_steps = _counter("bad_steps")

    def get_loss_scale(self) -> Variable:
        """The scale, a float32 variable."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Tensor) -> Tensor:
        """Adapts the scale after a step.

        Args:
            finite_grads: a bool scalar, whether all gradients of the step are finite.

        Returns:
            A tensor to run.
        """
        return cond(finite_grads, self._after_good_step, self._after_bad_step)

    def _after_good_step(self) -> Any:
        steps, scale = self._num_good_steps, self._loss_scale

        def grown() -> Any:
            larger = scale * self._incr_ratio
            return self._changed(where(build.IsFinite(larger), larger, convert_to_tensor(scale)))

        return cond(
            steps + 1 >= self._incr_every_n_steps, grown, lambda: group(steps.assign_add(1))
        )

    def _after_bad_step(self) -> Any:
        steps = self._num_bad_steps

        def shrunk() -> Any:
            return self._changed(build.Maximum(1.0, self._loss_scale * self._decr_ratio))

        def counted() -> Any:
            return group(steps.assign_add(1), self._num_good_steps.assign(0))

        return cond(steps + 1 >= self._decr_every_n_nan_or_inf, shrunk, counted)

    def _changed(self, scale: Tensor) -> Any:
        return group(
            self._loss_scale.assign(scale),
            self._num_good_steps.assign(0),
            self._num_bad_steps.assign(0),
        )


def _counter(name: str) -> Variable:
    return Variable(name=name, initial_value=0, dtype=dtypes.int32, trainable=False)
