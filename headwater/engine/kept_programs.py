"""Compiled programs on disk: a later process neither traces nor compiles them again."""

from __future__ import annotations

import functools
import io
import pickle
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.blas import limit_lapack
from headwater.base.cancellation import let_interrupt
from headwater.base.lazy import jax, serialize_executable
from headwater.engine.program_folder import ProgramFolder, program_folder

# So many are kept in memory too: equal parts of a graph, and equal graphs, share a program.
_MOST_SHARED = 64


class _Shared:
    """What has been kept or loaded most recently in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outcomes: OrderedDict[tuple[ProgramFolder, str], Any] = OrderedDict()

    def get(self, folder: ProgramFolder, key: str) -> Any:
        """What there is under a key; None if there is nothing."""
        with self._lock:
            if (folder, key) in self._outcomes:
                self._outcomes.move_to_end((folder, key))
            return self._outcomes.get((folder, key))

    def add(self, folder: ProgramFolder, key: str, outcome: Any) -> None:
        """Notes something under a key."""
        with self._lock:
            self._outcomes[folder, key] = outcome
            if len(self._outcomes) > _MOST_SHARED:
                self._outcomes.popitem(last=False)


_shared = _Shared()


class _Making:
    """Lets one thread at a time load or compile what has the same key."""

    def __init__(self) -> None:
        # A few locks for all keys: who waits for another key does so once in a while.
        self._locks = [threading.Lock() for _ in range(64)]
        self._held = threading.local()

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """A with block for a key; does nothing inside of another one."""
        if getattr(self._held, "any", False):
            yield
            return
        with self._locks[hash(key) % len(self._locks)]:
            self._held.any = True
            try:
                yield
            finally:
                self._held.any = False


_making = _Making()


@contextmanager
def making(key: str | None) -> Iterator[None]:
    """A with block that loads, or compiles and keeps, a program; others with that key wait.

    Args:
        key: the key of the program; None if it is not kept.
    """
    if key is None or _folder() is None:
        yield
        return
    with _making.alone(key):
        yield


class _Writer(pickle.Pickler):
    """Pickles what has been compiled; executables are put aside, each of them once."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self.executables: list[Any] = []
        self._places: dict[int, int] = {}

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, jax.stages.Compiled):
            if id(value) not in self._places:
                self._places[id(value)] = len(self.executables)
                self.executables.append(serialize_executable.serialize(value))
            return "executable", self._places[id(value)]
        if isinstance(value, jax.Array):
            return "array", np.asarray(value)
        return None


class _Reader(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, executables: list[Any]) -> None:
        super().__init__(stream)
        self._executables = executables

    def persistent_load(self, found: Any) -> Any:
        kind, value = found
        return self._executables[value] if kind == "executable" else jax.device_put(value)


def _folder() -> ProgramFolder | None:
    """The folder for programs; None if they are not kept, or if the user lets JAX keep them.

    An executable that JAX has taken from its own folder cannot be kept: parts of it are missing.
    """
    config = jax.config
    if config.jax_compilation_cache_dir and config.jax_enable_compilation_cache:
        return None
    return program_folder()


def keep(key: str | None, outcome: Any) -> None:
    """Keeps what has come of compiling.

    Args:
        key: the key of the program; None if it is not kept.
        outcome: plain Python objects with executables and device arrays in them.
    """
    folder = _folder()
    if folder is None or key is None:
        return
    _shared.add(folder, key, outcome)
    stream = io.BytesIO()
    writer = _Writer(stream)
    try:
        writer.dump(outcome)
    except Exception as error:
        # Not every backend can hand out executables, and no run fails because of that.
        logging.debug("A compiled program cannot be kept on disk: %s", error)
        return
    folder.write(key, pickle.dumps((writer.executables, stream.getvalue())))


def load(key: str | None, device: Any) -> Any:
    """What `keep` has kept, in this process or an earlier one.

    Args:
        key: the key of the program; None if it is not kept.
        device: where it runs; None for the default device.

    Returns:
        The outcome; None if there is none.
    """
    folder = _folder()
    if folder is None or key is None:
        return None
    outcome = _shared.get(folder, key)
    if outcome is None:
        outcome = _read(folder, key, device)
        if outcome is not None:
            _shared.add(folder, key, outcome)
    return outcome


@functools.cache
def _find_lapack() -> None:
    """Lets JAX find LAPACK, which it does when it first lowers an op that needs it.

    A program that is loaded before that calls functions at address zero.
    """
    matrix = jax.ShapeDtypeStruct((1, 1), np.float32)
    limit_lapack()
    jax.jit(jax.numpy.linalg.cholesky).trace(matrix).lower(lowering_platforms=("cpu",))


def _read(folder: ProgramFolder, key: str, device: Any) -> Any:
    data = folder.read(key)
    if data is None:
        return None
    let_interrupt()
    if b"lapack_" in data:
        _find_lapack()
    try:
        executables, outcome = pickle.loads(data)
        device = device or jax.local_devices()[0]
        loaded = [
            serialize_executable.deserialize_and_load(
                *parts, backend=device.client, execution_devices=[device]
            )
            for parts in executables
        ]
        with jax.default_device(device):
            return _Reader(io.BytesIO(outcome), loaded).load()
    except Exception as error:
        # Written by this program, but not for this process: it is compiled anew.
        logging.debug("A compiled program on disk cannot be used: %s", error)
        folder.remove(key)
        return None
