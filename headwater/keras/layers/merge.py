"""Layers that join several inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.products import batch_dot
from headwater.keras.backend.shaping import concatenate as joined
from headwater.keras.layers.arguments import KerasConfig
from headwater.model.nn.batch_normalization import l2_normalize


class _Merge(KerasConfig):
    """The base of layers that combine inputs element by element."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _combine(self, inputs: Sequence[Any]) -> Any:
        raise NotImplementedError

    def build(self, input_shape: ShapeLike) -> None:
        """Checks the shapes.

        Raises:
            ValueError: if there are too few inputs, or their shapes do not fit.
        """
        if not isinstance(input_shape, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs.")
        if len(input_shape) < 2:
            raise ValueError(
                "A merge layer should be called on a list of at least 2 inputs. Got "
                f"{len(input_shape)} inputs."
            )
        self._merged_shape([TensorShape(s).as_list() for s in input_shape])
        self.built = True

    @staticmethod
    def _merged_shape(shapes: Sequence[list[int | None]]) -> list[int | None]:
        found = list(shapes[0])
        for shape in shapes[1:]:
            long, short = (found, shape) if len(found) >= len(shape) else (shape, found)
            rest = long[len(long) - len(short) :]
            tail: list[int | None] = []
            for a, b in zip(rest, short):
                if a is None or b is None:
                    tail.append(None)
                elif a == 1 or b == 1 or a == b:
                    tail.append(max(a, b))
                else:
                    raise ValueError(
                        "Operands could not be broadcast together with shapes "
                        f"{tuple(found[1:])} {tuple(shape[1:])}"
                    )
            found = [*long[: len(long) - len(short)], *tail]
        return found

    def call(self, inputs: NestedTensors) -> Any:
        """Combines the inputs.

        Args:
            inputs: a list of tensors.

        Raises:
            ValueError: if it is no list.
        """
        if not isinstance(inputs, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs.")
        rank = max(x.shape.ndims for x in inputs)
        wide = []
        for x in inputs:
            while x.shape.ndims < rank:
                x = build.ExpandDims(x, 1)
            wide.append(x)
        return self._combine(wide)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        return TensorShape(self._merged_shape([TensorShape(s).as_list() for s in input_shape]))

    def compute_mask(self, inputs: NestedTensors, mask: Any = None) -> Any:
        """The steps that no input masks."""
        masks = [m for m in nest.flatten(mask) if m is not None] if mask is not None else []
        found = masks[0] if masks else None
        for each in masks[1:]:
            found = build.LogicalAnd(found, each)
        return found


@export("keras.layers.Add")
class Add(_Merge):
    """The sum of the inputs."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = output + x
        return output


@export("keras.layers.Subtract")
class Subtract(_Merge):
    """The first input minus the second."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")
        return inputs[0] - inputs[1]


@export("keras.layers.Multiply")
class Multiply(_Merge):
    """The product of the inputs, element by element."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = output * x
        return output


@export("keras.layers.Average")
class Average(_Merge):
    """The mean of the inputs."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = output + x
        return output / len(inputs)


@export("keras.layers.Maximum")
class Maximum(_Merge):
    """The largest of the inputs, element by element."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = build.Maximum(output, x)
        return output


@export("keras.layers.Minimum")
class Minimum(_Merge):
    """The smallest of the inputs, element by element."""

    def _combine(self, inputs: Sequence[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = build.Minimum(output, x)
        return output


@export("keras.layers.Concatenate")
class Concatenate(_Merge):
    """The inputs side by side.

    Args:
        axis: the axis along which they are joined.
        **kwargs: further arguments of Layer.
    """

    config_names = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: ShapeLike) -> None:
        """Checks the shapes.

        Raises:
            ValueError: if there are too few inputs, or their shapes do not fit.
        """
        if not isinstance(input_shape, list) or len(input_shape) < 2:
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 2 inputs"
            )
        shapes = [TensorShape(s).as_list() for s in input_shape]
        rest = [[n for i, n in enumerate(s) if i != self.axis % len(s)] for s in shapes]
        if any(
            a is not None and b is not None and a != b for r in rest for a, b in zip(r, rest[0])
        ) or any(len(r) != len(rest[0]) for r in rest):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concat "
                f"axis. Got inputs shapes: {[tuple(s) for s in shapes]}"
            )
        self.built = True

    def call(self, inputs: NestedTensors) -> Any:
        """Joins the inputs."""
        return joined(inputs, axis=self.axis)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        shapes = [TensorShape(s).as_list() for s in input_shape]
        lengths = [s[self.axis] for s in shapes]
        found = shapes[0]
        known = [n for n in lengths if n is not None]
        found[self.axis] = sum(known) if len(known) == len(lengths) else None
        return TensorShape(found)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks side by side."""
        if mask is None or all(m is None for m in mask):
            return None
        parts = []
        for x, m in zip(inputs, mask):
            if m is None:
                m = build.Cast(x * 0 + 1, DstT="bool")
            elif m.shape.ndims < x.shape.ndims:
                m = build.ExpandDims(m, -1)
            parts.append(m)
        return build.All(joined(parts, axis=self.axis), -1)


@export("keras.layers.Dot")
class Dot(_Merge):
    """The product of two inputs along an axis of each.

    Args:
        axes: the axis, or one for each input.
        normalize: whether the inputs are divided by their norms: cosine similarity.
        **kwargs: further arguments of Layer.
    """

    config_names = ("axes", "normalize")

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, (int, list, tuple)):
            raise TypeError("Invalid type for `axes` - should be a list or an int.")
        if not isinstance(axes, int) and len(axes) != 2:
            raise ValueError("Invalid format for `axes` - should contain two elements.")
        self.axes = axes
        self.normalize = normalize

    def _both(self, ranks: Sequence[int]) -> tuple[int, int]:
        first, second = [self.axes] * 2 if isinstance(self.axes, int) else self.axes
        return first % ranks[0], second % ranks[1]

    def build(self, input_shape: ShapeLike) -> None:
        """Checks the shapes.

        Raises:
            ValueError: if they do not fit.
        """
        if not isinstance(input_shape, list) or len(input_shape) != 2:
            raise ValueError("A `Dot` layer should be called on a list of 2 inputs.")
        shapes = [TensorShape(s).as_list() for s in input_shape]
        axes = self._both([len(s) for s in shapes])
        lengths = [s[axis] for s, axis in zip(shapes, axes)]
        if None not in lengths and lengths[0] != lengths[1]:
            raise ValueError(
                f"Dimension incompatibility {lengths[0]} != {lengths[1]}. Layer shapes: "
                f"{tuple(shapes[0])}, {tuple(shapes[1])}"
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Multiplies the inputs."""
        axes = self._both([x.shape.ndims for x in inputs])
        if self.normalize:
            inputs = [l2_normalize(x, axis=axis) for x, axis in zip(inputs, axes)]
        return batch_dot(inputs[0], inputs[1], axes)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        first, second = (TensorShape(s).as_list() for s in input_shape)
        axes = self._both([len(first), len(second)])
        first.pop(axes[0])
        second.pop(axes[1])
        found = [*first, *second[1:]]
        return TensorShape([*found, 1] if len(found) == 1 else found)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None."""
        return None


@export("keras.layers.add")
def add(inputs: Any, **kwargs: Any) -> Any:
    """The sum of tensors; see Add.

    Args:
        inputs: a list of tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Add(**kwargs)(inputs)


@export("keras.layers.subtract")
def subtract(inputs: Any, **kwargs: Any) -> Any:
    """The first tensor minus the second; see Subtract.

    Args:
        inputs: a list of two tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Subtract(**kwargs)(inputs)


@export("keras.layers.multiply")
def multiply(inputs: Any, **kwargs: Any) -> Any:
    """The product of tensors; see Multiply.

    Args:
        inputs: a list of tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Multiply(**kwargs)(inputs)


@export("keras.layers.average")
def average(inputs: Any, **kwargs: Any) -> Any:
    """The mean of tensors; see Average.

    Args:
        inputs: a list of tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Average(**kwargs)(inputs)


@export("keras.layers.maximum")
def maximum(inputs: Any, **kwargs: Any) -> Any:
    """The largest of tensors; see Maximum.

    Args:
        inputs: a list of tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Maximum(**kwargs)(inputs)


@export("keras.layers.minimum")
def minimum(inputs: Any, **kwargs: Any) -> Any:
    """The smallest of tensors; see Minimum.

    Args:
        inputs: a list of tensors.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Minimum(**kwargs)(inputs)


@export("keras.layers.concatenate")
def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Tensors side by side; see Concatenate.

    Args:
        inputs: a list of tensors.
        axis: the axis along which they are joined.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


@export("keras.layers.dot")
def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    """The product of two tensors along an axis of each; see Dot.

    Args:
        inputs: a list of two tensors.
        axes: the axis, or one for each input.
        normalize: whether the inputs are divided by their norms.
        **kwargs: arguments of the layer.

    Returns:
        A tensor.
    """
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
