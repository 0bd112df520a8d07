"""The linear, deep and recurrent models of releases 0.8 to 0.11, which take arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.learn.array_estimators.tensorflow_estimator import TensorFlowEstimator
from headwater.contrib.learn.estimating.sklearn_base import ClassifierMixin, RegressorMixin
from headwater.contrib.learn.simple_models import models
from headwater.contrib.learn.simple_models.dense_layers import get_dnn_model

Model = Callable[[Any, Any], Any]


class _CannedModel(TensorFlowEstimator):
    """An estimator that makes its model function when it is called: parameters may be set late."""

    # The scope of the last layer, and the function that makes it.
    _last_layer: str
    _predictor: Model

    def __init__(self, **options: Any) -> None:
        super().__init__(lambda x, y: self._model()(x, y), **options)

    def _model(self) -> Model:
        return type(self)._predictor

    @property
    def weights_(self) -> Any:
        """The weights of the last layer ``[inputs, outputs]``."""
        return self.get_variable_value(f"{self._last_layer}/weights")

    @property
    def bias_(self) -> Any:
        """The biases of the last layer ``[outputs]``."""
        return self.get_variable_value(f"{self._last_layer}/bias")


class _LinearModel(_CannedModel):
    """A linear model.

    Args:
        n_classes: the number of classes; 0 for a regression.
        **options: further arguments of TensorFlowEstimator.
    """

    def __init__(self, n_classes: int, **options: Any) -> None:
        super().__init__(n_classes=n_classes, **options)


class _DeepModel(_CannedModel):
    """A stack of dense layers with a linear one on top."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        n_classes: int,
        dropout: float | None = None,
        **options: Any,
    ) -> None:
        self.hidden_units = hidden_units
        self.dropout = dropout
        super().__init__(n_classes=n_classes, **options)

    def _model(self) -> Model:
        return get_dnn_model(self.hidden_units, type(self)._predictor, self.dropout)

    def _hidden_values(self, name: str) -> list[Array]:
        scopes = [f"dnn/layer{number}/fully_connected" for number in range(len(self.hidden_units))]
        return [self.get_variable_value(f"{scope}/{name}") for scope in scopes]

    @property
    def weights_(self) -> list[Array]:
        """The weights of each layer."""
        return [*self._hidden_values("weights"), super().weights_]

    @property
    def bias_(self) -> list[Array]:
        """The biases of each layer."""
        return [*self._hidden_values("biases"), super().bias_]


def _same(x: Any) -> Any:
    """The features as they are: a list of the inputs of the steps."""
    return x


class _RecurrentModel(_CannedModel):
    """A recurrent network with a linear layer on top of its last state."""

    def __init__(
        self,
        rnn_size: int,
        n_classes: int,
        cell_type: str = "gru",
        num_layers: int = 1,
        input_op_fn: Callable[[Any], Any] = _same,
        initial_state: Any = None,
        bidirectional: bool = False,
        sequence_length: Any = None,
        attn_length: int | None = None,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        steps: int = 50,
        **options: Any,
    ) -> None:
        self.rnn_size = rnn_size
        self.cell_type = cell_type
        self.num_layers = num_layers
        self.input_op_fn = input_op_fn
        self.initial_state = initial_state
        self.bidirectional = bidirectional
        self.sequence_length = sequence_length
        self.attn_length = attn_length
        self.attn_size = attn_size
        self.attn_vec_size = attn_vec_size
        super().__init__(n_classes=n_classes, steps=steps, **options)

    def _model(self) -> Model:
        return models.get_rnn_model(
            self.rnn_size,
            self.cell_type,
            self.num_layers,
            self.input_op_fn,
            self.bidirectional,
            type(self)._predictor,
            self.sequence_length,
            self.initial_state,
            self.attn_length,
            self.attn_size,
            self.attn_vec_size,
        )


