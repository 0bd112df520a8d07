"""Datasets of tensors and numbers: the variants and structures of from_tensors, range, ..."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.graph import SparseTensor, Tensor, build, control_dependencies, convert_to_tensor
from headwater.graph.type_spec import TensorSpec
from headwater.ops.control.assertion import assert_
from headwater.ops.strings.join import reduce_join


def tensors(value: Any) -> tuple[Tensor, Any]:
    """The variant and structure of a dataset of one element."""
    value = structure.normalized(value)
    spec = structure.spec_of(value)
    components = structure.to_tensor_list(spec, value)
    shapes = structure.flat_attrs(spec)["output_shapes"]
    return build.TensorDataset(components, output_shapes=shapes), spec


def tensor_slices(value: Any) -> tuple[Tensor, Any]:
    """The variant and structure of a dataset of slices."""
    value = structure.normalized(value)
    batch_spec = structure.spec_of(value)
    for part in nest.flatten(value):
        if isinstance(part, Tensor) and part.get_shape().ndims == 0:
            raise ValueError(f"Value {part} has insufficient rank for batching.")
    spec = structure.unbatched(batch_spec)
    batch = structure.to_batched_tensor_list(batch_spec, value)
    first = batch[0].get_shape()[0]
    for tensor in batch[1:]:
        first.assert_is_compatible_with(tensor.get_shape()[0])
    shapes = structure.flat_attrs(spec)["output_shapes"]
    return build.TensorSliceDataset(batch, output_shapes=shapes), spec


def number_range(*args: Any) -> tuple[Tensor, Any]:
    """The variant and structure of a dataset of numbers.

    Args:
        *args: stop; start and stop; or start, stop and step.

    Raises:
        ValueError: if there are none, or more than three.
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid arguments to RangeDataset: {args}")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    spec = TensorSpec([], dtypes.int64)
    numbers = [
        convert_to_tensor(value, dtype=dtypes.int64, name=name)
        for value, name in ((start, "start"), (stop, "stop"), (step, "step"))
    ]
    return build.RangeDataset(*numbers, **structure.flat_attrs(spec)), spec


def sparse_tensor_slices(sparse_tensor: Any) -> tuple[Tensor, Any]:
    """The variant and structure of a dataset of the slices of a sparse tensor.

    Raises:
        TypeError: if it is something else.
    """
    if not isinstance(sparse_tensor, SparseTensor):
        raise TypeError(f"`sparse_tensor` must be a `tf.SparseTensor` object. Was {sparse_tensor}.")
    indices = sparse_tensor.indices.get_shape()
    rank = (indices[1] - 1).merge_with(sparse_tensor.dense_shape.get_shape()[0] - 1)
    spec = (
        TensorSpec([None, rank], dtypes.int64),
        TensorSpec([None], sparse_tensor.dtype),
        TensorSpec([rank], dtypes.int64),
    )
    variant = build.SparseTensorSliceDataset(
        sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape
    )
    return variant, spec


def matching_files(file_pattern: TensorLike) -> Tensor:
    """A vector of the names that match patterns; there is one at least when it runs."""
    pattern = convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
    names = build.MatchingFiles(pattern)
    count = build.Shape(names)[0]
    found = build.Greater(count, 0, name="match_not_empty")
    joined = reduce_join(pattern, separator=", ")
    message = build.Add("No files matched pattern: ", joined, name="message")
    checked = assert_(found, [message], summarize=1, name="assert_not_empty")
    with control_dependencies([checked]):
        result: Tensor = build.Identity(names)
    return result
