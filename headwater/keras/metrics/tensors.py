"""Metrics whose state is a matrix or a tensor: MeanIoU and MeanTensor."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import convert_to_tensor
from headwater.keras.backend.graph_state import get_session
from headwater.keras.metrics.base import Metric, added, fitting_weights
from headwater.model.confusion_matrix import confusion_matrix
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.fill import ones_like
from headwater.ops.array.reshape import reshape
from headwater.ops.linalg.diagonal import diag_part
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum


@export("keras.metrics.MeanIoU")
class MeanIoU(Metric):
    """The mean over classes of intersection over union: tp / (tp + fp + fn).

    Args:
        num_classes: the number of classes.
        name: the name.
        dtype: the type of the result.
    """

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight(
            "total_confusion_matrix",
            shape=(num_classes, num_classes),
            initializer="zeros",
            dtype=dtypes.float64,
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the classes, numbers from 0.
            y_pred: the predicted classes.
            sample_weight: weights of the same shape; 1 if None.

        Returns:
            An op.
        """

        def flat(values: TensorLike) -> Any:
            values = cast(values, self._dtype)
            return reshape(values, [-1]) if (values.shape.ndims or 2) > 1 else values

        matrix = confusion_matrix(
            flat(y_true),
            flat(y_pred),
            self.num_classes,
            weights=None if sample_weight is None else flat(sample_weight),
            dtype=dtypes.float64,
        )
        return self.total_cm.assign_add(matrix)

    def result(self) -> Any:
        """Returns the mean over the classes that occur."""
        of_predictions = cast(reduce_sum(self.total_cm, axis=0), self._dtype)
        of_targets = cast(reduce_sum(self.total_cm, axis=1), self._dtype)
        both = cast(diag_part(self.total_cm), self._dtype)
        either = of_predictions + of_targets - both
        occurring = reduce_sum(cast(either > 0, self._dtype))
        ratios = divide_no_nan(both, either)
        return divide_no_nan(reduce_sum(ratios, name="mean_iou"), occurring)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {**super().get_config(), "num_classes": self.num_classes}


@export("keras.metrics.MeanTensor")
class MeanTensor(Metric):
    """The mean of tensors, element by element.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "mean_tensor", dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self._shape: Any = None
        self.built = False

    @property
    def total(self) -> Any:
        """The variable of the sum; None before the first update."""
        return self._total if self.built else None

    @property
    def count(self) -> Any:
        """The variable of the weights; None before the first update."""
        return self._count if self.built else None

    def _make_state(self, shape: ShapeLike) -> None:
        self._shape = shape
        self._total = self.add_weight("total", shape=shape, initializer="zeros")
        self._count = self.add_weight("count", shape=shape, initializer="zeros")
        get_session()
        self.built = True

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds a tensor.

        Args:
            values: a tensor, of the same shape at each call.
            sample_weight: weights that fit it; 1 if None.

        Returns:
            An op.

        Raises:
            ValueError: if the shape is another one.
        """
        values = cast(convert_to_tensor(values), self._dtype)
        if not self.built:
            self._make_state(values.shape)
        elif values.shape != self._shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set "
                f"during the first call): {self._shape}. Got: {values.shape}"
            )
        counts = ones_like(values)
        if sample_weight is not None:
            weights = fitting_weights(cast(sample_weight, self._dtype), values)
            try:
                weights = broadcast_weights(weights, values)
            except ValueError:
                axes = list(range(weights.shape.ndims or 0, values.shape.ndims or 0))
                values = reduce_mean(values, axis=axes)
            counts, values = counts * weights, values * weights
        return added([(self._total, values), (self._count, counts)])

    def result(self) -> Any:
        """Returns the mean.

        Raises:
            ValueError: before the first update.
        """
        if not self.built:
            raise ValueError(
                "MeanTensor does not have any result yet. Please call the MeanTensor instance or "
                "use `.update_state(value)` before retrieving the result."
            )
        return divide_no_nan(self._total, self._count)

    def reset_states(self) -> None:
        """Sets the mean back."""
        if self.built:
            super().reset_states()
