"""What can be trained and what can be evaluated."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base.export import export


@export("contrib.learn.Trainable", "contrib.learn.trainable.Trainable")
class Trainable(abc.ABC):
    """An object that can be trained."""

    @abc.abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains a model.

        Args:
            x: an array of features, its first dimension the examples; or None.
            y: an array of labels; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            steps: how many steps to train; None until the input ends.
            batch_size: the size of batches of `x` and `y`; or None.
            monitors: monitors and SessionRunHooks; or None.
            max_steps: the global step to stop at; or None.

        Returns:
            This object.
        """
        raise NotImplementedError


@export("contrib.learn.Evaluable", "contrib.learn.evaluable.Evaluable")
class Evaluable(abc.ABC):
    """An object that can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """The folder of checkpoints and event files."""
        raise NotImplementedError

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Evaluates a model.

        Args:
            x: an array of features, its first dimension the examples; or None.
            y: an array of labels; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            feed_fn: a function that returns the feeds of a batch; or None.
            batch_size: the size of batches of `x` and `y`; or None.
            steps: how many batches; None for all of the input.
            metrics: MetricSpecs by name; or None.
            name: the name of the evaluation, if there are several; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            hooks: SessionRunHooks; or None.

        Returns:
            The values of metrics by name.
        """
        raise NotImplementedError
