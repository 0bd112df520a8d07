"""Placeholders and parsed examples as labeled tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.contrib.labeled_tensor.axes import Axes, Axis, as_axis
from headwater.contrib.labeled_tensor.core import LabeledTensor, convert_to_labeled_tensor
from headwater.graph import name_scope
from headwater.ops.array.constant import placeholder as placeholder_tensor
from headwater.ops.parsing.example_functions import parse_example as parse_examples
from headwater.ops.parsing.example_functions import parse_single_example as parse_one_example
from headwater.ops.parsing.features import FixedLenFeature as UnlabeledFeature


@export("contrib.labeled_tensor.FixedLenFeature")
class FixedLenFeature:
    """How to parse a feature of fixed size.

    Args:
        axes: its axes.
        dtype: its type.
        default_value: what stands for a missing feature.
    """

    def __init__(self, axes: Any, dtype: DTypeLike, default_value: Any = None) -> None:
        self._axes = [as_axis(axis) for axis in axes]
        self._dtype = as_dtype(dtype)
        self._default_value = default_value

    @property
    def axes(self) -> list[Axis]:
        """The axes."""
        return self._axes

    @property
    def dtype(self) -> DType:
        """The type."""
        return self._dtype

    @property
    def default_value(self) -> Any:
        """What stands for a missing feature."""
        return self._default_value


def _unlabeled(features: Mapping[str, FixedLenFeature]) -> dict[str, Any]:
    return {
        name: UnlabeledFeature(
            [len(axis) for axis in feature.axes], feature.dtype, feature.default_value
        )
        for name, feature in features.items()
    }


@export("contrib.labeled_tensor.parse_example")
def parse_example(
    serialized: LabeledTensor,
    features: Mapping[str, FixedLenFeature],
    name: str | None = None,
    example_names: LabeledTensor | None = None,
) -> dict[str, LabeledTensor]:
    """Parses serialized examples.

    Args:
        serialized: a vector of strings.
        features: how to parse each feature.
        name: the name of the nodes.
        example_names: names of the examples, for errors.

    Returns:
        A LabeledTensor by the name of the feature, with the axis of the examples first.
    """
    serialized = convert_to_labeled_tensor(serialized)
    names: Any = None if example_names is None else example_names.tensor
    parsed = parse_examples(serialized.tensor, _unlabeled(features), name, names)
    batch = list(serialized.axes.values())
    return {
        key: LabeledTensor(parsed[key], [*batch, *feature.axes])
        for key, feature in features.items()
    }


@export("contrib.labeled_tensor.parse_single_example")
def parse_single_example(
    serialized: LabeledTensor,
    features: Mapping[str, FixedLenFeature],
    name: str | None = None,
    example_names: LabeledTensor | None = None,
) -> dict[str, LabeledTensor]:
    """Parses one serialized example.

    Args:
        serialized: a string.
        features: how to parse each feature.
        name: the name of the nodes.
        example_names: the name of the example, for errors.

    Returns:
        A LabeledTensor by the name of the feature.
    """
    serialized = convert_to_labeled_tensor(serialized)
    parsed = parse_one_example(
        serialized.tensor,
        _unlabeled(features),
        name,
        None if example_names is None else example_names.tensor,
    )
    return {key: LabeledTensor(parsed[key], feature.axes) for key, feature in features.items()}


@export("contrib.labeled_tensor.placeholder")
def placeholder(dtype: DTypeLike, axes: Any, name: str | None = None) -> LabeledTensor:
    """Makes a placeholder.

    Args:
        dtype: the type.
        axes: its axes.
        name: the name of the node.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_placeholder", []) as scope:
        given = Axes(axes)
        sizes = [axis.size for axis in given.values()]
        return LabeledTensor(placeholder_tensor(dtype, sizes, name=scope), given)
