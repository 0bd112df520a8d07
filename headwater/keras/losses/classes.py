"""Losses as objects: reduced and weighted losses of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import LazyExport, export
from headwater.base.namespace import all_exports_below
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, get_default_graph, name_scope
from headwater.keras.losses import functions
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.model.losses.weighting import num_elements, safe_mean
from headwater.model.reduction_helpers import sum_of
from headwater.model.squeezing import remove_squeezable_dimensions, squeezed_weights
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.cast import cast


class ReductionV2:
    """How the losses of a batch become a scalar."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a reduction.

        Raises:
            ValueError: if it is unknown.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def _fitting_weights(losses: Tensor, weights: TensorLike) -> Tensor:
    rank, weights_rank = losses.shape.ndims, weights.shape.ndims
    if weights_rank == 0:
        return weights
    if rank is not None and weights_rank is not None and rank - weights_rank == 1:
        return expand_dims(weights, [-1])
    return squeezed_weights(weights, losses)


def compute_weighted_loss(
    losses: TensorLike,
    sample_weight: TensorLike | None = None,
    reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
    name: str | None = None,
) -> Tensor:
    """Multiplies losses by weights and reduces them.

    Args:
        losses: a tensor of losses.
        sample_weight: a tensor that fits them; 1 if None.
        reduction: a member of ReductionV2.
        name: the name scope.

    Returns:
        A scalar; without a reduction, a tensor of the shape of the losses.

    Raises:
        ValueError: if the reduction is unknown.
    """
    ReductionV2.validate(reduction)
    if reduction == ReductionV2.AUTO:
        reduction = ReductionV2.SUM_OVER_BATCH_SIZE
    weights = 1.0 if sample_weight is None else sample_weight
    with name_scope(name, "weighted_loss", [losses, weights]):
        get_default_graph()._last_loss_reduction = reduction  # type: ignore[attr-defined]
        losses = convert_to_tensor(losses)
        given = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(weights, dtypes.float32)
        weights = _fitting_weights(losses, weights)
        weights = broadcast_weights(weights, losses)
        loss = build.Mul(losses, weights)
        if reduction != ReductionV2.NONE:
            total = sum_of(loss)
            if reduction == ReductionV2.SUM_OVER_BATCH_SIZE:
                total = safe_mean(total, num_elements(loss))
            loss = total
        return cast(loss, given)


def reduced_loss(losses: TensorLike, sample_weight: TensorLike | None, reduction: str) -> Tensor:
    """The loss of an output of a model: weights in a scope of their own, then the reduction.

    Args:
        losses: the losses of the examples.
        sample_weight: a tensor that fits them; 1 if None.
        reduction: a member of ReductionV2.

    Returns:
        A scalar; without a reduction, a tensor of the shape of the losses.
    """
    loss = compute_weighted_loss(losses, sample_weight, ReductionV2.NONE)
    if reduction == ReductionV2.NONE:
        return loss
    total = sum_of(loss)
    return total if reduction == ReductionV2.SUM else safe_mean(total, num_elements(loss))


@export("keras.losses.Loss")
class Loss:
    """The base of losses. Subclasses define `call`.

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.

    Raises:
        ValueError: if the reduction is unknown.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str | None = None) -> None:
        ReductionV2.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """Computes the loss of a batch.

        Args:
            y_true: the targets.
            y_pred: the predictions.
            sample_weight: a weight per example, or one for all.

        Returns:
            A scalar; without a reduction, a tensor of losses.
        """
        scope = "lambda" if self.name == "<lambda>" else self.name
        with name_scope(scope or type(self).__name__, None, [y_true, y_pred, sample_weight]):
            losses = self.call(y_true, y_pred)
            return compute_weighted_loss(losses, sample_weight, reduction=self.reduction)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Loss:
        """Makes a loss of what `get_config` has returned."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {"reduction": self.reduction, "name": self.name}

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
        """Computes the losses of examples; subclasses define it."""
        raise NotImplementedError("Must be implemented in subclasses.")


class LossFunctionWrapper(Loss):
    """The loss of a function.

    Args:
        fn: a function of targets and predictions.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
        **kwargs: further arguments of the function.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str = ReductionV2.AUTO,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
        """Computes the losses of examples."""
        if isinstance(y_true, Tensor) and isinstance(y_pred, Tensor):
            y_true, y_pred = _squeezed(y_true, y_pred)
        result: Tensor = self.fn(y_true, y_pred, **self._fn_kwargs)
        return result

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {**self._fn_kwargs, **super().get_config()}


def _squeezed(y_true: Tensor, y_pred: Tensor) -> tuple[Tensor, Tensor]:
    """Targets and predictions, without a last axis of length 1 that the other one does not have."""
    rank = y_pred.shape.ndims
    if rank and y_true.shape.ndims != rank and y_pred.shape[-1].value == 1:
        return remove_squeezable_dimensions(y_true, y_pred)
    return y_true, y_pred


@export("keras.losses.MeanSquaredError")
class MeanSquaredError(LossFunctionWrapper):
    """The loss that is the mean of squared differences.

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "mean_squared_error",
    ) -> None:
        super().__init__(functions.mean_squared_error, reduction, name)


