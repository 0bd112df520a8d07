"""Element structures: nested TypeSpecs, and the tensors that a dataset op has for an element."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import nest
from headwater.graph import (
    SparseTensor,
    SparseTensorValue,
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
)
from headwater.graph.composite_specs import SparseTensorSpec
from headwater.graph.constant_value import constant_value
from headwater.graph.type_spec import TensorSpec, TypeSpec, type_spec_from_value
from headwater.model.ragged.conversion import convert as convert_ragged
from headwater.model.ragged.value import RaggedTensorValue
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.tensor_array_spec import TensorArraySpec


def normalized(value: Any) -> Any:
    """A nested structure in which every leaf is a tensor or is made of tensors."""
    leaves = nest.flatten(value)
    with name_scope("normalize_element"):
        found = [_normalized_leaf(leaf, i) for i, leaf in enumerate(leaves)]
    return nest.pack_sequence_as(value, found)


def _normalized_leaf(leaf: Any, position: int) -> Any:
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor.from_value(leaf)
    if isinstance(leaf, Tensor):
        return leaf
    if isinstance(leaf, RaggedTensorValue):
        return convert_ragged(leaf, name=f"component_{position}")
    if is_composite(leaf):
        return leaf
    datasets = _specs_of_datasets(leaf)
    if datasets and all(spec == datasets[0] for spec in datasets):
        variants = build.Pack([dataset._variant_tensor for dataset in leaf])
        return datasets[0]._batch(len(leaf))._from_components(variants)
    return convert_to_tensor(leaf, name=f"component_{position}")


def _specs_of_datasets(value: Any) -> list[Any]:
    """The DatasetSpecs of a list of datasets, whose variants make one tensor."""
    if not isinstance(value, list) or not all(hasattr(x, "_variant_tensor") for x in value):
        return []
    return [getattr(dataset, "_type_spec", None) for dataset in value]


def is_composite(value: Any) -> bool:
    """Whether a value is made of tensors, as a RaggedTensor, a TensorArray or a Dataset is."""
    return isinstance(getattr(value, "_type_spec", None), TypeSpec) or isinstance(
        value, TensorArray
    )


def spec_of(value: Any) -> Any:
    """The nested TypeSpec of a nested structure of tensors."""
    return nest.map_structure(type_spec_from_value, value)


def to_tensor_list(spec: Any, value: Any) -> list[Tensor]:
    """The tensors of an element.

    Raises:
        ValueError: if the element does not fit the structure.
    """
    nest.assert_same_structure(spec, value)
    pairs = zip(nest.flatten(spec), nest.flatten(value))
    return [tensor for leaf, part in pairs for tensor in leaf._to_tensor_list(part)]


def to_batched_tensor_list(spec: Any, value: Any) -> list[Tensor]:
    """The tensors of a batch of elements, whose structure is `spec`."""
    nest.assert_same_structure(spec, value)
    pairs = zip(nest.flatten(spec), nest.flatten(value))
    return [tensor for leaf, part in pairs for tensor in leaf._to_batched_tensor_list(part)]


def from_tensor_list(spec: Any, tensors: Sequence[Tensor]) -> Any:
    """The element that some tensors make.

    Raises:
        ValueError: if there are more or fewer tensors than the structure has.
    """
    specs = nest.flatten(spec)
    expected = sum(len(leaf._flat_tensor_specs) for leaf in specs)
    if expected != len(tensors):
        raise ValueError(f"Expected {expected} tensors but got {len(tensors)}.")
    leaves = []
    position = 0
    for leaf in specs:
        count = len(leaf._flat_tensor_specs)
        part = list(tensors[position : position + count])
        leaves.append(leaf._from_compatible_tensor_list(part))
        position += count
    return nest.pack_sequence_as(spec, leaves)


def flat_specs(spec: Any) -> list[TensorSpec]:
    """The specs of the tensors of an element."""
    return [part for leaf in nest.flatten(spec) for part in leaf._flat_tensor_specs]


def flat_attrs(spec: Any) -> dict[str, Any]:
    """The attrs `output_types` and `output_shapes` of dataset and iterator ops."""
    specs = flat_specs(spec)
    return {
        "output_types": [part.dtype for part in specs],
        "output_shapes": [part.shape for part in specs],
    }


def batched(spec: Any, batch_size: int | None) -> Any:
    """The structure of batches of elements."""
    return nest.map_structure(lambda leaf: leaf._batch(batch_size), spec)


def known_batch_size(batch_size: Tensor, drop_remainder: Tensor) -> int | None:
    """The static size of batches, if all have it."""
    known = constant_value(batch_size) if constant_value(drop_remainder) else None
    return None if known is None else int(known)


def unbatched(spec: Any) -> Any:
    """The structure of the rows of an element."""
    return nest.map_structure(lambda leaf: leaf._unbatch(), spec)


def legacy_types(spec: Any) -> Any:
    """The nested types of an element, as `output_types`."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_types(), spec)


def legacy_shapes(spec: Any) -> Any:
    """The nested shapes of an element, as `output_shapes`."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_shapes(), spec)


def legacy_classes(spec: Any) -> Any:
    """The nested classes of an element, as `output_classes`."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_classes(), spec)


def from_legacy(output_types: Any, output_shapes: Any = None, output_classes: Any = None) -> Any:
    """The nested TypeSpec that nested types, shapes and classes describe.

    Args:
        output_types: nested types.
        output_shapes: shapes in the same structure; unknown if None.
        output_classes: classes in the same structure; Tensor if None.

    Raises:
        TypeError: if a class is of no known kind.
    """
    types = nest.flatten(output_types)
    if output_shapes is None:
        shapes = [TensorShape(None)] * len(types)
    else:
        shapes = [TensorShape(s) for s in nest.flatten_up_to(output_types, output_shapes)]
    if output_classes is None:
        classes = [Tensor] * len(types)
    else:
        classes = nest.flatten_up_to(output_types, output_classes)
    leaves = [_leaf(*parts) for parts in zip(types, shapes, classes)]
    return nest.pack_sequence_as(output_types, leaves)


def _leaf(dtype: Any, shape: TensorShape, kind: Any) -> TypeSpec:
    if isinstance(kind, TypeSpec):
        return kind
    if isinstance(kind, type) and issubclass(kind, SparseTensor):
        return SparseTensorSpec(shape, as_dtype(dtype))
    if isinstance(kind, type) and issubclass(kind, TensorArray):
        options = [None if size is None else bool(size) for size in shape.as_list()[:2]]
        return TensorArraySpec(shape[2:], as_dtype(dtype), *options)
    if isinstance(kind, type) and issubclass(kind, Tensor):
        return TensorSpec(shape, as_dtype(dtype))
    raise TypeError(
        f"Could not build a structure for output class {getattr(kind, '__name__', kind)}. "
        f"Make sure any component class in `output_classes` inherits from one of the following "
        "classes: `tf.TypeSpec`, `tf.SparseTensor`, `tf.Tensor`, `tf.TensorArray`."
    )


def shown(value: Any) -> str:
    """A nested structure as the text of a dataset shows it."""
    if isinstance(value, OrderedDict):
        pairs = ", ".join(f"({key}, {shown(part)})" for key, part in value.items())
        return f"OrderedDict([{pairs}])"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(value[key])}" for key in value) + "}"
    names = getattr(value, "_fields", None)
    if names is not None:
        parts = (f"{key}={shown(part)}" for key, part in zip(names, value))
        return f"{type(value).__name__}({', '.join(parts)})"
    if nest.is_nested(value):
        inner = ", ".join(shown(part) for part in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, DType):
        return repr(value)
    return str(value)