@export("contrib.learn.TensorFlowLinearClassifier", "contrib.learn.TensorFlowClassifier")
class TensorFlowLinearClassifier(_LinearModel, ClassifierMixin):
    """Logistic regression.

    Args:
        n_classes: the number of classes.
        **options: further arguments of TensorFlowEstimator.
    """

    _last_layer = "logistic_regression"
    _predictor = staticmethod(models.logistic_regression_zero_init)


@export("contrib.learn.TensorFlowLinearRegressor", "contrib.learn.TensorFlowRegressor")
class TensorFlowLinearRegressor(_LinearModel, RegressorMixin):
    """Linear regression.

    Args:
        n_classes: 0.
        **options: further arguments of TensorFlowEstimator.
    """

    _last_layer = "linear_regression"
    _predictor = staticmethod(models.linear_regression_zero_init)

    def __init__(self, n_classes: int = 0, **options: Any) -> None:
        super().__init__(n_classes, **options)


@export("contrib.learn.TensorFlowDNNClassifier")
class TensorFlowDNNClassifier(_DeepModel, ClassifierMixin):
    """A classifier that is a deep network.

    Args:
        hidden_units: the number of units of each hidden layer.
        n_classes: the number of classes.
        dropout: the probability that a unit is dropped in training; or None.
        **options: further arguments of TensorFlowEstimator.

    Example:
        >>> x, y = np.array([[0.0], [1.0]] * 8, np.float32), np.array([0, 1] * 8)
        >>> classifier = tf.contrib.learn.TensorFlowDNNClassifier([4], n_classes=2, steps=100)
        >>> print(classifier.fit(x, y).predict(x[:2]))
        [0 1]
    """

    _last_layer = "logistic_regression"
    _predictor = staticmethod(models.logistic_regression)


@export("contrib.learn.TensorFlowDNNRegressor")
class TensorFlowDNNRegressor(_DeepModel, RegressorMixin):
    """A regression by a deep network.

    Args:
        hidden_units: the number of units of each hidden layer.
        n_classes: 0.
        dropout: the probability that a unit is dropped in training; or None.
        **options: further arguments of TensorFlowEstimator.
    """

    _last_layer = "linear_regression"
    _predictor = staticmethod(models.linear_regression)

    def __init__(
        self,
        hidden_units: Sequence[int],
        n_classes: int = 0,
        dropout: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(hidden_units, n_classes, dropout, **options)


@export("contrib.learn.TensorFlowRNNClassifier")
class TensorFlowRNNClassifier(_RecurrentModel, ClassifierMixin):
    """A classifier of sequences that is a recurrent network.

    Args:
        rnn_size: the number of units of a layer.
        n_classes: the number of classes.
        cell_type: "rnn", "gru" or "lstm".
        num_layers: the number of layers.
        input_op_fn: a function that makes a list of inputs, one a step, of features.
        initial_state: the state before the first step; zeros if None.
        bidirectional: whether a second stack of cells goes backward.
        sequence_length: the lengths of the sequences ``[batch]``; or None.
        attn_length: how many steps attention looks back; None for no attention.
        attn_size: the size of what it yields.
        attn_vec_size: the number of its features.
        steps: the number of steps of a call of `fit`.
        **options: further arguments of TensorFlowEstimator.
    """

    _last_layer = "logistic_regression"
    _predictor = staticmethod(models.logistic_regression)


@export("contrib.learn.TensorFlowRNNRegressor")
class TensorFlowRNNRegressor(_RecurrentModel, RegressorMixin):
    """A regression of sequences by a recurrent network.

    Args:
        rnn_size: the number of units of a layer.
        n_classes: 0.
        **options: further arguments, as those of TensorFlowRNNClassifier.
    """

    _last_layer = "linear_regression"
    _predictor = staticmethod(models.linear_regression)

    def __init__(self, rnn_size: int, n_classes: int = 0, **options: Any) -> None:
        super().__init__(rnn_size, n_classes, **options)
