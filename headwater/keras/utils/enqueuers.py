"""Threads and processes that make batches ahead of their use."""

from __future__ import annotations

import multiprocessing
import queue
import random
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from headwater.base.export import export


@export("keras.utils.SequenceEnqueuer")
class SequenceEnqueuer:
    """The base of what makes batches ahead.

    Args:
        sequence: a Sequence, or a generator.
        use_multiprocessing: whether processes make the batches of a Sequence; a generator always
            has a thread.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self._running = threading.Event()
        self.workers = 0
        self.max_queue_size = 10

    def is_running(self) -> bool:
        """Whether `start` has been called and `stop` has not."""
        return self._running.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the threads.

        Args:
            workers: their number.
            max_queue_size: how many batches are made ahead.
        """
        self.workers = workers
        self.max_queue_size = max_queue_size
        self._running.set()

    def stop(self, timeout: float | None = None) -> None:
        """Ends the threads.

        Args:
            timeout: how long to wait for them, in seconds.
        """
        self._running.clear()

    def get(self) -> Iterator[Any]:
        """Yields the batches.

        Raises:
            NotImplementedError: in this class.
        """
        raise NotImplementedError

    def __del__(self) -> None:
        if self.is_running():
            self.stop()


@export("keras.utils.OrderedEnqueuer")
class OrderedEnqueuer(SequenceEnqueuer):
    """Makes the batches of a Sequence ahead, again and again, in their order.

    Args:
        sequence: the Sequence.
        use_multiprocessing: whether processes make the batches, from a copy of the Sequence that
            is taken at the begin of each pass.
        shuffle: whether each pass has an order of its own.
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle
        self._executor: ThreadPoolExecutor | ProcessPoolExecutor | None = None

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the threads or processes; see the base class."""
        super().start(workers, max_queue_size)
        self._start_executor()

    def _start_executor(self) -> None:
        if not self.use_multiprocessing:
            self._executor = ThreadPoolExecutor(self.workers, "keras-sequence")
            return
        self._executor = ProcessPoolExecutor(
            self.workers,
            # Only a forked process has a Sequence that cannot be pickled.
            multiprocessing.get_context("fork"),
            _keep_sequence,
            (self.sequence,),
        )
        _process_pools.add(self._executor)

    def stop(self, timeout: float | None = None) -> None:
        """Ends the threads or processes; see the base class."""
        super().stop(timeout)
        self._stop_executor()

    def _stop_executor(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _order(self) -> list[int]:
        order = list(range(len(self.sequence)))
        if self.shuffle:
            random.shuffle(order)
        return order

    def get(self) -> Iterator[Any]:
        """Yields the batches, without end."""
        while self.is_running():
            made: deque[Future[Any]] = deque()
            for index in self._order():
                if self._executor is None:
                    return
                made.append(self._submit(self._executor, index))
                if len(made) > self.max_queue_size:
                    yield made.popleft().result()
            while made and self.is_running():
                yield made.popleft().result()
            if self.is_running() and hasattr(self.sequence, "on_epoch_end"):
                self.sequence.on_epoch_end()
            if self.is_running() and self.use_multiprocessing:
                # The next pass sees what the end of the epoch has changed.
                self._stop_executor()
                self._start_executor()

    def _submit(self, executor: Executor, index: int) -> Future[Any]:
        if not self.use_multiprocessing:
            return executor.submit(self.sequence.__getitem__, index)
        with warnings.catch_warnings():
            # The processes run the Sequence alone, not XLA, of which a fork would be unsafe.
            warnings.filterwarnings("ignore", r"(?s).*fork\(\)", RuntimeWarning)
            warnings.filterwarnings("ignore", r"(?s).*fork\(\)", DeprecationWarning)
            return executor.submit(_item_of_sequence, index)


# The Sequence of a process that makes batches.
_kept: list[Any] = []
_process_pools: weakref.WeakSet[ProcessPoolExecutor] = weakref.WeakSet()


def _keep_sequence(sequence: Any) -> None:
    _kept[:] = [sequence]


def _item_of_sequence(index: int) -> Any:
    return _kept[0][index]


@export("keras.experimental.terminate_keras_multiprocessing_pools")
def terminate_keras_multiprocessing_pools(
    grace_period: float = 0.1, use_sigkill: bool = False
) -> list[str]:
    """Ends all processes that make batches.

    Args:
        grace_period: how long to wait for each process, in seconds.
        use_sigkill: whether processes that are still alive are killed.

    Returns:
        The errors.
    """
    errors = []
    for pool in list(_process_pools):
        for process in list((pool._processes or {}).values()):
            try:
                process.terminate()
                process.join(grace_period)
                if use_sigkill and process.is_alive():
                    process.kill()
            except (OSError, ValueError) as error:
                errors.append(str(error))
        pool.shutdown(wait=False, cancel_futures=True)
    _process_pools.clear()
    return errors


@export("keras.utils.GeneratorEnqueuer")
class GeneratorEnqueuer(SequenceEnqueuer):
    """Takes the items of a generator ahead, in one thread, since generators are not thread-safe.

    Args:
        sequence: the generator.
        use_multiprocessing: has no effect.
    """

    _END = object()

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        super().__init__(sequence, use_multiprocessing)
        self._queue: queue.Queue[Any] = queue.Queue()
        self._thread: threading.Thread | None = None

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the thread; see the base class."""
        super().start(workers, max_queue_size)
        self._queue = queue.Queue(max_queue_size)
        self._thread = threading.Thread(target=self._produce, daemon=True, name="keras-generator")
        self._thread.start()

    def _produce(self) -> None:
        try:
            for item in self.sequence:
                if not self._put((item, None)):
                    return
        except Exception as error:
            self._put((self._END, error))
        else:
            self._put((self._END, None))

    def _put(self, item: Any) -> bool:
        """Waits for room in the queue; returns False if the enqueuer is stopped meanwhile."""
        while self.is_running():
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def stop(self, timeout: float | None = None) -> None:
        """Ends the thread; see the base class."""
        super().stop(timeout)
        while not self._queue.empty():
            self._queue.get_nowait()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)
            self._thread = None

    def get(self) -> Iterator[Any]:
        """Yields the items of the generator.

        Raises:
            Exception: what the generator has raised.
        """
        while self.is_running():
            item, error = self._queue.get()
            if error is not None:
                raise error
            if item is self._END:
                return
            yield item
