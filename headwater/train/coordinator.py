"""Coordinator: threads that stop together."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import errors, logging
from headwater.base.compat_strings import as_str_any
from headwater.base.export import export


@export("train.Coordinator")
class Coordinator:
    """Lets any of several threads stop all of them, and records the reason.

    Args:
        clean_stop_exception_types: types of exceptions that are an ordinary reason to stop, and
            not raised by `join`; OutOfRangeError if None.
    """

    def __init__(
        self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None
    ) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._exc_info_to_raise: Any = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop. The first exception given here is raised by `join`.

        Args:
            ex: an exception, or a tuple as `sys.exc_info()` returns it.
        """
        with self._lock:
            exception = ex[1] if isinstance(ex, tuple) else ex
            clean = isinstance(exception, self._clean_stop_exception_types)
            if self._joined:
                if ex is None or clean:
                    return
                raise exception
            if self._stop_event.is_set():
                return
            if ex and not clean and self._exc_info_to_raise is None:
                self._exc_info_to_raise = _exc_info(ex)
                _log_error(ex, as_str_any(str(exception)))
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Clears the stop request."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop_event.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A with block whose exceptions request a stop instead of being raised."""
        try:
            yield
        except:  # noqa: E722
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested.

        Args:
            timeout: how many seconds at most; None for any time.

        Returns:
            Whether a stop was asked for.
        """
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended.

        Args:
            threads: threads to wait for besides the registered ones.
            stop_grace_period_secs: how many seconds they have to end after a stop was asked for.
            ignore_live_threads: whether threads that are still running are not an error.

        Raises:
            RuntimeError: if a thread is still running.
            Exception: the one that was given to `request_stop`.
        """
        with self._lock:
            all_threads = list(self._registered_threads)
            all_threads += [t for t in threads or () if t not in self._registered_threads]
        while any(t.is_alive() for t in all_threads) and not self.wait_for_stop(1.0):
            pass
        # Threads that end by themselves do not request a stop, so the event may not be set.
        deadline = time.monotonic() + stop_grace_period_secs
        wait = 0.001
        while any(t.is_alive() for t in all_threads) and time.monotonic() < deadline:
            time.sleep(wait)
            wait = min(2 * wait, 1.0, max(deadline - time.monotonic(), 0.001))
        stragglers = []
        for thread in all_threads:
            if thread.is_alive():
                stragglers.append(thread.name)
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._exc_info_to_raise:
                _, exception, traceback = self._exc_info_to_raise
                raise exception.with_traceback(traceback)
            if stragglers:
                text = f"Coordinator stopped with threads still running: {' '.join(stragglers)}"
                if not ignore_live_threads:
                    raise RuntimeError(text)
                logging.info("%s", text)

    @property
    def joined(self) -> bool:
        """Whether `join` has been called."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception that was given to `request_stop`, if there is one."""
        with self._lock:
            if self._exc_info_to_raise:
                _, exception, traceback = self._exc_info_to_raise
                raise exception.with_traceback(traceback)


def _log_error(ex: Any, text: str) -> None:
    """Logs an error, with the traceback if it was reported as a tuple."""
    if isinstance(ex, tuple):
        logging.info("Error reported to Coordinator: %s", text, exc_info=ex)
    else:
        logging.info("Error reported to Coordinator: %s, %s", type(ex), text)


def _exc_info(ex: Any) -> tuple[Any, Any, Any]:
    """An exception with its traceback.

    Raises:
        ValueError: if a tuple is not of this form.
    """
    if not isinstance(ex, tuple):
        return type(ex), ex, ex.__traceback__
    if len(ex) != 3 or not isinstance(ex[1], BaseException):
        raise ValueError("ex must be a 3-tuple or sys.exc_info")
    return ex


@export("train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that calls a function repeatedly until a coordinator stops it.

    Args:
        coord: the Coordinator.
        timer_interval_secs: how many seconds from one time to the next; None for no pause.
        target: the function to call; None if a subclass has `run_loop`.
        args: its arguments.
        kwargs: its keyword arguments.

    Raises:
        ValueError: if `coord` is not a Coordinator, or there are arguments without a target.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__()
        self.daemon = True
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        if self._target:
            self._args = args or ()
            self._kwargs = kwargs or {}
        elif args or kwargs:
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Starts a LooperThread.

        Args:
            coord: the Coordinator.
            timer_interval_secs: how many seconds from one time to the next.
            target: the function to call.
            args: its arguments.
            kwargs: its keyword arguments.

        Returns:
            The thread.
        """
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Calls the function until the coordinator stops the thread."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = time.time()
                while not self._coord.wait_for_stop(next_time - time.time()):
                    next_time += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called once before the first iteration."""

    def stop_loop(self) -> None:
        """Called once after the last iteration."""

    def run_loop(self) -> None:
        """Called in each iteration."""
        if self._target:
            self._target(*self._args, **self._kwargs)
