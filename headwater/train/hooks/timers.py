"""Timers: how often a hook acts."""

from __future__ import annotations

import time

from headwater.base.export import export


class HookTimer:
    """The interface of timers: says at which steps a hook acts."""

    def reset(self) -> None:
        """Forgets the last trigger."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether the hook acts at this step.

        Args:
            step: the global step.
        """
        raise NotImplementedError

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that the hook has acted.

        Args:
            step: the global step.

        Returns:
            The number of seconds and of steps since it has acted before; None for the first time.
        """
        raise NotImplementedError

    def last_triggered_step(self) -> int | None:
        """The step at which the hook has acted last, or None."""
        raise NotImplementedError


@export("train.SecondOrStepTimer", "estimator.SecondOrStepTimer")
class SecondOrStepTimer(HookTimer):
    """A timer that triggers every so many seconds or steps, and at first at once.

    Args:
        every_secs: the interval in seconds, or None.
        every_steps: the interval in steps, or None.

    Raises:
        ValueError: unless exactly one of them is given.

    Example:
        >>> timer = tf.train.SecondOrStepTimer(every_steps=10)
        >>> timer.update_last_triggered_step(3)
        (None, None)
        >>> timer.should_trigger_for_step(12), timer.should_trigger_for_step(13)
        (False, True)
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        self.reset()
        self._every_secs = every_secs
        self._every_steps = every_steps
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")

    def reset(self) -> None:
        """Forgets the last trigger; the next step triggers."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether the interval has passed since the last trigger.

        Args:
            step: the global step.

        Returns:
            A bool; False for the step of the last trigger itself.
        """
        last_step, last_time = self._last_triggered_step, self._last_triggered_time
        if last_step is None or last_time is None:
            return True
        if step == last_step:
            return False
        if self._every_steps is not None:
            return step >= last_step + self._every_steps
        return time.time() >= last_time + (self._every_secs or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes a trigger.

        Args:
            step: the global step.

        Returns:
            The number of seconds and of steps since the trigger before; None for the first one.
        """
        now = time.time()
        last_step, last_time = self._last_triggered_step, self._last_triggered_time
        self._last_triggered_step, self._last_triggered_time = step, now
        if last_step is None or last_time is None:
            return None, None
        return now - last_time, step - last_step

    def last_triggered_step(self) -> int | None:
        """The step of the last trigger, or None."""
        return self._last_triggered_step


class NeverTriggerTimer(HookTimer):
    """A timer that never triggers."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[None, None]:
        """Nothing is noted; there is no time and no step since the last trigger."""
        return None, None

    def last_triggered_step(self) -> None:
        """None."""
        return None
