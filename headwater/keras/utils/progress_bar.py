"""A progress bar on standard output."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from headwater.base.export import export


def print_line(line: str) -> None:
    """Prints a line to standard output."""
    sys.stdout.write(line + "\n")


def _clock(seconds: float) -> str:
    if seconds > 3600:
        return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}:{int(seconds % 60):02d}"
    if seconds > 60:
        return f"{seconds // 60:.0f}:{int(seconds % 60):02d}"
    return f"{int(seconds)}s"


def _rate(seconds: float, unit: str) -> str:
    if seconds >= 1:
        return f" {seconds:.0f}s/{unit}"
    if seconds >= 1e-3:
        return f" {seconds * 1e3:.0f}ms/{unit}"
    return f" {seconds * 1e6:.0f}us/{unit}"


@export("keras.utils.Progbar")
class Progbar:
    """A progress bar with running means of values.

    Args:
        target: the number of units in all; None if unknown.
        width: the width of the bar in characters.
        verbose: 0 prints nothing, 1 a bar, 2 one line at the end.
        interval: the least time between two prints, in seconds.
        stateful_metrics: names of values that are shown as given; others are averaged.
        unit_name: what is counted, such as "step".
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._sums: dict[str, tuple[Any, int]] = {}
        self._seen = 0
        self._line_width = 0
        self._start = time.time()
        self._last_print = 0.0

    def update(self, current: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Moves the bar.

        Args:
            current: the number of units done.
            values: pairs of a name and a value for the units since the last update.
        """
        self._collect(current, values or ())
        now = time.time()
        if self.verbose == 1:
            self._print_bar(current, now)
        elif self.verbose == 2 and self._done(current):
            line = f"{self._count(current)} - {now - self._start:.0f}s{self._values_text()}\n"
            sys.stdout.write(line)
            sys.stdout.flush()

    def add(self, n: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Moves the bar by `n` units; see `update`."""
        self.update(self._seen + n, values)

    def _collect(self, current: int, values: Iterable[tuple[str, Any]]) -> None:
        weight = max(current - self._seen, 1)
        for name, value in values:
            if name in self.stateful_metrics:
                self._sums[name] = (value, 1)
            else:
                total, count = self._sums.get(name, (0.0, 0))
                self._sums[name] = (total + value * weight, count + weight)
        self._seen = current

    def _done(self, current: int) -> bool:
        return self.target is not None and current >= self.target

    def _count(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        return f"{current:{len(str(self.target))}d}/{self.target}"

    def _bar(self, current: int) -> str:
        if not self.target:
            return self._count(current)
        filled = int(self.width * current / self.target)
        head = ">" if current < self.target else "="
        bar = "=" * (filled - 1) + head if filled > 0 else ""
        return f"{self._count(current)} [{bar}{'.' * (self.width - filled)}]"

    def _time_text(self, current: int, now: float) -> str:
        elapsed = now - self._start
        per_unit = elapsed / current if current else 0.0
        if self.target is not None and current < self.target:
            return f" - ETA: {_clock(per_unit * (self.target - current))}"
        return f" - {elapsed:.0f}s{_rate(per_unit, self.unit_name)}"

    def _values_text(self) -> str:
        text = ""
        for name, (total, count) in self._sums.items():
            mean = np.mean(total / max(count, 1))
            text += f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}"
        return text

    def _print_bar(self, current: int, now: float) -> None:
        done = self._done(current)
        if now - self._last_print < self.interval and self.target is not None and not done:
            return
        line = self._bar(current) + self._time_text(current, now) + self._values_text()
        # Spaces cover what is left of a longer line.
        sys.stdout.write("\b" * self._line_width + "\r" + line.ljust(self._line_width))
        if done:
            sys.stdout.write("\n")
        sys.stdout.flush()
        self._line_width = len(line)
        self._last_print = now
