"""DatasetToTFRecord: writes the elements of a dataset to a TFRecord file."""

from __future__ import annotations

from typing import Any

from headwater.base import cancellation
from headwater.base.cancellation import Cancellation
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.record import TFRecordWriter
from headwater.ops.data.dataset import IteratorContext, dataset_of, input_iterator
from headwater.ops.data.file_dataset import text_of

# So many records are taken from the dataset at once.
_ROWS = 256


def kernel_dataset_to_tf_record(
    xp: ArrayModule, input_dataset: Array, filename: Array, compression_type: Array
) -> tuple[()]:
    kind = text_of(compression_type, "compression_type")
    dataset = dataset_of(input_dataset)
    stop = Cancellation(parent=cancellation.current())
    elements = input_iterator(dataset, IteratorContext(stop))
    try:
        # As in TensorFlow, the file is not compressed if the name is an unknown one.
        options = kind if kind in ("ZLIB", "GZIP") else None
        with TFRecordWriter(text_of(filename, "filename"), options) as writer:
            while (rows := elements.next_rows(_ROWS)) is not None:
                cancellation.check()
                for record in rows[0]:
                    writer.write(record)
    finally:
        stop.cancel()
        elements.close()
    return ()


def shape_to_tf_record(c: shapes.ShapeContext) -> Any:
    c.with_rank("filename", 0)
    c.with_rank("compression_type", 0)
    return []


def _register_to_tf_record(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, filename: string, compression_type: string",
        shape=shape_to_tf_record,
        kernel=kernel_dataset_to_tf_record,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_to_tf_record("DatasetToTFRecord")
_register_to_tf_record("ExperimentalDatasetToTFRecord")
