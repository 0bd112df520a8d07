"""Random initializers with the defaults of Keras, and finding initializers by name."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import LazyExport, export
from headwater.base.namespace import all_exports_below
from headwater.base.typing import DTypeLike, TensorLike
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.model.variables import initializers, random_initializers


@export(
    "keras.initializers.RandomNormal",
    "keras.initializers.normal",
    "keras.initializers.random_normal",
)
class RandomNormal(random_initializers.RandomNormal):
    """Normal random values.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: the op seed.
        dtype: the default type.
    """

    def __init__(
        self,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 0.05,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


@export(
    "keras.initializers.RandomUniform",
    "keras.initializers.uniform",
    "keras.initializers.random_uniform",
)
class RandomUniform(random_initializers.RandomUniform):
    """Uniform random values.

    Args:
        minval: the smallest value.
        maxval: the bound.
        seed: the op seed.
        dtype: the default type.
    """

    def __init__(
        self,
        minval: TensorLike = -0.05,
        maxval: TensorLike = 0.05,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(minval=minval, maxval=maxval, seed=seed, dtype=dtype)


@export("keras.initializers.TruncatedNormal", "keras.initializers.truncated_normal")
class TruncatedNormal(random_initializers.TruncatedNormal):
    """Normal random values less than two standard deviations from the mean.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: the op seed.
        dtype: the default type.
    """

    def __init__(
        self,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 0.05,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


def _known() -> dict[str, Any]:
    """Initializers by their public names and by the names of their classes."""
    public = {
        name: value.resolve() if isinstance(value, LazyExport) else value
        for name, value in all_exports_below("keras.initializers").items()
        if name not in ("get", "serialize", "deserialize")
    }
    classes = (
        initializers.Constant,
        initializers.Identity,
        initializers.Ones,
        initializers.Zeros,
        random_initializers.GlorotNormal,
        random_initializers.GlorotUniform,
        random_initializers.Orthogonal,
        random_initializers.VarianceScaling,
    )
    return {**{cls.__name__: cls for cls in classes}, **public}


@export("keras.initializers.serialize")
def serialize(initializer: Any) -> Any:
    """The configuration of an initializer.

    Args:
        initializer: an object.

    Returns:
        {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(initializer)


@export("keras.initializers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes an initializer of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}, or a name.
        custom_objects: {name: class} of the program.

    Returns:
        An object.

    Raises:
        ValueError: if the name is unknown.
    """
    return deserialize_keras_object(
        config, _known(), custom_objects, printable_module_name="initializer"
    )


@export("keras.initializers.get")
def get(identifier: Any) -> Any:
    """Finds an initializer.

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
        made = deserialize(identifier)
        # he_normal and the like are functions that make an initializer.
        by_function = made in (
            random_initializers.he_normal,
            random_initializers.he_uniform,
            random_initializers.lecun_normal,
            random_initializers.lecun_uniform,
        )
        return made() if by_function else made
    if callable(identifier):
        return identifier() if isinstance(identifier, type) else identifier
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")
