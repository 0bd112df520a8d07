"""The number of elements of a dataset."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export, export_value
from headwater.graph import Tensor, build

INFINITE = -1
UNKNOWN = -2
export_value("data.experimental.INFINITE_CARDINALITY", INFINITE)
export_value("data.experimental.UNKNOWN_CARDINALITY", UNKNOWN)


@export("data.experimental.cardinality")
def cardinality(dataset: Any) -> Tensor:
    """The number of elements of a dataset.

    Args:
        dataset: a Dataset.

    Returns:
        An int64 scalar; INFINITE_CARDINALITY if there is no end, UNKNOWN_CARDINALITY if the number
        is known only after all elements were made.
    """
    number: Tensor = build.DatasetCardinality(dataset._variant_tensor)
    return number
