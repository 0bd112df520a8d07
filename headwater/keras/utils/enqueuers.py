"""Threads that make batches ahead of their use."""

from __future__ import annotations

import queue
import random
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from headwater.base.export import export


@export("keras.utils.SequenceEnqueuer")
class SequenceEnqueuer:
    """The base of what makes batches ahead.

    Batches are made by threads, also if processes are asked for: a process that runs XLA cannot be
    forked safely.

    Args:
        sequence: a Sequence, or a generator.
        use_multiprocessing: has no effect.
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
        use_multiprocessing: has no effect.
        shuffle: whether each pass has an order of its own.
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle
        self._executor: ThreadPoolExecutor | None = None

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the threads; see the base class."""
        super().start(workers, max_queue_size)
        self._executor = ThreadPoolExecutor(workers, "keras-sequence")

    def stop(self, timeout: float | None = None) -> None:
        """Ends the threads; see the base class."""
        super().stop(timeout)
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
                made.append(self._executor.submit(self.sequence.__getitem__, index))
                if len(made) > self.max_queue_size:
                    yield made.popleft().result()
            while made and self.is_running():
                yield made.popleft().result()
            if self.is_running() and hasattr(self.sequence, "on_epoch_end"):
                self.sequence.on_epoch_end()


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
