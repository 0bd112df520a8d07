"""Constraints of weights, and finding them by name."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.elementwise import clip, sqrt
from headwater.keras.backend.settings import epsilon, floatx
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.model.functional_loops import map_fn
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import stack, unstack
from headwater.ops.math.cast import cast
from headwater.ops.math.powers import square
from headwater.ops.math.reduce_functions import reduce_sum


def _norms(w: TensorLike, axis: AxisLike) -> Tensor:
    return sqrt(reduce_sum(square(w), axis, True))


@export("keras.constraints.Constraint")
class Constraint:
    """The base of constraints: functions from a new weight to the one that is kept."""

    def __call__(self, w: TensorLike) -> TensorLike:
        """Returns the weight that is kept, here the same one."""
        return w

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {}


@export("keras.constraints.MaxNorm", "keras.constraints.max_norm")
class MaxNorm(Constraint):
    """Limits the length of weight vectors.

    Args:
        max_value: the largest length.
        axis: the axes of a vector.
    """

    def __init__(self, max_value: float = 2, axis: AxisLike = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: TensorLike) -> Tensor:
        """Returns the weight that is kept."""
        norms = _norms(w, self.axis)
        desired = clip(norms, 0, self.max_value)
        return w * (desired / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {"max_value": self.max_value, "axis": self.axis}


@export("keras.constraints.NonNeg", "keras.constraints.non_neg")
class NonNeg(Constraint):
    """Replaces negative weights by 0."""

    def __call__(self, w: TensorLike) -> Tensor:
        """Returns the weight that is kept."""
        return w * cast(w >= 0.0, floatx())


@export("keras.constraints.UnitNorm", "keras.constraints.unit_norm")
class UnitNorm(Constraint):
    """Scales weight vectors to length 1.

    Args:
        axis: the axes of a vector.
    """

    def __init__(self, axis: AxisLike = 0) -> None:
        self.axis = axis

    def __call__(self, w: TensorLike) -> Tensor:
        """Returns the weight that is kept."""
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {"axis": self.axis}


@export("keras.constraints.MinMaxNorm", "keras.constraints.min_max_norm")
class MinMaxNorm(Constraint):
    """Moves the length of weight vectors into a range.

    Args:
        min_value: the smallest length.
        max_value: the largest length.
        rate: how far it is moved at each step: 1 for all the way.
        axis: the axes of a vector.
    """

    def __init__(
        self,
        min_value: float = 0.0,
        max_value: float = 1.0,
        rate: float = 1.0,
        axis: AxisLike = 0,
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: TensorLike) -> Tensor:
        """Returns the weight that is kept."""
        norms = _norms(w, self.axis)
        limited = clip(norms, self.min_value, self.max_value)
        desired = self.rate * limited + (1 - self.rate) * norms
        return w * (desired / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


@export("keras.constraints.RadialConstraint", "keras.constraints.radial_constraint")
class RadialConstraint(Constraint):
    """Makes square convolution kernels the same at equal distances from their centre."""

    def __call__(self, w: TensorLike) -> Tensor:
        """Returns the weight that is kept.

        Raises:
            ValueError: if the kernel is not square, or the rank is not 4.
        """
        shape = w.shape
        if shape.rank is None or shape.rank != 4:
            raise ValueError(f"The weight tensor must be of rank 4, but is of shape: {shape}")
        height, width, channels, kernels = shape.as_list()
        flat = reshape(w, (height, width, channels * kernels))
        radial = map_fn(_radial, stack(unstack(flat, axis=-1), axis=0))
        return reshape(stack(unstack(radial, axis=0), axis=-1), (height, width, channels, kernels))


def _radial(kernel: TensorLike) -> Tensor:
    """A kernel of square rings, whose values are those of its diagonal from the middle on.

    The innermost value is the one before the middle, as in TensorFlow 1.15.
    """
    width = kernel.shape.as_list()[0]
    middle = width // 2
    result = kernel[middle - 1 : middle, middle - 1 : middle]
    if width % 2 == 0:
        result = pad(result * 0.0, [[0, 1], [0, 1]]) + result
    for i in range(1 - width % 2, middle):
        value = kernel[middle + i, middle + i]
        result = pad(result - value, [[1, 1], [1, 1]]) + value
    return result


CONSTRAINTS: dict[str, Any] = {
    "Constraint": Constraint,
    "MaxNorm": MaxNorm,
    "MinMaxNorm": MinMaxNorm,
    "NonNeg": NonNeg,
    "RadialConstraint": RadialConstraint,
    "UnitNorm": UnitNorm,
    "max_norm": MaxNorm,
    "min_max_norm": MinMaxNorm,
    "non_neg": NonNeg,
    "radial_constraint": RadialConstraint,
    "unit_norm": UnitNorm,
}


@export("keras.constraints.serialize")
def serialize(constraint: Any) -> Any:
    """The configuration of a constraint.

    Args:
        constraint: an object.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(constraint)


@export("keras.constraints.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a constraint of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}.
        custom_objects: {name: class} of the program.

    Returns:
        An object.

    Raises:
        ValueError: if the name is unknown.
    """
    return deserialize_keras_object(
        config, CONSTRAINTS, custom_objects, printable_module_name="constraint"
    )


@export("keras.constraints.get")
def get(identifier: Any) -> Any:
    """Finds a constraint.

    Args:
        identifier: a name, a function or a configuration; None for none.

    Returns:
        A function, or None.

    Raises:
        ValueError: if the name is unknown, or it is none of these.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret constraint identifier: {identifier}")
