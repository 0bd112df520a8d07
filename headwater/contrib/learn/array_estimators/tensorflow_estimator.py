"""TensorFlowEstimator: trains a function of features and labels on arrays."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.layers.optimizers import optimize_loss
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.sk_compat import SKCompat
from headwater.contrib.learn.estimating.sklearn_base import (
    NotFittedError,
    SklearnEstimator,
    accuracy_score,
)
from headwater.contrib.learn.learn_io.data_feeder import setup_train_data_feeder
from headwater.contrib.learn.simple_models.dense_layers import IS_TRAINING
from headwater.graph import Tensor
from headwater.graph.default_graph import add_to_collection
from headwater.model.global_step import get_global_step
from headwater.ops.array.constant import constant, placeholder
from headwater.train.checkpoints.checkpoint_state import (
    latest_checkpoint,
    update_checkpoint_state,
)
from headwater.train.hooks.feeding import FeedFnHook

_DEFINITION = "model.def"


@export("contrib.learn.TensorFlowEstimator")
class TensorFlowEstimator(SklearnEstimator):
    """Trains a function of features and labels on arrays.

    Args:
        model_fn: a function of features and labels that returns predictions and loss. Labels are
            one-hot for two classes and more.
        n_classes: the number of classes; 0 for a regression.
        batch_size: the number of rows of a batch.
        steps: the number of steps of a call of `fit`.
        optimizer: the name or class of an optimizer, or a function of the learning rate.
        learning_rate: a number, or a function of the global step.
        clip_gradients: the largest global norm of gradients; or None.
        class_weight: factors of the logits ``[classes]``; or None.
        continue_training: whether a further call of `fit` goes on where the last one ended.
        config: a RunConfig; or None.
        verbose: has no effect: `tf.logging` decides what is shown.
    """

    def __init__(
        self,
        model_fn: Callable[[Any, Any], tuple[Tensor, Tensor]],
        n_classes: int,
        batch_size: int = 32,
        steps: int = 200,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        clip_gradients: float | None = 5.0,
        class_weight: Any = None,
        continue_training: bool = False,
        config: Any = None,
        verbose: int = 1,
    ) -> None:
        self.model_fn = model_fn
        self.n_classes = n_classes
        self.batch_size = batch_size
        self.steps = steps
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.clip_gradients = clip_gradients
        self.class_weight = class_weight
        self.continue_training = continue_training
        self.verbose = verbose
        self._config = config
        self._estimator: Estimator | None = None

    def _model_ops(self, features: Any, labels: Any, mode: str) -> tuple[Tensor, Tensor, Any]:
        """The model function of the Estimator inside."""
        add_to_collection(IS_TRAINING, int(mode == ModeKeys.TRAIN))
        if self.class_weight is not None:
            constant(self.class_weight, name="class_weight")
        if labels is None:
            classes = [self.n_classes] if self.n_classes > 1 else []
            labels = placeholder(dtypes.float32, [None, *classes], name="output")
        predictions, loss = self.model_fn(features, labels)
        if mode != ModeKeys.TRAIN:
            return predictions, loss, None
        step = get_global_step()
        rate = self.learning_rate
        rate = rate(step) if callable(rate) else rate
        optimizer = self.optimizer
        if inspect.isfunction(optimizer):
            optimizer = optimizer(rate)
        train = optimize_loss(loss, step, rate, optimizer, clip_gradients=self.clip_gradients)
        return predictions, loss, train

    def _new_estimator(self, model_dir: str | None) -> Estimator:
        return Estimator(self._model_ops, model_dir=model_dir, config=self._config)

    def _trained(self) -> Estimator:
        if self._estimator is None:
            raise NotFittedError(f"{type(self).__name__} is not trained: call fit first.")
        return self._estimator

    def fit(
        self,
        x: Any,
        y: Any,
        steps: int | None = None,
        monitors: Any = None,
        logdir: str | None = None,
    ) -> Any:
        """Trains the model, from the beginning unless `continue_training` is set.

        Args:
            x: an array or iterator of features, its first dimension the examples.
            y: an array or iterator of labels.
            steps: the number of steps; by default that of the constructor.
            monitors: monitors and SessionRunHooks; or None.
            logdir: the folder of checkpoints and event files; a temporary one by default.

        Returns:
            This object.
        """
        if self._estimator is None or not self.continue_training:
            self._estimator = self._new_estimator(logdir)
        return self._train(x, y, self.steps if steps is None else steps, monitors)

    def partial_fit(self, x: Any, y: Any, steps: int = 1, monitors: Any = None) -> Any:
        """Goes on training for a few steps.

        Args:
            x: an array of features.
            y: an array of labels.
            steps: the number of steps.
            monitors: monitors and SessionRunHooks; or None.

        Returns:
            This object.
        """
        if self._estimator is None:
            self._estimator = self._new_estimator(None)
        return self._train(x, y, steps, monitors)

    def _train(self, x: Any, y: Any, steps: int, monitors: Any) -> Any:
        feeder = setup_train_data_feeder(x, y, self.n_classes, self.batch_size)
        hooks = [FeedFnHook(feeder.get_feed_dict_fn()), *(monitors or [])]
        self._trained().fit(input_fn=feeder.input_builder, steps=steps, monitors=hooks)
        return self

    def evaluate(self, x: Any, y: Any, steps: int | None = None, metrics: Any = None) -> Any:
        """Evaluates the model.

        Args:
            x: an array of features.
            y: an array of labels.
            steps: the number of batches; None for all.
            metrics: MetricSpecs by name; or None.

        Returns:
            The values of metrics by name, "loss" among them.
        """
        feeder = setup_train_data_feeder(
            x, y, self.n_classes, self.batch_size, shuffle=False, epochs=1
        )
        return self._trained().evaluate(
            input_fn=feeder.input_builder,
            feed_fn=feeder.get_feed_dict_fn(),
            steps=steps,
            metrics=metrics,
        )

    def predict(self, x: Any, axis: int = 1, batch_size: int | None = None) -> Array:
        """Returns predictions: classes, or the values of a regression.

        Args:
            x: an array of features.
            axis: the axis of the classes; -1 for their probabilities instead.
            batch_size: the size of batches; by default that of the constructor.

        Returns:
            An array, its first dimension the examples.

        Raises:
            NotFittedError: if the model is not trained.
        """
        size = self.batch_size if batch_size is None else batch_size
        found: Array = SKCompat(self._trained()).predict(x, size)
        return np.argmax(found, axis=axis) if self.n_classes > 1 and axis != -1 else found

    def predict_proba(self, x: Any, batch_size: int | None = None) -> Array:
        """Returns the probabilities of classes.

        Args:
            x: an array of features.
            batch_size: the size of batches; by default that of the constructor.

        Returns:
            An array ``[examples, classes]``.

        Raises:
            NotFittedError: if the model is not trained.
        """
        return self.predict(x, axis=-1, batch_size=batch_size)

    def score(self, x: Any, y: Any) -> float:
        """Returns the accuracy of a classifier, the R^2 of a regression.

        Args:
            x: an array of features.
            y: an array of labels.

        Returns:
            A number, 1 at best.

        Raises:
            NotFittedError: if the model is not trained.
        """
        predictions, labels = np.squeeze(self.predict(x)), np.squeeze(np.asarray(y))
        if self.n_classes > 1:
            return float(accuracy_score(labels, predictions))
        errors = np.sum((labels - predictions) ** 2)
        return float(1.0 - errors / np.sum((labels - labels.mean(axis=0)) ** 2))

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._trained().model_dir

    def get_variable_names(self) -> list[str]:
        """The names of all variables of the trained model."""
        names: list[str] = self._trained().get_variable_names()
        return names

    def get_variable_value(self, name: str) -> Array:
        """The value of a variable of the trained model.

        Args:
            name: its name.
        """
        value: Array = self._trained().get_variable_value(name)
        return value

    # A tensor's name was that of its variable.
    get_tensor_value = get_variable_value

    def save(self, path: str) -> None:
        """Writes the trained model to a folder.

        Args:
            path: the folder.

        Raises:
            NotFittedError: if the model is not trained.
        """
        checkpoint = Path(latest_checkpoint(self.model_dir) or "")
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        for file in checkpoint.parent.glob(f"{checkpoint.name}.*"):
            shutil.copy(file, folder)
        update_checkpoint_state(path, str(folder / checkpoint.name))
        (folder / _DEFINITION).write_text(json.dumps(self._definition()))

    def _definition(self) -> dict[str, Any]:
        """The class, and those arguments of its constructors that JSON can hold."""
        classes = [base for base in type(self).__mro__ if issubclass(base, TensorFlowEstimator)]
        names = {name for base in classes for name in inspect.signature(base).parameters}
        values = {name: vars(self)[name] for name in names & vars(self).keys()}
        plain = {name: value for name, value in values.items() if _is_plain(value)}
        return {"class": type(self).__name__, "params": plain}

    @classmethod
    def restore(cls, path: str, config: Any = None) -> Any:
        """Reads a model that `save` has written.

        Args:
            path: the folder.
            config: a RunConfig; or None.

        Returns:
            An estimator of the class that was written.

        Raises:
            ValueError: if there is none, or its constructor needs a function.
        """
        file = Path(path) / _DEFINITION
        if not file.exists():
            raise ValueError(f"Restore folder doesn't contain model definition: {path}")
        definition = json.loads(file.read_text())
        classes = {known.__name__: known for known in _all_subclasses(TensorFlowEstimator)}
        known = classes.get(definition["class"])
        if known is None:
            raise ValueError(
                f"{definition['class']} has a model function, which is not part of a saved model: "
                "make the estimator again and train it on."
            )
        restored = known(**definition["params"], config=config)
        restored._estimator = restored._new_estimator(path)
        return restored


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


def _all_subclasses(base: type) -> list[type]:
    found: list[type] = list(base.__subclasses__())
    return found + [inner for direct in found for inner in _all_subclasses(direct)]
