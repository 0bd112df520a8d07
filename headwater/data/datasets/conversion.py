"""Functions of whole datasets: their structure, their variant, their only element."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.data.datasets import structure as structures
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.iterator import Iterator
from headwater.graph import Tensor, build


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """The structure of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: a Dataset or Iterator.

    Returns:
        A nested TypeSpec.

    Raises:
        TypeError: if it is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "`dataset_or_iterator` must be a Dataset or Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


@export("data.experimental.to_variant")
def to_variant(dataset: DatasetV2) -> Tensor:
    """The variant tensor of a dataset.

    Args:
        dataset: a Dataset.

    Returns:
        A scalar variant tensor.
    """
    return dataset._variant_tensor


class VariantDataset(DatasetV2):
    """The dataset of a variant tensor; the arguments are those of `DatasetV2`."""

    _shown_class = "_VariantDataset"


@export("data.experimental.from_variant")
def from_variant(variant: Tensor, structure: Any) -> DatasetV2:
    """The dataset of a variant tensor.

    Args:
        variant: a scalar variant tensor.
        structure: the nested TypeSpec of the elements.

    Returns:
        A Dataset.
    """
    return VariantDataset(variant, structure)


@export("data.experimental.get_single_element", "contrib.data.get_single_element")
def get_single_element(dataset: DatasetV2) -> Any:
    """The only element of a dataset, without an iterator.

    A run raises an InvalidArgumentError if there is none, or more than one.

    Args:
        dataset: a Dataset.

    Returns:
        A nested structure of tensors.

    Raises:
        TypeError: if `dataset` is not a dataset.
    """
    if not isinstance(dataset, DatasetV2):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    spec = dataset.element_spec
    flat = build.DatasetToSingleElement(dataset._variant_tensor, **structures.flat_attrs(spec))
    return structures.from_tensor_list(spec, flat)


@export("data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> Any:
    """The nested types of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: a Dataset or Iterator.

    Returns:
        A nested structure of types.
    """
    return structures.legacy_types(get_structure(dataset_or_iterator))


@export("data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The nested shapes of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: a Dataset or Iterator.

    Returns:
        A nested structure of shapes.
    """
    return structures.legacy_shapes(get_structure(dataset_or_iterator))


@export("data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The nested classes of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: a Dataset or Iterator.

    Returns:
        A nested structure of classes.
    """
    return structures.legacy_classes(get_structure(dataset_or_iterator))


@export("data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: DatasetV2) -> Iterator:
    """An iterator that needs no initializer and goes through a dataset once.

    Args:
        dataset: a Dataset.

    Returns:
        An Iterator.

    Raises:
        ValueError: if the dataset uses variables, tables or other things with a state.
    """
    return _era_v1(dataset)._one_shot_iterator()


@export("data.make_initializable_iterator")
def make_initializable_iterator(dataset: DatasetV2, shared_name: str | None = None) -> Iterator:
    """An iterator that begins anew whenever its initializer runs.

    Args:
        dataset: a Dataset.
        shared_name: sessions share iterators of one name.

    Returns:
        An Iterator.
    """
    return _era_v1(dataset)._initializable_iterator(shared_name)


def _era_v1(dataset: DatasetV2) -> DatasetV1:
    if isinstance(dataset, DatasetV1):
        return dataset
    return DatasetV1(dataset._variant_tensor, dataset.element_spec, dataset.options())
