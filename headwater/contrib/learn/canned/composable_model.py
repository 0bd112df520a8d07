"""Composable models: logits and training steps for estimators of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from headwater.contrib.learn.canned import model_parts as parts
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.graph import Operation, Tensor
from headwater.graph.default_graph import get_collection
from headwater.graph.gradients import gradients
from headwater.ops.math.clip_by_norm import clip_by_global_norm
from headwater.ops.nn.relu import relu
from headwater.train.checkpoints.checkpoint_reader import list_variables, load_variable
from headwater.train.optimizers.adagrad import AdagradOptimizer
from headwater.train.optimizers.ftrl import FtrlOptimizer


class _ComposableModel:
    """What the composable models have in common.

    Args:
        num_label_columns: the number of logits.
        optimizer: an optimizer, its name, or a function that makes it; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        num_ps_replicas: the number of parameter servers.
        scope: the name of the variable scope and of the collection of the weights.
        trainable: whether optimizers change the weights by default.
    """

    @deprecated(None, "Please use model_fns in tf.estimator.")
    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any,
        gradient_clip_norm: float | None,
        num_ps_replicas: int,
        scope: str,
        trainable: bool = True,
    ) -> None:
        self._num_label_columns = num_label_columns
        self._optimizer = optimizer
        self._gradient_clip_norm = gradient_clip_norm
        self._config = SimpleNamespace(num_ps_replicas=num_ps_replicas)
        self._scope = scope
        self._trainable = trainable
        self._feature_columns: Sequence[Any] | None = None

    def get_scope_name(self) -> str:
        """Returns the name of the variable scope."""
        return self._scope

    def get_train_step(self, loss: Tensor) -> list[Operation]:
        """Makes the op that trains the weights.

        Args:
            loss: the loss.

        Returns:
            A list of that op.
        """
        variables = get_collection(self._scope)
        grads = gradients(loss, variables)
        if self._gradient_clip_norm:
            grads, _ = clip_by_global_norm(grads, self._gradient_clip_norm)
        return [self._made_optimizer().apply_gradients(zip(grads, variables))]

    def _made_optimizer(self) -> Any:
        if self._optimizer is None:
            return self._default_optimizer()
        if isinstance(self._optimizer, str):
            return OPTIMIZER_CLS_NAMES[self._optimizer](learning_rate=self._learning_rate())
        return parts.made_optimizer(self._optimizer)

    def _learning_rate(self) -> float:
        raise NotImplementedError

    def _default_optimizer(self) -> Any:
        raise NotImplementedError


@export("contrib.learn.composable_model.LinearComposableModel")
class LinearComposableModel(_ComposableModel):
    """A linear model.

    Args:
        num_label_columns: the number of logits.
        optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        _joint_weights: whether the weights of all columns are one variable.
        gradient_clip_norm: the largest global norm of gradients; or None.
        num_ps_replicas: the number of parameter servers.
        scope: the name of the variable scope; "linear" by default.
        trainable: whether optimizers change the weights by default.
    """

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any = None,
        _joint_weights: bool = False,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(
            num_label_columns,
            optimizer,
            gradient_clip_norm,
            num_ps_replicas,
            scope or parts.LINEAR,
            trainable,
        )
        self._joint_weights = _joint_weights

    def get_weights(self, model_dir: str) -> dict[str, Array]:
        """Returns the weights of a checkpoint by the name of their variable.

        Args:
            model_dir: the folder of the checkpoint.
        """
        # Slots of optimizers have names below those of the weights.
        pattern = re.compile(rf"{self._scope}/(.*/)?weights?$")
        names = [name for name, _ in list_variables(model_dir) if pattern.match(name)]
        return {name: load_variable(model_dir, name) for name in names}

    def get_bias(self, model_dir: str) -> Array:
        """Returns the bias of a checkpoint, a vector.

        Args:
            model_dir: the folder of the checkpoint.
        """
        return load_variable(model_dir, f"{self._scope}/bias_weight")

    def build_model(
        self, features: Any, feature_columns: Sequence[Any], is_training: bool
    ) -> Tensor:
        """Makes the logits.

        Args:
            features: a tensor or a dict of tensors.
            feature_columns: the columns.
            is_training: unused.

        Returns:
            A tensor ``[batch, num_label_columns]``.
        """
        self._feature_columns = feature_columns
        by_name = parts.feature_dict(features)
        with parts.linear_scope(by_name, self._config, self._scope) as scope:
            return parts.linear_logits(
                by_name,
                feature_columns,
                self._num_label_columns,
                self._joint_weights,
                scope,
                self._scope,
                self._trainable,
            )

    def _learning_rate(self) -> float:
        return parts.linear_learning_rate(self._feature_columns or ())

    def _default_optimizer(self) -> Any:
        return FtrlOptimizer(learning_rate=self._learning_rate())


@export("contrib.learn.composable_model.DNNComposableModel")
class DNNComposableModel(_ComposableModel):
    """A deep network.

    Args:
        num_label_columns: the number of logits.
        hidden_units: the sizes of the hidden layers.
        optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        activation_fn: the activation of the hidden layers.
        dropout: the share of units that are dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        num_ps_replicas: the number of parameter servers.
        scope: the name of the variable scope; "dnn" by default.
        trainable: whether optimizers change the weights by default.
    """

    def __init__(
        self,
        num_label_columns: int,
        hidden_units: Sequence[int],
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(
            num_label_columns,
            optimizer,
            gradient_clip_norm,
            num_ps_replicas,
            scope or parts.DNN,
            trainable,
        )
        self._hidden_units = hidden_units
        self._activation_fn = activation_fn
        self._dropout = dropout

    def get_weights(self, model_dir: str) -> list[Array]:
        """Returns the weights of a checkpoint, layer by layer, the logits last.

        Args:
            model_dir: the folder of the checkpoint.
        """
        return self._of_layers(model_dir, "weights")

    def get_bias(self, model_dir: str) -> list[Array]:
        """Returns the biases of a checkpoint, layer by layer, the logits last.

        Args:
            model_dir: the folder of the checkpoint.
        """
        return self._of_layers(model_dir, "biases")

    def _of_layers(self, model_dir: str, name: str) -> list[Array]:
        layers = [f"hiddenlayer_{index}" for index in range(len(self._hidden_units))]
        return [
            load_variable(model_dir, f"{self._scope}/{layer}/{name}")
            for layer in [*layers, "logits"]
        ]

    def build_model(
        self, features: Any, feature_columns: Sequence[Any], is_training: bool
    ) -> Tensor:
        """Makes the logits.

        Args:
            features: a tensor or a dict of tensors.
            feature_columns: the columns.
            is_training: whether units are dropped.

        Returns:
            A tensor ``[batch, num_label_columns]``.
        """
        self._feature_columns = feature_columns
        params = {
            "feature_columns": feature_columns,
            "hidden_units": self._hidden_units,
            "activation_fn": self._activation_fn,
            "dropout": self._dropout,
            "trainable": self._trainable,
        }
        mode = ModeKeys.TRAIN if is_training else ModeKeys.EVAL
        by_name = parts.feature_dict(features)
        with parts.dnn_scope(by_name, self._config, self._scope):
            return parts.dnn_logits(
                by_name, self._num_label_columns, mode, params, self._config, self._scope
            )[0]

    def _learning_rate(self) -> float:
        return parts.DNN_LEARNING_RATE

    def _default_optimizer(self) -> Any:
        return AdagradOptimizer(self._learning_rate())
