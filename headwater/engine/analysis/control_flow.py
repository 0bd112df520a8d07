"""Control flow in the ops of a run: which ops form a loop, and which conditions an op depends on.

A graph says it with nodes: Enter and Exit lead into a frame (a loop) and out of it, NextIteration
to its next iteration, and a Switch sends a value to one of two branches. Here the ops of a frame
become one item of the order, and for every op it is found which switches decide whether it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from headwater.base import errors
from headwater.engine.analysis.variables import variable_of
from headwater.graph import Operation, Tensor
from headwater.graph.traceback import defined_at

ENTERS = frozenset(("Enter", "RefEnter"))
EXITS = frozenset(("Exit", "RefExit"))
NEXT_ITERATIONS = frozenset(("NextIteration", "RefNextIteration"))
SWITCHES = frozenset(("Switch", "RefSwitch"))
RECEIVES = frozenset(("_Recv", "_HostRecv"))
MERGES = frozenset(("Merge", "RefMerge"))
LOOP_CONDITIONS = frozenset(("LoopCond",))

Path: TypeAlias = tuple[str, ...]
# An op runs only if this predicate has this value.
_T = TypeVar("_T")
Literal: TypeAlias = tuple[Tensor, bool]


class Frame:
    """The ops of a loop as one item among the ops around it.

    Attributes:
        name: the frame's name.
        items: its ops and inner frames, in order of creation.
        members: all ops in it, those of inner frames included.
        enters: ops that bring values in.
        exits: ops that bring values out.
    """

    def __init__(self, name: str, ops: Sequence[Operation], paths: dict[Operation, Path]) -> None:
        self.name = name
        self.members = set(ops)
        self.items = grouped(ops, paths, min(len(paths[op]) for op in ops))
        own = [op for op in self.items if isinstance(op, Operation)]
        self.enters = [op for op in own if op._record.name in ENTERS]
        self.exits = [op for op in own if op._record.name in EXITS]
        self._id_value = min(op._id_value for op in ops)
        inputs = dict.fromkeys(t for op in ops for t in op._inputs if t._op not in self.members)
        controls = dict.fromkeys(
            c for op in ops for c in op._control_inputs if c not in self.members
        )
        self._inputs: list[Tensor] = list(inputs)
        self._control_inputs: list[Operation] = list(controls)


Item: TypeAlias = "Operation | Frame"


def members(item: Item) -> Iterable[Operation]:
    """The ops of an item."""
    return item.members if isinstance(item, Frame) else (item,)


def leads_back(tensor: Tensor, item: Item) -> bool:
    """Whether an input of an item comes from the iteration before."""
    return (
        isinstance(item, Operation)
        and item._record.name in MERGES
        and tensor._op._record.name in NEXT_ITERATIONS
    )


def says_whether_dead(tensor: Tensor) -> bool:
    """Whether a value is dead where its tensor is. Constants and variables never are."""
    return tensor._op._record.name != "Const" and variable_of(tensor) is None


def items_of(ops: Sequence[Operation]) -> list[Item]:
    """The ops of a run with every outermost loop as one item, in order of creation."""
    if not any(op._record.name in ENTERS for op in ops):
        return list(ops)
    return grouped(ops, paths_of(ops), 0)


def grouped(ops: Sequence[Operation], paths: dict[Operation, Path], depth: int) -> list[Item]:
    """The items at a depth of nesting; deeper ops are grouped by frame."""
    inner: dict[str, list[Operation]] = {}
    items: list[Item] = []
    for op in ops:
        path = paths[op]
        if len(path) == depth:
            items.append(op)
        else:
            inner.setdefault(path[depth], []).append(op)
    items.extend(Frame(name, found, paths) for name, found in inner.items())
    return sorted(items, key=lambda item: item._id_value)


def paths_of(ops: Sequence[Operation]) -> dict[Operation, Path]:
    """The frames around each op, outermost first; Enter and Exit belong to the frame itself."""
    members = set(ops)
    paths: dict[Operation, Path] = {}
    stack = list(reversed(ops))
    begun: set[Operation] = set()
    while stack:
        op = stack[-1]
        if op in paths:
            stack.pop()
            continue
        sources = [s for s in _sources(op) if s in members]
        missing = [s for s in sources if s not in paths]
        if missing and op in begun:
            raise errors.InvalidArgumentError(
                op.node_def, op, f"{_node(op)}is part of a cycle that is no loop."
            )
        if missing:
            begun.add(op)
            stack.extend(missing)
            continue
        stack.pop()
        path: Path = max((path_of_value(s, paths) for s in sources), key=len, default=())
        for source in sources:
            if path[: len(path_of_value(source, paths))] != path_of_value(source, paths):
                raise _different_frames(op, sources, paths)
        if op._record.name in ENTERS:
            path = (*path, op._attrs["frame_name"])
        paths[op] = path
    return paths


def _node(op: Operation) -> str:
    return f"node {op.name}{defined_at(op._stack)} "


def _different_frames(
    op: Operation, sources: list[Operation], paths: dict[Operation, Path]
) -> errors.InvalidArgumentError:
    inputs = "".join(
        f" The input {_node(source)} is in frame '{'/'.join(path_of_value(source, paths))}'."
        for source in sources
    )
    text = f"{_node(op)} has inputs from different frames.{inputs}"
    return errors.InvalidArgumentError(op.node_def, op, text)


def _sources(op: Operation) -> list[Operation]:
    """The ops that an op depends on; for the Merge of a loop, only what enters the loop."""
    if op._record.name in MERGES:
        inputs = [t._op for t in op._inputs if t._op._record.name not in NEXT_ITERATIONS]
        return inputs
    return [*(t._op for t in op._inputs), *op._control_inputs]


def path_of_value(op: Operation, paths: Mapping[Operation, Path]) -> Path:
    """The frames around the values of an op: those of Exit are outside of its frame."""
    path = paths[op]
    return path[:-1] if op._record.name in EXITS else path


class Conditions:
    """Which switches decide whether the items of one frame run.

    Args:
        order: the items in the order in which they run.
        loop_predicate: the predicate of the loop whose frame this is. Its switches make no value
            dead: the ops that depend on them run together or not at all (`phase`).
    """

    def __init__(self, order: Sequence[Item], loop_predicate: Tensor | None = None) -> None:
        self._loop_predicate = loop_predicate
        self._literals: dict[Operation, frozenset[Literal]] = {}
        # Tensors that are dead if and only if the op does not run.
        self._deciding: dict[Operation, frozenset[Tensor]] = {}
        for item in order:
            literals = self._of_item(item, self.literals, self._literals)
            deciding = self._of_item(item, self.deciding, self._deciding)
            if isinstance(item, Frame):
                for op in item.exits:
                    self._literals[op] = literals
                    self._deciding[op] = frozenset(op._outputs if deciding else ())
                continue
            if item._record.name in MERGES:
                first, *others = [self.literals(t) for t in item._inputs]
                literals = first.intersection(*others)
                conditional = any(p is not loop_predicate for p, _ in literals)
                deciding = frozenset(item._outputs[:1] if conditional else ())
            self._literals[item], self._deciding[item] = literals, deciding

    @staticmethod
    def _of_item(
        item: Item,
        of_tensor: Callable[[Tensor], frozenset[_T]],
        of_op: dict[Operation, frozenset[_T]],
    ) -> frozenset[_T]:
        found = [of_tensor(t) for t in item._inputs]
        found.extend(of_op.get(c, frozenset()) for c in item._control_inputs)
        empty: frozenset[_T] = frozenset()
        return empty.union(*found)

    def _is_branch(self, op: Operation) -> bool:
        return op._record.name in SWITCHES and op in self._literals

    def _is_received(self, op: Operation) -> bool:
        # Another task knows whether the value is dead.
        return op._record.name in RECEIVES and op in self._literals

    def deciding(self, tensor: Tensor) -> frozenset[Tensor]:
        """Tensors that are dead if and only if this one is."""
        op = tensor._op
        if self._is_branch(op) and op._inputs[1] is not self._loop_predicate:
            return frozenset((tensor,))
        if self._is_received(op):
            return frozenset((tensor,))
        return self._deciding.get(op, frozenset())

    def literals(self, tensor: Tensor) -> frozenset[Literal]:
        """The values of predicates under which a tensor is alive."""
        op = tensor._op
        found = self._literals.get(op, frozenset())
        if self._is_branch(op):
            return found | {(op._inputs[1], bool(tensor._value_index))}
        if self._is_received(op):
            return found | {(tensor, True)}
        return found

    def guards(self, item: Item) -> list[Tensor]:
        """Tensors that make an item dead although their values are not among its inputs."""
        if not isinstance(item, Frame) and item._record.name in MERGES:
            return []
        silent = [t for t in item._inputs if not says_whether_dead(t)]
        implied = frozenset().union(*(self.literals(t) for t in item._inputs if t not in silent))
        wanted = [t for c in item._control_inputs for t in self._deciding.get(c, ())]
        wanted.extend(d for t in silent for d in self.deciding(t))
        by_literal = {self.literals(t) - implied: t for t in wanted}
        return [t for literals, t in by_literal.items() if literals]

    def phase(self, item: Item) -> bool | None:
        """The value of the loop's predicate with which an item runs; None if with either."""
        literals = self._of_item(item, self.literals, self._literals)
        for predicate, value in literals:
            if predicate is self._loop_predicate:
                return value
        return None
