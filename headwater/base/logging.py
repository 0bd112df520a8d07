"""Messages to the user, in the form `INFO:tensorflow:...`."""

from __future__ import annotations

import collections
import itertools
import logging
import sys
import threading
from collections.abc import Iterator
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import TYPE_CHECKING, Any, TextIO

from headwater.base.export import export, export_module

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "TaskLevelStatusMessage",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

_lock = threading.Lock()
_logger: logging.Logger | None = None
# (file, line) of a call -> the number of calls.
_counts: dict[tuple[str, int], Iterator[int]] = collections.defaultdict(itertools.count)


if TYPE_CHECKING:
    _StreamHandler = logging.StreamHandler[TextIO]
else:
    # Python 3.10 cannot subscript it.
    _StreamHandler = logging.StreamHandler


class _ConsoleHandler(_StreamHandler):
    """Writes to what is `sys.stderr` at the time of writing: programs and tests redirect it."""

    def __init__(self, use_stdout: bool) -> None:
        self._use_stdout = use_stdout
        super().__init__()

    @property
    def stream(self) -> TextIO:
        return sys.stdout if self._use_stdout else sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        pass


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger named "tensorflow"; at its first use it gets a level and a console handler."""
    global _logger
    if _logger is None:
        with _lock:
            if _logger is None:
                logger = logging.getLogger("tensorflow")
                # An interactive session shows progress; a program shows warnings only.
                interactive = bool(getattr(sys, "ps1", None) or sys.flags.interactive)
                if logger.level == logging.NOTSET:
                    logger.setLevel(INFO if interactive else WARN)
                if not logging.getLogger().handlers and not logger.handlers:
                    handler = _ConsoleHandler(use_stdout=interactive)
                    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
                    logger.addHandler(handler)
                _logger = logger
    return _logger


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at level DEBUG; `args` are put in with `%`."""
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at level INFO; `args` are put in with `%`.

    Example:
        >>> tf.logging.set_verbosity(tf.logging.WARN)
        >>> tf.logging.info("step %d", 7)  # not shown
        >>> print(tf.logging.get_verbosity() == tf.logging.WARN)
        True
    """
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at level WARN; `args` are put in with `%`."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at level ERROR; `args` are put in with `%`."""
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at level FATAL; `args` are put in with `%`. The program goes on."""
    get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at a level; `args` are put in with `%`."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


vlog = log


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message at level ERROR."""
    get_logger().error(msg, stacklevel=2)


def flush() -> None:
    """Flushes the handlers."""
    for handler in get_logger().handlers:
        handler.flush()


def _count_call() -> int:
    """How often the line that called the caller of this function has run before."""
    frame = sys._getframe(2)
    with _lock:
        return next(_counts[frame.f_code.co_filename, frame.f_lineno])


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs at the first and then at every n-th call from the same line."""
    if _count_call() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs at the first n calls from the same line."""
    if _count_call() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs if `condition` is true."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def get_verbosity() -> int:
    """The lowest level that is shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Sets the lowest level that is shown."""
    get_logger().setLevel(v)


export_module("logging", sys.modules[__name__])
