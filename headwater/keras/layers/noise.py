"""Layers that add or multiply noise while training."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, export, shape_tensor
from headwater.keras.backend.branches import in_train_phase
from headwater.keras.backend.random_values import random_normal, random_uniform
from headwater.keras.layers.arguments import KerasConfig

# The constants of SELU: alpha and scale.
_ALPHA = 1.6732632423543772848170429916717
_SCALE = 1.0507009873554804934193349852946


class _Noise(KerasConfig):
    """The base of the layers: the output has the shape of the input and keeps its mask."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape


@export("keras.layers.GaussianNoise")
class GaussianNoise(_Noise):
    """Adds normal noise of mean 0 while training.

    Args:
        stddev: the standard deviation.
        **kwargs: further arguments of Layer.
    """

    config_names = ("stddev",)

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs: TensorLike, training: Any = None) -> Tensor:
        """Adds the noise."""

        def noised() -> Tensor:
            shape = shape_tensor(inputs)
            return inputs + random_normal(
                shape, mean=0.0, stddev=self.stddev, dtype=inputs.dtype.base_dtype
            )

        return in_train_phase(noised, inputs, training=training)


@export("keras.layers.GaussianDropout")
class GaussianDropout(_Noise):
    """Multiplies by normal noise of mean 1 while training.

    Args:
        rate: as for Dropout; the standard deviation is sqrt(rate / (1 - rate)).
        **kwargs: further arguments of Layer.
    """

    config_names = ("rate",)

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: TensorLike, training: Any = None) -> Tensor:
        """Multiplies by the noise."""
        if not 0 < self.rate < 1:
            return inputs

        def noised() -> Tensor:
            return inputs * random_normal(
                shape_tensor(inputs),
                mean=1.0,
                stddev=np.sqrt(self.rate / (1.0 - self.rate)),
                dtype=inputs.dtype.base_dtype,
            )

        return in_train_phase(noised, inputs, training=training)


@export("keras.layers.AlphaDropout")
class AlphaDropout(_Noise):
    """Sets random inputs to the limit of SELU while training; mean and variance are kept.

    Args:
        rate: the probability that an input is dropped.
        noise_shape: the shape of the random decisions; that of the input if None.
        seed: the seed of the op.
        **kwargs: further arguments of Layer.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017.
    """

    config_names = ("rate",)

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: TensorLike, training: Any = None) -> Tensor:
        """Drops inputs."""
        rate, limit = self.rate, -_ALPHA * _SCALE
        if not 0.0 < rate < 1.0:
            return inputs

        shape = self.noise_shape if self.noise_shape else shape_tensor(inputs)

        def dropped() -> Tensor:
            kept = build.GreaterEqual(random_uniform(shape, seed=self.seed), rate)
            kept = build.Cast(kept, DstT=inputs.dtype.base_dtype)
            factor = ((1 - rate) * (1 + rate * limit**2)) ** -0.5
            offset = -factor * limit * rate
            return factor * (inputs * kept + limit * (1 - kept)) + offset

        return in_train_phase(dropped, inputs, training=training)
