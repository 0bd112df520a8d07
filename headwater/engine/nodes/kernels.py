"""Runs single ops on the host with NumPy, and turns what goes wrong into TensorFlow's errors."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.cancellation import uninterrupted
from headwater.base.dead import DEAD
from headwater.base.lazy import jax, jnp
from headwater.engine import trace
from headwater.engine.nodes.blocking import waited
from headwater.engine.state import on_host, variable_of
from headwater.graph import Operation, OpRecord, Tensor
from headwater.graph import traceback as graph_traceback

if TYPE_CHECKING:
    from headwater.engine.blocks.block import Node

_jitted: dict[Any, Callable[..., Any]] = {}


def host_call(op: Operation, record: OpRecord) -> Callable[..., Any]:
    """The kernel of an op as a function of (flat inputs, **extra) on NumPy arrays."""
    if not record.heavy:
        call = functools.partial(record.bind(op._attrs, op.name, op), np)
        return waited(call) if record.exchanges else call
    positions = record.concrete_inputs(op._attrs)

    def heavy(inputs: list[Any], **extra: Any) -> Any:
        concrete = {i: np.asarray(inputs[i]) for i in positions}
        rest = [x for i, x in enumerate(inputs) if i not in concrete]
        # What fails is to fail here, where the op is known.
        with uninterrupted():
            return jax.block_until_ready(_jit_of(op, concrete)(rest, extra))

    return heavy


def _jit_of(op: Operation, concrete: dict[int, np.ndarray]) -> Callable[..., Any]:
    """The compiled kernel of a heavy op; equal ops share it."""
    record = op._record
    names = record.kernel_attrs or tuple(op._attrs)
    key = (
        record.name,
        repr([(n, op._attrs.get(n)) for n in names if not n.startswith("_")]),
        tuple((i, v.tobytes(), v.shape) for i, v in concrete.items()),
        len(op._inputs),
    )
    function = _jitted.get(key)
    if function is None:
        call = record.bind(op._attrs)
        count = len(op._inputs)

        def kernel(inputs: list[Any], extra: dict[str, Any]) -> Any:
            rest = iter(inputs)
            full = [concrete[i] if i in concrete else next(rest) for i in range(count)]
            return call(jnp, full, **extra)

        function = _jitted[key] = jax.jit(kernel)
    return function


def run_node(node: Node, frame: list[Any]) -> bool:
    """Runs one node on the host and puts the results into the frame.

    Returns:
        False if the node is dead, and so are its outputs now.
    """
    start = time.perf_counter_ns() if trace.tracers else 0
    if node.guards and any(frame[i] is DEAD for i in node.guards):
        return kill(node, frame)
    inputs: list[Any] = []
    for index in node.inputs:
        value = frame[index]
        if type(value) is not np.ndarray:
            if value is DEAD and not node.record.joins:
                return kill(node, frame)
            value = value if node.record.opaque else on_host(value)
            if value is None and not node.record.allows_uninitialized:
                raise uninitialized(node.op, node.op._inputs[len(inputs)])
        inputs.append(value)
    try:
        if node.cell is None:
            results = node.call(inputs)
        else:
            results, frame[node.cell] = node.call(inputs, cell=on_host(frame[node.cell]))
    except errors.OpError as error:
        raise located(error, node.op) from None
    except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) as error:
        raise located(errors.InvalidArgumentError(None, None, str(error)), node.op) from error
    except (MemoryError, RuntimeError) as error:
        raise _failure(error, node.op) from error
    store(node, results, frame)
    if start:
        trace.note_node(node, frame, start)
    return True


def _failure(error: Exception, op: Operation) -> Exception:
    """The error of an op whose kernel has run out of memory, or failed in XLA."""
    translated = as_op_error(error)
    return error if translated is None else located(translated, op)


def kill(node: Node, values: Any) -> bool:
    """Makes the outputs of a node dead; returns False."""
    for index in node.outputs:
        values[index] = DEAD
    return False


def store(node: Node, results: Any, frame: list[Any]) -> None:
    """Puts the results of a kernel into the frame: new values of variables first."""
    if type(results) is np.ndarray and not node.updates and node.outputs:
        frame[node.outputs[0]] = results
        return
    if not isinstance(results, (tuple, list)):
        results = () if results is None else (results,)
    updates = node.updates
    if updates:
        for index, value in zip(updates, results):
            frame[index] = value
        results = results[len(updates) :]
    for index, value in zip(node.outputs, results):
        frame[index] = value


def uninitialized(op: Operation, read: Tensor) -> errors.OpError:
    """The error of an op that reads a variable without a value."""
    variable = variable_of(read) or read.op
    hint = "run tf.global_variables_initializer() (or restore a checkpoint) first."
    resource = variable._outputs[0].dtype.name == "resource"
    container = variable._attrs.get("container") or "localhost"
    missing = (
        f"Container {container} does not exist. "
        f"(Could not find resource: {container}/{variable.name})"
    )
    if resource and op.type != "ReadVariableOp":
        return located(errors.NotFoundError(None, None, missing, hint=hint), op)
    if resource:
        text = (
            f"Error while reading resource variable {variable.name} from Container: {container}. "
            f"This could mean that the variable was uninitialized. Not found: {missing}"
        )
    else:
        text = f"Attempting to use uninitialized value {variable.name}"
    return located(errors.FailedPreconditionError(None, None, text, hint=hint), op)


def located(error: errors.OpError, op: Operation) -> errors.OpError:
    """The same error, naming the op, its node and the user's line that made it."""
    if error.op is not None:
        return error
    where = graph_traceback.user_line(op._stack)
    place = f" (defined at {where[0]}:{where[1]})" if where else ""
    message = f"{error.message}\n\t [[node {op.name}{place} ]]"
    if where and where[2]:
        message += f"\n\t {where[2]}"
    return errors.make_error(error.error_code, message, op.node_def, op, error.hint)
