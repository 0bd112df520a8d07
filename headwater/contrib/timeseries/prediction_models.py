"""Networks that predict a window of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor
from headwater.keras.engine.sequential import Sequential
from headwater.keras.engine.training import Model
from headwater.keras.layers.core import Dense, Flatten
from headwater.model.rnn.block_cells import LSTMBlockFusedCell
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.math.exponential import exp
from headwater.ops.nn.relu import relu


def _has_elements(window: Tensor) -> bool:
    return 0 not in window.shape.as_list()[1:]


class FlatPredictionModel(Model):
    """A feed-forward network from a window of features to means and variances.

    Args:
        num_features: the number of values at each time.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted.
        hidden_layer_sizes: the sizes of hidden layers; none by default.
    """

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        hidden_layer_sizes: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self._input_flatten = Flatten()
        self._output_flatten = Flatten()
        self._hidden_layers: Any = None
        if hidden_layer_sizes:
            self._hidden_layers = Sequential(
                [Dense(size, activation=relu) for size in hidden_layer_sizes]
            )
        size = num_features * output_window_size
        self._mean_transform = Dense(size, name="predicted_mean")
        self._covariance_transform = Dense(size, name="log_sigma_square")
        self._prediction_shape = [-1, output_window_size, num_features]

    def call(  # type: ignore[override]  # two windows
        self, input_window_features: Tensor, output_window_features: Tensor
    ) -> dict[str, Tensor]:
        """Returns mean and covariance, [batch, output window, features].

        Args:
            input_window_features: [batch, input window, size].
            output_window_features: [batch, output window, size].
        """
        windows = []
        if _has_elements(input_window_features):
            windows.append(self._input_flatten(input_window_features))
        if _has_elements(output_window_features):
            windows.append(self._output_flatten(output_window_features))
        activation = concat(windows, axis=1) if len(windows) > 1 else windows[0]
        if self._hidden_layers is not None and self._hidden_layers.layers:
            activation = self._hidden_layers(activation)
        mean = reshape(self._mean_transform(activation), self._prediction_shape)
        covariance = reshape(exp(self._covariance_transform(activation)), self._prediction_shape)
        return {"mean": mean, "covariance": covariance}


class LSTMPredictionModel(Model):
    """An encoder and a decoder, each an LSTM.

    Args:
        num_features: the number of values at each time.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted.
        num_units: the size of the LSTMs.
    """

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        num_units: int = 128,
    ) -> None:
        super().__init__()
        self._encoder = LSTMBlockFusedCell(num_units=num_units, name="encoder")
        self._decoder = LSTMBlockFusedCell(num_units=num_units, name="decoder")
        self._mean_transform = Dense(num_features, name="mean_transform")
        self._covariance_transform = Dense(num_features, name="covariance_transform")

    def call(  # type: ignore[override]  # two windows
        self, input_window_features: Tensor, output_window_features: Tensor
    ) -> dict[str, Tensor]:
        """Returns mean and covariance, [batch, output window, features].

        Args:
            input_window_features: [batch, input window, size].
            output_window_features: [batch, output window, size].
        """
        # The LSTMs have the window first.
        seen = transpose(input_window_features, [1, 0, 2])
        to_predict = transpose(output_window_features, [1, 0, 2])
        _, state = self._encoder(seen, dtype=dtypes.float32)
        decoded, _ = self._decoder(to_predict, initial_state=state, dtype=dtypes.float32)
        outputs = transpose(decoded, [1, 0, 2])
        return {
            "mean": self._mean_transform(outputs),
            "covariance": exp(self._covariance_transform(outputs)),
        }
