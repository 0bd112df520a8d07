"""Summary writers that are resources of a session: what `tf.contrib.summary` writes with."""

from __future__ import annotations

import abc
import getpass
import itertools
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.thread_state import inherited
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    name_scope,
)
from headwater.graph.default_graph import device
from headwater.ops.array.constant import constant
from headwater.ops.control.identity import no_op

_WRITER_INITIALIZERS = "_SUMMARY_WRITER_V2"
_HOST = "cpu:0"
_DEFAULT_MAX_QUEUE = 10
_DEFAULT_FLUSH_MILLIS = 2 * 60 * 1000
_DEFAULT_SUFFIX = ".v2"
_NAME_PATTERNS = {
    "experiment_name": r"^[^\x00-\x1F<>]{0,256}$",
    "run_name": r"^[^\x00-\x1F<>]{0,512}$",
    "user_name": r"^[a-z]([-a-z0-9]{0,29}[a-z0-9])?$",
}
# Makes the names of the files of a process distinct.
_numbers = itertools.count(1)


class _Current(threading.local):
    """What a thread writes with.

    Attributes:
        writer: the default SummaryWriter, or None.
    """

    writer: SummaryWriter | None = None


_current = inherited(_Current())


def current_writer() -> Any:
    """The default summary writer of this thread; None if there is none."""
    return _current.writer


def resource_of_writer() -> Any:
    """The handle of the default summary writer."""
    return current_writer()._resource


@export("contrib.summary.SummaryWriter", "contrib.summary.summary.SummaryWriter")
class SummaryWriter(abc.ABC):
    """What summaries are written with."""

    @abc.abstractmethod
    def set_as_default(self) -> None:
        """Makes this the default writer of this thread."""

    @abc.abstractmethod
    def as_default(self) -> Any:
        """A with block in which this is the default writer; it ends with a flush."""

    def init(self) -> Any:
        """An op that opens the writer."""
        raise NotImplementedError()

    def flush(self) -> Any:
        """An op that writes waiting events."""
        raise NotImplementedError()

    def close(self) -> Any:
        """An op that writes waiting events and closes the writer."""
        raise NotImplementedError()


class NoopSummaryWriter(SummaryWriter):
    """A writer that drops everything."""

    def set_as_default(self) -> None:
        """Does nothing."""

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """A with block that changes nothing."""
        yield

    def init(self) -> None:
        """Nothing has to be opened."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing has to be closed."""


class ResourceSummaryWriter(SummaryWriter):
    """A writer that is a resource of the session.

    Args:
        shared_name: its name in the session.
        init_op_fn: makes the op that opens it, from its handle.
        name: the name of the op that makes the handle.
        v2: whether a closed writer may not be used any more.
    """

    def __init__(
        self,
        shared_name: str,
        init_op_fn: Callable[[Tensor], Operation],
        name: str | None = None,
        v2: bool = False,
    ) -> None:
        self._resource = build.SummaryWriter(shared_name=shared_name, name=name)
        self._init_op_fn = init_op_fn
        self._init_op = init_op_fn(self._resource)
        self._v2 = v2
        self._closed = False
        get_default_graph().add_to_collection(_WRITER_INITIALIZERS, self._init_op)

    def set_as_default(self) -> None:
        """Makes this the default writer of this thread."""
        _current.writer = self

    @contextmanager
    def as_default(self) -> Iterator[ResourceSummaryWriter]:
        """A with block in which this is the default writer; it ends with a flush.

        In a graph the flush is an op, which a program has to run.
        """
        before = _current.writer
        try:
            _current.writer = self
            yield self
            # The op stands in the graph for those who look for it by name.
            self.flush()
        finally:
            _current.writer = before

    def init(self) -> Operation:
        """An op that opens the writer: makes its file, unless there is one."""
        return self._init_op_fn(self._resource)

    def flush(self) -> Operation:
        """An op that writes waiting events."""
        return _flush_op(self._resource)

    def close(self) -> Operation:
        """An op that writes waiting events and closes the writer."""
        with control_dependencies([self.flush()]), device(_HOST):
            return build.CloseSummaryWriter(self._resource)


