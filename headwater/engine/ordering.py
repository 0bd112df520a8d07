"""Which ops a run needs, and in which order they run."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Sequence

from headwater.engine.state import is_alias, variable_of
from headwater.graph import Operation, Tensor


def needed_ops(
    tensors: Iterable[Tensor], ops: Iterable[Operation], fed: Collection[Tensor]
) -> list[Operation]:
    """The ops that the fetches depend on, cut off at fed tensors, in order of creation."""
    needed: set[Operation] = set()
    stack = [t._op for t in tensors if t not in fed]
    stack.extend(ops)
    while stack:
        op = stack.pop()
        if op in needed:
            continue
        needed.add(op)
        stack.extend(c for c in op._control_inputs if not _is_fed_placeholder(c, fed))
        stack.extend(t._op for t in op._inputs if t not in fed)
    return sorted(needed, key=lambda op: op._id_value)


def _is_fed_placeholder(op: Operation, fed: Collection[Tensor]) -> bool:
    return op._record.name.startswith("Placeholder") and op._outputs[0] in fed


def with_effect(ops: Sequence[Operation], fetched: Iterable[Operation]) -> set[Operation]:
    """The ops that a run has to execute.

    A pure op that is there only because something waits for it (a control edge) computes what
    nobody looks at: it takes part in the order, but is not executed.

    Args:
        ops: the ops of the run.
        fetched: the ops that are asked for, or whose outputs are.

    Returns:
        Those of `ops` with an effect or with a result that is used.
    """
    live: set[Operation] = set()
    stack = [op for op in ops if _has_effect(op)]
    stack.extend(fetched)
    while stack:
        op = stack.pop()
        if op not in live:
            live.add(op)
            stack.extend(t._op for t in op._inputs)
    return live.intersection(ops)


def _has_effect(op: Operation) -> bool:
    record = op._record
    return bool(
        record.stateful
        or record.updates
        or record.cell
        or record.host
        or record.checks
        or not op._outputs
    )


class Accesses:
    """Which ops read and which update each variable."""

    def __init__(self, ops: Iterable[Operation], fed: Collection[Tensor]) -> None:
        self.readers: dict[Operation, list[Operation]] = {}
        self.writers: dict[Operation, list[Operation]] = {}
        for op in ops:
            updated = set(op._record.update_positions)
            for position, tensor in enumerate(op._inputs):
                variable = variable_of(tensor, fed)
                if variable is None or is_alias(op):
                    continue
                users = self.writers if position in updated else self.readers
                users.setdefault(variable, []).append(op)


def ordered(
    ops: list[Operation],
    fed: Collection[Tensor],
    is_host: Callable[[Operation], bool],
) -> list[Operation]:
    """A deterministic order of execution.

    It follows data and control edges. Where the graph does not order a read and an update of the
    same variable, the read comes first. Host ops and compilable ops each stand together as far as
    the edges allow. Among equals, the op that was made first comes first.

    Args:
        ops: the ops of the run, in the order of their creation.
        fed: tensors whose values are given.
        is_host: tells the ops that cannot be compiled.

    Returns:
        The ops in the order in which they run.
    """
    members = set(ops)
    successors: dict[Operation, list[Operation]] = {op: [] for op in ops}
    waits: dict[Operation, int] = dict.fromkeys(ops, 0)

    def add_edge(before: Operation, after: Operation) -> None:
        successors[before].append(after)
        waits[after] += 1

    for op in ops:
        for tensor in op._inputs:
            if tensor._op in members and tensor not in fed:
                add_edge(tensor._op, op)
        for control in op._control_inputs:
            if control in members:
                add_edge(control, op)
    soft = _reads_before_writes(Accesses(ops, fed), successors)
    for before, after in soft:
        add_edge(before, after)

    ready: tuple[list[tuple[int, Operation]], list[tuple[int, Operation]]] = ([], [])

    def make_ready(op: Operation) -> None:
        heapq.heappush(ready[is_host(op)], (op._id_value, op))

    for op in ops:
        if not waits[op]:
            make_ready(op)
    result: list[Operation] = []
    done: set[Operation] = set()
    host_turn = True
    while len(result) < len(ops):
        if not ready[host_turn]:
            host_turn = not host_turn
        if not ready[host_turn]:
            _drop_soft_edge(soft, successors, done, waits, make_ready)
            continue
        _, op = heapq.heappop(ready[host_turn])
        if op in done:
            continue
        done.add(op)
        result.append(op)
        for after in successors[op]:
            waits[after] -= 1
            if waits[after] == 0 and after not in done:
                make_ready(after)
    return result


def _reads_before_writes(
    accesses: Accesses, successors: dict[Operation, list[Operation]]
) -> list[tuple[Operation, Operation]]:
    """Edges from the reads of a variable to those updates that the graph does not order."""
    edges: list[tuple[Operation, Operation]] = []
    for variable, writers in accesses.writers.items():
        readers = accesses.readers.get(variable, [])
        if not readers and len(writers) == 1:
            continue
        for i, writer in enumerate(writers):
            descendants = _descendants(writer, successors)
            edges.extend(
                (reader, writer)
                for reader in readers
                if reader is not writer and reader not in descendants
            )
            # Updates of one variable that nothing orders run in the order of their creation.
            edges.extend(
                (writer, other)
                for other in writers[i + 1 :]
                if other not in descendants and writer not in _descendants(other, successors)
            )
    return edges


def _descendants(op: Operation, successors: dict[Operation, list[Operation]]) -> set[Operation]:
    found: set[Operation] = set()
    stack = list(successors[op])
    while stack:
        current = stack.pop()
        if current not in found:
            found.add(current)
            stack.extend(successors[current])
    return found


def _drop_soft_edge(
    soft: list[tuple[Operation, Operation]],
    successors: dict[Operation, list[Operation]],
    done: set[Operation],
    waits: dict[Operation, int],
    make_ready: Callable[[Operation], None],
) -> None:
    """Gives up the first wish that still blocks: wishes of several updates can form a cycle."""
    for i, (before, after) in enumerate(soft):
        if before not in done and after not in done:
            del soft[i]
            successors[before].remove(after)
            waits[after] -= 1
            if waits[after] == 0:
                make_ready(after)
            return
    raise AssertionError("the graph has a cycle")
