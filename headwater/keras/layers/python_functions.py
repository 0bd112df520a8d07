"""Python functions in configurations: by name, or as byte code."""

from __future__ import annotations

import codecs
import marshal
import sys
import types
from typing import Any


def dumped(function: Any) -> tuple[str, Any, Any]:
    """The byte code of a function as text, its defaults, and the values that it captures.

    Args:
        function: a Python function.
    """
    code = codecs.encode(marshal.dumps(function.__code__), "base64").decode("ascii")
    closure = tuple(cell.cell_contents for cell in function.__closure__ or ()) or None
    return code, function.__defaults__, closure


def loaded(parts: Any, names: dict[str, Any]) -> Any:
    """The function of its byte code.

    Args:
        parts: the byte code as text, the defaults, and the captured values.
        names: the global names that the function sees.
    """
    code, defaults, closure = parts
    made = marshal.loads(codecs.decode(code.encode("ascii"), "base64"))
    cells = tuple(types.CellType(value) for value in closure or ())
    defaults = tuple(defaults) if isinstance(defaults, list) else defaults
    return types.FunctionType(made, names, argdefs=defaults, closure=cells or None)


def function_config(name: str, value: Any) -> dict[str, Any]:
    """A function for a configuration.

    Args:
        name: the name of the argument.
        value: a function, or another value.
    """
    kind, shown, module = "raw", value, None
    if isinstance(value, types.LambdaType) and value.__name__ == "<lambda>":
        kind, shown, module = "lambda", dumped(value), value.__module__
    elif callable(value):
        kind, shown, module = "function", value.__name__, value.__module__
    found = {name: shown, f"{name}_type": kind}
    return {**found, ("module" if name == "function" else f"{name}_module"): module}


def function_of_config(config: dict[str, Any], name: str, known: dict[str, Any]) -> Any:
    """The function of a configuration; what describes it is removed.

    Args:
        config: the configuration.
        name: the name of the argument.
        known: functions by their names.

    Raises:
        ValueError: if the name of a function is unknown.
    """
    module = config.pop("module" if name == "function" else f"{name}_module", None)
    kind, value = config.pop(f"{name}_type", "raw"), config.pop(name, None)
    if kind == "lambda":
        # The names that the function uses are those of the program's module.
        scope = vars(sys.modules[module]) if module in sys.modules else {}
        return loaded(value, {**globals(), **scope, **known})
    if kind == "function" and isinstance(value, str):
        if value not in known:
            raise ValueError(f"Unknown function in Lambda layer:{value}")
        return known[value]
    return value
