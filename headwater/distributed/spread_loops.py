"""Loops whose ops stand on several tasks.

The task with the loop's condition runs the loop. Each other task runs a loop with the same frame
and no variables of its own, which is told in every iteration whether there is another one, as
TensorFlow's masters cut loops. Values travel in every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import errors
from headwater.distributed.assignment import task_of
from headwater.engine.analysis.control_flow import (
    ENTERS,
    EXITS,
    LOOP_CONDITIONS,
    MERGES,
    NEXT_ITERATIONS,
    SWITCHES,
    Path,
    path_of_value,
    paths_of,
)
from headwater.engine.devices import Device
from headwater.graph import Operation, Tensor
from headwater.protos.lazy import node_def_pb2

_FLOW = MERGES | NEXT_ITERATIONS | LOOP_CONDITIONS | EXITS


class SpreadLoop:
    """One loop on several tasks.

    Args:
        path: the names of the frames around its ops, outermost first.
        ops: its ops, those of inner loops included.
        paths: the frames around each op of the run.
        devices: the device of each.

    Attributes:
        home: the device of its condition.
        predicate: what says whether there is another iteration.
        enter: an op that brings a variable in; its input has few elements, if possible.
        merge: the Merge of a variable.
        switch: the Switch of the same variable.

    Raises:
        UnimplementedError: if a variable of the loop stands on another task, as a handle may.
    """

    def __init__(
        self,
        path: Path,
        ops: Sequence[Operation],
        paths: Mapping[Operation, Path],
        devices: Mapping[Operation, Device],
    ) -> None:
        self.path = path
        own = [op for op in ops if paths[op] == path]
        conditions = [op for op in own if op.type in LOOP_CONDITIONS]
        if not conditions:
            raise _unsupported(path)
        self.home = devices[conditions[0]]
        self.predicate: Tensor = conditions[0]._inputs[0]
        loop_predicate = conditions[0]._outputs[0]
        switches = [op for op in own if _is_switch(op) and op._inputs[1] is loop_predicate]
        for op in own:
            is_variable = op.type in _FLOW and _belongs(op, switches)
            if is_variable and task_of(devices[op].name) != task_of(self.home.name):
                raise _unsupported(path)
        self.switch = min(switches, key=lambda op: (_size(op._inputs[0]), op._id_value))
        self.merge = self.switch._inputs[0]._op
        firsts = [t._op for t in self.merge._inputs if t._op.type in ENTERS]
        self.enter = firsts[0]
        self._body = _reached(switches, ops)

    def in_body(self, op: Operation) -> bool:
        """Whether an op runs only if there is another iteration."""
        return op in self._body

    def is_pivot(self, op: Operation) -> bool:
        """Whether an op runs whenever there is another iteration."""
        if op.type != "Identity":
            return False
        source = op._inputs[0]._op
        return _is_switch(source) and source._inputs[1] is self.switch._inputs[1]


def _is_switch(op: Operation) -> bool:
    return op.type in SWITCHES


def _belongs(op: Operation, switches: Sequence[Operation]) -> bool:
    """Whether an op of the control flow is that of a loop variable, not of a branch."""
    if op.type in MERGES:
        return any(t._op.type in NEXT_ITERATIONS for t in op._inputs)
    return True


def _size(tensor: Tensor) -> int:
    size = tensor.shape.num_elements()
    return 1 << 62 if size is None else size


def _reached(switches: Sequence[Operation], ops: Sequence[Operation]) -> set[Operation]:
    """The ops of an iteration that depend on the switches of the loop."""
    consumers: dict[Operation, list[Operation]] = {}
    for op in ops:
        for source in (*(t._op for t in op._inputs), *op._control_inputs):
            consumers.setdefault(source, []).append(op)
    found = set(switches)
    stack = list(switches)
    while stack:
        source = stack.pop()
        if source.type in NEXT_ITERATIONS:
            continue
        for op in consumers.get(source, ()):
            if op not in found:
                found.add(op)
                stack.append(op)
    return found


def needs_headwater(loop: SpreadLoop) -> errors.OpError:
    """The error where a task of a loop is not one of Headwater."""
    return errors.UnimplementedError(
        None,
        None,
        f"The iterations of the loop '{loop.path[-1]}' exchange values with a task of TensorFlow.",
        hint="place all ops of the loop on one task.",
    )


def pivot_at_home(loop: SpreadLoop, prefix: str) -> Any:
    """The node at the loop's home that runs if there is another iteration."""
    switch = loop.switch.name
    node = node_def_pb2.NodeDef(name=f"{prefix}/body", op="Identity", input=[f"{switch}:1"])
    dtype = loop.switch._outputs[1]._dtype.base_dtype
    node.attr["T"].type = dtype.as_datatype_enum
    return node


