"""Adam, Adamax and Nadam of Keras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, group
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.ops.array.fill import zeros
from headwater.ops.array.gather import gather
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.extrema import maximum
from headwater.ops.math.powers import power, sqrt, square
from headwater.ops.math.sign import absolute


@export("keras.optimizers.Adam")
class Adam(OptimizerV2):
    """Steps scaled by moving averages of the gradient and its square (Kingma and Ba, 2014).

    Args:
        learning_rate: the learning rate, or a schedule.
        beta_1: the share of the old mean.
        beta_2: the share of the old mean square.
        epsilon: what avoids division by zero.
        amsgrad: whether the largest mean square counts (Reddi et al., 2018).
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self._set_hyper("decay", self._initial_decay)
        self.epsilon = epsilon
        self.amsgrad = amsgrad

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for slot in ("m", "v", *(["vhat"] * self.amsgrad)):
            for var in var_list:
                self.add_slot(var, slot)

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        step = cast(self.iterations + 1, dtype)
        for name in ("beta_1", "beta_2"):
            rates[name] = identity(self._get_hyper(name, dtype))
        for name in ("beta_1", "beta_2"):
            rates[f"{name}_power"] = power(rates[name], step)
        correction = sqrt(1 - rates["beta_2_power"]) / (1 - rates["beta_1_power"])
        rates["corrected_rate"] = rates["rate"] * correction
        rates["epsilon"] = convert_to_tensor(self.epsilon, dtype)
        for name in ("beta_1", "beta_2"):
            rates[f"rest_{name}"] = 1 - rates[name]
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        slots = [self.get_slot(var, slot).handle for slot in self._slot_names()]
        apply = build.ResourceApplyAdamWithAmsgrad if self.amsgrad else build.ResourceApplyAdam
        return apply(
            var.handle,
            *slots,
            rates["beta_1_power"],
            rates["beta_2_power"],
            rates["rate"],
            rates["beta_1"],
            rates["beta_2"],
            rates["epsilon"],
            grad,
        )

    def _slot_names(self) -> tuple[str, ...]:
        return ("m", "v", "vhat") if self.amsgrad else ("m", "v")

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        beta_1, beta_2 = rates["beta_1"], rates["beta_2"]
        mean = grad * rates["rest_beta_1"]
        m = self._decayed(self.get_slot(var, "m"), beta_1, indices, mean)
        mean_square = grad * grad * rates["rest_beta_2"]
        v = self._decayed(self.get_slot(var, "v"), beta_2, indices, mean_square)
        rate = rates["corrected_rate"]
        if self.amsgrad:
            largest = self.get_slot(var, "vhat")
            v = maximum(largest, v)
            v = largest.assign(v)
        update = var.assign_sub(rate * m / (sqrt(v) + rates["epsilon"]))
        return group(update, m, v)


