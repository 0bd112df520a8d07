"""What a transform gets besides the graph: inputs, outputs and parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from headwater.base.errors import InvalidArgumentError
from headwater.serving.graph_tools.transforms.node_names import node_of

_Number = TypeVar("_Number", int, float)


def refuse(message: str) -> InvalidArgumentError:
    """Returns the error for a wrong parameter or graph."""
    return InvalidArgumentError(None, None, message)


@dataclasses.dataclass(frozen=True)
class Context:
    """The inputs and outputs that a transformed graph is run with, and a transform's parameters.

    Args:
        inputs: names of tensors or nodes that will be fed.
        outputs: names of tensors or nodes that will be fetched.
        parameters: the values of each parameter.
    """

    inputs: list[str]
    outputs: list[str]
    parameters: dict[str, list[str]]

    def kept_names(self) -> set[str]:
        """Returns the nodes that must keep their names and meaning: the inputs and outputs."""
        return {node_of(name) for name in (*self.inputs, *self.outputs)}

    def all(self, name: str) -> list[str]:
        """Returns all values of a parameter."""
        return self.parameters.get(name, [])

    def text(self, name: str, default: str) -> str:
        """Returns a parameter that may occur once.

        Raises:
            InvalidArgumentError: if it occurs more often.
        """
        given = self.all(name)
        if len(given) > 1:
            raise refuse(
                f"Expected a single '{name}' parameter, but found {len(given)} occurrences"
            )
        return given[0] if given else default

    def integer(self, name: str, default: int) -> int:
        """Returns a parameter that is a whole number."""
        return self._number(name, default, int, "number")

    def real(self, name: str, default: float) -> float:
        """Returns a parameter that is a number."""
        return self._number(name, default, float, "float number")

    def _number(
        self, name: str, default: _Number, convert: Callable[[Any], _Number], kind: str
    ) -> _Number:
        text = self.text(name, "")
        if not self.all(name):
            return default
        try:
            return convert(text)
        except ValueError:
            message = f"Couldn't interpret the {name} argument as a {kind}:{text}"
            raise refuse(message) from None

    def truth(self, name: str, default: bool) -> bool:
        """Returns a parameter that is true, false, 1 or 0."""
        text = self.text(name, "true" if default else "false")
        if text not in ("true", "false", "1", "0"):
            raise refuse(
                f"Couldn't interpret the {name} argument as a boolean:{text} "
                "(expected true, false, 0 or 1)"
            )
        return text in ("true", "1")
