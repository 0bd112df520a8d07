"""SGD, RMSprop, Adagrad, Adadelta and FTRL of Keras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.model.variables.initializers import Constant
from headwater.ops.array.fill import zeros
from headwater.ops.array.gather import gather
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.powers import sqrt, square


@export("keras.optimizers.SGD")
class SGD(OptimizerV2):
    """Gradient descent, with momentum.

    Args:
        learning_rate: the learning rate, or a schedule.
        momentum: the share of the last step.
        nesterov: whether the gradient is taken after the momentum step.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("momentum", momentum)
        self._momentum = bool(isinstance(momentum, Tensor) or callable(momentum) or momentum > 0)
        self._set_hyper("decay", self._initial_decay)
        self.nesterov = nesterov

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "momentum": self._serialize_hyperparameter("momentum"),
            "nesterov": self.nesterov,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        if self._momentum:
            for var in var_list:
                self.add_slot(var, "momentum")

    def _rates(self, dtype: Any) -> dict[str, Any]:
        momentum = self._get_hyper("momentum", dtype)
        return {**super()._rates(dtype), "momentum": identity(momentum)}

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        if not self._momentum:
            return build.ResourceApplyGradientDescent(var.handle, rates["rate"], grad)
        return build.ResourceApplyKerasMomentum(
            var.handle,
            self.get_slot(var, "momentum").handle,
            rates["rate"],
            grad,
            rates["momentum"],
            use_nesterov=self.nesterov,
        )

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        if not self._momentum:
            return build.ResourceScatterAdd(var.handle, indices, -grad * rates["rate"])
        return build.ResourceSparseApplyKerasMomentum(
            var.handle,
            self.get_slot(var, "momentum").handle,
            rates["rate"],
            grad,
            indices,
            rates["momentum"],
            use_nesterov=self.nesterov,
        )


@export("keras.optimizers.RMSprop")
class RMSprop(OptimizerV2):
    """Gradients divided by the root of their mean square.

    Args:
        learning_rate: the learning rate, or a schedule.
        rho: the share of the old mean square.
        momentum: the share of the last step.
        epsilon: what avoids division by zero.
        centered: whether the square of the mean is subtracted.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("rho", rho)
        self._set_hyper("momentum", momentum)
        self._momentum = bool(isinstance(momentum, Tensor) or callable(momentum) or momentum > 0)
        self._set_hyper("decay", self._initial_decay)
        self.epsilon = epsilon
        self.centered = centered

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "rho": self._serialize_hyperparameter("rho"),
            "momentum": self._serialize_hyperparameter("momentum"),
            "epsilon": self.epsilon,
            "centered": self.centered,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        names = ["rms", *(["momentum"] * self._momentum), *(["mg"] * self.centered)]
        for slot in names:
            for var in var_list:
                self.add_slot(var, slot)

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        rates["rho"] = identity(self._get_hyper("rho", dtype))
        rates["negative_rate"] = -rates["rate"]
        rates["epsilon"] = convert_to_tensor(self.epsilon, dtype)
        rates["momentum"] = identity(self._get_hyper("momentum", dtype))
        rates["rest_rho"] = 1.0 - rates["rho"]
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        if self._momentum:
            means = [self.get_slot(var, "mg").handle] if self.centered else []
            slots = [self.get_slot(var, "rms").handle, self.get_slot(var, "momentum").handle]
            apply = (
                build.ResourceApplyCenteredRMSProp if self.centered else build.ResourceApplyRMSProp
            )
            numbers = [rates[name] for name in ("rate", "rho", "momentum", "epsilon")]
            return apply(var.handle, *means, *slots, *numbers, grad)
        rms = self.get_slot(var, "rms")
        rho, rest = rates["rho"], rates["rest_rho"]
        denominator: Any = rms.assign(rho * rms + rest * square(grad))
        if self.centered:
            mean = self.get_slot(var, "mg")
            mean = mean.assign(rho * mean + rest * grad)
            denominator = denominator - square(mean)
        step = rates["rate"] * grad / (sqrt(denominator) + rates["epsilon"])
        return var.assign(var - step, use_locking=self._use_locking).op

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        if self._momentum:
            means = [self.get_slot(var, "mg").handle] if self.centered else []
            slots = [self.get_slot(var, "rms").handle, self.get_slot(var, "momentum").handle]
            apply = (
                build.ResourceSparseApplyCenteredRMSProp
                if self.centered
                else build.ResourceSparseApplyRMSProp
            )
            numbers = [rates[name] for name in ("rate", "rho", "momentum", "epsilon")]
            return apply(var.handle, *means, *slots, *numbers, grad, indices)
        rho = rates["rho"]
        rms = self.get_slot(var, "rms")
        new_rms = self._decayed(rms, rho, indices, (1 - rho) * square(grad))
        denominator = gather(new_rms, indices)
        if self.centered:
            mean = self.get_slot(var, "mg")
            new_mean = gather(self._decayed(mean, rho, indices, (1 - rho) * grad), indices)
            denominator = denominator - square(new_mean)
        step = rates["rate"] * grad / (sqrt(denominator) + rates["epsilon"])
        return self._scatter_add(var, indices, -step).op


@export("keras.optimizers.Adagrad")
class Adagrad(OptimizerV2):
    """Gradients divided by the root of the sum of their squares.

    Args:
        learning_rate: the learning rate, or a schedule.
        initial_accumulator_value: the first sum of squares.
        epsilon: what avoids division by zero.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> OptimizerV2:
        """Makes an optimizer of a configuration, which may not have the first sum of squares: 0."""
        return super().from_config({"initial_accumulator_value": 0.0, **config}, custom_objects)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "initial_accumulator_value": self._initial_accumulator_value,
            "epsilon": self.epsilon,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            first = Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)
            self.add_slot(var, "accumulator", first)

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        rates["epsilon"] = convert_to_tensor(self.epsilon, dtype)
        rates["negative_rate"] = -rates["rate"]
        rates["zero"] = zeros((), dtype)
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        epsilon = rates["epsilon"]
        accumulator = self.get_slot(var, "accumulator").handle
        return build.ResourceApplyAdagradV2(var.handle, accumulator, rates["rate"], epsilon, grad)

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        epsilon = rates["epsilon"]
        accumulator = self.get_slot(var, "accumulator").handle
        return build.ResourceSparseApplyAdagradV2(
            var.handle, accumulator, rates["rate"], epsilon, grad, indices
        )