@export("keras.losses.MeanAbsoluteError")
class MeanAbsoluteError(LossFunctionWrapper):
    """The loss that is the mean of absolute differences.

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "mean_absolute_error",
    ) -> None:
        super().__init__(functions.mean_absolute_error, reduction, name)


@export("keras.losses.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The loss that is the mean of absolute differences in percent.

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "mean_absolute_percentage_error",
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, reduction, name)


@export("keras.losses.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The loss that is the mean of squared differences of log(1 + y).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "mean_squared_logarithmic_error",
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, reduction, name)


@export("keras.losses.BinaryCrossentropy")
class BinaryCrossentropy(LossFunctionWrapper):
    """The loss that is the cross entropy of independent targets.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: how far targets are moved to the mean.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "binary_crossentropy",
    ) -> None:
        super().__init__(
            functions.binary_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


@export("keras.losses.CategoricalCrossentropy")
class CategoricalCrossentropy(LossFunctionWrapper):
    """The loss that is the cross entropy of target probabilities.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: how far targets are moved to the mean.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "categorical_crossentropy",
    ) -> None:
        super().__init__(
            functions.categorical_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


@export("keras.losses.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The loss that is the cross entropy of numbers of classes.

    Args:
        from_logits: whether predictions are logits.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        from_logits: bool = False,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "sparse_categorical_crossentropy",
    ) -> None:
        super().__init__(
            functions.sparse_categorical_crossentropy, reduction, name, from_logits=from_logits
        )


@export("keras.losses.Hinge")
class Hinge(LossFunctionWrapper):
    """The loss that is the mean of max(1 - y_true * y_pred, 0).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "hinge",
    ) -> None:
        super().__init__(functions.hinge, reduction, name)


@export("keras.losses.SquaredHinge")
class SquaredHinge(LossFunctionWrapper):
    """The loss that is the mean of squares of max(1 - y_true * y_pred, 0).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "squared_hinge",
    ) -> None:
        super().__init__(functions.squared_hinge, reduction, name)


@export("keras.losses.CategoricalHinge")
class CategoricalHinge(LossFunctionWrapper):
    """The loss that is the hinge loss of several classes.

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "categorical_hinge",
    ) -> None:
        super().__init__(functions.categorical_hinge, reduction, name)


@export("keras.losses.Poisson")
class Poisson(LossFunctionWrapper):
    """The loss that is the mean of y_pred - y_true * log(y_pred).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "poisson",
    ) -> None:
        super().__init__(functions.poisson, reduction, name)


@export("keras.losses.LogCosh")
class LogCosh(LossFunctionWrapper):
    """The loss that is the mean of log(cosh(y_pred - y_true)).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "logcosh",
    ) -> None:
        super().__init__(functions.logcosh, reduction, name)


@export("keras.losses.KLDivergence")
class KLDivergence(LossFunctionWrapper):
    """The loss that is the sum of y_true * log(y_true / y_pred).

    Args:
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "kullback_leibler_divergence",
    ) -> None:
        super().__init__(functions.kullback_leibler_divergence, reduction, name)


@export("keras.losses.Huber")
class Huber(LossFunctionWrapper):
    """The loss that is a squared error that is linear beyond delta.

    Args:
        delta: where the loss becomes linear.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "huber_loss",
    ) -> None:
        super().__init__(functions.huber_loss, reduction, name, delta=delta)


@export("keras.losses.CosineSimilarity")
class CosineSimilarity(LossFunctionWrapper):
    """The loss that is the negative cosine of the angle between targets and predictions.

    Args:
        axis: the axis of a vector.
        reduction: "auto", "none", "sum" or "sum_over_batch_size".
        name: the name.
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str = ReductionV2.AUTO,
        name: str | None = "cosine_similarity",
    ) -> None:
        super().__init__(functions.cosine_similarity, reduction, name, axis=axis)


def _known() -> dict[str, Any]:
    """Losses by their public names."""
    return {
        name: value.resolve() if isinstance(value, LazyExport) else value
        for name, value in all_exports_below("keras.losses").items()
        if name not in ("get", "serialize", "deserialize")
    }


@export("keras.losses.serialize")
def serialize(loss: Any) -> Any:
    """The name of a loss function, or the configuration of a loss.

    Args:
        loss: a function or an object.

    Returns:
        A string or {"class_name": ..., "config": ...}.
    """
    return serialize_keras_object(loss)


@export("keras.losses.deserialize")
def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Finds a loss.

    Args:
        name: its name or configuration.
        custom_objects: {name: class or function} of the program.

    Returns:
        A function or an object.

    Raises:
        ValueError: if the name is unknown.
    """
    return deserialize_keras_object(
        name, _known(), custom_objects, printable_module_name="loss function"
    )


@export("keras.losses.get")
def get(identifier: Any) -> Any:
    """Finds a loss.

    Args:
        identifier: a name, a function or a configuration; None for none.

    Returns:
        A function or an object; None for None.

    Raises:
        ValueError: if the name is unknown, or it is none of these.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError("Could not interpret loss function identifier:", identifier)
