"""Kernels on the host: NumPy functions of single ops, and errors that name the op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import Described, Origin, resource_of
from headwater.engine.analysis.variables import variable_of
from headwater.engine.nodes import promotion
from headwater.engine.nodes.blocking import waited
from headwater.engine.nodes.heavy_kernels import heavy_call
from headwater.graph import Operation, OpRecord, Tensor
from headwater.graph import traceback as graph_traceback
from headwater.graph.registry import RunsOn


def host_call(
    op: Operation, record: OpRecord, functions: FunctionRuntime | None = None
) -> Callable[..., Any]:
    """The kernel of an op as a function of (*flat inputs, **extra) on NumPy arrays."""
    if record.runs_on is not RunsOn.XLA:
        call = record.bind_on_host(op._attrs, op.name, op, functions)
        if promotion.BY_VALUE:
            call = promotion.with_declared_types(call, op, record)
        if record.makes_variant:
            call = _describing(call, op)
        return waited(call) if record.exchanges else call
    return heavy_call(op)


def _describing(call: Callable[..., Any], op: Operation) -> Callable[..., Any]:
    """A kernel whose result, if it is new, knows the op and the inputs that it was made of."""

    def described(*inputs: Any, **extra: Any) -> Any:
        result = call(*inputs, **extra)
        made = resource_of(result) if np.ndim(result) == 0 else None
        if isinstance(made, Described) and made.origin is None:
            made.origin = Origin(op, inputs)
        return result

    return described


def failure(error: Exception, op: Operation) -> Exception:
    """The error of an op whose kernel has run out of memory, or failed in XLA."""
    translated = as_op_error(error)
    return error if translated is None else located(translated, op)


def uninitialized(
    op: Operation,
    read: Tensor,
    slot_name: str | None = None,
    default_container: str = "localhost",
) -> errors.OpError:
    """The error of an op that reads a variable without a value.

    Args:
        op: the op.
        read: the input that is the variable.
        slot_name: the name of the variable, where it is an argument of a function.
        default_container: the container of variables that name none.
    """
    variable = variable_of(read) or read.op
    name = variable.name if variable._record.variable or slot_name is None else slot_name
    hint = "run tf.global_variables_initializer() (or restore a checkpoint) first."
    resource = variable._outputs[0].dtype.name == "resource"
    container = variable._attrs.get("container") or default_container
    missing = f"Container {container} does not exist. (Could not find resource: {container}/{name})"
    if resource and op.type != "ReadVariableOp":
        return located(errors.NotFoundError(None, None, missing, hint=hint), op)
    if resource:
        text = (
            f"Error while reading resource variable {name} from Container: {container}. "
            f"This could mean that the variable was uninitialized. Not found: {missing}"
        )
    else:
        text = f"Attempting to use uninitialized value {name}"
    return located(errors.FailedPreconditionError(None, None, text, hint=hint), op)


def located(error: errors.OpError, op: Operation) -> errors.OpError:
    """The same error with the op, its node and the user's source line."""
    if error.op is not None:
        return error
    where = graph_traceback.user_line(op._stack)
    place = f" (defined at {where[0]}:{where[1]})" if where else ""
    message = f"{error.message}\n\t [[node {op.name}{place} ]]"
    if where and where[2]:
        message += f"\n\t {where[2]}"
    return errors.make_error(error.error_code, message, op.node_def, op, error.hint)
