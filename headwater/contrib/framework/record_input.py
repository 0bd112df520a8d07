"""Batches of the records of many files."""

from __future__ import annotations

from headwater.graph import Tensor, build, export, name_scope
from headwater.ops.array.reshape import reshape
from headwater.ops.array.split import split


@export("contrib.framework.RecordInput")
class RecordInput:
    """Reads the records of TFRecord files in a different random order in each epoch.

    Every epoch gives each record once. Its files come in a random order, and a record is a random
    one of those in a buffer.

    Args:
        file_pattern: a pattern that the names of the files match.
        batch_size: how many records a run gives (a batch, if there are several batches).
        buffer_size: how many records the buffer holds.
        parallelism: how many files may be read at once.
        shift_ratio: how far the shuffled list of files is rotated, as a part of its length.
        seed: the seed of the order.
        name: the name of the op.
        batches: the number of batches that a run gives; None for one, as one tensor.
        compression_type: 'NONE', 'GZIP' or 'ZLIB' of TFRecordCompressionType, or None.
    """

    def __init__(
        self,
        file_pattern: str,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: str | None = None,
        batches: int | None = None,
        compression_type: int | None = None,
    ) -> None:
        self._batches = batches
        self._name = name
        self._batch_size = batch_size * (1 if batches is None else batches)
        self._attrs = {
            "file_pattern": file_pattern,
            "file_buffer_size": buffer_size,
            "file_parallelism": parallelism,
            "file_shuffle_shift_ratio": shift_ratio,
            "file_random_seed": seed,
            "compression_type": _COMPRESSIONS.get(compression_type, compression_type),
        }

    def get_yield_op(self) -> Tensor | list[list[Tensor]]:
        """Makes the op that reads.

        Returns:
            A string tensor of shape [batch_size]; with `batches`, that many lists of scalars.
        """
        records = build.RecordInput(batch_size=self._batch_size, name=self._name, **self._attrs)
        if self._batches is None:
            return records
        with name_scope(self._name):
            batches: list[list[Tensor]] = [[] for _ in range(self._batches)]
            for i, record in enumerate(split(records, self._batch_size, 0)):
                batches[i % self._batches].append(reshape(record, []))
        return batches


# The numbers of TFRecordCompressionType.
_COMPRESSIONS = {None: "", 0: "", 1: "ZLIB", 2: "GZIP"}
