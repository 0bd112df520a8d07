"""Readers of time series, and input functions that cut windows out of them."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, DTypeLike
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.data.input_queues.producers import string_input_producer
from headwater.data.readers.file_readers import TextLineReader, TFRecordReader
from headwater.estimator.inputs.feeding import enqueue_data
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.default_graph import control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import is_variable_initialized
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.stack import stack
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.comparison import not_equal
from headwater.ops.parsing.csv import decode_csv
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.state.assign import assign
from headwater.ops.state.count_up_to import count_up_to


def canonicalize_numpy_data(
    data: Mapping[str, Any], require_single_batch: bool
) -> dict[str, Array]:
    """Returns features as arrays [batch, window, ...].

    Args:
        data: times and values, with or without a batch dimension, and exogenous features.
        require_single_batch: whether a batch dimension is an error.

    Raises:
        ValueError: if features are missing or their shapes do not fit.
    """
    features = {name: np.array(value) for name, value in data.items()}
    required = (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES)
    if any(name not in features for name in required):
        raise ValueError(f"{required[0]} and {required[1]} are required features.")
    times = features[TrainEvalFeatures.TIMES]
    for name, value in features.items():
        if value.shape[: times.ndim] != times.shape:
            raise ValueError(
                "All features must have their shapes prefixed by the shape of the times feature. "
                f"Got shape {value.shape} for feature '{name}', but shape {times.shape} for "
                f"'{TrainEvalFeatures.TIMES}'"
            )
    if times.ndim == 1:
        values = features[TrainEvalFeatures.VALUES]
        if values.ndim == 1:
            values = values[:, None]
        if values.ndim != 2:
            raise ValueError(
                f"Got an unexpected number of dimensions for the '{TrainEvalFeatures.VALUES}' "
                "feature. Was expecting at most 2 dimensions ([series length, number of "
                f"features]) since '{TrainEvalFeatures.TIMES}' does not have a batch dimension, "
                f"but got shape {values.shape}"
            )
        features[TrainEvalFeatures.VALUES] = values
        return {name: value[None, ...] for name, value in features.items()}
    if require_single_batch:
        raise ValueError("Got batch input, was expecting unbatched input.")
    return features


class TimeSeriesReader:
    """Reads a series."""

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises ValueError if the series is known to be too short."""

    def read(self) -> dict[str, Tensor]:
        """Returns some records that follow each other: features [records, ...]."""
        raise NotImplementedError("A reader defines read.")

    def read_full(self) -> dict[str, Tensor]:
        """Returns all records: features [records, ...]."""
        raise NotImplementedError("A reader defines read_full.")


