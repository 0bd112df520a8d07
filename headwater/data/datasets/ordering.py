"""Which elements there are and in which order: shuffle, repeat, take, skip, shard, zip, ..."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.data.datasets.random_seed import get_seed
from headwater.graph import Tensor, build, convert_to_tensor


def _number(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


def _count(value: Any) -> Tensor:
    """A number of elements or epochs; None means all."""
    return _number(-1 if value is None else value, "count")


def shuffle(
    dataset: Any, buffer_size: TensorLike, seed: Any, reshuffle_each_iteration: bool | None
) -> tuple[Tensor, Any]:
    """The variant and structure of elements in random order."""
    size = _number(buffer_size, "buffer_size")
    seeds = get_seed(seed)
    reshuffle = True if reshuffle_each_iteration is None else reshuffle_each_iteration
    variant = build.ShuffleDataset(
        dataset._variant_tensor,
        size,
        *seeds,
        reshuffle_each_iteration=reshuffle,
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec


def shuffle_and_repeat(
    dataset: Any, buffer_size: TensorLike, count: Any, seed: Any
) -> tuple[Tensor, Any]:
    """The variant and structure of several epochs in random orders."""
    size = _number(buffer_size, "buffer_size")
    epochs = _count(count)
    variant = build.ShuffleAndRepeatDataset(
        dataset._variant_tensor,
        size,
        *get_seed(seed),
        epochs,
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec


def repeat(dataset: Any, count: Any) -> tuple[Tensor, Any]:
    """The variant and structure of several epochs."""
    attrs = structure.flat_attrs(dataset.element_spec)
    variant = build.RepeatDataset(dataset._variant_tensor, _count(count), **attrs)
    return variant, dataset.element_spec


def take(dataset: Any, count: TensorLike) -> tuple[Tensor, Any]:
    """The variant and structure of the first elements."""
    attrs = structure.flat_attrs(dataset.element_spec)
    variant = build.TakeDataset(dataset._variant_tensor, _number(count, "count"), **attrs)
    return variant, dataset.element_spec


def skip(dataset: Any, count: TensorLike) -> tuple[Tensor, Any]:
    """The variant and structure of the elements after the first ones."""
    attrs = structure.flat_attrs(dataset.element_spec)
    variant = build.SkipDataset(dataset._variant_tensor, _number(count, "count"), **attrs)
    return variant, dataset.element_spec


def shard(dataset: Any, num_shards: TensorLike, index: TensorLike) -> tuple[Tensor, Any]:
    """The variant and structure of every nth element."""
    variant = build.ShardDataset(
        dataset._variant_tensor,
        _number(num_shards, "num_shards"),
        _number(index, "index"),
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec


def concatenate(dataset: Any, other: Any) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of two datasets.

    Raises:
        TypeError: if they differ in types or classes.
    """
    for kind, found in (("types", structure.legacy_types), ("classes", structure.legacy_classes)):
        mine, theirs = found(dataset.element_spec), found(other.element_spec)
        if mine != theirs:
            raise TypeError(
                f"Two datasets to concatenate have different {kind} {mine} and {theirs}"
            )
    spec = most_specific(dataset.element_spec, other.element_spec)
    variant = build.ConcatenateDataset(
        dataset._variant_tensor, other._variant_tensor, **structure.flat_attrs(spec)
    )
    return variant, spec


def most_specific(first: Any, second: Any) -> Any:
    """The structure of elements that are of one or the other structure, equal in types."""
    shapes = [
        a.most_specific_compatible_shape(b)
        for a, b in zip(
            nest.flatten(structure.legacy_shapes(first)),
            nest.flatten(structure.legacy_shapes(second)),
        )
    ]
    return structure.from_legacy(
        structure.legacy_types(first),
        nest.pack_sequence_as(structure.legacy_types(first), shapes),
        structure.legacy_classes(first),
    )


def zipped(datasets: Any) -> tuple[Tensor, Any]:
    """The variant and structure of elements side by side.

    Raises:
        TypeError: if the argument is not a nested structure of datasets.
    """
    text = "The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects."
    flat = nest.flatten(datasets)
    for dataset in flat:
        if hasattr(dataset, "_variant_tensor"):
            continue
        if isinstance(dataset, list):
            text += " Nested structures do not support Python lists; please use a tuple instead."
        raise TypeError(text)
    spec = nest.pack_sequence_as(datasets, [dataset.element_spec for dataset in flat])
    handles = [dataset._variant_tensor for dataset in flat]
    return build.ZipDataset(handles, **structure.flat_attrs(spec)), spec


def cache(dataset: Any, filename: TensorLike) -> tuple[Tensor, Any]:
    """The variant and structure of elements that are made once."""
    name = convert_to_tensor(filename, dtype=dtypes.string, name="filename")
    attrs = structure.flat_attrs(dataset.element_spec)
    return build.CacheDataset(dataset._variant_tensor, name, **attrs), dataset.element_spec
