"""Functions of elements: map, flat_map, filter, interleave, scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.data.datasets import structure
from headwater.data.datasets.function import ElementFunction
from headwater.graph import Tensor, build


def map_elements(dataset: Any, map_func: Callable[..., Any]) -> tuple[Tensor, Any]:
    """The variant and structure of the results of a function."""
    function = ElementFunction(map_func, "Dataset.map()", dataset.element_spec)
    variant = build.MapDataset(
        dataset._variant_tensor,
        function.captured,
        f=function.attr,
        **structure.flat_attrs(function.output_spec),
    )
    return variant, function.output_spec


def flat_map(dataset: Any, map_func: Callable[..., Any]) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of the datasets that a function makes.

    Raises:
        TypeError: if the function does not return a dataset.
    """
    function = ElementFunction(map_func, "Dataset.flat_map()", dataset.element_spec)
    spec = getattr(function.output_spec, "_element_spec", None)
    if spec is None:
        raise TypeError("`map_func` must return a `Dataset` object.")
    variant = build.FlatMapDataset(
        dataset._variant_tensor,
        function.captured,
        f=function.attr,
        **structure.flat_attrs(spec),
    )
    return variant, spec
