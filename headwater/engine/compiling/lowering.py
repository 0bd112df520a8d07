"""Lowering: the nodes of a segment as one traceable function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import checks, dtypes, errors
from headwater.base.cancellation import let_interrupt
from headwater.base.dead import DEAD
from headwater.base.lazy import jnp
from headwater.engine.compiling.region import Region
from headwater.engine.nodes import promotion
from headwater.engine.nodes.kernels import located
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.nodes.node import Node, kill, store
from headwater.graph.registry import RunsOn

# Ops on known values of up to this many elements are computed while the program is traced.
_FOLDED_ELEMENTS = 1024


class HasChecks(Exception):
    """Tracing met a check on values, so the program has to be compiled in two phases."""


class NeedsValue(Exception):
    """Tracing met an op that needs the value of an input which is not known."""

    def __init__(self, node: Node, index: int) -> None:
        super().__init__(f"{node.op.name} needs the value of {node.op.type} input {index}")
        self.node = node
        self.index = index


class Boundary:
    """The inputs and outputs of a program, as indices.

    Attributes:
        inputs: values that it takes.
        outputs: values that it returns.
        dead: values that are dead whenever it runs.
        updated: variables that it returns new values of.
    """

    def __init__(self, inputs: list[int]) -> None:
        self.inputs = inputs
        self.outputs: list[int] = []
        self.dead: list[int] = []
        self.updated: list[int] = []

    def close(self, region: Region, environment: Environment) -> None:
        """Sets the outputs, once the nodes of a region have been traced."""
        self.dead = [i for i in region.outputs if environment[i] is DEAD]
        self.outputs = [i for i in region.outputs if i not in self.dead]
        # A variable without a value stays so if nothing updates it.
        self.updated = [i for i in region.updated if environment[i] is not None]


def program_function(
    region: Region,
    known: dict[int, Any],
    note: Callable[[Node, Environment], None] | None = None,
) -> tuple[Callable[..., Any], Boundary]:
    """A function that `jax.jit` can trace.

    Args:
        region: the region.
        known: values by index that are the same in every run of the program.
        note: called with each traced node and the values so far; checks are left out then.

    Returns:
        The function ``(kept, read, inputs, large_constants) -> (results, new_values)`` and its
        boundary, complete when the function has been traced. Tracing raises HasChecks if a node
        has checks.
    """
    boundary = Boundary([i for i in region.inputs if i not in known])

    def program(kept: Any, read: Any, values: Any, large_constants: Any) -> Any:
        traced: dict[int, Any] = {}
        traced.update(zip(region.kept, kept))
        traced.update(zip(region.read, read))
        traced.update(zip(boundary.inputs, values))
        traced.update(zip(region.large_constants, large_constants))
        environment = Environment(traced, dict(known))
        with checks.collected() as conditions, np.errstate(all="ignore"):
            for node in region.nodes:
                environment.run(node)
                if note is not None:
                    note(node, environment)
                elif conditions and region.has_checks:
                    raise HasChecks
        boundary.close(region, environment)
        # An output that is an input would be the same buffer; a variable must have its own.
        seen = {id(v) for v in (*kept, *read, *values, *large_constants)}
        new_values = [own(environment[i], seen) for i in boundary.updated]
        return [jnp.asarray(environment[i]) for i in boundary.outputs], new_values

    return program, boundary


class Environment:
    """The values of a program while it is traced: known ones beside traced ones.

    It takes the place of the values, so the nodes run on it as they run on the host.
    """

    def __init__(self, traced: dict[int, Any], known: dict[int, Any]) -> None:
        self.traced = traced
        self.known = known

    def __getitem__(self, index: int) -> Any:
        value = self.traced.get(index)
        return self.known.get(index) if value is None else value

    def __setitem__(self, index: int, value: Any) -> None:
        if value is DEAD:
            self.known[index] = value
            self.traced.pop(index, None)
        elif isinstance(value, (np.ndarray, np.generic)):
            self.known[index] = np.asarray(value)
            self.traced.pop(index, None)
        else:
            self.traced[index] = value
            self.known.pop(index, None)

    def run(self, node: Node) -> None:
        """Runs one node: on the host if all of its inputs are known, else traced."""
        let_interrupt()
        op = node.op
        if not node.record.joins and any(self.known.get(i) is DEAD for i in node.reads):
            kill(node, self)
            return
        try:
            if self._foldable(node):
                results = node.call(*[self.known[i] for i in node.inputs])
                if _elements(results) <= _FOLDED_ELEMENTS:
                    store(node, results, self)  # type: ignore[arg-type]
                    return
            inputs = [self[i] for i in node.inputs]
            if promotion.BY_VALUE:
                inputs = promotion.traced_scalars(inputs)
            for position in node.record.concrete_inputs(op._attrs):
                index = node.inputs[position]
                if index not in self.known:
                    raise NeedsValue(node, index)
                inputs[position] = self.known[index]
            call = node.record.bind(op._attrs, op.name, op)
            if node.state is None:
                results = call(jnp, inputs)
            else:
                results, self[node.state] = call(jnp, inputs, state=self[node.state])
        except errors.OpError as error:
            raise located(error, op) from None
        except checks.ValueNeeded as need:
            names = [arg.name for arg in op._record.schema.inputs]
            raise NeedsValue(node, node.inputs[names.index(need.name)]) from None
        except (ValueError, TypeError, IndexError) as error:
            raise located(errors.InvalidArgumentError(None, None, str(error)), op) from error
        store(node, results, self)  # type: ignore[arg-type]
        self._check_types(node)

    def _foldable(self, node: Node) -> bool:
        record = node.record
        if (
            record.runs_on is RunsOn.XLA
            or record.stateful
            or record.updates
            or node.state is not None
        ):
            return False
        total = 0
        for index in node.inputs:
            value = self.known.get(index)
            if value is None:
                return False
            total += value.size
        return total <= _FOLDED_ELEMENTS and is_folded_size(node)

    def _check_types(self, node: Node) -> None:
        if node.record is not node.op._record:
            # The node reads a variable for the op.
            return
        outputs = node.op._outputs
        if len(outputs) != len(node.outputs):
            outputs = [t for t in outputs if not t._dtype._is_ref_dtype]
        for index, tensor in zip(node.outputs, outputs):
            found = self[index]
            if found is None or found is DEAD or tensor._dtype is dtypes.resource:
                continue
            if found is NOTHING:  # a variable that goes through a Switch
                continue
            if found.dtype != tensor._dtype.base_dtype.numpy_dtype:
                raise errors.InternalError(
                    node.op.node_def,
                    node.op,
                    f"the kernel of {node.op.type} gave {found.dtype} for output "
                    f"{tensor.name} of type {tensor._dtype.name}",
                )


def is_folded_size(node: Node) -> bool:
    """Whether a node makes so little that it is computed while it is traced, if it can be."""
    return sum(_static_elements(t._shape) for t in node.op._outputs) <= _FOLDED_ELEMENTS


def own(value: Any, seen: set[int]) -> Any:
    """The value, copied if it is already among the `seen`."""
    if id(value) in seen:
        return jnp.copy(value)
    seen.add(id(value))
    return jnp.asarray(value)


def _elements(results: Any) -> int:
    if isinstance(results, (tuple, list)):
        return sum(np.size(r) for r in results)
    return np.size(results)


def _static_elements(shape: Any) -> int:
    """The number of elements by the static shape; unknown dimensions count as one."""
    count = 1
    for dim in shape or ():
        count *= 1 if dim is None else dim
    return count
