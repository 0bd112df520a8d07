"""Elements from several datasets: sample_from_datasets, choose_from_datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import ordering, structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.function import ElementFunction
from headwater.data.datasets.random_seed import get_seed
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec

_NUMBER = TensorSpec([], dtypes.int64)


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
    if weights is not None and not isinstance(weights, DatasetV2):
        weights = _checked_weights(weights, len(datasets))
    if len(datasets) == 1:
        return datasets[0]
    return _directed(_choices(weights, len(datasets), seed), datasets)


def _checked_weights(weights: Any, count: int) -> Tensor:
    tensor = convert_to_tensor(weights, name="weights")
    if tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` elements."
        )
    if not tensor.shape.is_compatible_with(TensorShape([count])):
        raise ValueError("`weights` must be a vector of length `len(datasets)`.")
    return tensor


def _choices(weights: Any, count: int, seed: Any) -> Any:
    """A dataset of the numbers of datasets."""

    def select_dataset_constant_logits(pair: Tensor) -> Tensor:
        return _chosen(logits, pair)

    def select_dataset_varying_logits(logits: Tensor, pair: Tensor) -> Tensor:
        return _chosen(logits, pair)

    if isinstance(weights, DatasetV2):
        varying = weights.map(lambda *p: build.Log(p, name="logits"))
        pairs = DatasetV1.zip((varying, _seed_pairs(seed)))
        return _mapped(pairs, select_dataset_varying_logits)
    if weights is None:
        logits: Any = [[1.0] * count]
    else:
        logits = build.ExpandDims(build.Log(weights, name="logits"), 0)
    return _mapped(_seed_pairs(seed), select_dataset_constant_logits)


def _chosen(logits: Any, seeds: Tensor) -> Tensor:
    return build.Squeeze(build.StatelessMultinomial(logits, 1, seeds), squeeze_dims=[0, 1])


def _seed_pairs(seed: Any) -> Any:
    """A dataset of pairs of random numbers."""
    spec = TensorSpec([], dtypes.int64)
    variant = build.RandomDataset(*get_seed(seed), **structure.flat_attrs(spec))
    return DatasetV1(variant, spec).batch(2)


def _mapped(dataset: Any, function: Callable[..., Any]) -> Any:
    """The results of a small function, which is not worth a thread."""
    traced = ElementFunction(function, "Dataset.map()", dataset.element_spec)
    variant = build.MapDataset(
        dataset._variant_tensor,
        traced.captured,
        f=traced.attr,
        use_inter_op_parallelism=False,
        **structure.flat_attrs(traced.output_spec),
    )
    return DatasetV1(variant, traced.output_spec)


@export("data.experimental.choose_from_datasets")
def choose_from_datasets(datasets: Sequence[Any], choice_dataset: Any) -> Any:
    """Elements from several datasets in the order that another dataset says.

    Args:
        datasets: Datasets of one structure.
        choice_dataset: a Dataset of int64 scalars, the numbers of datasets.

    Returns:
        A Dataset.

    Raises:
        TypeError: if the datasets differ in types, or the numbers are of another type.
    """
    found = choice_dataset.element_spec
    if not isinstance(found, TensorSpec) or not found.is_compatible_with(_NUMBER):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return _directed(choice_dataset, datasets)


def _directed(selector: Any, datasets: Sequence[Any]) -> Any:
    """The dataset of elements that a dataset of numbers chooses."""
    first, others = datasets[0], datasets[1:]
    spec = first.element_spec
    for other in others:
        same = structure.legacy_types(other.element_spec) == structure.legacy_types(spec)
        kinds = structure.legacy_classes(other.element_spec), structure.legacy_classes(spec)
        if not same or kinds[0] != kinds[1]:
            raise TypeError("All datasets must have the same type and class.")
        spec = ordering.most_specific(spec, other.element_spec)
    variant = build.DirectedInterleaveDataset(
        selector._variant_tensor,
        [dataset._variant_tensor for dataset in datasets],
        **structure.flat_attrs(spec),
    )
    return first._derived(variant, spec, *others)
