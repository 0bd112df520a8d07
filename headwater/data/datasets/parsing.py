"""Datasets of the features of Example protos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.data.datasets.dataset import DatasetV2
from headwater.graph import build
from headwater.graph.composite_specs import SparseTensorSpec
from headwater.graph.type_spec import TensorSpec
from headwater.ops.parsing.example_functions import assembled, wanted_features
from headwater.ops.parsing.features import SparseFeature, Wanted

_VECTORS = TensorSpec([None], dtypes.string)


class _ParseExampleDataset(DatasetV2):
    """The features of vectors of serialized protos."""

    _shown_class = "_ParseExampleDataset"

    def __init__(self, dataset: Any, wanted: Wanted, num_parallel_calls: TensorLike) -> None:
        source = dataset.element_spec
        if not (isinstance(source, TensorSpec) and _VECTORS.is_compatible_with(source)):
            raise TypeError("Input dataset should be a dataset of vectors of strings")
        wanted.check_keys()
        if not wanted.sparse_keys and not wanted.dense_keys:
            raise ValueError("Must provide at least one sparse key or dense key")
        spec = _spec_of(wanted, source.shape[0].value)
        defaults = wanted.default_tensors()
        variant = build.ParseExampleDataset(
            dataset._variant_tensor,
            num_parallel_calls,
            defaults,
            sparse_keys=wanted.sparse_keys,
            dense_keys=wanted.dense_keys,
            sparse_types=wanted.sparse_types,
            dense_shapes=wanted.dense_shapes,
            **structure.flat_attrs(spec),
        )
        super().__init__(variant, spec, dataset.options())


def _spec_of(wanted: Wanted, batch: int | None) -> dict[str, Any]:
    """The structure of the features of a batch."""
    spec: dict[str, Any] = {
        key: SparseTensorSpec([batch, None], dtypes.as_dtype(dtype))
        for key, dtype in zip(wanted.sparse_keys, wanted.sparse_types)
    }
    for key, dtype, shape in zip(wanted.dense_keys, wanted.dense_types, wanted.dense_shapes):
        spec[key] = TensorSpec([batch, *shape], dtypes.as_dtype(dtype))
    return {key: spec[key] for key in sorted(spec)}


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: dict[str, Any] | None, num_parallel_calls: TensorLike = 1
) -> Callable[[Any], Any]:
    """A transformation of batches of serialized Example protos to dicts of their features.

    Args:
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature.
        num_parallel_calls: how many batches are parsed at the same time.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: if there are no features.
    """
    if features is None:
        raise ValueError("Missing: features was None.")
    wanted = features

    def _apply_fn(dataset: Any) -> Any:
        parsed = _ParseExampleDataset(dataset, wanted_features(wanted), num_parallel_calls)
        if not any(isinstance(feature, SparseFeature) for feature in wanted.values()):
            return parsed
        return parsed.map(
            lambda found: assembled(wanted, found), num_parallel_calls=num_parallel_calls
        )

    return _apply_fn
