"""Critical sections: functions that exclude each other in all runs of a session."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
    group,
    name_scope,
    tuple_,
)

_SECTIONS = "critical_sections"
_EXECUTIONS = "critical_section_executions"

_ExecutionSignature = namedtuple(
    "_ExecutionSignature", ("op", "handle", "resources", "exclusive_resource_access")
)


@export("CriticalSection")
class CriticalSection:
    """A mutex: runs functions one at a time, in all runs of a session.

    Args:
        name: the name of the node.
        shared_name: sections of one session with the same shared name exclude one another.
        critical_section_def: refused: sections have no protos.
        import_scope: has no effect.

    Raises:
        NotImplementedError: if there is a `critical_section_def`.
        ValueError: if there is a name beside it.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def and name is not None:
            raise ValueError("critical_section_def and shared_name are mutually exclusive.")
        if critical_section_def:
            raise NotImplementedError("Not yet implemented")
        with name_scope(name, "CriticalSection", []) as scope:
            self._handle = build.MutexV2(shared_name=shared_name or scope.rstrip("/"), name=scope)
        self._graph = get_default_graph()
        self._graph.add_to_collection(_SECTIONS, self)

    @property
    def name(self) -> str:
        """The name of the node."""
        return self._handle.op.name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> NestedTensors:
        """Builds the ops of a function, to run while this section is held.

        Args:
            fn: builds the ops; takes no arguments.
            exclusive_resource_access: whether other sections may not use the variables of `fn`.
            name: the name scope.

        Returns:
            What `fn` returns, as tensors that are there when the section has been left.

        Raises:
            ValueError: if `fn` enters this section itself, or uses variables that another section
                has for itself alone.
        """
        graph = self._graph
        with name_scope(name, "critical_section_execute", []):
            lock = build.MutexLock(self._handle)
            before = set(graph.get_operations())
            with control_dependencies([lock.op]):
                result = fn()
            made = [op for op in graph.get_operations() if op not in before]
            self._check_made(made)
            taken = self._taken_from_outside(made, lock.op)
            resources = [t for t in taken if isinstance(t, Tensor) and t.dtype == dtypes.resource]
            self._check_resources(resources, exclusive_resource_access)
            ops = sorted(
                {t if isinstance(t, Operation) else t.op for t in taken},
                key=lambda op: op._id_value,
            )
            if ops:
                lock.op._add_control_input(group(*ops))
            values = nest.flatten(result)
            flat = [_copy(value) for value in values]
            with control_dependencies(flat):
                left = build.ConsumeMutexLock(lock)
                tensors = [value for value in values if not isinstance(value, Operation)]
                gated = iter(tuple_(tensors) if tensors else ())
                values = [v if isinstance(v, Operation) else next(gated) for v in values]
            with control_dependencies([left]):
                values = [_copy(value) for value in values]
            graph.add_to_collection(
                _EXECUTIONS,
                _ExecutionSignature(lock.op, self._handle, resources, exclusive_resource_access),
            )
            return nest.pack_sequence_as(result, values)

    def _check_made(self, made: list[Operation]) -> None:
        for op in made:
            if self._handle in op._inputs:
                raise ValueError(
                    "The function fn attempts to directly access the CriticalSection in which it "
                    "would be running.  This is illegal and would cause deadlocks."
                )

    def _taken_from_outside(self, made: list[Operation], lock: Operation) -> list[Any]:
        """Tensors and ops that the ops of a function take or wait for."""
        own = {*made, lock}
        found: dict[Any, None] = {}
        for op in made:
            found.update((t, None) for t in op._inputs if t.op not in own)
            found.update((c, None) for c in op._control_inputs if c not in own)
        return list(found)

    def _check_resources(self, resources: list[Tensor], exclusive: bool) -> None:
        for other in self._graph.get_collection(_EXECUTIONS):
            if other.handle is self._handle or not (exclusive or other.exclusive_resource_access):
                continue
            shared = [t for t in resources if t in other.resources]
            if shared:
                raise ValueError(
                    f"This execution would access resources: {shared}.  Either this lock "
                    f"(CriticalSection: {self._handle}) or lock '{other}' (CriticalSection: "
                    f"{other.handle}) requested exclusive resource access of this resource.  Did "
                    "you mean to call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )


def _copy(value: TensorLike) -> Any:
    if isinstance(value, Operation):
        return group(value)
    return build.Identity(value)