@export("keras.optimizers.Adamax")
class Adamax(OptimizerV2):
    """Adam with the largest gradient in place of the mean square.

    Args:
        learning_rate: the learning rate, or a schedule.
        beta_1: the share of the old mean.
        beta_2: the share of the old mean square.
        epsilon: what avoids division by zero.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self._set_hyper("decay", self._initial_decay)
        self.epsilon = epsilon

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self.add_slot(var, "m")
        for var in var_list:
            self.add_slot(var, "v")

    def _rates(self, dtype: Any) -> dict[str, Any]:
        rates = super()._rates(dtype)
        step = cast(self.iterations + 1, dtype)
        for name in ("beta_1", "beta_2"):
            rates[name] = identity(self._get_hyper(name, dtype))
        rates["beta_1_power"] = power(rates["beta_1"], step)
        rates["negative_rate"] = -rates["rate"] / (1 - rates["beta_1_power"])
        rates["epsilon"] = convert_to_tensor(self.epsilon, dtype)
        rates["rest_beta_1"] = 1 - rates["beta_1"]
        rates["zero"] = zeros((), dtype)
        return rates

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        return build.ResourceApplyAdaMax(
            var.handle,
            self.get_slot(var, "m").handle,
            self.get_slot(var, "v").handle,
            rates["beta_1_power"],
            rates["rate"],
            rates["beta_1"],
            rates["beta_2"],
            rates["epsilon"],
            grad,
        )

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        beta_1 = rates["beta_1"]
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        old_m = gather(m, indices)
        new_m = beta_1 * old_m + rates["rest_beta_1"] * grad
        old_v = gather(v, indices)
        new_v = maximum(rates["beta_2"] * old_v, absolute(grad))
        m_update = build.ResourceScatterUpdate(m.handle, indices, new_m)
        v_update = build.ResourceScatterUpdate(v.handle, indices, new_v)
        step = rates["negative_rate"] * (new_m / (new_v + rates["epsilon"]))
        with control_dependencies([m_update, v_update]):
            return build.ResourceScatterAdd(var.handle, indices, step)


@export("keras.optimizers.Nadam")
class Nadam(OptimizerV2):
    """Adam with Nesterov momentum (Dozat, 2016).

    Args:
        learning_rate: the learning rate, or a schedule.
        beta_1: the share of the old mean.
        beta_2: the share of the old mean square.
        epsilon: what avoids division by zero.
        name: the name.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self._set_hyper("decay", self._initial_decay)
        self.epsilon = epsilon
        self._cache: Any = None

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        if self._cache is None:
            self._cache = self.add_weight(
                "momentum_cache", (), var_list[0].dtype.base_dtype, initializer="ones"
            )
            self._weights.append(self._cache)
        for slot in ("m", "v"):
            for var in var_list:
                self.add_slot(var, slot)

    def _rates(self, dtype: Any) -> dict[str, Any]:
        cache = identity(self._cache)
        rate = identity(self._get_hyper("learning_rate", dtype))
        beta_1 = identity(self._get_hyper("beta_1", dtype))
        beta_2 = identity(self._get_hyper("beta_2", dtype))
        step = cast(self.iterations + 1, dtype)
        next_step = cast(self.iterations + 2, dtype)
        base = cast(0.96, dtype)
        now = beta_1 * (1.0 - 0.5 * power(base, self._initial_decay * step))
        after = beta_1 * (1.0 - 0.5 * power(base, self._initial_decay * next_step))
        product = self._cache.assign(cache * now, use_locking=self._use_locking)
        product = identity(product)
        product_after = product * after
        return {
            "rate": rate,
            "negative_rate": -rate,
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "beta_1": beta_1,
            "beta_2": beta_2,
            "now": now,
            "after": after,
            "rest_beta_1": 1 - beta_1,
            "rest_beta_2": 1 - beta_2,
            "rest_now": 1.0 - now,
            "rest_product": 1.0 - product,
            "rest_product_after": 1.0 - product_after,
            "rest_beta_2_power": 1.0 - power(beta_2, step),
        }

    def _step(self, gradient: Any, m: Any, v: Any, rates: dict[str, Any]) -> Tensor:
        """The step of a corrected gradient and its moving averages."""
        mean = m / rates["rest_product_after"]
        square_mean = v / rates["rest_beta_2_power"]
        total = rates["rest_now"] * gradient + rates["after"] * mean
        return rates["rate"] * total / (sqrt(square_mean) + rates["epsilon"])

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        gradient = grad / rates["rest_product"]
        new_m = m.assign(rates["beta_1"] * m + rates["rest_beta_1"] * grad)
        new_v = v.assign(rates["beta_2"] * v + rates["rest_beta_2"] * square(grad))
        step = self._step(gradient, new_m, new_v, rates)
        return var.assign(var - step, use_locking=self._use_locking).op

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        gradient = grad / rates["rest_product"]
        mean = grad * rates["rest_beta_1"]
        m = self._decayed(self.get_slot(var, "m"), rates["beta_1"], indices, mean)
        mean_square = square(grad) * rates["rest_beta_2"]
        v = self._decayed(self.get_slot(var, "v"), rates["beta_2"], indices, mean_square)
        step = self._step(gradient, gather(m, indices), gather(v, indices), rates)
        return build.ResourceScatterAdd(var.handle, indices, -step)
