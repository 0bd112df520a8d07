"""A pair of reshapes, there and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.labeled_tensor.axes import Axis, as_axis
from headwater.contrib.labeled_tensor.core import LabeledTensor
from headwater.contrib.labeled_tensor.ops import reshape
from headwater.graph import name_scope


@export("contrib.labeled_tensor.ReshapeCoder")
class ReshapeCoder:
    """Replaces axes by others, and these by the first ones again.

    Args:
        existing_axis_names: the names of axes that follow each other.
        new_axes: the axes that replace them.
        name: a prefix of the names of results.
    """

    def __init__(
        self, existing_axis_names: Sequence[str], new_axes: Sequence[Any], name: str | None = None
    ) -> None:
        self._name = name
        self._existing_axis_names = existing_axis_names
        self._new_axes = new_axes
        self._existing_axes: list[Axis] | None = None

    def encode(self, labeled_tensor: LabeledTensor) -> LabeledTensor:
        """Returns a tensor with the new axes."""
        with name_scope(self._name, "lt_reshape_encode", [labeled_tensor]) as scope:
            self._existing_axes = [labeled_tensor.axes[axis] for axis in self._existing_axis_names]
            return reshape(labeled_tensor, self._existing_axis_names, self._new_axes, name=scope)

    def decode(self, labeled_tensor: LabeledTensor) -> LabeledTensor:
        """Returns a tensor with the axes of the one that was encoded."""
        if self._existing_axes is None:
            raise ValueError("decode called before encode")
        with name_scope(self._name, "lt_reshape_decode", [labeled_tensor]) as scope:
            names = [as_axis(axis).name for axis in self._new_axes]
            return reshape(labeled_tensor, names, self._existing_axes, name=scope)
