"""Datasets for several workers and replicas, as strategies of distribution make them."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.graph import Tensor, build


def auto_shard(dataset: Any, num_workers: TensorLike, index: TensorLike) -> tuple[Tensor, Any]:
    """The variant and structure of a worker's part of a dataset: some files, or some elements."""
    spec = dataset.element_spec
    variant = build.AutoShardDataset(
        dataset._variant_tensor, num_workers, index, **structure.flat_attrs(spec)
    )
    return variant, spec


def rebatch(dataset: Any, num_replicas: int) -> tuple[Tensor, Any]:
    """The variant and structure of batches, each divided among replicas.

    Raises:
        ValueError: if a component of an element is a scalar.
    """

    def divided(shape: TensorShape) -> TensorShape:
        if len(shape) < 1:
            raise ValueError(
                "Input shape should have at least one dimension. Perhaps your input dataset is "
                "not batched?"
            )
        first, *rest = shape.as_list()
        if first is not None:
            first = None if first % num_replicas else first // num_replicas
        return TensorShape([first, *rest])

    spec = dataset.element_spec
    shapes = nest.map_structure(divided, structure.legacy_shapes(spec))
    types, classes = structure.legacy_types(spec), structure.legacy_classes(spec)
    found = structure.from_legacy(types, shapes, classes)
    variant = build.RebatchDataset(
        dataset._variant_tensor, num_replicas, **structure.flat_attrs(found)
    )
    return variant, found
