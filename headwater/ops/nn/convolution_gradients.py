"""Gradients of convolutions: each op of a kind is differentiated by the two others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.graph import Operation, Tensor, build, shape_tensor


@dataclass(frozen=True)
class ConvolutionGradients:
    """The gradient functions of the three ops of one kind of convolution.

    Args:
        forward: the op type of ``(input, filter)``.
        backprop_input: the op type of ``(input_sizes, filter, out_backprop)``.
        backprop_filter: the op type of ``(input, filter_sizes, out_backprop)``.
        attrs: the names of the attrs that the three have in common.
        joins_shapes: whether the shapes of input and filter are one node, as TensorFlow has them.
    """

    forward: str
    backprop_input: str
    backprop_filter: str
    attrs: tuple[str, ...] = ("strides", "padding", "data_format", "dilations")
    joins_shapes: bool = False

    def _attrs_of(self, op: Operation) -> dict[str, Any]:
        return {name: op._attrs[name] for name in self.attrs}

    def of_forward(self, op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
        """The gradient of the convolution in its input and its filter."""
        x, w = op.inputs
        x_shape, w_shape = build.ShapeN([x, w]) if self.joins_shapes else (None, None)
        attrs = self._attrs_of(op)
        return (
            getattr(build, self.backprop_input)(_or_shape(x_shape, x), w, grad, **attrs),
            getattr(build, self.backprop_filter)(x, _or_shape(w_shape, w), grad, **attrs),
        )

    def of_backprop_input(self, op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of the gradient in the input."""
        _, w, g = op.inputs
        attrs = self._attrs_of(op)
        return (
            None,
            getattr(build, self.backprop_filter)(grad, shape_tensor(w), g, **attrs),
            getattr(build, self.forward)(grad, w, **attrs),
        )

    def of_backprop_filter(self, op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of the gradient in the filter."""
        x, _, g = op.inputs
        attrs = self._attrs_of(op)
        return (
            getattr(build, self.backprop_input)(shape_tensor(x), grad, g, **attrs),
            None,
            getattr(build, self.forward)(x, grad, **attrs),
        )


def _or_shape(shape: Tensor | None, x: Tensor) -> Tensor:
    """The shape if it is given, or a Shape node."""
    return shape_tensor(x) if shape is None else shape
