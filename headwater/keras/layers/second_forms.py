"""The layers of tf.compat.v2.keras that differ from those of tf.keras."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, name_scope
from headwater.keras.layers import cells, normalization, recurrent
from headwater.keras.layers.arguments import phase_or
from headwater.model.feature_column import dense_features
from headwater.ops.math.logical import logical_and


class LSTMCell(cells.LSTMCell):
    """One step of LSTM, with the gates of cuDNN; see `tf.keras.layers.LSTMCell`."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 2,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, **cells.constructor_arguments(locals()), **kwargs)


class GRUCell(cells.GRUCell):
    """One step of GRU, with the gates of cuDNN; see `tf.keras.layers.GRUCell`."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 2,
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, **cells.constructor_arguments(locals()), **kwargs)


class LSTM(recurrent.LSTM):
    """Long short-term memory, with the gates of cuDNN; see `tf.keras.layers.LSTM`."""

    cell_class = LSTMCell
    argument_order = (*recurrent.LSTM.argument_order[:-1], "time_major", "unroll")


class GRU(recurrent.GRU):
    """Gated recurrent units, with the gates of cuDNN; see `tf.keras.layers.GRU`."""

    cell_class = GRUCell
    argument_order = (*recurrent.GRU.argument_order[:-1], "time_major", "reset_after")


class BatchNormalization(normalization.BatchNormalization):
    """Normalizes batches; a layer that is not trainable uses the moving averages."""

    def call(self, inputs: TensorLike, training: Any = None) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor.
            training: whether the layer is being trained; the learning phase if None.
        """
        training = phase_or(training)
        if isinstance(training, Tensor):
            training = logical_and(training, self.trainable)
        else:
            training = bool(training) and self.trainable
        return super().call(inputs, training=training)


class DenseFeatures(dense_features.DenseFeatures):
    """Dense columns side by side, with variables that are named by name scopes.

    See `tf.keras.layers.DenseFeatures`.
    """

    @contextmanager
    def _scope_of(self, column: Any) -> Iterator[None]:
        with name_scope(column.name):
            yield

    def make_variable(self, name: str, **options: Any) -> Any:
        """Makes a variable of the layer, as layers of tf.keras do.

        Args:
            name: the name below the scope.
            **options: further arguments of `add_weight`.

        Returns:
            The variable.
        """
        return self.add_weight(name, **options)
