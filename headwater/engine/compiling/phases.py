"""Programs in two phases: first everything that can fail, then the updates of variables.

A compiled program cannot raise, and the old contents of a donated buffer are lost. So the nodes of
a segment with checks, or with updates of single rows, become two programs. The first one computes
all checks and everything that does not depend on an update; nothing is donated to it. The second
one consists of the updates and their dependents. It runs only if no check has failed, and works in
place: no op in it reads rows of a table that another update changes, for which XLA would copy the
table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import checks
from headwater.base.dead import DEAD
from headwater.engine.compiling.lowering import Environment, HasChecks, own
from headwater.engine.compiling.region import Region
from headwater.engine.nodes.node import Node

# Types of updating ops that are known to check values, besides those that take indices.
_checking_types: set[str] = set()


class Phases:
    """The nodes of a segment as two functions that `jax.jit` can trace, `check` first.

    Attributes:
        inputs: the indices of the inputs of both.
        check: the function ``(kept, read, inputs, large_constants) -> (results, new_values,
            carried, failed)``. `failed` is None if no node has checks.
        update: the function ``(kept, read, inputs, large_constants, carried) -> (results,
            new_values)``; it can be traced after `check`. Tracing raises HasChecks if a node
            turns out to check values; both have to be traced again then.
        has_updates: whether there is anything for `update` to do.
        early, late: the indices of the results of `check` and of `update`, when traced.
        early_updated, late_updated: the indices of their new values.
        dead: the indices of values that are dead whenever the program runs.
    """

    def __init__(self, region: Region, known: dict[int, np.ndarray]) -> None:
        self._region = region
        self._known = known
        self.inputs = [i for i in region.inputs if i not in known]
        self._late_nodes, made, updated = late_nodes(region)
        self._late_made = made
        self._skipped = set(self._late_nodes).difference(needed_for_checks(self._late_nodes))
        self.has_updates = bool(self._late_nodes)
        # The inputs of the late nodes from early ones.
        wanted = (i for n in self._late_nodes for i in n.reads if i not in made)
        self._wanted = [i for i in dict.fromkeys(wanted) if i not in region.layout.slots]
        self._all_late_updated = updated
        self.early: list[int] = []
        self.late: list[int] = []
        self.dead: list[int] = []
        self.early_updated: list[int] = []
        self.late_updated: list[int] = []
        self._carried: list[int] = []
        self._known_later: dict[int, np.ndarray] = {}
        self._arguments: dict[int, int] = {}

    def check(self, kept: Any, read: Any, values: Any, large_constants: Any) -> Any:
        """The first phase; late nodes take part only for their checks."""
        environment = self._environment(kept, read, values, large_constants)
        with checks.collected(reduced=False) as conditions, np.errstate(all="ignore"):
            for node in self._region.nodes:
                if node not in self._skipped:
                    environment.run(node)
        outputs = [i for i in self._region.outputs if i not in self._late_made]
        self.early, self.dead = _alive(outputs, environment)
        updated = [i for i in self._region.updated if i not in self._all_late_updated]
        self.early_updated = _with_values(updated, environment)
        arguments = [*kept, *read, *values, *large_constants]
        positions = {id(v): i for i, v in enumerate(arguments)}
        self._carried, self._known_later, self._arguments = [], dict(self._known), {}
        for index in self._wanted:
            value = environment[index]
            if index in environment.known:
                self._known_later[index] = environment.known[index]
            elif id(value) in positions:
                self._arguments[index] = positions[id(value)]
            else:
                self._carried.append(index)
        failed = ~checks.all_hold(conditions) if conditions else None
        seen = set(positions)
        return (
            [own(environment[i], seen) for i in self.early],
            [own(environment[i], seen) for i in self.early_updated],
            [environment[i] for i in self._carried],
            failed,
        )

    def update(self, kept: Any, read: Any, values: Any, large_constants: Any, carried: Any) -> Any:
        """The second phase."""
        environment = self._environment(kept, read, values, large_constants)
        environment.known.update(self._known_later)
        environment.traced.update(zip(self._carried, carried))
        arguments = [*kept, *read, *values, *large_constants]
        environment.traced.update((i, arguments[place]) for i, place in self._arguments.items())
        with checks.collected() as conditions, np.errstate(all="ignore"):
            for node in self._late_nodes:
                count = len(conditions)
                environment.run(node)
                if len(conditions) > count and node in self._skipped:
                    _checking_types.add(node.record.name)
                    raise HasChecks
        outputs = [i for i in self._region.outputs if i in self._late_made]
        self.late, dead = _alive(outputs, environment)
        self.dead = [i for i in self.dead if i not in self._late_made] + dead
        self.late_updated = _with_values(self._all_late_updated, environment)
        seen = {id(v) for v in arguments}
        new_values = [own(environment[i], seen) for i in self.late_updated]
        return [own(environment[i], seen) for i in self.late], new_values

    def _environment(self, kept: Any, read: Any, values: Any, large_constants: Any) -> Environment:
        region = self._region
        traced: dict[int, Any] = {}
        traced.update(zip(region.kept, kept))
        traced.update(zip(region.read, read))
        traced.update(zip(self.inputs, values))
        traced.update(zip(region.large_constants, large_constants))
        return Environment(traced, dict(self._known))


def late_nodes(region: Region) -> tuple[list[Node], set[int], list[int]]:
    """The nodes of a segment that update variables or depend on an update.

    Returns:
        The nodes in order, the indices of what they make, and of what they update.
    """
    late: list[Node] = []
    made: set[int] = set()
    updated: dict[int, None] = {}
    for node in region.nodes:
        if node.updates or any(i in made or i in updated for i in node.reads):
            late.append(node)
            made.update(node.outputs)
            updated.update((i, None) for i in node.updates)
            if node.state is not None:
                updated[node.state] = None
    return late, made, list(updated)


def needed_for_checks(late: list[Node]) -> list[Node]:
    """The late nodes that check values and those that they depend on, in reverse order."""
    found: list[Node] = []
    wanted: set[int] = set()
    for node in reversed(late):
        made = (*node.outputs, *node.updates)
        if _may_check(node) or not wanted.isdisjoint(made):
            found.append(node)
            wanted.update(node.reads)
    return found


def _may_check(node: Node) -> bool:
    if node.record.name in _checking_types:
        return True
    return any(arg.name == "indices" for arg in node.record.schema.inputs)


def _alive(indices: list[int], environment: Environment) -> tuple[list[int], list[int]]:
    """Those indices whose values are alive, and the others."""
    dead = [i for i in indices if environment[i] is DEAD]
    return [i for i in indices if i not in dead], dead


def _with_values(indices: list[int], environment: Environment) -> list[int]:
    """Those variables that have values: one without a value stays so if nothing updates it."""
    return [i for i in indices if environment[i] is not None]


def changes_rows(nodes: list[Node]) -> bool:
    """Whether a node updates single rows of a variable."""
    return any(
        n.updates and any(arg.name == "indices" for arg in n.record.schema.inputs) for n in nodes
    )
