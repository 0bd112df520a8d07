"""Learning rates that fall with a cosine."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.keras.optimizers.decays import ConfiguredDecay
from headwater.train import learning_rate_decay


@export("keras.experimental.CosineDecay")
class CosineDecay(ConfiguredDecay):
    """initial_learning_rate * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha).

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the number of steps of the decay.
        alpha: the last rate, as a part of the first one.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            alpha=alpha,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.cosine_decay(
            c["initial_learning_rate"], step, c["decay_steps"], c["alpha"], c["name"]
        )


@export("keras.experimental.CosineDecayRestarts")
class CosineDecayRestarts(ConfiguredDecay):
    """A cosine decay that starts again and again.

    Args:
        initial_learning_rate: the rate of step 0.
        first_decay_steps: the number of steps of the first decay.
        t_mul: the factor of the length of each further decay.
        m_mul: the factor of the first rate of each further decay.
        alpha: the last rate, as a part of the first one.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            first_decay_steps=first_decay_steps,
            t_mul=t_mul,
            m_mul=m_mul,
            alpha=alpha,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.cosine_decay_restarts(
            c["initial_learning_rate"],
            step,
            c["first_decay_steps"],
            c["t_mul"],
            c["m_mul"],
            c["alpha"],
            c["name"],
        )


@export("keras.experimental.LinearCosineDecay")
class LinearCosineDecay(ConfiguredDecay):
    """initial_learning_rate * ((alpha + linear) * cosine + beta), by Bello et al., 2017.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the number of steps of the decay.
        num_periods: the number of periods of the cosine.
        alpha: see the formula.
        beta: see the formula.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        num_periods: float = 0.5,
        alpha: float = 0.0,
        beta: float = 0.001,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            num_periods=num_periods,
            alpha=alpha,
            beta=beta,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.linear_cosine_decay(
            c["initial_learning_rate"],
            step,
            c["decay_steps"],
            c["num_periods"],
            c["alpha"],
            c["beta"],
            c["name"],
        )


@export("keras.experimental.NoisyLinearCosineDecay")
class NoisyLinearCosineDecay(ConfiguredDecay):
    """A LinearCosineDecay with noise on the linear part.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the number of steps of the decay.
        initial_variance: the variance of the noise at the start.
        variance_decay: how fast the variance falls.
        num_periods: the number of periods of the cosine.
        alpha: see LinearCosineDecay.
        beta: see LinearCosineDecay.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        initial_variance: float = 1.0,
        variance_decay: float = 0.55,
        num_periods: float = 0.5,
        alpha: float = 0.0,
        beta: float = 0.001,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            initial_variance=initial_variance,
            variance_decay=variance_decay,
            num_periods=num_periods,
            alpha=alpha,
            beta=beta,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.noisy_linear_cosine_decay(
            c["initial_learning_rate"],
            step,
            c["decay_steps"],
            c["initial_variance"],
            c["variance_decay"],
            c["num_periods"],
            c["alpha"],
            c["beta"],
            c["name"],
        )
