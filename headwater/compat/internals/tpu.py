"""tensorflow.python.tpu.tpu_function: the number of shards that a model is built for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.compat.internals import internal

_PATHS = ("tensorflow.python.tpu.tpu_function", "tensorflow.contrib.tpu.python.tpu.tpu_function")


@internal(*(f"{path}.TpuContext" for path in _PATHS))
class TpuContext:
    """What is known of the TPUs: the number of shards, None without TPUs."""

    def __init__(self) -> None:
        self._number_of_shards: int | None = None

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards, or None."""
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Sets the number of shards."""
        self._number_of_shards = number_of_shards


_context = TpuContext()


@internal(*(f"{path}.get_tpu_context" for path in _PATHS))
def get_tpu_context() -> TpuContext:
    """Returns the context."""
    return _context


@internal(*(f"{path}.tpu_shard_context" for path in _PATHS))
@contextmanager
def tpu_shard_context(number_of_shards: int | None) -> Iterator[None]:
    """A context in which models are built for so many shards.

    Raises:
        NotImplementedError: inside of another one.
    """
    if _context.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested.")
    _context.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _context.set_number_of_shards(None)
