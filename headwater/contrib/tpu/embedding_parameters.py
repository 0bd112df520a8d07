"""How the embeddings of a TPU are trained: the parameters of its optimizers."""

from __future__ import annotations

from headwater.base.export import export


class OptimizationParameters:
    """What all optimizers of embeddings have.

    Args:
        learning_rate: the learning rate.
        use_gradient_accumulation: whether gradients of the same row are added up first.
        clip_weight_min: the least weight; None for any.
        clip_weight_max: the largest weight; None for any.
    """

    def __init__(
        self,
        learning_rate: float,
        use_gradient_accumulation: bool,
        clip_weight_min: float | None,
        clip_weight_max: float | None,
    ) -> None:
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min = clip_weight_min
        self.clip_weight_max = clip_weight_max


@export("tpu.experimental.AdagradParameters")
class AdagradParameters(OptimizationParameters):
    """The parameters of Adagrad.

    Args:
        learning_rate: the learning rate.
        initial_accumulator: the first value of the accumulator.
        use_gradient_accumulation: whether gradients of the same row are added up first.
        clip_weight_min: the least weight; None for any.
        clip_weight_max: the largest weight; None for any.

    Raises:
        ValueError: if `initial_accumulator` is not positive.
    """

    def __init__(
        self,
        learning_rate: float,
        initial_accumulator: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        if initial_accumulator <= 0:
            raise ValueError("Adagrad initial_accumulator must be positive")
        self.initial_accumulator = initial_accumulator


@export("tpu.experimental.AdamParameters")
class AdamParameters(OptimizationParameters):
    """The parameters of Adam.

    Args:
        learning_rate: the learning rate.
        beta1: the decay of the first moment.
        beta2: the decay of the second moment.
        epsilon: a small number that keeps divisions finite.
        lazy_adam: whether rows without gradient keep their moments.
        sum_inside_sqrt: whether epsilon is added inside of the square root.
        use_gradient_accumulation: whether gradients of the same row are added up first.
        clip_weight_min: the least weight; None for any.
        clip_weight_max: the largest weight; None for any.

    Raises:
        ValueError: if a parameter is out of range.
    """

    def __init__(
        self,
        learning_rate: float,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        for name, beta in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= beta < 1:
                raise ValueError(f"{name} must be between 0. and 1; got {beta}.")
        if epsilon <= 0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError("When disabling Lazy Adam, gradient accumulation must be used.")
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_adam = lazy_adam
        self.sum_inside_sqrt = sum_inside_sqrt


@export("tpu.experimental.StochasticGradientDescentParameters")
class StochasticGradientDescentParameters(OptimizationParameters):
    """The parameters of gradient descent.

    Args:
        learning_rate: the learning rate.
        clip_weight_min: the least weight; None for any.
        clip_weight_max: the largest weight; None for any.
    """

    def __init__(
        self,
        learning_rate: float,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, False, clip_weight_min, clip_weight_max)
