"""Losses as metrics: their means over batches."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import convert_to_tensor
from headwater.keras.losses import functions
from headwater.keras.metrics.base import Mean, MeanMetricWrapper, aligned
from headwater.model.squeezing import remove_squeezable_dimensions
from headwater.ops.math.arithmetic import squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.powers import sqrt
from headwater.ops.math.sign import absolute


@export("keras.metrics.MeanSquaredError")
class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared differences.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "mean_squared_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_squared_error, name, dtype=dtype)


@export("keras.metrics.MeanAbsoluteError")
class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of absolute differences.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "mean_absolute_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_absolute_error, name, dtype=dtype)


@export("keras.metrics.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of absolute differences in percent of the targets.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "mean_absolute_percentage_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, name, dtype=dtype)


@export("keras.metrics.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of squared differences of log(1 + y).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, name, dtype=dtype)


@export("keras.metrics.BinaryCrossentropy")
class BinaryCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of independent targets.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
        from_logits: whether predictions are logits.
        label_smoothing: how far targets are moved to the mean.
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            functions.binary_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


@export("keras.metrics.CategoricalCrossentropy")
class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of target probabilities.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
        from_logits: whether predictions are logits.
        label_smoothing: how far targets are moved to the mean.
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            functions.categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


@export("keras.metrics.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of the numbers of classes.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
        from_logits: whether predictions are logits.
        axis: the axis of the classes.
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            functions.sparse_categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            axis=axis,
        )


@export("keras.metrics.Hinge")
class Hinge(MeanMetricWrapper):
    """The mean of max(1 - y_true * y_pred, 0).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.hinge, name, dtype=dtype)


@export("keras.metrics.SquaredHinge")
class SquaredHinge(MeanMetricWrapper):
    """The mean of squares of max(1 - y_true * y_pred, 0).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.squared_hinge, name, dtype=dtype)


@export("keras.metrics.CategoricalHinge")
class CategoricalHinge(MeanMetricWrapper):
    """The mean of max(1 + the largest wrong prediction - the right one, 0).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "categorical_hinge", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.categorical_hinge, name, dtype=dtype)


@export("keras.metrics.KLDivergence")
class KLDivergence(MeanMetricWrapper):
    """The mean of sums of y_true * log(y_true / y_pred).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "kullback_leibler_divergence", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.kullback_leibler_divergence, name, dtype=dtype)


@export("keras.metrics.CosineSimilarity")
class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between targets and predictions.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
        axis: the axis of a vector.
    """

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(functions.cosine_similarity, name, dtype=dtype, axis=axis)


@export("keras.metrics.LogCoshError")
class LogCoshError(MeanMetricWrapper):
    """The mean of log(cosh(y_pred - y_true)).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.logcosh, name, dtype=dtype)


@export("keras.metrics.Poisson")
class Poisson(MeanMetricWrapper):
    """The mean of y_pred - y_true * log(y_pred).

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.poisson, name, dtype=dtype)


@export("keras.metrics.RootMeanSquaredError")
class RootMeanSquaredError(Mean):
    """The square root of the mean of squared differences.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "root_mean_squared_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name, dtype=dtype)

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the targets.
            y_pred: the predictions.
            sample_weight: weights that fit them; 1 if None.

        Returns:
            An op.
        """
        y_true, y_pred = aligned(cast(y_true, self._dtype), cast(y_pred, self._dtype))
        return super().update_state(squared_difference(y_pred, y_true), sample_weight=sample_weight)

    def result(self) -> Any:
        """Returns the root of the mean."""
        return sqrt(divide_no_nan(self.total, self.count))


@export("keras.metrics.MeanRelativeError")
class MeanRelativeError(Mean):
    """The mean of absolute differences, divided by given values.

    Args:
        normalizer: the values; where they are 0, so is the error.
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, normalizer: TensorLike, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.normalizer = cast(convert_to_tensor(normalizer), self._dtype)

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the targets.
            y_pred: the predictions.
            sample_weight: weights that fit them; 1 if None.

        Returns:
            An op.
        """
        y_true, y_pred = aligned(cast(y_true, self._dtype), cast(y_pred, self._dtype))
        y_pred, normalizer = remove_squeezable_dimensions(y_pred, self.normalizer)
        errors = divide_no_nan(absolute(y_true - y_pred), normalizer)
        return super().update_state(errors, sample_weight=sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {**super().get_config(), "normalizer": self.normalizer}
