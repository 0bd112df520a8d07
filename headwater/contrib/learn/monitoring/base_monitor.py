"""BaseMonitor and EveryN: callbacks of training, and those of every so many steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.notices import MONITOR, MONITOR_DATE


def extract_output(outputs: Mapping[Any, Any], request: Any) -> Any:
    """The value of a requested tensor.

    Args:
        outputs: values by tensor or name.
        request: the tensor or name.

    Returns:
        The value.
    """
    return outputs[request] if request in outputs else outputs[request.name]


@export("contrib.learn.monitors.BaseMonitor")
class BaseMonitor:
    """Callbacks of training, for subclasses to override.

    Before a step, `step_begin` returns the tensors that it wants; after it, `step_end` gets their
    values and says whether training stops.
    """

    @deprecated(MONITOR_DATE, MONITOR)
    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None
        self._estimator_locked = False

    @property
    def run_on_all_workers(self) -> bool:
        """Whether the monitor runs on all workers, and not only on the chief."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Says which estimator is trained.

        Args:
            estimator: the estimator.

        Raises:
            ValueError: if it is None.
        """
        if self._estimator_locked:
            return
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def _lock_estimator(self) -> None:
        """Makes `set_estimator` do nothing until `_unlock_estimator`."""
        self._estimator_locked = True

    def _unlock_estimator(self) -> None:
        self._estimator_locked = False

    def begin(self, max_steps: int | None = None) -> None:
        """Called before training; the graph may still be changed.

        Args:
            max_steps: the global step at which training stops; or None.

        Raises:
            ValueError: if training has begun already.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps = max_steps
        self._begun = True

    def end(self, session: Any = None) -> None:
        """Called after training.

        Args:
            session: the session.

        Raises:
            ValueError: if training has not begun.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Called before an epoch.

        Args:
            epoch: its number, from 0.

        Raises:
            ValueError: if another epoch has not ended, or the number is negative.
        """
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Called after an epoch.

        Args:
            epoch: its number.

        Raises:
            ValueError: if another epoch, or none, has begun.
        """
        if self._current_epoch != epoch:
            # TensorFlow does not format this text.
            raise ValueError("epoch_end expected %s but got %s.", self._current_epoch, epoch)
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Called before a step.

        Args:
            step: the global step after it.

        Returns:
            The tensors, or their names, that `step_end` gets the values of.

        Raises:
            ValueError: if the step is negative or too high.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Mapping[Any, Any]) -> bool:
        """Called after a step.

        Args:
            step: the global step.
            output: values by what `step_begin` has returned.

        Returns:
            Whether training stops.

        Raises:
            ValueError: if another step, or none, has begun.
        """
        if self._current_step != step:
            # TensorFlow does not format this text.
            raise ValueError("step_end expected %s but got %s.", self._current_step, step)
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after a step and the `step_end` of all monitors.

        Args:
            step: the global step.
            session: the session.
        """


@export("contrib.learn.monitors.EveryN")
class EveryN(BaseMonitor):
    """Callbacks of every so many steps, for subclasses to override.

    Args:
        every_n_steps: the interval in steps.
        first_n_steps: how many of the first steps are all included.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        # The last step that was run, and the last with callbacks.
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._every_n_step_begin_called = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Called before every n-th step.

        Args:
            step: the global step after it.

        Returns:
            The tensors, or their names, that `every_n_step_end` gets the values of.
        """
        return []

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Called after every n-th step.

        Args:
            step: the global step.
            outputs: values by what `every_n_step_begin` has returned.

        Returns:
            Whether training stops.
        """
        return False

    def every_n_post_step(self, step: int | None, session: Any) -> None:
        """Called after every n-th step and the callbacks of all monitors, and at the end.

        Args:
            step: the global step.
            session: the session.
        """

    def step_begin(self, step: int) -> list[Any]:
        """Calls `every_n_step_begin` if it is its turn.

        Args:
            step: the global step after the step.

        Returns:
            What that returns, or an empty list.
        """
        super().step_begin(step)
        self._every_n_step_begin_called = (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._every_n_step_begin_called else []

    def step_end(self, step: int, output: Mapping[Any, Any]) -> bool:
        """Calls `every_n_step_end` if it is its turn.

        Args:
            step: the global step.
            output: values by what `step_begin` has returned.

        Returns:
            Whether training stops.
        """
        super().step_end(step, output)
        if self._every_n_step_begin_called:
            return self.every_n_step_end(step, output)
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Calls `every_n_post_step` if it is its turn.

        Args:
            step: the global step.
            session: the session.
        """
        super().post_step(step, session)
        if self._every_n_step_begin_called:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Calls `every_n_post_step` for the last step, unless that was its turn.

        Args:
            session: the session.
        """
        super().end(session=session)
        if self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step, session)
