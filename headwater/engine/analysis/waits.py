"""Waits: which ops of a run may have to wait for each other, and which steps can go on meanwhile.

A run may fill a queue and empty it, and two of its Python functions may meet at a barrier: neither
depends on the other, so each has to start while the other one waits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from headwater.engine.analysis.control_flow import Item, leads_back, members
from headwater.engine.analysis.ordering import ordered, reachable
from headwater.engine.analysis.variables import is_alias, variable_of
from headwater.graph import Operation, Tensor


def arranged(
    items: Sequence[Item], fed: Collection[Tensor], is_host: Callable[[Item], bool]
) -> tuple[list[Item], Waits | None]:
    """The order in which the items of a block run, and which items contend.

    Args:
        items: the ops and loops of one block, in the order of their creation.
        fed: tensors whose values are given.
        is_host: whether an item cannot be compiled.

    Returns:
        The order, and a `Waits` if some items contend.
    """
    order = ordered(items, fed, is_host)
    if not any(map(may_wait, items)):
        return order, None
    waits = Waits(order, fed)
    if not waits.contending:
        return order, None
    if waits.is_entangled(order, is_host):
        waits.separates = True
        order = ordered(items, fed, is_host, first=waits.contending)
    return order, waits


def may_wait(item: Item) -> bool:
    """Whether an item may have to wait for another op or program."""
    return any(op._record.exchanges or op._record.calls_python for op in members(item))


class Waits:
    """The contending items of a block and their dependents.

    Args:
        order: the items, each after those that it depends on.
        fed: tensors whose values are given.

    Attributes:
        contending: the ops that can say that they have to wait, and other items that may have
            to, if there is an independent one.
        separates: whether segments have to be split at the ops that contending items depend on.
    """

    def __init__(self, order: Sequence[Item], fed: Collection[Tensor]) -> None:
        self.separates = False
        self._fed = fed
        self._owners = {op: item for item in order for op in members(item)}
        self._before = {item: self._sources(item) for item in order}
        self._after: dict[Item, list[Item]] = {item: [] for item in order}
        for item, sources in self._before.items():
            for source in sources:
                self._after[source].append(item)
        waiting = [item for item in order if may_wait(item)]
        self._bits = {item: 1 << i for i, item in enumerate(waiting)}
        # For each item, the items that may wait and on which it depends, as bits.
        self._waited_for = self._closure(order, self._before)
        followers = self._closure(order[::-1], self._after)
        everything = (1 << len(waiting)) - 1
        self.contending = {
            item
            for item, bit in self._bits.items()
            if _can_say(item) or self._waited_for[item] | bit | followers[item] != everything
        }
        self._leading = reachable(self.contending, self._before)
        # For each item, what everything that contends and depends on it waits for, as bits.
        self._allowed: dict[Item, int] = {}
        for item in reversed(order):
            mask = everything
            for after in self._after[item]:
                mask &= (self._waited_for if after in self.contending else self._allowed)[after]
            self._allowed[item] = mask

    def _sources(self, item: Item) -> list[Item]:
        found = [self._owners.get(c) for c in item._control_inputs]
        found.extend(
            self._owners.get(t._op)
            for t in item._inputs
            if t not in self._fed and not leads_back(t, item)
        )
        return [source for source in dict.fromkeys(found) if source is not None]

    def _closure(self, order: Sequence[Item], edges: dict[Item, list[Item]]) -> dict[Item, int]:
        masks: dict[Item, int] = {}
        for item in order:
            mask = 0
            for other in edges[item]:
                mask |= masks[other] | self._bits.get(other, 0)
            masks[item] = mask
        return masks

    def is_entangled(self, order: Sequence[Item], is_host: Callable[[Item], bool]) -> bool:
        """Whether a contending item would wait for something that it does not depend on.

        That is so if a segment with an op that it depends on also has an op that has to wait.
        """
        steps = _steps(order, self._fed, is_host)
        masks = [0] * (max(steps.values()) + 1)
        changed = True
        while changed:
            changed = False
            for item in order:
                step = steps[item]
                mask = masks[step]
                for source in self._before[item]:
                    mask |= masks[steps[source]] | self._bits.get(source, 0)
                changed = changed or mask != masks[step]
                masks[step] = mask
        return any(masks[steps[item]] != self._waited_for[item] for item in self.contending)

    def contends(self, ops: Iterable[Operation]) -> bool:
        """Whether one of some ops is, or belongs to, a contending item."""
        return any(self._owners[op] in self.contending for op in ops)

    def leads(self, ops: Iterable[Operation]) -> bool:
        """Whether a contending item is one of some ops or depends on one of them."""
        return any(
            self._owners[op] in self._leading or self._owners[op] in self.contending for op in ops
        )

    def part_of(self, op: Operation) -> int | None:
        """Ops with different results must not share a segment.

        What they wait for together is waited for anyway by what contends and depends on them.
        """
        item = self._owners[op]
        return self._allowed[item] if self.separates and item in self._leading else None

    def dependents(self, ops: Iterable[Operation]) -> frozenset[Operation]:
        """The ops that depend on some others, directly or not."""
        found: set[Operation] = set()
        stack = [after for op in ops for after in self._after[self._owners[op]]]
        while stack:
            item = stack.pop()
            ops = members(item)
            if not found.issuperset(ops):
                found.update(ops)
                stack.extend(self._after[item])
        return frozenset(found)


def _can_say(item: Item) -> bool:
    """Whether an item can say that it has to wait, so that deferring it costs nothing."""
    return isinstance(item, Operation) and item._record.exchanges


def _steps(
    order: Sequence[Item], fed: Collection[Tensor], is_host: Callable[[Item], bool]
) -> dict[Item, int]:
    """The number of the step of each item, if no segment is split."""
    steps: dict[Item, int] = {}
    last, segment = 0, None
    for item in order:
        alone = is_host(item)
        if alone:
            segment = None
        # Ops without inputs, and aliases of variables, are not part of programs.
        alone = alone or not item._inputs or _is_variable(item, fed)
        if not alone and segment is not None:
            steps[item] = segment
            continue
        last += 1
        steps[item] = last
        if not alone:
            segment = last
    return steps


def _is_variable(item: Item, fed: Collection[Tensor]) -> bool:
    return (
        isinstance(item, Operation)
        and is_alias(item)
        and variable_of(item._outputs[0], fed) is not None
    )
