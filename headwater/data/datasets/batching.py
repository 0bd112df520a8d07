"""Batches of elements: batch, padded_batch, window."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.constant_value import constant_value


def batch(dataset: Any, batch_size: TensorLike, drop_remainder: Any) -> tuple[Tensor, Any]:
    """The variant and structure of batches."""
    size = convert_to_tensor(batch_size, dtype=dtypes.int64, name="batch_size")
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool_, name="drop_remainder")
    known = constant_value(size) if constant_value(drop) else None
    spec = structure.batched(dataset.element_spec, None if known is None else int(known))
    variant = build.BatchDatasetV2(
        dataset._variant_tensor, size, drop, **structure.flat_attrs(spec)
    )
    return variant, spec
