"""`tf.raw_ops`: one function per op type, with keyword arguments only."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any as _Any  # tf.raw_ops.Any is an op

import numpy as np

from headwater.base.export import export_module
from headwater.graph.builders import Builder
from headwater.graph.registry import lookup, op_types
from headwater.graph.schema import REQUIRED

# The names of arguments where they are not those of the inputs and attrs.
_RENAMED = {
    "All": {"axis": "reduction_indices"},
    "Any": {"axis": "reduction_indices"},
    "EuclideanNorm": {"axis": "reduction_indices"},
    "ExpandDims": {"axis": "dim"},
    "Max": {"axis": "reduction_indices"},
    "Mean": {"axis": "reduction_indices"},
    "Min": {"axis": "reduction_indices"},
    "Prod": {"axis": "reduction_indices"},
    "Select": {"x": "t", "y": "e"},
    "Split": {"axis": "split_dim"},
    "SplitV": {"axis": "split_dim"},
    "Squeeze": {"axis": "squeeze_dims"},
    "Sum": {"axis": "reduction_indices"},
    "Where": {"condition": "input"},
}
# Defaults of arguments where they are not those of the op types.
_DEFAULTS: dict[str, dict[str, _Any]] = {
    "SdcaOptimizer": {"adaptative": True},
    "SdcaOptimizerV2": {"adaptive": True},
}


def __getattr__(op_type: str) -> Callable[..., _Any]:
    """The function that makes nodes of an op type."""
    try:
        if op_type.startswith("_"):
            raise ValueError("internal ops are not public")
        builder = Builder(lookup(op_type))
    except ValueError:
        raise AttributeError(f"module 'raw_ops' has no attribute {op_type!r}") from None
    renamed = _RENAMED.get(op_type, {})
    defaults = _DEFAULTS.get(op_type, {})

    def function(**arguments: _Any) -> _Any:
        arguments = {**defaults, **arguments}
        return builder(**{renamed.get(name, name): value for name, value in arguments.items()})

    function.__name__ = function.__qualname__ = op_type
    function.__annotations__ = {}
    shown = {own: name for name, own in renamed.items()}
    signature = _signature_of(builder, shown, defaults)
    function.__signature__ = signature  # type: ignore[attr-defined]
    globals()[op_type] = function
    return function


def _signature_of(
    builder: Builder, shown: dict[str, str], defaults: dict[str, _Any]
) -> inspect.Signature:
    of_op = {name: attr.default for name, attr in builder.record.schema.attr.items()}
    known = {**of_op, **defaults}
    parameters = [
        _parameter(shown.get(name, name), known.get(name, REQUIRED))
        for name in builder.argument_names
    ]
    return inspect.Signature([*parameters, _parameter("name", None)])


def _parameter(name: str, default: _Any) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if default is REQUIRED:
        return inspect.Parameter(name, kind)
    return inspect.Parameter(name, kind, default=_shown(default))


def _shown(default: _Any) -> _Any:
    """A default as TensorFlow shows it: whole floats as integers, others in their shortest form."""
    if isinstance(default, (list, tuple)):
        return [_shown(value) for value in default]
    if isinstance(default, float):
        return int(default) if default.is_integer() else float(str(np.float32(default)))
    return default


def __dir__() -> list[str]:
    return sorted(op_types())


export_module("raw_ops", sys.modules[__name__])
