"""Datasets of tensors and numbers: the variants and structures of from_tensors, range, ..."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.data.datasets import structure
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec


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
    spec = structure.unbatched(structure.spec_of(value))
    batch = structure.to_batched_tensor_list(spec, value)
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
