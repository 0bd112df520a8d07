"""Orders the ops with an effect in the body of a function, in branches and loops too.

Ops that use the same resource run in the order in which they were made. A conditional or a loop
counts as one item among them: what comes before it is waited for where it begins, and what comes
after waits for its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base import dtypes
from headwater.graph.builders import build
from headwater.graph.control_flow.util import is_switch
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation, Tensor

# Random ops keep a state, but their order does not matter.
_UNORDERED = frozenset(
    "RandomUniform RandomUniformInt RandomStandardNormal ParameterizedTruncatedNormal "
    "TruncatedNormal RandomShuffle Multinomial RandomGamma RandomPoisson RandomPoissonV2".split()
)
# The ops of TensorArrays and of the stacks that gradients of loops make.
_ORDERED_BY_VALUES = ("TensorArray", "Stack")
# Ops that pass a resource into a branch or a loop.
_PASSING = frozenset("Switch RefSwitch Enter RefEnter Identity RefIdentity".split())


class EffectItem:
    """An op, or a conditional or loop.

    Args:
        op: the op; None for a conditional or loop.
    """

    def __init__(self, op: Operation | None = None) -> None:
        self.op = op
        # The items of the branches or of the loop, by their contexts.
        self.parts: dict[Any, list[EffectItem]] = {}
        # The resources that are used; None stands for an effect on none of them.
        self.keys: dict[Tensor | None, None] = {}
        self.has_effect = False
        self._end: list[Operation] | None = None

    def find_keys(self) -> None:
        """Sets `keys` and `has_effect`."""
        if self.op is not None:
            self.has_effect, self.keys = _use_of(self.op)
            return
        for item in self.inner():
            item.find_keys()
            self.keys.update(item.keys)
            self.has_effect = self.has_effect or item.has_effect

    def inner(self) -> Iterable[EffectItem]:
        """The items inside."""
        return (item for part in self.parts.values() for item in part)

    def starts(self, key: Tensor | None) -> list[Operation]:
        """The ops that must wait for what was done before with a resource."""
        if self.op is not None:
            return [self.op]
        found: list[Operation] = []
        for context, part in self.parts.items():
            if context.IsWhileContext():
                ops = [item.op for item in part if item.op is not None]
                found.extend(op for op in ops if op.type in ("Enter", "RefEnter"))
            else:
                first = next((item for item in part if key in item.keys), None)
                found.extend([] if first is None else first.starts(key))
        return found

    def end(self) -> list[Operation]:
        """The ops that run when all is done, whatever branch was taken."""
        if self._end is None:
            if self.op is not None:
                self._end = [self.op]
            elif next(iter(self.parts)).IsWhileContext():
                self._end = [t.op for context in self.parts for t in context.loop_exits]
            else:
                self._end = [self._merged()]
        return self._end

    def _merged(self) -> Operation:
        """A Merge that runs after the branch that is taken."""
        done: dict[int, Tensor] = {}
        for context, part in self.parts.items():
            pivot = context.pivot
            graph, outer = pivot.graph, context.outer_context
            switch = pivot.op._inputs[0].op
            with graph.as_default(), graph.control_dependencies(None):
                context.Enter()
                value = build.Identity(pivot, name=f"{pivot.op.name}_done")
                context.Exit()
            value.op._add_control_inputs([op for i in part if i.keys for op in i.end()])
            done[context.branch] = value
        given = [done.get(branch, switch._outputs[branch]) for branch in (0, 1)]
        with graph.as_default(), graph.control_dependencies(None):
            if outer is not None:
                outer.Enter()
            merge: Operation = build.Merge(given, name=f"{switch.name}_done")[0].op
            if outer is not None:
                outer.Exit()
        return merge


def _use_of(op: Operation) -> tuple[bool, dict[Tensor | None, None]]:
    """Whether an op changes something that outlives a body, and the resources that it uses."""
    if op.type.startswith(_ORDERED_BY_VALUES):
        return False, {}
    stateful = op._record.stateful and not op._record.variable
    effect = bool(stateful and op.type not in _UNORDERED and op.type != "Placeholder")
    handles = [t for t in op._inputs if t._dtype is dtypes.resource]
    if not handles:
        return effect, dict.fromkeys([None] if effect else [])
    if op.type in _PASSING:
        return effect, {}
    sources = [_source_of(tensor) for tensor in handles]
    known: dict[Tensor | None, None] = dict.fromkeys(t for t in sources if t is not None)
    return effect and bool(known), known


def _source_of(tensor: Tensor) -> Tensor | None:
    """The resource that is passed into a branch or loop; None if it is alive by chance only.

    Gradients use the shape of a variable in the branch that is not taken, outside of its context.
    """
    while tensor._op.type in _PASSING:
        context = tensor._op._control_flow_context
        if is_switch(tensor._op) and not (context is not None and context.IsCondContext()):
            return None
        tensor = tensor._op._inputs[0]
    return tensor


class _Items:
    """Collects the items of a graph.

    Args:
        graph: the body of a function.
    """

    def __init__(self, graph: Graph) -> None:
        self._levels: dict[Any, list[EffectItem]] = {None: []}
        # The last item of each conditional and loop.
        self._blocks: dict[Any, EffectItem] = {}
        for op in graph.get_operations():
            self._level(op._control_flow_context).append(EffectItem(op))
        self.outermost = self._levels[None]
        for item in self.outermost:
            item.find_keys()

    def _level(self, context: Any) -> list[EffectItem]:
        """The items that an op of a context continues."""
        if context is None:
            return self._levels[None]
        if not (context.IsCondContext() or context.IsWhileContext()):
            return self._level(context.outer_context)
        around = self._level(context.outer_context)
        # Both branches of a conditional have the same predicate.
        key = context.pred if context.IsCondContext() else context
        block = self._blocks.get(key)
        if block is None or (context.IsCondContext() and not _goes_on(block, around)):
            block = self._blocks[key] = EffectItem()
            around.append(block)
        return block.parts.setdefault(context, [])


def _goes_on(block: EffectItem, around: list[EffectItem]) -> bool:
    """Whether nothing with an effect has been made since the last op of a conditional.

    The ops of a gradient stand in the branches of the conditional, but come later.
    """
    for item in reversed(around):
        if item is block:
            return True
        if item.op is None or _use_of(item.op)[1]:
            return False
    return False


def _order(items: Iterable[EffectItem]) -> None:
    last: dict[Tensor | None, EffectItem] = {}
    for item in items:
        for key in item.keys:
            before = last.get(key)
            if before is not None:
                for op in item.starts(key):
                    op._add_control_inputs(
                        [end for end in before.end() if end not in op._control_inputs]
                    )
            last[key] = item
        if item.keys:
            for part in item.parts.values():
                _order(part)


def order_effects(graph: Graph) -> list[EffectItem]:
    """Makes ops on one resource, and other ops with an effect, wait for the ones before.

    Args:
        graph: the body of a function.

    Returns:
        What it found in the body, for `finish_effects`.
    """
    items = _Items(graph).outermost
    _order(items)
    return items


def finish_effects(graph: Any, items: Iterable[EffectItem]) -> None:
    """Makes the results of a body wait for all its effects.

    Args:
        graph: the body, a FunctionGraph that has its outputs.
        items: what `order_effects` returned.
    """
    results = {tensor._op for tensor in graph.outputs}
    effects = [item for item in items if item.has_effect and item.op not in results]
    ends = [op for item in effects for op in item.end()]
    for op in results:
        op._add_control_inputs(ends)
    if not results and any(item.op is None for item in effects):
        with graph.as_default(), graph.control_dependencies(ends):
            build.NoOp()
