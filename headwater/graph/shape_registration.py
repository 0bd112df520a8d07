"""`tf.RegisterShape`: shape functions that programs of TensorFlow 0.x give to op types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.tensor_shape import as_tuple
from headwater.graph.operation import Tensor
from headwater.graph.registry import OpRecord, is_registered, lookup
from headwater.graph.shapes import ShapeContext

_registered: set[str] = set()


class _NewOperation:
    """What a shape function sees of an operation that is being made."""

    def __init__(self, c: ShapeContext) -> None:
        self.name = c.name
        self.type = c.record.name
        self.inputs: list[Tensor] = list(c.inputs)
        self.graph = c.inputs[0].graph if c.inputs else None
        self._attrs = c.attrs

    def get_attr(self, name: str) -> Any:
        """The value of an attr."""
        if name not in self._attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self._attrs[name]
        return value.encode() if isinstance(value, str) else value


@export("RegisterShape")
class RegisterShape:
    """Decorator that makes a function tell the static shapes of an op type's outputs.

    Args:
        op_type: the op type.

    Raises:
        TypeError: if `op_type` is not a string.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[[Any], Any] | None) -> Any:
        """Registers a function from Operation to a list of shapes; None stands for unknown ones.

        Raises:
            KeyError: if a program has registered one already.
        """
        if self._op_type in _registered:
            raise KeyError(f"Registering two shape functions with name '{self._op_type}' !")
        _registered.add(self._op_type)
        if is_registered(self._op_type):
            record: OpRecord = lookup(self._op_type)
            record.shape = lambda c: NotImplemented if f is None else _shapes(f, c)
        return f


def _shapes(function: Callable[[Any], Any], c: ShapeContext) -> list[Any]:
    return [as_tuple(shape) for shape in function(_NewOperation(c))]
