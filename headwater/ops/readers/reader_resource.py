"""The values of reader handles: the readers themselves, which a session keeps between runs.

One op at a time works with a reader; others stand in line. An op gives the lock back while it waits
for its turn or for the queue of file names, and goes on in the thread of its own run.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np

from headwater.base import cancellation, dtypes, errors
from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.compat_strings import as_bytes
from headwater.base.export import export
from headwater.base.python_errors import python_error
from headwater.base.waiting import Waiting, wait_for_any
from headwater.io.file_errors import file_error, in_file
from headwater.io.files import is_remote
from headwater.protos.lazy import reader_base_pb2

# What the errors of cancelled runs say.
_CANCELLED = "Dequeue operation was cancelled"


_ESCAPES = {ord(c): e for c, e in zip("\n\r\t\"'\\", ("\\n", "\\r", "\\t", '\\"', "\\'", "\\\\"))}


def _escaped(data: bytes) -> str:
    """Bytes as C would write them."""
    return "".join(
        _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data
    )


@export("user_ops.Reader")
class Reader:
    """Reads the records of work units, which are usually files whose names come from a queue.

    A subclass overrides `read` or `read_up_to`, and what it needs of the other methods up to
    `restore`. They are called by one thread at a time.

    Attributes:
        current_work: the work unit that was begun last, in bytes.
        num_records_produced: how many records ops have got.
        num_work_units_completed: how many work units were read to their ends.
    """

    # Whether Ctrl-C takes effect only after a read of a local file: no more than what that run has
    # read is lost. Other reads may take long, so that an interrupt ends them.
    defers_interrupts = False
    # Whether records may be read before ops ask for them: nobody but the reader sees that, and a
    # read of several takes no longer than what is in the file's buffer.
    _reads_ahead = False

    # In __new__, because programs forget to call the __init__ of a base class.
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = super().__new__(cls)
        self._prepare()
        return self

    def _prepare(self) -> None:
        self.name = ""
        self.current_work = b""
        self.num_records_produced = 0
        self.num_work_units_completed = 0
        self._work_units_started = 0
        self._is_local = True
        # `_abandoned` may be called while its thread has the lock.
        self._lock = threading.RLock()
        # The op whose turn it is.
        self._owner: weakref.ref[_Turn] | None = None
        self._line: deque[_Turn] = deque()
        # Elements of the queue that have been taken and not begun.
        self._dequeued: deque[Sequence[np.ndarray]] = deque()
        # Records that have been read and that no op has got; None for none.
        self._ahead: _Ahead | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    # What subclasses override

    def on_work_started(self) -> None:
        """Opens the work unit `current_work`. If it fails, the next one is dequeued."""

    def on_work_finished(self) -> None:
        """Closes the work unit, which has been read to its end."""

    def read(self) -> tuple[Any, Any] | None:
        """Reads a record.

        Returns:
            Its key, by which it can be found again, and its value, as text or bytes; or None at
            the end of the work unit.
        """
        raise errors.UnimplementedError(None, None, f"{type(self).__name__} has no read().")

    def read_up_to(self, count: int) -> tuple[Sequence[bytes], Sequence[bytes], bool]:
        """Reads one or more records of one work unit.

        Args:
            count: the largest number.

        Returns:
            Their keys, their values, and whether the work unit ends after them.
        """
        record = self.read()
        if record is None:
            return [], [], True
        return [as_bytes(record[0])], [as_bytes(record[1])], False

    def on_reset(self) -> None:
        """Drops the work unit."""

    def serialize(self) -> bytes:
        """The state; `base_state()` if the reader has none of its own."""
        raise errors.UnimplementedError(None, None, "Reader SerializeState")

    def restore(self, state: bytes) -> None:
        """Takes over a state, after a reset; `restore_base_state(state)`, for example."""
        raise errors.UnimplementedError(None, None, "Reader RestoreState")

    # What subclasses may use

    def set_name(self, op_name: str) -> None:
        """Gives the reader the name that its errors show, the first time."""
        self.name = self.name or f"{type(self).__name__} '{op_name}'"

    @property
    def work_in_progress(self) -> bool:
        """Whether a work unit has been begun and not finished."""
        return self.num_work_units_completed < self._work_units_started

    def base_state(self) -> bytes:
        """The counters and the work unit, as a serialized ReaderBaseState."""
        state = reader_base_pb2.ReaderBaseState(
            work_started=self._work_units_started,
            work_finished=self.num_work_units_completed,
            num_records_produced=self.num_records_produced,
            current_work=self.current_work,
        )
        return state.SerializeToString()

    def restore_base_state(self, state: bytes) -> None:
        """Takes over the counters and the work unit.

        Raises:
            InvalidArgumentError: if it is not a state.
        """
        found = reader_base_pb2.ReaderBaseState()
        try:
            found.ParseFromString(state)
        except Exception as error:
            # Protobuf's DecodeError; its module is loaded by the protos alone.
            if type(error).__name__ != "DecodeError":
                raise
            fail(f"Could not parse state for {self.name}: {_escaped(state)}")
        for field in ("work_started", "work_finished", "num_records_produced"):
            if (number := getattr(found, field)) < 0:
                text = f"Unexpected negative value when restoring in {self.name}"
                fail(f"{text}: {field}: {number}")
        if found.work_started > found.work_finished:
            text = f"Inconsistent work started vs. finished when restoring in {self.name}"
            fail(f"{text}: work_started: {found.work_started}")
        self._work_units_started = found.work_started
        self.num_work_units_completed = found.work_finished
        self.num_records_produced = found.num_records_produced
        self.current_work = found.current_work

    # Ops

    def start_read(self, queue: Any) -> Any:
        """Reads a record: key and value as arrays, or a Waiting for them."""
        return self._start(_ReadOne(self, queue))

    def start_read_up_to(self, queue: Any, count: int) -> Any:
        """Reads up to `count` records of one work unit: arrays of keys and values, or a Waiting."""
        if count < 0:
            fail(f"num_records must be >= 0 not {count}")
        return self._start(_Read(self, queue, count))

    def start_reset(self) -> Any:
        """Brings the reader to its initial state."""
        return self._start(_Call(self, self._reset))

    def start_serialize(self) -> Any:
        """The state as an array."""
        return self._start(_Call(self, lambda: np.array(self.serialize(), object)))

    def start_restore(self, state: bytes) -> Any:
        """Takes over a state."""
        return self._start(_Call(self, lambda: self._restore(state)))

    def _reset(self) -> tuple[()]:
        self._work_units_started = 0
        self.num_work_units_completed = 0
        self.num_records_produced = 0
        self.current_work = b""
        self._ahead = None
        self.on_reset()
        return ()

    def _restore(self, state: bytes) -> tuple[()]:
        self._reset()
        try:
            self.restore(state)
        except errors.OpError:
            self._reset()
            raise
        return ()

    # Turns

    def _start(self, turn: _Turn) -> Any:
        try:
            with self._lock:
                if self._owner is not None:
                    self._line.append(turn)
                    return turn
                self._owner = weakref.ref(turn, self._abandoned)
            return self._proceed(turn)
        except BaseException:
            self._leave(turn)
            raise

    def _proceed(self, turn: _Turn) -> Any:
        """Goes on with an op whose turn it is; returns its results or a Waiting."""
        try:
            with uninterrupted() if self._is_local and self.defers_interrupts else nullcontext():
                results = turn.run()
        except OSError as error:
            self._leave(turn)
            raise file_error(error, self.current_work) from error
        except errors.DataLossError as error:
            self._leave(turn)
            raise in_file(error, self.current_work) from None
        except BaseException as error:
            self._leave(turn)
            if isinstance(error, errors.OpError) or not isinstance(error, Exception):
                raise
            raise python_error(error) from error
        if not isinstance(results, Waiting):
            self._leave(turn)
        return results

    def _leave(self, turn: _Turn) -> None:
        """Ends a turn, or takes it out of the line."""
        with self._lock:
            if self._owner is not None and self._owner() is turn:
                self._pass_on()
            elif turn in self._line:
                self._line.remove(turn)

    def _abandoned(self, turn: weakref.ref[_Turn]) -> None:
        """Ends the turn of an op whose run an interrupt has ended before it could withdraw."""
        with self._lock:
            if self._owner is turn:
                self._pass_on()

    def _pass_on(self) -> None:
        if not self._line:
            self._owner = None
            return
        with uninterrupted():
            following = self._line.popleft()
            self._owner = weakref.ref(following, self._abandoned)
            following.finish()

    # Work units

    def _begin(self, queue: Any) -> Waiting | None:
        """Makes sure that a work unit is in progress.

        Returns:
            The pending dequeue of the next one, if the queue is empty.
        """
        if self.work_in_progress:
            return None
        if not self._dequeued:
            dequeue = queue.dequeue()
            if not dequeue.done:
                return dequeue
            self._dequeued.append(dequeue.result())
        self.current_work = _work_unit(self._dequeued.popleft())
        self._ahead = None
        self._is_local = not is_remote(self.current_work)
        self.on_work_started()
        self._work_units_started += 1
        return None

    def _read(self, count: int) -> tuple[Sequence[bytes], Sequence[bytes]]:
        """Reads from the work unit, and finishes it at its end."""
        keys, values, ended = self._taken_ahead(count) or self.read_up_to(count)
        self.num_records_produced += len(keys)
        if ended:
            self.on_work_finished()
            self.num_work_units_completed = self._work_units_started
        elif not keys:
            text = f"ReadManyLocked() for {self.name} must set *at_end=true, *num_produced > 0"
            raise errors.InternalError(None, None, f"{text} or return an error.")
        return keys, values

    # Looking ahead

    def _take_turn(self) -> _Turn | None:
        """Waits for the turn, to look ahead; None if no work unit is begun then.

        Raises:
            OpError: if the run is stopped.
        """
        if not self._reads_ahead:
            return None
        turn = self._turn_of_thread()
        if not self.work_in_progress:
            self._leave(turn)
            return None
        return turn

    def _turn_of_thread(self) -> _Turn:
        turn = _Turn(self)
        with self._lock:
            if self._owner is None:
                self._owner = weakref.ref(turn, self._abandoned)
                waits = False
            else:
                self._line.append(turn)
                waits = True
        if waits:
            wait_for_any([turn])
        return turn

    def _look_ahead(self, count: int) -> tuple[list[bytes], list[bytes]]:
        """The next records, which ops will get; called in the turn.

        Args:
            count: the largest number.

        Returns:
            Their keys and values; none if the next read ends the work unit or fails.
        """
        ahead = self._ahead
        if ahead is None:
            try:
                ahead = _Ahead(*self.read_up_to(count))
            except Exception as error:
                ahead = _Ahead([], [], False, error)
            self._ahead = ahead
        return ahead.keys[:count], ahead.values[:count]

    def _produce(self, count: int) -> None:
        """Counts so many of the records ahead as those that ops have got; called in the turn."""
        taken = self._taken_ahead(count)
        assert taken is not None
        self.num_records_produced += len(taken[0])
        if taken[2]:
            # The next read ends the work unit.
            self._ahead = _Ahead([], [], True)

    def _taken_ahead(self, count: int) -> tuple[list[bytes], list[bytes], bool] | None:
        """Up to `count` records ahead, as `read_up_to` gives them; None if there are none."""
        ahead = self._ahead
        if ahead is None:
            return None
        if ahead.error is not None:
            self._ahead = None
            raise ahead.error
        keys, values = ahead.keys[:count], ahead.values[:count]
        del ahead.keys[:count], ahead.values[:count]
        if ahead.keys:
            return keys, values, False
        self._ahead = None
        return keys, values, ahead.ended


class _Ahead:
    """Records that have been read before an op has asked for them.

    Args:
        keys: their keys.
        values: their values.
        ended: whether the work unit ends after them.
        error: what reading has failed with.
    """

    def __init__(
        self,
        keys: Sequence[bytes],
        values: Sequence[bytes],
        ended: bool,
        error: Exception | None = None,
    ) -> None:
        self.keys = list(keys)
        self.values = list(values)
        self.ended = ended
        self.error = error


def _work_unit(element: Sequence[np.ndarray]) -> bytes:
    """The work unit that an element of a queue stands for."""
    if len(element) != 1:
        fail("Expected single component queue")
    (component,) = element
    if component.dtype != dtypes.string.numpy_dtype:
        fail("Expected queue with single string component")
    if component.size != 1:
        fail("Expected to dequeue a one-element string tensor")
    return component.item()


class _Turn(Waiting):
    """An op on a reader. It waits for its turn; then the run that waits for it does the work."""

    has_parts = True

    def __init__(self, reader: Reader) -> None:
        super().__init__(_CANCELLED)
        self.reader = reader

    def run(self) -> Any:
        """Does the work; returns the results, or a Waiting after which it is called again."""
        raise NotImplementedError

    def result(self) -> Any:
        return self.reader._proceed(self)

    def withdraw(self) -> None:
        self.reader._leave(self)


class _Call(_Turn):
    """An op that needs no work unit."""

    def __init__(self, reader: Reader, call: Callable[[], Any]) -> None:
        super().__init__(reader)
        self._call = call

    def run(self) -> Any:
        return self._call()


class _Read(_Turn):
    """Reads up to `count` records of one work unit."""

    def __init__(self, reader: Reader, queue: Any, count: int) -> None:
        super().__init__(reader)
        self._queue = queue
        self._count = count
        self._keys: list[bytes] = []
        self._values: list[bytes] = []

    def run(self) -> Any:
        reader = self.reader
        while len(self._keys) < self._count:
            if (dequeue := reader._begin(self._queue)) is not None:
                return _WorkUnit(self, dequeue)
            keys, values = reader._read(self._count - len(self._keys))
            self._keys += keys
            self._values += values
            if self._keys and not reader.work_in_progress:
                break
            cancellation.check()
            cancellation.let_interrupt()
        return self.outputs(self._keys, self._values)

    def outputs(self, keys: list[bytes], values: list[bytes]) -> Any:
        """The records as the op returns them."""
        return string_array(keys), string_array(values)


class _ReadOne(_Read):
    """Reads one record."""

    def __init__(self, reader: Reader, queue: Any) -> None:
        super().__init__(reader, queue, 1)

    def outputs(self, keys: list[bytes], values: list[bytes]) -> Any:
        return np.array(keys[0], object), np.array(values[0], object)


class _WorkUnit(Waiting):
    """Waits for the queue of work units, in the turn of an op."""

    has_parts = True
    _taken = True

    def __init__(self, turn: _Turn, dequeue: Waiting) -> None:
        super().__init__(_CANCELLED)
        self._turn = turn
        self._dequeue = dequeue
        self._taken = False

    def __del__(self) -> None:
        self.withdraw()

    @property
    def done(self) -> bool:
        return self._dequeue.done

    def listen(self, condition: threading.Condition) -> None:
        self._dequeue.listen(condition)

    def result(self) -> Any:
        reader = self._turn.reader
        try:
            reader._dequeued.append(self._dequeue.result())
        except BaseException:
            reader._leave(self._turn)
            raise
        finally:
            self._taken = True
        return reader._proceed(self._turn)

    def withdraw(self) -> None:
        if self._taken:
            return
        self._taken = True
        self._dequeue.withdraw()
        # It may have been done just before; the next op reads what it has taken.
        with suppress(errors.OpError):
            self._turn.reader._dequeued.append(self._dequeue.result())
        self._turn.withdraw()


def string_array(texts: Sequence[bytes]) -> np.ndarray:
    """Byte strings as a vector."""
    array = np.empty(len(texts), object)
    array[:] = texts
    return array