@export("contrib.timeseries.NumpyReader")
class NumpyReader(TimeSeriesReader):
    """Reads arrays.

    Args:
        data: times [records], values [records] or [records, features], and exogenous features.
        read_num_records_hint: how many records are read at once.
    """

    def __init__(self, data: Mapping[str, Any], read_num_records_hint: int = 4096) -> None:
        batch = canonicalize_numpy_data(data, require_single_batch=True)
        self._features = {name: value[0] for name, value in batch.items()}
        self._read_num_records_hint = read_num_records_hint

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises ValueError if there are too few records."""
        count = len(self._features[TrainEvalFeatures.TIMES])
        if count < minimum_dataset_size:
            raise ValueError(
                "A TimeSeriesInputFn is configured to create windows of size "
                f"{minimum_dataset_size}, but only {count} records were available in the dataset. "
                "Either decrease the window size or provide more records."
            )

    def read(self) -> dict[str, Tensor]:
        """Returns records that follow each other."""
        return self._dequeued(self._features, self._read_num_records_hint, capacity=1000)

    def read_full(self) -> dict[str, Tensor]:
        """Returns all records."""
        rows = {name: value[None, ...] for name, value in self._features.items()}
        features = self._dequeued(rows, 1, capacity=2)
        return {name: squeeze(value, axis=[0]) for name, value in features.items()}

    def _dequeued(self, rows: Mapping[str, Array], count: int, capacity: int) -> dict[str, Tensor]:
        """Rows by a queue that is fed in a thread, in order and again and again."""
        ordered = collections.OrderedDict(sorted(rows.items()))
        queue = enqueue_data(
            ordered, capacity=capacity, shuffle=False, num_threads=1, enqueue_size=1
        )
        # The first component is the number of the row.
        _, *values = queue.dequeue_many(count)
        return dict(zip(ordered, values, strict=True))


class ReaderBaseTimeSeriesParser(TimeSeriesReader):
    """Reads records of files with a reader of the graph, and parses them.

    Args:
        filenames: the files, or one; of several, the series goes on from one to the next.
        read_num_records_hint: how many records are read at once.
    """

    def __init__(self, filenames: str | Sequence[str], read_num_records_hint: int = 4096) -> None:
        self._filenames = filenames
        self._read_num_records_hint = read_num_records_hint

    def _get_reader(self) -> Any:
        """Returns the reader."""
        raise NotImplementedError("A parser defines its reader.")

    def _process_records(self, lines: Tensor) -> dict[str, Tensor]:
        """Returns features of records [records]."""
        raise NotImplementedError("A parser defines what it makes of records.")

    def _get_filename_queue(self, epoch_limit: int) -> tuple[Any, Variable]:
        """A queue of the names of files, and the counter of how often it began again."""
        limiter = counter("epoch_limiter")
        names = reshape(convert_to_tensor(self._filenames, dtype=dtypes.string), [-1])
        with control_dependencies([_count_up(limiter, epoch_limit)]):
            names = identity(names)
        return string_input_producer(names, shuffle=False, capacity=1), limiter

    def read(self) -> dict[str, Tensor]:
        """Returns records that follow each other.

        It fails if there are none although the files have been read over and over again.
        """
        queue, limiter = self._get_filename_queue(epoch_limit=self._read_num_records_hint)
        reader = self._get_reader()
        with control_dependencies([assign(limiter, constant(0, dtypes.int64))]):
            _, records = reader.read_up_to(queue, self._read_num_records_hint)
        return self._process_records(records)

    def read_full(self) -> dict[str, Tensor]:
        """Returns all records.

        The first record is read twice: its name has come back when the files begin again.
        """
        reader = self._get_reader()
        queue, limiter = self._get_filename_queue(epoch_limit=2)
        with control_dependencies([assign(limiter, constant(0, dtypes.int64))]):
            first_key, first_record = reader.read_up_to(queue, 1)
        records = TensorArray(dtype=dtypes.string, size=0, dynamic_size=True, infer_shape=False)

        def read_one(
            _: Tensor, record: Tensor, number: Tensor, records: TensorArray
        ) -> tuple[Tensor, Tensor, Tensor, TensorArray]:
            written = records.write(number, record)
            # The record of the round before is written before the next one is read.
            with control_dependencies([written.flow]):
                key, next_record = reader.read_up_to(queue, 1)
            key.set_shape([1])
            return key, next_record, number + 1, written

        _, _, _, records = while_loop(
            lambda key, *_: not_equal(squeeze(key, axis=[0]), squeeze(first_key, axis=[0])),
            read_one,
            (constant([""]), first_record, constant(0), records),
            shape_invariants=(
                TensorShape([1]),
                TensorShape([None]),
                TensorShape([]),
                TensorShape(None),
            ),
            parallel_iterations=1,
        )
        lines = records.concat()
        with control_dependencies([lines]):
            reset = reader.reset()
        with control_dependencies([reset]):
            lines = identity(lines)
        lines.set_shape([None])
        return self._process_records(lines)


def counter(name: str) -> Variable:
    """Makes a local counter, which begins at 0."""
    return Variable(
        initial_value=constant(0, dtype=dtypes.int64),
        name=name,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
    )


def _count_up(counter: Variable, limit: int) -> Tensor:
    """Counts, and fails at the limit; a queue may begin before variables are initialized."""
    return cond(
        is_variable_initialized(counter),
        lambda: count_up_to(counter, limit),
        lambda: constant(0, dtype=dtypes.int64),
    )


@export("contrib.timeseries.CSVReader")
class CSVReader(ReaderBaseTimeSeriesParser):
    """Reads files of comma-separated values.

    Args:
        filenames: the files, or one.
        column_names: the features of the columns; columns of one name become one feature.
        column_dtypes: the types of the columns; int64 for times and float32 for others by default.
        skip_header_lines: how many lines are skipped at the start of each file.
        read_num_records_hint: how many records are read at once.
    """

    def __init__(
        self,
        filenames: str | Sequence[str],
        column_names: Sequence[str] = (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES),
        column_dtypes: Sequence[DTypeLike] | None = None,
        skip_header_lines: int | None = None,
        read_num_records_hint: int = 4096,
    ) -> None:
        for name in (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES):
            if name not in column_names:
                raise ValueError(f"'{name}' is a required column.")
        if column_dtypes is not None and len(column_dtypes) != len(column_names):
            raise ValueError(
                "If specified, the length of column_dtypes must match the length of column_names "
                f"(got column_dtypes={column_dtypes} and column_names={column_names})."
            )
        self._column_names = column_names
        if column_dtypes is None:
            column_dtypes = [
                dtypes.int64 if name == TrainEvalFeatures.TIMES else dtypes.float32
                for name in column_names
            ]
        self._column_dtypes = column_dtypes
        self._skip_header_lines = skip_header_lines
        super().__init__(filenames=filenames, read_num_records_hint=read_num_records_hint)

    def _get_reader(self) -> TextLineReader:
        return TextLineReader(skip_header_lines=self._skip_header_lines)

    def _process_records(self, lines: Tensor) -> dict[str, Tensor]:
        # A time that is missing is 0; other columns are required.
        defaults = [
            zeros([], dtype=dtype)[None] if dtype == dtypes.int64 else constant([], dtype=dtype)
            for dtype in self._column_dtypes
        ]
        columns: dict[str, list[Tensor]] = {}
        for name, column in zip(self._column_names, decode_csv(lines, defaults), strict=True):
            columns.setdefault(name, []).append(column)
        return {
            name: parts[0] if name == TrainEvalFeatures.TIMES else stack(parts, axis=1)
            for name, parts in columns.items()
        }


class TFExampleReader(ReaderBaseTimeSeriesParser):
    """Reads tf.train.Example records, one for each time.

    Args:
        filenames: the files, or one.
        features: how to parse each feature.
    """

    def __init__(self, filenames: str | Sequence[str], features: Mapping[str, Any]) -> None:
        for name in (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES):
            if name not in features:
                raise ValueError(f"'{name}' is a required column.")
        self._features = features
        super().__init__(filenames=filenames)

    def _get_reader(self) -> TFRecordReader:
        return TFRecordReader()

    def _process_records(self, examples: Tensor) -> dict[str, Tensor]:
        return parse_example(serialized=examples, features=dict(self._features))


class TimeSeriesInputFn:
    """An input function of windows."""

    def create_batch(self) -> dict[str, Tensor]:
        """Returns features [batch, window, ...]."""
        raise NotImplementedError("An input function defines create_batch.")

    def __call__(self) -> tuple[dict[str, Tensor], None]:
        """Returns features, and no labels."""
        return self.create_batch(), None


@export("contrib.timeseries.WholeDatasetInputFn")
class WholeDatasetInputFn(TimeSeriesInputFn):
    """The whole series as one window.

    Args:
        time_series_reader: a reader.
    """

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        self._reader = time_series_reader

    def create_batch(self) -> dict[str, Tensor]:
        """Returns a batch with one window."""
        return {name: value[None, ...] for name, value in self._reader.read_full().items()}
