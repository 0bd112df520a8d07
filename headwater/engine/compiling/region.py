"""A region: consecutive nodes that XLA can compile, and what goes in and out of them."""

from __future__ import annotations

from headwater.engine.nodes.layout import Layout
from headwater.engine.nodes.node import Node

# A constant with more elements is an argument of the program instead of a literal in it.
_LITERAL_ELEMENTS = 2048


class Region:
    """Consecutive compilable nodes of one device.

    Args:
        layout: where their values stand.
        nodes: the nodes in order.

    Attributes:
        inputs: indices of the values that come from feeds, host nodes and other regions.
        made: indices of the values that the nodes make.
        outputs: those of them that later steps or the fetches want.
        read: indices of variables that are only read.
        updated: indices of variables and op states that get new values.
        kept: those of `updated` whose old values are read too; the others may be uninitialized.
        constants: the constants by index.
        large_constants: indices of those that are arguments of a program.
        concrete: those of `inputs` whose values are part of the key of a program.
        device: the JAX device; None for the default one.
        last: whether nothing that follows in the run can fail.
        has_checks: whether programs have to look for values that are errors.
    """

    has_checks = True

    def __init__(self, layout: Layout, nodes: list[Node]) -> None:
        self.layout = layout
        self.nodes = nodes
        self.concrete: set[int] = set()
        self.outputs: list[int] = []
        self.last = False
        made: set[int] = set()
        inputs: dict[int, None] = {}
        touched: dict[int, None] = {}
        updated: dict[int, None] = {}
        constants: dict[int, None] = {}
        replaced: set[int] = set()
        for node in nodes:
            if node.record.allows_uninitialized and not layout.conditional:
                replaced.update(i for i in node.updates if i not in touched)
            for index in node.reads:
                if index in layout.slots:
                    if index not in replaced:
                        touched[index] = None
                elif layout.template[index] is not None:
                    constants[index] = None
                elif index not in made:
                    inputs[index] = None
            made.update(node.outputs)
            updated.update((i, None) for i in node.updates)
            if node.state is not None:
                updated[node.state] = touched[node.state] = None
        self.device = layout.device_of(nodes[0].op)
        self.made = made
        self.inputs = list(inputs)
        self.updated = list(updated)
        self.read = [i for i in touched if i not in updated]
        self.constants = {i: layout.template[i] for i in constants}
        self.large_constants = [
            i for i, value in self.constants.items() if value.size > _LITERAL_ELEMENTS
        ]
        self.kept = [i for i in self.updated if i in touched]

    def set_boundary(self, wanted: set[int], last: bool) -> None:
        """Sets what later steps want, and whether nothing that follows can fail."""
        self.outputs = sorted(self.made & wanted)
        self.last = last
