"""Keeps values to the types of the schema where NumPy promotes by value.

Before NumPy 2, a float32 scalar times a Python number is a float64. Kernels are written for the
rule of NumPy 2 (and JAX), by which a Python number never widens a type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base.lazy import jnp
from headwater.engine.nodes.layout import NOTHING
from headwater.graph import Operation, OpRecord

BY_VALUE = int(np.__version__.partition(".")[0]) < 2


def with_declared_types(
    call: Callable[..., Any], op: Operation, record: OpRecord
) -> Callable[..., Any]:
    """The host kernel of an op, whose results have the types of what they update and put out."""
    if record is not op._record:
        # It reads a variable for the op.
        return call
    positions = record.updated_inputs(op._attrs)
    plain = [t for t in op._outputs if not (positions and t._dtype._is_ref_dtype)]
    outputs = [t._dtype.base_dtype.numpy_dtype for t in plain]

    def typed(*inputs: Any, **extra: Any) -> Any:
        results = call(*inputs, **extra)
        if "state" in extra:
            results, state = results
        wanted = [getattr(inputs[i], "dtype", None) for i in positions] + outputs
        if isinstance(results, (tuple, list)):
            results = [_as_type(r, dtype) for r, dtype in zip(results, wanted)]
        elif wanted:
            results = _as_type(results, wanted[0])
        return (results, state) if "state" in extra else results

    return typed


def _as_type(value: Any, dtype: Any) -> Any:
    if not isinstance(value, (np.ndarray, np.generic)) or dtype is None:
        return value
    if value.dtype == dtype or object in (value.dtype, dtype):
        return value
    return value.astype(dtype)


def traced_scalars(inputs: Sequence[Any]) -> list[Any]:
    """The inputs of a traced kernel, with known scalars as JAX's, which promotes by type."""
    return [jnp.asarray(x) if _is_scalar(x) else x for x in inputs]


def _is_scalar(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype != object and x is not NOTHING
