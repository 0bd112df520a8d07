"""DatasetCardinality: the number of elements of a dataset."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import dataset_of


def kernel_dataset_cardinality(xp: ArrayModule, input_dataset: Array) -> Array:
    return np.asarray(dataset_of(input_dataset).cardinality(), np.int64)


def _register_cardinality(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant",
        outputs="cardinality: int64",
        shape=shapes.scalar,
        kernel=kernel_dataset_cardinality,
        runs_on=RunsOn.HOST,
    )


_register_cardinality("DatasetCardinality")
_register_cardinality("ExperimentalDatasetCardinality")
