"""Elements from several datasets: sample_from_datasets, choose_from_datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import batching, mapping, nest, ordering, sources, structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.random_seed import get_seed
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec


@export("data.experimental.sample_from_datasets")
def sample_from_datasets(datasets: Sequence[Any], weights: Any = None, seed: Any = None) -> Any:
    """Elements from several datasets in random order.

    Args:
        datasets: Datasets of one structure.
        weights: how probable each dataset is, a vector, or a Dataset of vectors; equal if None.
        seed: makes the choice reproducible; an integer or an int64 scalar.

    Returns:
        A Dataset.

    Raises:
        TypeError: if the datasets differ in types, or `weights` is of another type.
        ValueError: if `weights` is of another length.
    """
    if len(datasets) == 1:
        return datasets[0]
    logits, varying = _logits(weights, len(datasets)), None
    if isinstance(weights, DatasetV2):
        varying = weights.map(lambda *p: build.Log(p[0] if len(p) == 1 else p, name="logits"))
    first, second = get_seed(seed)
    numbers = DatasetV1(*_random(first, second)).batch(2)

    def select_dataset_constant_logits(pair: Tensor) -> Tensor:
        return build.Squeeze(build.StatelessMultinomial(logits, 1, pair), squeeze_dims=[0, 1])

    def select_dataset_varying_logits(logits: Tensor, pair: Tensor) -> Tensor:
        return build.Squeeze(build.StatelessMultinomial(logits, 1, pair), squeeze_dims=[0, 1])

    if varying is None:
        choices = _map_in_line(numbers, select_dataset_constant_logits)
    else:
        pairs = DatasetV1.zip((varying, numbers))
        choices = _map_in_line(pairs, select_dataset_varying_logits)
    return _directed(choices, datasets)


def _random(seed: Tensor, seed2: Tensor) -> tuple[Tensor, Any]:
    spec = TensorSpec([], dtypes.int64)
    return build.RandomDataset(seed, seed2, **structure.flat_attrs(spec)), spec
