"""Pruning and ordering: which ops a run needs, and in which order they run."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence

from headwater.base import errors, process_group
from headwater.engine.analysis.control_flow import (
    LOOP_CONDITIONS,
    MERGES,
    RECEIVES,
    SWITCHES,
    Item,
    leads_back,
    members,
)
from headwater.engine.analysis.variables import is_alias, variable_of
from headwater.graph import Operation, Tensor
from headwater.graph.registry import RunsOn

# The classes of items in the ready queue: on the host, needed by a host item, the rest.
_HOST, _NEEDED, _REST = range(3)


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

    The result of a pure op that is needed only by a control edge is unused: the op takes part in
    the order but is not executed.

    Args:
        ops: the ops of the run.
        fetched: the ops that are asked for, or whose outputs are.

    Returns:
        Those of `ops` with an effect or with a result that is used.
    """
    live: set[Operation] = set()
    # A switch also decides on ops that only wait for it.
    stack = [op for op in ops if _has_effect(op) or op._record.name in _DECIDING]
    stack.extend(fetched)
    while stack:
        op = stack.pop()
        if op not in live:
            live.add(op)
            stack.extend(t._op for t in op._inputs)
    return live.intersection(ops)


_DECIDING = SWITCHES | MERGES | LOOP_CONDITIONS


def _has_effect(op: Operation) -> bool:
    record = op._record
    return bool(
        record.stateful
        or record.updates
        or record.state
        or record.runs_on is RunsOn.HOST
        or record.checks
        or not op._outputs
    )


class Accesses:
    """Which items read and which update each variable."""

    def __init__(self, items: Iterable[Item], fed: Collection[Tensor]) -> None:
        self.readers: dict[Operation, list[Item]] = {}
        self.writers: dict[Operation, list[Item]] = {}
        for item in items:
            for op in members(item):
                if is_alias(op):
                    continue
                updated = op._record.updated_inputs(op._attrs)
                for position, tensor in enumerate(op._inputs):
                    variable = variable_of(tensor, fed)
                    if variable is not None:
                        users = self.writers if position in updated else self.readers
                        found = users.setdefault(variable, [])
                        if item not in found[-1:]:
                            found.append(item)


def ordered(
    items: Sequence[Item],
    fed: Collection[Tensor],
    is_host: Callable[[Item], bool],
    first: Collection[Item] = (),
) -> list[Item]:
    """A deterministic order of execution.

    It follows data and control edges. Where the graph does not order a read and an update of the
    same variable, the read comes first. Host ops and compilable ops are grouped as far as the edges
    allow: only what a host op needs runs before it if compilable ops take its results, so that
    these form one segment. Values of other tasks are awaited after what host ops can do before.
    Ties are broken by the order of creation.

    Args:
        items: the ops and loops of one block, in the order of their creation.
        fed: tensors whose values are given.
        is_host: whether an item cannot be compiled.
        first: host items that come, with what they depend on, before compilable ones.

    Returns:
        The items in the order in which they run.
    """
    owners = {op: item for item in items for op in members(item)}
    successors: dict[Item, list[Item]] = {item: [] for item in items}
    waits: dict[Item, int] = dict.fromkeys(items, 0)

    def add_edge(before: Item, after: Item) -> None:
        successors[before].append(after)
        waits[after] += 1

    for item in items:
        for tensor in item._inputs:
            source = owners.get(tensor._op)
            if source is not None and tensor not in fed and not leads_back(tensor, item):
                add_edge(source, item)
        for control in item._control_inputs:
            source = owners.get(control)
            if source is not None:
                add_edge(source, item)
    for before, after in _one_at_a_time(items, successors):
        add_edge(before, after)
    if process_group.current() is not None:
        for before, after in _in_order_of_instances(items, successors):
            add_edge(before, after)
    soft = _reads_before_writes(Accesses(items, fed), successors)
    for before, after in soft:
        add_edge(before, after)

    # What sends variables must not wait for what receives values.
    receives = any(map(_is_received, items))
    needed_first = _before_host(items, successors, is_host, first)
    ready: tuple[list[tuple[bool, int, Item]], ...] = ([], [], [])

    def make_ready(item: Item) -> None:
        is_first = is_host(item) or (receives and _stands_for_variable(item, fed))
        turn = _HOST if is_first else _NEEDED if item in needed_first else _REST
        heapq.heappush(ready[turn], (_is_received(item), item._id_value, item))

    for item in items:
        if not waits[item]:
            make_ready(item)
    result: list[Item] = []
    done: set[Item] = set()
    turn = _HOST
    while len(result) < len(items):
        if not ready[turn]:
            turn = next((i for i in (_HOST, _NEEDED, _REST) if ready[i]), _HOST)
        if not ready[turn]:
            _drop_soft_edge(soft, successors, done, waits, make_ready)
            continue
        _, _, item = heapq.heappop(ready[turn])
        if item in done:
            continue
        done.add(item)
        result.append(item)
        for after in successors[item]:
            waits[after] -= 1
            if waits[after] == 0 and after not in done:
                make_ready(after)
    return result


