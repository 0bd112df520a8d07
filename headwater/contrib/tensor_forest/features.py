"""The features of a forest as one matrix and one SparseTensor, with a description of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.graph import SparseTensor, Tensor, convert_to_tensor
from headwater.ops.array.concat import concat
from headwater.ops.math.cast import cast
from headwater.ops.sparse.concat import sparse_concat
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.trees.forest_arrays import reinterpret_string_to_float

_MODULE = "contrib.tensor_forest.data_ops"
_OPS = "contrib.tensor_forest.ops.data_ops"
DATA_FLOAT = 0
DATA_CATEGORICAL = 1
DTYPE_TO_FTYPE = {
    dtypes.string: DATA_CATEGORICAL,
    dtypes.int32: DATA_CATEGORICAL,
    dtypes.int64: DATA_CATEGORICAL,
    dtypes.float32: DATA_FLOAT,
    dtypes.float64: DATA_FLOAT,
}


@export(f"{_MODULE}.CastToFloat", f"{_OPS}.CastToFloat")
def cast_to_float(tensor: Tensor) -> Tensor:
    """Makes numbers of a tensor; strings become hashes.

    Args:
        tensor: a tensor.

    Returns:
        A float32 tensor; the same tensor for other types than strings and integers.
    """
    if tensor.dtype == dtypes.string:
        return reinterpret_string_to_float(tensor)
    if tensor.dtype.is_integer:
        return cast(tensor, dtypes.float32)
    return tensor


@export(f"{_MODULE}.GetColumnName", f"{_OPS}.GetColumnName")
def column_name(column_key: Any, col_num: int) -> str:
    """The name of a column: its key, if that is a string.

    Args:
        column_key: a key of a dictionary of features.
        col_num: the number of the column.

    Returns:
        The name.
    """
    if isinstance(column_key, str):
        return column_key
    return str(getattr(column_key, "column_name", f"column{col_num}"))


@export(f"{_MODULE}.DataColumn", f"{_OPS}.DataColumn")
class DataColumn:
    """A feature: `name`, `original_type` (0 for numbers, 1 for categories) and `size`."""

    def __init__(self) -> None:
        self.name = ""
        self.original_type = ""
        self.size = 0

    def SerializeToString(self) -> str:
        """The column as text."""
        return f"{{name: {self.name} original_type: {self.original_type} size: {self.size}}}"


@export(f"{_MODULE}.DataColumnCollection", f"{_OPS}.DataColumnCollection")
class DataColumnCollection:
    """Features in order."""

    def __init__(self) -> None:
        self.cols: list[DataColumn] = []

    def add(self) -> DataColumn:
        """Adds a column and returns it."""
        self.cols.append(DataColumn())
        return self.cols[-1]

    def size(self) -> int:
        """The number of columns."""
        return len(self.cols)

    def __iter__(self) -> Iterator[DataColumn]:
        return iter(self.cols)

    def SerializeToString(self) -> str:
        """The columns as text."""
        return "".join(column.SerializeToString() for column in self.cols)


@export(f"{_MODULE}.TensorForestDataSpec", f"{_OPS}.TensorForestDataSpec")
class TensorForestDataSpec:
    """What the features of a forest are."""

    def __init__(self) -> None:
        self.sparse = DataColumnCollection()
        self.dense = DataColumnCollection()
        self.dense_features_size = 0

    def SerializeToString(self) -> str:
        """The description as the text that the ops read."""
        return (
            f"dense_features_size: {self.dense_features_size} dense: "
            f"[{self.dense.SerializeToString()}] sparse: [{self.sparse.SerializeToString()}]"
        )


def _described(column: DataColumn, name: str, dtype: Any, size: int) -> None:
    column.name = name
    column.original_type = DTYPE_TO_FTYPE[dtype]  # type: ignore[assignment]
    column.size = size


def _parsed_single(data: Any, spec: TensorForestDataSpec) -> tuple[Any, Any]:
    if isinstance(data, SparseTensor):
        _described(spec.sparse.add(), "sparse_features", data.dtype, -1)
        return None, data
    data = convert_to_tensor(data)
    size = data.get_shape()[1].value
    spec.dense_features_size += size
    _described(spec.dense.add(), "dense_features", data.dtype, size)
    return data, None


@export(f"{_MODULE}.ParseDataTensorOrDict", f"{_OPS}.ParseDataTensorOrDict")
def parse_data(data: Any) -> tuple[Any, Any, TensorForestDataSpec]:
    """Puts features together.

    Args:
        data: a matrix, a SparseTensor, or a dictionary of them.

    Returns:
        A matrix or None, a SparseTensor or None, and the description of the features.
    """
    spec = TensorForestDataSpec()
    if not isinstance(data, dict):
        return (*_parsed_single(data, spec), spec)
    dense: list[Tensor] = []
    sparse: list[SparseTensor] = []
    for number, key in enumerate(sorted(data, key=str)):
        feature = data[key]
        if isinstance(feature, SparseTensor):
            _described(spec.sparse.add(), column_name(key, number), feature.dtype, -1)
            values = cast_to_float(feature.values)
            sparse.append(SparseTensor(feature.indices, values, feature.dense_shape))
            continue
        feature = convert_to_tensor(feature)
        dimensions = feature.get_shape()
        size = dimensions[1].value if dimensions.ndims == 2 else 1
        spec.dense_features_size += size
        _described(spec.dense.add(), column_name(key, number), feature.dtype, size)
        dense.append(cast_to_float(feature))
    matrix = concat(dense, 1) if dense else None
    if len(sparse) < 2:
        return matrix, sparse[0] if sparse else None, spec
    return matrix, sparse_concat(1, sparse), spec


@export(f"{_MODULE}.ParseLabelTensorOrDict", f"{_OPS}.ParseLabelTensorOrDict")
def parse_labels(labels: Any) -> Tensor:
    """Puts labels together.

    Args:
        labels: a tensor or SparseTensor, or a dictionary of them.

    Returns:
        A float32 tensor.
    """
    if isinstance(labels, dict):
        parts = [
            sparse_tensor_to_dense(part, default_value=-1)
            if isinstance(part, SparseTensor)
            else part
            for part in (labels[key] for key in sorted(labels))
        ]
        return cast_to_float(concat(parts, 1))
    if isinstance(labels, SparseTensor):
        return cast_to_float(sparse_tensor_to_dense(labels, default_value=-1))
    return cast_to_float(convert_to_tensor(labels))


for _name, _value in (
    ("DATA_FLOAT", DATA_FLOAT),
    ("DATA_CATEGORICAL", DATA_CATEGORICAL),
    ("DTYPE_TO_FTYPE", DTYPE_TO_FTYPE),
):
    export_value(f"{_MODULE}.{_name}", _value)
    export_value(f"{_OPS}.{_name}", _value)
