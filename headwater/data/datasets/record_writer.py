"""`TFRecordWriter`: writes the elements of a dataset to a file."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.data.datasets.dataset import DatasetV2
from headwater.data.datasets.files import optional_tensor
from headwater.graph import Operation, build, convert_to_tensor


@export("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes datasets of strings to a TFRecord file.

    Args:
        filename: the name of the file, a string scalar.
        compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename: TensorLike, compression_type: TensorLike | None = None) -> None:
        self._filename = convert_to_tensor(filename, dtypes.string, name="filename")
        self._compression_type = optional_tensor(
            "compression_type", compression_type, "", dtypes.string
        )

    def write(self, dataset: Any) -> Operation:
        """Writes all elements of a dataset to the file, which is replaced.

        Args:
            dataset: a Dataset of string scalars.

        Returns:
            The op that writes.

        Raises:
            TypeError: if it is something else.
        """
        if not isinstance(dataset, DatasetV2):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        types = structure.legacy_types(dataset.element_spec)
        shapes = structure.legacy_shapes(dataset.element_spec)
        if types != dtypes.string or not shapes.is_compatible_with([]):
            raise TypeError(
                "`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape "
                f"{shapes} and types {types!s}"
            )
        op: Operation = build.DatasetToTFRecord(
            dataset._variant_tensor, self._filename, self._compression_type
        )
        return op
