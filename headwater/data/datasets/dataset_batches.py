"""Datasets as a component of a batch."""

from __future__ import annotations

from headwater.graph import Tensor
from headwater.graph.type_spec import TypeSpec


class DatasetsOfBatch:
    """Several datasets of equal structure; `Dataset.unbatch` separates them.

    Args:
        variant_tensor: their variants as one tensor.
        spec: the DatasetSpec with the shape of that tensor.
    """

    def __init__(self, variant_tensor: Tensor, spec: TypeSpec) -> None:
        self._variant_tensor = variant_tensor
        self._type_spec = spec