def _is_received(item: Item) -> bool:
    return isinstance(item, Operation) and item._record.name in RECEIVES


def _stands_for_variable(item: Item, fed: Collection[Tensor]) -> bool:
    outputs = item._outputs[:1] if isinstance(item, Operation) else ()
    return any(variable_of(tensor, fed) is not None for tensor in outputs)


def _before_host(
    items: Sequence[Item],
    successors: dict[Item, list[Item]],
    is_host: Callable[[Item], bool],
    first: Collection[Item],
) -> set[Item]:
    """The items that lead to a host item which a compilable one follows, or to one of `first`."""
    if not any(map(is_host, items)):
        return set()
    predecessors: dict[Item, list[Item]] = {item: [] for item in items}
    for item, afters in successors.items():
        for after in afters:
            predecessors[after].append(item)
    before_compiled = reachable((i for i in items if not is_host(i)), predecessors)
    followed = [item for item in before_compiled if is_host(item)]
    followed.extend(first)
    return reachable(followed, predecessors).union(followed)


def _reads_before_writes(
    accesses: Accesses, successors: dict[Item, list[Item]]
) -> list[tuple[Item, Item]]:
    """Edges from the reads of a variable to those updates that the graph does not order."""
    edges: list[tuple[Item, Item]] = []
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


def _one_at_a_time(
    items: Sequence[Item], successors: dict[Item, list[Item]]
) -> list[tuple[Item, Item]]:
    """Edges from the end of each section that holds a mutex to the beginning of the next.

    Otherwise the sections of one run would wait for each other.
    """
    sections: dict[Tensor, list[tuple[Item, Item]]] = {}
    for item in items:
        if isinstance(item, Operation) and item._record.name == "ConsumeMutexLock":
            lock = item._inputs[0]._op
            if lock._record.name == "MutexLock":
                sections.setdefault(lock._inputs[0], []).append((lock, item))
    edges: list[tuple[Item, Item]] = []
    for found in sections.values():
        found.sort(key=lambda section: section[0]._id_value)
        for first, second in itertools.pairwise(found):
            backwards = first[0] in _descendants(second[1], successors)
            edges.append((second[1], first[0]) if backwards else (first[1], second[0]))
    return edges


def _in_order_of_instances(
    items: Sequence[Item], successors: dict[Item, list[Item]]
) -> list[tuple[Item, Item]]:
    """Edges from the collective ops of an instance to those of the next.

    All processes of a group have to take part in their collectives in the same order.
    """
    instances: dict[int, list[Item]] = {}
    for item in items:
        if isinstance(item, Operation) and item._record.name.startswith("Collective"):
            instances.setdefault(item._attrs["instance_key"], []).append(item)
    edges: list[tuple[Item, Item]] = []
    for one, other in itertools.pairwise(sorted(instances)):
        for after in instances[other]:
            earlier = _descendants(after, successors)
            edges.extend((before, after) for before in instances[one] if before not in earlier)
    return edges


def _descendants(item: Item, successors: dict[Item, list[Item]]) -> set[Item]:
    return reachable((item,), successors)


def reachable(sources: Iterable[Item], edges: dict[Item, list[Item]]) -> set[Item]:
    """The items that are reachable from the sources by one edge or more."""
    found: set[Item] = set()
    stack = [after for source in sources for after in edges[source]]
    while stack:
        current = stack.pop()
        if current not in found:
            found.add(current)
            stack.extend(edges[current])
    return found


def _drop_soft_edge(
    soft: list[tuple[Item, Item]],
    successors: dict[Item, list[Item]],
    done: set[Item],
    waits: dict[Item, int],
    make_ready: Callable[[Item], None],
) -> None:
    """Drops the first soft edge that still blocks: several of them can form a cycle."""
    for i, (before, after) in enumerate(soft):
        if before not in done and after not in done:
            del soft[i]
            successors[before].remove(after)
            waits[after] -= 1
            if waits[after] == 0:
                make_ready(after)
            return
    raise _cycle_error([item for item in successors if item not in done], successors)


def _cycle_error(
    waiting: list[Item], successors: dict[Item, list[Item]]
) -> errors.InvalidArgumentError:
    """The error of a graph in which some ops depend on each other."""
    while True:
        # Items that only depend on the cycle are not part of it.
        rest = [i for i in waiting if not set(waiting).isdisjoint(successors[i])]
        if len(rest) == len(waiting):
            break
        waiting = rest
    names = [next(iter(members(item))).name for item in waiting]
    return errors.InvalidArgumentError(
        None,
        None,
        f"Graph is invalid, contains a cycle with {len(names)} nodes, including: "
        + ", ".join(names[:3]),
    )