@export("keras.optimizers.Adadelta")
class Adadelta(OptimizerV2):
    """Steps in the units of the weights (Zeiler, 2012).

    Args:
        learning_rate: the learning rate, or a schedule.
        rho: the share of the old mean squares.
        epsilon: what avoids division by zero.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("rho", rho)
        self._set_hyper("decay", self._initial_decay)
        self.epsilon = epsilon

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "rho": self._serialize_hyperparameter("rho"),
            "epsilon": self.epsilon,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self.add_slot(var, "accum_grad")
        for var in var_list:
            self.add_slot(var, "accum_var")

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        rates["epsilon"] = convert_to_tensor(self.epsilon, dtype)
        rates["rho"] = identity(self._get_hyper("rho", dtype))
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        return build.ResourceApplyAdadelta(
            var.handle,
            self.get_slot(var, "accum_grad").handle,
            self.get_slot(var, "accum_var").handle,
            rates["rate"],
            rates["rho"],
            rates["epsilon"],
            grad,
        )

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        return build.ResourceSparseApplyAdadelta(
            var.handle,
            self.get_slot(var, "accum_grad").handle,
            self.get_slot(var, "accum_var").handle,
            rates["rate"],
            rates["rho"],
            rates["epsilon"],
            grad,
            indices,
        )


@export("keras.optimizers.Ftrl")
class Ftrl(OptimizerV2):
    """Follow the regularized leader (McMahan et al., 2013).

    Args:
        learning_rate: the learning rate, or a schedule.
        learning_rate_power: the power of the sum of squares, not positive.
        initial_accumulator_value: the first sum of squares.
        l1_regularization_strength: the factor of absolute values.
        l2_regularization_strength: the factor of squares.
        name: the name.
        l2_shrinkage_regularization_strength: the factor of squares in the gradient.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("learning_rate_power", learning_rate_power)
        self._set_hyper("l1_regularization_strength", l1_regularization_strength)
        self._set_hyper("l2_regularization_strength", l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._shrinkage = l2_shrinkage_regularization_strength

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "initial_accumulator_value": self._initial_accumulator_value,
            **{
                name: self._serialize_hyperparameter(name)
                for name in (
                    "learning_rate_power",
                    "l1_regularization_strength",
                    "l2_regularization_strength",
                )
            },
            "l2_shrinkage_regularization_strength": self._shrinkage,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            first = Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)
            self.add_slot(var, "accumulator", first)
            self.add_slot(var, "linear")

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        for key, name in (
            ("power", "learning_rate_power"),
            ("l1", "l1_regularization_strength"),
            ("l2", "l2_regularization_strength"),
        ):
            rates[key] = identity(self._get_hyper(name, dtype))
        rates["shrinkage"] = cast(self._shrinkage, dtype)
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("accumulator", "linear")]
        numbers = (rates["rate"], rates["l1"], rates["l2"])
        if self._shrinkage <= 0.0:
            return build.ResourceApplyFtrl(var.handle, *slots, grad, *numbers, rates["power"])
        return build.ResourceApplyFtrlV2(
            var.handle, *slots, grad, *numbers, rates["shrinkage"], rates["power"]
        )

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("accumulator", "linear")]
        numbers = (rates["rate"], rates["l1"], rates["l2"])
        if self._shrinkage <= 0.0:
            return build.ResourceSparseApplyFtrl(
                var.handle, *slots, grad, indices, *numbers, rates["power"]
            )
        return build.ResourceSparseApplyFtrlV2(
            var.handle, *slots, grad, indices, *numbers, rates["shrinkage"], rates["power"]
        )
