"""SnapshotDataset: elements that are made once and kept in files, for this program and others."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.compat_strings import as_text
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.io.files import join_path, make_folders, names_in
from headwater.io.snapshot_files import (
    SnapshotReader,
    SnapshotWriter,
    read_metadata,
    write_metadata,
)
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    restore_elements,
    save_elements,
    scalar_inputs,
    scalar_of,
    variant_of,
)
from headwater.ops.data.graph_hash import graph_hash
from headwater.ops.data.statistics import bytes_of
from headwater.protos.lazy import snapshot_pb2

_SHARD_BYTES = 10 << 30
_LEAST_SHARD_BYTES = 1 << 20
_EXPIRY_SECONDS = 86400

# How an iterator makes its elements.
_READER, _WRITER, _PASSTHROUGH = range(3)


@dataclass(frozen=True)
class SnapshotOptions:
    """How a snapshot is kept.

    Attributes:
        path: the folder of all snapshots.
        compression: "" or "GZIP".
        reader_path_prefix: stands before the names of files that are read.
        writer_path_prefix: stands before the names of files that are written.
        shard_size_bytes: with more bytes of elements, another file is begun.
        pending_snapshot_expiry_seconds: when a snapshot that was not finished is written anew.
        num_writer_threads: how many files are written side by side.
    """

    path: str
    compression: str
    reader_path_prefix: str
    writer_path_prefix: str
    shard_size_bytes: int
    pending_snapshot_expiry_seconds: int
    num_writer_threads: int


class SnapshotDataset(Dataset):
    """The elements of the input; those of its snapshot, if there is one."""

    def __init__(
        self, source: Dataset, options: SnapshotOptions, types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.options = options
        self.hash = graph_hash(source)

    @property
    def folder(self) -> str:
        """The folder of the snapshots of the input."""
        return join_path(self.options.path, self.hash)

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SnapshotIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _SnapshotIterator(ElementIterator):
    """Finds out, with the first element, whether to read, to write, or neither."""

    def __init__(self, dataset: SnapshotDataset, context: IteratorContext) -> None:
        self._dataset = dataset
        self._context = context
        self._mode = _PASSTHROUGH
        self._elements: Any = None

    def next(self) -> Element | None:
        if self._elements is None:
            metadata = read_metadata(self._dataset.folder)
            self._start(_mode_of(metadata, self._dataset.options), metadata)
        return self._elements.next()

    def _start(self, mode: int, metadata: Any) -> None:
        self._mode = mode
        if mode == _READER:
            self._elements = _Reader(self._dataset, metadata.run_id)
        elif mode == _WRITER:
            self._elements = _Writer(self._dataset, self._context)
        else:
            self._elements = _Source(self._dataset.inputs[0], self._context)

    def save(self, state: SavedState, prefix: str) -> None:
        if self._elements is not None:
            state[f"{prefix}/mode"] = self._mode
            self._elements.save(state, f"{prefix}/elements")

    def restore(self, state: SavedState, prefix: str) -> None:
        if f"{prefix}/mode" not in state:
            return
        mode = int(state[f"{prefix}/mode"])
        if mode == _READER:
            run_id = as_text(state[f"{prefix}/elements/run_id"].item())
            self._mode, self._elements = mode, _Reader(self._dataset, run_id)
        else:
            # Files that another iterator has begun cannot be gone on with.
            self._start(_PASSTHROUGH, None)
        self._elements.restore(state, f"{prefix}/elements")

    def close(self) -> None:
        if self._elements is not None:
            self._elements.close()


def _mode_of(metadata: Any, options: SnapshotOptions) -> int:
    if metadata is None:
        return _WRITER
    if metadata.finalized:
        return _READER
    age = time.time() - metadata.creation_timestamp / 1e6
    return _WRITER if age > options.pending_snapshot_expiry_seconds else _PASSTHROUGH


class _Reader(ElementIterator):
    """The elements of a snapshot, file by file."""

    def __init__(self, dataset: SnapshotDataset, run_id: str) -> None:
        self._run_id = run_id
        self._options = dataset.options
        self._types = dataset.types
        folder = join_path(dataset.folder, run_id)
        try:
            names = sorted(names_in(folder))
        except errors.NotFoundError:
            names = []
        if not names:
            fail(f"Could not find any files in dir: {folder}")
        prefix = self._options.reader_path_prefix
        self._paths = [prefix + join_path(folder, name) for name in names]
        self._file: SnapshotReader | None = None
        self._next_file = 0
        self._count = 0

    def next(self) -> Element | None:
        while True:
            if self._file is None:
                if self._next_file == len(self._paths):
                    return None
                path = self._paths[self._next_file]
                self._file = SnapshotReader(path, self._options.compression, self._types)
                self._next_file += 1
            try:
                element = self._file.read()
            except errors.DataLossError:
                # Where the next element of this file begins is not known.
                self._end_file()
                raise
            if element is not None:
                self._count += 1
                return element
            self._end_file()

    def _end_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/run_id"] = self._run_id
        state[f"{prefix}/count"] = self._count

    def restore(self, state: SavedState, prefix: str) -> None:
        self.skip(int(state[f"{prefix}/count"]))

    def close(self) -> None:
        self._end_file()


class _Source(InputIterator):
    """Hands on the elements of the input, after those that were ahead."""

    def __init__(self, dataset: Dataset, context: IteratorContext) -> None:
        super().__init__(dataset, context)
        self._ahead: list[Element] = []

    def next(self) -> Element | None:
        return self._ahead.pop(0) if self._ahead else self._input.next()

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_elements(state, f"{prefix}/ahead", self._ahead)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._ahead = restore_elements(state, f"{prefix}/ahead")


class _Writer(_Source):
    """Hands on the elements of the input and writes them.

    It is one element ahead, so that the snapshot is complete when its last element is handed on.
    """

    def __init__(self, dataset: SnapshotDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._run: _Run | None = _Run(dataset)
        self._error: Exception | None = None
        self._started = False

    def next(self) -> Element | None:
        if not self._started and self._error is None:
            self._started = True
            self._read_ahead()
        if self._ahead:
            element = self._ahead.pop()
            self._read_ahead()
            return element
        if self._error is not None:
            # The next call goes on with the element after this error.
            error, self._error, self._started = self._error, None, False
            raise error
        return None

    def _read_ahead(self) -> None:
        """Reads and writes one element; an error waits until it has its turn."""
        try:
            element = self._input.next()
            if element is not None:
                self._ahead.append(element)
            self._write(element)
        except Exception as error:
            self._error = error

    def _write(self, element: Element | None) -> None:
        run = self._run
        if run is None:
            return
        try:
            if element is None:
                self._run = None
                run.finish()
            else:
                run.write(element)
        except Exception:
            # The elements can still be had, but not the snapshot.
            self._run = None
            run.abandon()
            raise

    def close(self) -> None:
        if self._run is not None:
            self._run.abandon()
        super().close()


class _Run:
    """The files of one writer."""

    def __init__(self, dataset: SnapshotDataset) -> None:
        self._options = dataset.options
        self._types: Sequence[DType] = dataset.types
        self._folder = dataset.folder
        self._id = f"{int.from_bytes(os.urandom(8), 'little'):04x}"
        self._place = self._options.writer_path_prefix + join_path(self._folder, self._id)
        self._files = 0
        self._elements = 0
        make_folders(self._place)
        metadata = snapshot_pb2.SnapshotMetadataRecord(
            graph_hash=dataset.hash,
            run_id=self._id,
            creation_timestamp=int(time.time() * 1e6),
        )
        write_metadata(self._folder, metadata)
        count = self._options.num_writer_threads
        self._writers = [self._new_file() for _ in range(count)]
        self._bytes = [0] * count

    def _new_file(self) -> SnapshotWriter:
        path = join_path(self._place, f"{self._files:08}.snapshot")
        self._files += 1
        return SnapshotWriter(path, self._options.compression)

    def write(self, element: Element) -> None:
        """Writes an element to the file whose turn it is."""
        turn = self._elements % len(self._writers)
        self._elements += 1
        self._bytes[turn] += bytes_of(element)
        if self._bytes[turn] > self._options.shard_size_bytes:
            self._writers[turn].close()
            self._writers[turn] = self._new_file()
            self._bytes[turn] = 0
        self._writers[turn].write(element, self._types)

    def finish(self) -> None:
        """Ends the files; the snapshot is complete, unless another writer has replaced it."""
        for writer in self._writers:
            writer.close()
        metadata = read_metadata(self._folder)
        if metadata is not None and metadata.run_id == self._id:
            metadata.finalized = True
            write_metadata(self._folder, metadata)

    def abandon(self) -> None:
        """Closes the files of a snapshot that is not complete."""
        for writer in self._writers:
            with contextlib.suppress(errors.OpError):
                writer.close()


def _check(options: SnapshotOptions) -> None:
    if options.compression not in ("", "GZIP"):
        fail("compression must be either '' or 'GZIP'.")
    if options.shard_size_bytes < _LEAST_SHARD_BYTES:
        fail("shard_size_bytes must be at least 1 MiB.")
    if options.pending_snapshot_expiry_seconds < 1:
        fail("pending_snapshot_expiry_seconds must be at least 1 second.")


def _or_default(value: int, default: int) -> int:
    return default if value == -1 else value


def kernel_snapshot_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    path: Array,
    *,
    output_types: Any,
    output_shapes: Any,
    compression: str,
    reader_path_prefix: str,
    writer_path_prefix: str,
    shard_size_bytes: int,
    pending_snapshot_expiry_seconds: int,
    num_writer_threads: int,
) -> Array:
    options = SnapshotOptions(
        os.fsdecode(scalar_of(path, "path")),
        as_text(compression),
        as_text(reader_path_prefix),
        as_text(writer_path_prefix),
        _or_default(shard_size_bytes, _SHARD_BYTES),
        _or_default(pending_snapshot_expiry_seconds, _EXPIRY_SECONDS),
        max(1, num_writer_threads),
    )
    _check(options)
    source = dataset_of(input_dataset)
    return variant_of(SnapshotDataset(source, options, output_types, output_shapes))


register_op(
    "SnapshotDataset",
    inputs="input_dataset: variant, path: string",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
    "compression: string = '', reader_path_prefix: string = '', "
    "writer_path_prefix: string = '', shard_size_bytes: int = 10737418240, "
    "pending_snapshot_expiry_seconds: int = 86400, num_reader_threads: int = 1, "
    "reader_buffer_size: int = 1, num_writer_threads: int = 1, writer_buffer_size: int = 1",
    shape=scalar_inputs("path"),
    kernel=kernel_snapshot_dataset,
    runs_on=RunsOn.HOST,
)
