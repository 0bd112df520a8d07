"""Expressions of NumPy with dumped tensors in them: ``np.max(`a:0`)``."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from headwater.debug.lib.debug_data import DebugDumpDir

_TENSOR = re.compile(r"`(.*?)`")
_DEVICE = re.compile(r"(/job:\w+/replica:\d+/task:\d+/(?:device:)?\w+:\d+):")
_NUMBER = re.compile(r"\[(\d*)\]$")
_DEFAULT_DEBUG_OP = "DebugIdentity"


def _parse_debug_tensor_name(debug_tensor_name: str) -> tuple[str | None, str, int, str, int]:
    """What the name of a tensor in an expression says.

    Args:
        debug_tensor_name: ``[device:]node:output[:debug op][[number]]``.

    Returns:
        The device or None, the node, its output, the debug op, and which of the dumps.

    Raises:
        ValueError: if it is not of that form.
    """
    name = debug_tensor_name
    device, number = None, 0
    found = _DEVICE.match(name)
    if found:
        device = found[1]
        name = name[found.end() :]
    found = _NUMBER.search(name)
    if found:
        number = int(found[1])
        name = name[: found.start()]
    parts = name.split(":")
    if len(parts) not in (2, 3):
        raise ValueError(
            "The debug tensor name in the to-be-evaluated expression is malformed: "
            f"'{debug_tensor_name}'"
        )
    debug_op = parts[2] if len(parts) == 3 else _DEFAULT_DEBUG_OP
    return device, parts[0], int(parts[1]), debug_op, number


class ExpressionEvaluator:
    """Evaluates expressions with the tensors of a dump.

    Args:
        dump: the dump.
    """

    def __init__(self, dump: DebugDumpDir) -> None:
        self._dump = dump
        self._cached: dict[str, Any] = {}

    def evaluate(self, expression: str) -> Any:
        """The value of an expression.

        Args:
            expression: Python with NumPy as ``np``; the names of tensors are in backticks.

        Raises:
            ValueError: if a tensor is not in the dump, or its name is malformed.
        """
        names = dict.fromkeys(_TENSOR.findall(expression))
        variables: dict[str, Any] = {"np": np}
        for position, name in enumerate(names):
            variables[f"_tensor_{position}"] = self._value(name)
            expression = expression.replace(f"`{name}`", f"_tensor_{position}")
        return eval(expression, variables)

    def _value(self, name: str) -> Any:
        if name not in self._cached:
            device, node, slot, debug_op, number = _parse_debug_tensor_name(name)
            try:
                values = self._dump.get_tensors(node, slot, debug_op, device_name=device)
                self._cached[name] = values[number]
            except (LookupError, ValueError):
                raise ValueError(
                    f"Eval failed due to the value of {node}:{slot}:{debug_op} being unavailable"
                ) from None
        return self._cached[name]