def following_loop(loop: SpreadLoop, prefix: str, start: str, told: str) -> list[Any]:
    """The nodes of the loop on another task.

    Args:
        loop: the loop.
        prefix: how their names begin.
        start: the name of what entered the loop at home; it is dead if the loop does not run.
        told: the name of what says whether there is another iteration.
    """
    dtype = loop.enter._inputs[0]._dtype.base_dtype
    inputs = {
        "enter": ("Enter", [start]),
        "merge": ("Merge", [f"{prefix}/enter", f"{prefix}/next"]),
        "condition": ("LoopCond", [told]),
        "switch": ("Switch", [f"{prefix}/merge", f"{prefix}/condition"]),
        "body": ("Identity", [f"{prefix}/switch:1"]),
        "next": ("NextIteration", [f"{prefix}/body"]),
    }
    nodes = {
        name: node_def_pb2.NodeDef(name=f"{prefix}/{name}", op=op, input=names)
        for name, (op, names) in inputs.items()
    }
    for name, node in nodes.items():
        if name != "condition":
            node.attr["T"].type = dtype.as_datatype_enum
    attrs = nodes["enter"].attr
    attrs["frame_name"].s = loop.path[-1].encode()
    attrs["is_constant"].b = False
    attrs["parallel_iterations"].i = loop.enter._attrs["parallel_iterations"]
    nodes["merge"].attr["N"].i = 2
    return list(nodes.values())


def _unsupported(path: Path) -> errors.OpError:
    return errors.UnimplementedError(
        None,
        None,
        f"The loop '{path[-1]}' has variables that are handles of another task.",
        hint="create queues, TensorArrays and their like where the loop runs.",
    )


class SpreadLoops:
    """The loops of a run that stand on several tasks.

    Args:
        ops: the ops of the run.
        devices: the device of each.
    """

    def __init__(self, ops: Sequence[Operation], devices: Mapping[Operation, Device]) -> None:
        self._loops: dict[Path, SpreadLoop] = {}
        self._paths: dict[Operation, Path] = {}
        if not any(op.type in ENTERS for op in ops):
            return
        self._paths = paths_of(ops)
        members: dict[Path, list[Operation]] = {}
        for op, path in self._paths.items():
            for depth in range(1, len(path) + 1):
                members.setdefault(path[:depth], []).append(op)
        for path, inside in members.items():
            if len({task_of(devices[op].name) for op in inside}) > 1:
                self._loops[path] = SpreadLoop(path, inside, self._paths, devices)

    def around(self, op: Operation) -> SpreadLoop | None:
        """The innermost loop that the values of an op belong to, if it is on several tasks."""
        if not self._loops:
            return None
        return self._loops.get(path_of_value(op, self._paths))

    def of(self, op: Operation) -> list[SpreadLoop]:
        """The loops on several tasks that an op is in, outermost first."""
        if not self._loops:
            return []
        path = self._paths[op]
        found = (self._loops.get(path[:depth]) for depth in range(1, len(path) + 1))
        return [loop for loop in found if loop is not None]
