"""An optimizer of Keras that scales the loss for another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import build, group
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.model.smart_cond import smart_cond
from headwater.ops.math.cast import cast
from headwater.train.mixed_precision.loss_scale import LossScale, loss_scale_of
from headwater.train.mixed_precision.loss_scale_optimizer import scaled_gradient


@export("keras.mixed_precision.experimental.LossScaleOptimizer")
class LossScaleOptimizer(OptimizerV2):
    """Scales the loss for another optimizer, and skips steps whose gradients are not finite.

    Args:
        opt: the other optimizer.
        loss_scale: a number, "dynamic" or a LossScale.

    Raises:
        ValueError: if `opt` is no optimizer of Keras, or clips gradients.
    """

    def __init__(self, opt: OptimizerV2, loss_scale: LossScale | float | str) -> None:
        if not isinstance(opt, OptimizerV2):
            raise ValueError(f'"opt" must be an instance of OptimizerV2, but got: {opt}')
        for name in ("clipnorm", "clipvalue"):
            if hasattr(opt, name):
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {name}. "
                    f"Optimizer {opt} has {name} {getattr(opt, name)}"
                )
        super().__init__(opt._name)
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("loss_scale cannot be None")
        self._optimizer = opt
        self._loss_scale = scale
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(scale, "loss_scale")

    @property
    def loss_scale(self) -> LossScale:
        """The scale."""
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies a loss by the scale.

        Args:
            loss: a tensor, or a function that returns one.

        Returns:
            A tensor, or a function.
        """
        scale = self._loss_scale()
        if not callable(loss):
            return loss * cast(scale, loss.dtype)

        def scaled() -> Any:
            value = loss()
            return value * cast(scale, value.dtype)

        return scaled

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> list[Any]:
        """Divides gradients by the scale.

        Args:
            grads: gradients of a scaled loss; None where a variable has none.

        Returns:
            A list of gradients.
        """
        factor = 1.0 / self._loss_scale()
        return [scaled_gradient(grad, factor) for grad in grads]

    def get_gradients(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The gradients of a loss, computed with the scale and divided by it.

        Args:
            loss: a scalar.
            params: variables.

        Returns:
            A list of gradients.
        """
        found = self._optimizer.get_gradients(self.get_scaled_loss(loss), params)
        return self.get_unscaled_gradients(found)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: TensorLike | None = None
    ) -> list[tuple[Any, Any]]:
        pairs = self._optimizer._compute_gradients(self.get_scaled_loss(loss), var_list, grad_loss)
        unscaled = self.get_unscaled_gradients([grad for grad, _ in pairs])
        return list(zip(unscaled, (variable for _, variable in pairs), strict=True))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Makes a training step that is skipped if a gradient is not finite.

        Args:
            grads_and_vars: pairs of a gradient and a variable.
            name: the name of the step.

        Returns:
            An operation, which also adapts the scale.
        """
        pairs = list(grads_and_vars)
        update, finite = self._loss_scale.update([grad for grad, _ in pairs])

        def applied() -> Any:
            return self._optimizer.apply_gradients(pairs, name=name)

        return group(smart_cond(finite, applied, build.NoOp), update)

    @property
    def iterations(self) -> Any:
        """The number of steps, an int64 variable."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self._optimizer.iterations = variable

    @property
    def weights(self) -> list[Any]:
        """The variables of the other optimizer."""
        return self._optimizer.weights

    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self._optimizer.variables()

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the other optimizer."""
        return self._optimizer.get_slot_names()

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """A slot of a variable of the other optimizer.

        Args:
            var: the variable.
            slot_name: the name of the slot.
        """
        return self._optimizer.get_slot(var, slot_name)

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the other optimizer."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    @property
    def lr(self) -> Any:
        """The same as `learning_rate`."""
        return self._optimizer.learning_rate

    @lr.setter
    def lr(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    def get_config(self) -> NoReturn:
        """Raises an error: TensorFlow 1.15 has no configuration of this optimizer.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("get_config() is not yet implemented for LossScaleOptimizers")
