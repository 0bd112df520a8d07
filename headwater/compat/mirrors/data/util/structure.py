"""tensorflow.python.data.util.structure: nested TypeSpecs and the tensors of elements."""

from __future__ import annotations

from typing import Any

from headwater.data.datasets import nest
from headwater.data.datasets.structure import flat_specs as get_flat_tensor_specs
from headwater.data.datasets.structure import from_legacy as convert_legacy_structure
from headwater.data.datasets.structure import from_tensor_list as from_compatible_tensor_list
from headwater.data.datasets.structure import normalized as normalize_element
from headwater.data.datasets.structure import spec_of as type_spec_from_value
from headwater.data.datasets.structure import to_batched_tensor_list, to_tensor_list

__all__ = [
    "are_compatible",
    "convert_legacy_structure",
    "from_compatible_tensor_list",
    "from_tensor_list",
    "get_flat_tensor_shapes",
    "get_flat_tensor_specs",
    "get_flat_tensor_types",
    "normalize_element",
    "to_batched_tensor_list",
    "to_tensor_list",
    "type_spec_from_value",
]


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of one structure may be elements of another."""
    try:
        nest.assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(spec1), nest.flatten(spec2))
    return all(a.is_compatible_with(b) and b.is_compatible_with(a) for a, b in pairs)


def get_flat_tensor_shapes(element_spec: Any) -> list[Any]:
    """The static shapes of the tensors of an element."""
    return [spec.shape for spec in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The types of the tensors of an element."""
    return [spec.dtype for spec in get_flat_tensor_specs(element_spec)]


def from_tensor_list(element_spec: Any, tensor_list: Any) -> Any:
    """The element that some tensors make, whose types and shapes are checked."""
    specs = get_flat_tensor_specs(element_spec)
    for i, (spec, tensor) in enumerate(zip(specs, tensor_list)):
        if len(specs) == len(tensor_list) and not spec.is_compatible_with(tensor):
            raise ValueError(
                f"Incompatible input: tensor {i} ({tensor}) is incompatible with {spec}"
            )
    return from_compatible_tensor_list(element_spec, tensor_list)
