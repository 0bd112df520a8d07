"""tensorflow.python.training.tensorboard_logging: log messages that event files have too."""

from __future__ import annotations

import time
from typing import Any

from headwater.base import logging
from headwater.protos.lazy import event_pb2

DEBUG, INFO, WARN, ERROR, FATAL = "DEBUG", "INFO", "WARN", "ERROR", "FATAL"

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "log",
    "set_summary_writer",
    "set_verbosity",
    "warn",
]

# The numbers are those of LogMessage.Level, and in this order.
_LEVELS = {DEBUG: 10, INFO: 20, WARN: 30, ERROR: 40, FATAL: 50}
_NO_WRITER = object()

_summary_writer: Any = _NO_WRITER
_verbosity = WARN


def _check_verbosity(verbosity: str) -> None:
    if verbosity not in _LEVELS:
        raise ValueError(f"Level {verbosity} is not a valid tensorboard_logging level")


def get_verbosity() -> str:
    """The least level of messages that are written to the event file."""
    return _verbosity


def set_verbosity(verbosity: str) -> None:
    """Sets the least level of messages that are written to the event file.

    Args:
        verbosity: DEBUG, INFO, WARN, ERROR or FATAL.

    Raises:
        ValueError: for another level.
    """
    global _verbosity
    _check_verbosity(verbosity)
    _verbosity = verbosity


def set_summary_writer(summary_writer: Any) -> None:
    """Sets the writer of the event file.

    Args:
        summary_writer: a FileWriter; None if messages only go to the log.
    """
    global _summary_writer
    _summary_writer = summary_writer


def _clear_summary_writer() -> None:
    """Makes logging fail until there is a writer."""
    set_summary_writer(_NO_WRITER)


def log(level: str, message: str, *args: Any) -> None:
    """Logs a message, and writes it to the event file.

    Args:
        level: DEBUG, INFO, WARN, ERROR or FATAL.
        message: the text.
        *args: what its % formats name.

    Raises:
        RuntimeError: if no writer was set.
        ValueError: for another level.
    """
    if _summary_writer is _NO_WRITER:
        raise RuntimeError(
            "Must call set_summary_writer before doing any logging from tensorboard_logging"
        )
    _check_verbosity(level)
    if _summary_writer is not None and _LEVELS[level] >= _LEVELS[_verbosity]:
        text = message % args if args else message
        event = event_pb2.Event(wall_time=time.time())
        event.log_message.level = _LEVELS[level]
        event.log_message.message = text
        _summary_writer.add_event(event)
    logging.log(_LEVELS[level], message, *args)


def debug(message: str, *args: Any) -> None:
    """Logs a message of level DEBUG."""
    log(DEBUG, message, *args)


def info(message: str, *args: Any) -> None:
    """Logs a message of level INFO."""
    log(INFO, message, *args)


def warn(message: str, *args: Any) -> None:
    """Logs a message of level WARN."""
    log(WARN, message, *args)


def error(message: str, *args: Any) -> None:
    """Logs a message of level ERROR."""
    log(ERROR, message, *args)


def fatal(message: str, *args: Any) -> None:
    """Logs a message of level FATAL; the program goes on."""
    log(FATAL, message, *args)
