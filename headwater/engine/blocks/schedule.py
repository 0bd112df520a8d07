"""A schedule: the steps of a block, segments of compilable nodes between nodes on the host."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Protocol

from headwater.engine.blocks.host_steps import joined
from headwater.engine.compiling.padded_row_updates import split_for_host
from headwater.engine.compiling.segment import Awaited, Interpreted, Segment
from headwater.engine.nodes.layout import Layout, Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import Pending
from headwater.graph import Operation


class Step(Protocol):
    """A step of a schedule: a host node, a loop or a segment.

    Attributes:
        host: whether it stands alone between segments.
        reads: indices of its inputs and of the guards, which only decide whether it runs.
        outputs: indices of its outputs.
        released: indices that no later step reads.
    """

    host: bool
    reads: list[int]
    outputs: list[int]
    released: list[int]

    @property
    def members(self) -> Collection[Operation]:
        """Its ops."""

    def run(self, values: Values, pending: Pending, /) -> None:
        """Does its work on the values of a run; new values of variables go to `pending`."""


class Schedule:
    """Some nodes of a block as steps: host nodes, loops, and segments of compilable nodes.

    Args:
        layout: where their values stand.
        nodes: the nodes in order.
        wanted: indices that are read when all steps have run.
        final: whether nothing can fail after the last step, so that a segment there may publish
            the new values of variables at once.

    Attributes:
        facts: what deferral has found out of the steps.
        steps: the steps in the order in which they run.
        joined: the same, with those on the host joined; for runs in which no step has to wait.
        waits: which of them may have to wait for each other; None if none do.
        contending: the steps that may have to wait; none if `waits` is None.
    """

    def __init__(
        self, layout: Layout, nodes: Iterable[Any], wanted: Iterable[int], final: bool
    ) -> None:
        self._layout = layout
        self._wanted = set(wanted)
        self._final = final
        self.steps: list[Any] = []
        self.facts: dict[Any, Any] = {}
        self.joined: list[Any] = []
        nodes = list(nodes)
        waits = layout.waits
        contends = waits is not None and any(waits.contends(n.members) for n in nodes[:-1])
        self.waits = waits if contends else None
        self.contending: frozenset[Any] = frozenset()
        if waits is not None and contends:
            # Segments contain none of them.
            self.contending = frozenset(n for n in nodes if waits.contends(n.members))
        run: list[Node] = []
        for node in nodes:
            if node.host:
                if run:
                    self.steps.append(Segment(layout, run))
                    run = []
                self.steps.append(node)
            else:
                if run and not layout.share_segment(node.op, run[-1].op):
                    self.steps.append(Segment(layout, run))
                    run = []
                run.append(node)
        if run:
            self.steps.append(Segment(layout, run))
        self.find_boundaries()

    def find_boundaries(self) -> None:
        """Sets the outputs of each segment: what later steps or the fetches read."""
        wanted = set(self._wanted)
        # Indices that nodes on the host read later in the same run.
        on_host: set[int] = set()
        fallible_after = not self._final
        for step in reversed(self.steps):
            if isinstance(step, Segment):
                step.schedule = self
                awaited = Awaited.NOTHING
                if not on_host.isdisjoint(step.made):
                    all_of_it = (step.made & wanted) <= on_host
                    awaited = Awaited.ALL if all_of_it else Awaited.SOMETHING
                step.set_boundary(wanted, not fallible_after, awaited)
                wanted.update(step.inputs)
                if isinstance(step, Interpreted):
                    on_host.update(step.inputs)
            else:
                wanted.update(step.reads)
                if isinstance(step, Node):
                    on_host.update(step.reads)
                else:
                    step.schedule = self
            fallible_after = True
        self.join()

    def join(self) -> None:
        """Joins the steps that run on the host."""
        self.joined = joined(self._layout, self.steps)

    def replace(self, segment: Segment, steps: list[Any]) -> None:
        """Puts other steps in the place of a segment."""
        position = self.steps.index(segment)
        # A new list: concurrent runs continue with the old one.
        self.steps = [*self.steps[:position], *steps, *self.steps[position + 1 :]]
        self.facts = {}
        self.find_boundaries()

    def move_to_host(self, segment: Segment, nodes: list[Node], elements: dict[Node, int]) -> None:
        """Puts steps in the place of a segment of which the given nodes run on the host.

        Args:
            segment: the segment.
            nodes: those of its nodes that cannot be compiled.
            elements: how many elements the nodes of the segment make.
        """
        self.replace(segment, split_for_host(segment, nodes, elements))