def _flush_op(resource: Tensor, name: str | None = None) -> Operation:
    with device(_HOST):
        return build.FlushSummaryWriter(resource, name=name)


def _file_opener(*arguments: TensorLike) -> Callable[[Tensor], Operation]:
    return lambda resource: build.CreateSummaryFileWriter(resource, *arguments)


@export("contrib.summary.create_file_writer", "contrib.summary.summary.create_file_writer")
def create_file_writer(
    logdir: TensorLike | None,
    max_queue: TensorLike | None = None,
    flush_millis: TensorLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Makes a summary writer whose events go to a new file in a folder.

    Args:
        logdir: the folder, made if there is none; None for a writer that drops everything.
        max_queue: how many events may wait to be written; 10 by default.
        flush_millis: after how many milliseconds events are written, with the next one; two
            minutes by default.
        filename_suffix: the end of the file's name; ".v2" by default.
        name: the name of the writer in the session; by default, equal folders share one writer.

    Returns:
        A SummaryWriter. Its op among `summary_writer_initializer_op()` has to be run.

    Example:
        >>> import tempfile
        >>> logdir = tempfile.mkdtemp()
        >>> writer = tf.contrib.summary.create_file_writer(logdir)
        >>> with writer.as_default(), tf.contrib.summary.always_record_summaries():
        ...     loss = tf.contrib.summary.scalar("loss", 0.5, step=3)
        >>> with tf.Session() as session:
        ...     session.run(writer.init())
        ...     _ = session.run(loss)
        ...     session.run(writer.close())
        >>> events = list(tf.train.summary_iterator(tf.gfile.Glob(logdir + "/*")[0]))
        >>> print(events[1].step, events[1].summary.value[0].simple_value)
        3 0.5
    """
    if logdir is None:
        return NoopSummaryWriter()
    logdir = os.fspath(logdir) if isinstance(logdir, os.PathLike) else logdir
    with device(_HOST):
        if max_queue is None:
            max_queue = constant(_DEFAULT_MAX_QUEUE)
        if flush_millis is None:
            flush_millis = constant(_DEFAULT_FLUSH_MILLIS)
        if filename_suffix is None:
            filename_suffix = constant(_DEFAULT_SUFFIX)
        return ResourceSummaryWriter(
            shared_name=f"logdir:{logdir}" if name is None else name,
            init_op_fn=_file_opener(logdir, max_queue, flush_millis, filename_suffix),
        )


@export(
    "contrib.summary.create_summary_file_writer",
    "contrib.summary.summary.create_summary_file_writer",
)
@deprecated(None, "Use tf.contrib.summary.create_file_writer.")
def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """The older name of `create_file_writer`.

    Args:
        *args: its arguments.
        **kwargs: its arguments.

    Returns:
        A SummaryWriter.
    """
    return create_file_writer(*args, **kwargs)


@export("contrib.summary.create_db_writer", "contrib.summary.summary.create_db_writer")
def create_db_writer(
    db_uri: str,
    experiment_name: str | None = None,
    run_name: str | None = None,
    user_name: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Makes a summary writer whose summaries go to a SQLite database.

    Args:
        db_uri: the file of the database, made if there is none; several processes may write to it.
        experiment_name: the name of the experiment: the day by default, "" for none.
        run_name: the name of the run: the time of day by default, "" for none.
        user_name: the name of the user: that of the system by default.
        name: the name of the writer in the session.

    Returns:
        A SummaryWriter. Its op among `summary_writer_initializer_op()` has to be run.

    Raises:
        ValueError: if a name has characters that are not allowed.
    """
    with device(_HOST):
        now = time.localtime()
        names = {
            "experiment_name": (experiment_name, time.strftime("%Y-%m-%d", now)),
            "run_name": (run_name, time.strftime("%H:%M:%S", now)),
            "user_name": (user_name, getpass.getuser()),
        }
        given = [
            _checked_name(key, default if value is None else value)
            for key, (value, default) in names.items()
        ]
        return ResourceSummaryWriter(
            shared_name=name or "",
            init_op_fn=lambda resource: build.CreateSummaryDbWriter(resource, db_uri, *given),
        )


def _checked_name(key: str, value: TensorLike) -> TensorLike:
    """A name that the database takes; a tensor is not known yet."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str) and not re.match(_NAME_PATTERNS[key], value):
        raise ValueError(f"{key} ({value}) must match {_NAME_PATTERNS[key]}")
    return value


def create_file_writer_v2(
    logdir: TensorLike,
    max_queue: TensorLike | None = None,
    flush_millis: TensorLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Makes a summary writer with a file of its own: `tf.compat.v2.summary.create_file_writer`.

    Args:
        logdir: the folder, made if there is none.
        max_queue: how many events may wait to be written; 10 by default.
        flush_millis: after how many milliseconds events are written, with the next one; two
            minutes by default.
        filename_suffix: the end of the file's name, after the process and a number; ".v2" by
            default.
        name: the name scope, and the name of the writer in the session.

    Returns:
        A SummaryWriter. Its `init()` has to be run.

    Raises:
        ValueError: if there is no folder.
    """
    if logdir is None:
        raise ValueError("logdir cannot be None")
    with name_scope(name, "create_file_writer") as scope, device(_HOST):
        place = convert_to_tensor(logdir, dtypes.string)
        limit = convert_to_tensor(
            _DEFAULT_MAX_QUEUE if max_queue is None else max_queue, dtypes.int32
        )
        millis = convert_to_tensor(
            _DEFAULT_FLUSH_MILLIS if flush_millis is None else flush_millis, dtypes.int32
        )
        suffix = convert_to_tensor(
            _DEFAULT_SUFFIX if filename_suffix is None else filename_suffix, dtypes.string
        )
        unique = constant(f".{os.getpid()}.{next(_numbers)}")
        return ResourceSummaryWriter(
            shared_name=scope.rstrip("/"),
            init_op_fn=_file_opener(place, limit, millis, build.Add(unique, suffix, name="add")),
            name=name,
            v2=True,
        )


def create_noop_writer() -> SummaryWriter:
    """Makes a summary writer that drops everything: `tf.compat.v2.summary.create_noop_writer`."""
    return NoopSummaryWriter()


@export("contrib.summary.flush", "contrib.summary.summary.flush")
def flush(writer: Any = None, name: str | None = None) -> Any:
    """Makes an op that writes waiting events.

    Args:
        writer: a SummaryWriter or its handle; the default writer if None.
        name: the name of the op.

    Returns:
        An Operation, which does nothing if there is no writer.
    """
    writer = current_writer() if writer is None else writer
    if writer is None:
        return no_op()
    if isinstance(writer, NoopSummaryWriter):
        return writer.flush()
    return _flush_op(getattr(writer, "_resource", writer), name)


@export(
    "contrib.summary.summary_writer_initializer_op",
    "contrib.summary.summary.summary_writer_initializer_op",
)
def summary_writer_initializer_op() -> list[Operation]:
    """The ops that open the summary writers of the default graph.

    Returns:
        A list of Operations, to be run before summaries are written.
    """
    return get_default_graph().get_collection(_WRITER_INITIALIZERS)


@export("contrib.summary.eval_dir", "contrib.summary.summary.eval_dir")
def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder for the summaries of an evaluation.

    Args:
        model_dir: the folder of the model.
        name: the name of the evaluation; None if there is one only.

    Returns:
        A path.
    """
    # TensorFlow joins paths in this way whatever the platform.
    return os.path.join(model_dir, "eval" if not name else "eval_" + name)  # noqa: PTH118
