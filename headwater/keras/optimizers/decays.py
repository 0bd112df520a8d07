"""Learning rates as functions of the step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import LazyExport, export
from headwater.base.namespace import all_exports_below
from headwater.base.typing import TensorLike
from headwater.graph import convert_to_tensor
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.ops.math.cast import cast
from headwater.train import learning_rate_decay


@export("keras.optimizers.schedules.LearningRateSchedule")
class LearningRateSchedule:
    """The base of schedules: functions from a step to a learning rate."""

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step, a scalar tensor."""
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """Makes a schedule of what `get_config` has returned."""
        return cls(**config)


class ConfiguredDecay(LearningRateSchedule):
    """A schedule by one of the functions of tf.train."""

    def __init__(self, **config: Any) -> None:
        self._config = config

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return dict(self._config)


@export("keras.optimizers.schedules.ExponentialDecay")
class ExponentialDecay(ConfiguredDecay):
    """initial_learning_rate * decay_rate ** (step / decay_steps).

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the steps for one factor.
        decay_rate: the factor.
        staircase: whether the exponent is rounded down.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            decay_rate=decay_rate,
            staircase=staircase,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.exponential_decay(
            c["initial_learning_rate"],
            step,
            c["decay_steps"],
            c["decay_rate"],
            staircase=c["staircase"],
            name=c["name"],
        )


@export("keras.optimizers.schedules.InverseTimeDecay")
class InverseTimeDecay(ConfiguredDecay):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the steps for one unit.
        decay_rate: the rate of the decay.
        staircase: whether step / decay_steps is rounded down.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            decay_rate=decay_rate,
            staircase=staircase,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.inverse_time_decay(
            c["initial_learning_rate"],
            step,
            c["decay_steps"],
            c["decay_rate"],
            staircase=c["staircase"],
            name=c["name"],
        )


@export("keras.optimizers.schedules.PiecewiseConstantDecay")
class PiecewiseConstantDecay(ConfiguredDecay):
    """A value per interval of steps.

    Args:
        boundaries: the last steps of the intervals.
        values: the rates, one more than boundaries.
        name: the name scope.

    Raises:
        ValueError: if there is not one value more than boundaries.
    """

    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        super().__init__(boundaries=boundaries, values=values, name=name)

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        step = convert_to_tensor(step)
        boundaries = [cast(boundary, step.dtype.base_dtype) for boundary in c["boundaries"]]
        return learning_rate_decay.piecewise_constant(step, boundaries, c["values"], name=c["name"])


@export("keras.optimizers.schedules.PolynomialDecay")
class PolynomialDecay(ConfiguredDecay):
    """A polynomial from the initial rate to the end rate.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the number of steps.
        end_learning_rate: the last rate.
        power: the power of the polynomial.
        cycle: whether it starts again after the steps.
        name: the name scope.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            end_learning_rate=end_learning_rate,
            power=power,
            cycle=cycle,
            name=name,
        )

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate of a step."""
        c = self._config
        return learning_rate_decay.polynomial_decay(
            c["initial_learning_rate"],
            step,
            c["decay_steps"],
            end_learning_rate=c["end_learning_rate"],
            power=c["power"],
            cycle=c["cycle"],
            name=c["name"],
        )


@export("keras.optimizers.schedules.serialize")
def serialize(learning_rate_schedule: Any) -> Any:
    """The configuration of a schedule.

    Args:
        learning_rate_schedule: a schedule.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(learning_rate_schedule)


@export("keras.optimizers.schedules.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a schedule of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}.
        custom_objects: {name: class} of the program.

    Returns:
        A schedule.

    Raises:
        ValueError: if the name is unknown.
    """
    known = {
        name: value.resolve() if isinstance(value, LazyExport) else value
        for name, value in all_exports_below("keras.optimizers.schedules").items()
    }
    return deserialize_keras_object(config, known, custom_objects, printable_module_name="decay")
