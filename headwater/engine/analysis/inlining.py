"""Inlining: the nodes of function bodies take the place of the calls in a run.

The engine gets copies of the ops of a run in which no op calls a function. Copies keep the names of
the ops. The names of the nodes of a body are prefixed with the name of the call, and in the order
they take the place of the call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, cast

from headwater.base import errors
from headwater.engine.analysis.control_flow import SWITCHES
from headwater.engine.analysis.ordering import needed_ops
from headwater.graph import Graph, Operation, Tensor, lookup
from headwater.graph.functions import FunctionGraph

Position = tuple[int, ...]


class _Body:
    """The ops of a run, or those of the body of one call.

    Args:
        name: the prefix of the names of the copies.
        position: the place of the call in the order; () for the run.
        graph: the body's graph; None for the run.
        call: the body that contains the call, and the call; None for the run.
    """

    def __init__(
        self,
        name: str,
        position: Position,
        graph: FunctionGraph | None = None,
        call: tuple[_Body, Operation] | None = None,
    ) -> None:
        self.name = name
        self.position = position
        self.call = call
        self.outputs = [] if graph is None else list(graph.outputs)
        arguments = [] if graph is None else graph.inputs
        self.arguments = {tensor: i for i, tensor in enumerate(arguments)}
        self.copies: dict[Operation, Operation] = {}
        self.calls: dict[Operation, _Body] = {}
        self.graph = graph

    def is_within(self, graph: Graph | None) -> bool:
        """Whether this is a body of a function, or within a call from one."""
        return graph is not None and (
            self.graph is graph or (self.call is not None and self.call[0].is_within(graph))
        )

    def ops_of_body(self) -> list[Operation]:
        """The ops of a body that have to run: what its results need, and ops with an effect."""
        assert self.graph is not None
        placeholders = {tensor._op for tensor in self.arguments}
        active = [op for op in self.graph.get_operations() if is_active(op)]
        return [
            op
            for op in needed_ops(self.outputs, active, set(self.arguments))
            if op not in placeholders
        ]


def is_active(op: Operation) -> bool:
    """Whether an op of a function's body runs even where nobody uses its results."""
    record = op._record
    return bool(record.stateful or record.checks or not op._outputs) and not record.variable


def _recursive(op: Operation) -> errors.InvalidArgumentError:
    text = f"The function of node {op.name} calls itself, which cannot be run: {op.type}"
    hint = "A function cannot be recursive; use tf.while_loop."
    return errors.InvalidArgumentError(op.node_def, op, text, hint=hint)


class Inlining:
    """The copies of a graph's ops for runs that feed the same tensors.

    Args:
        graph: the graph.
        fed: the fed tensors, which are not replaced.
    """

    def __init__(self, graph: Graph, fed: Collection[Tensor]) -> None:
        self._fed = fed
        self._graph = graph
        self._run = _Body("", ())
        self._alive: dict[Tensor, Operation] = {}

    def inline(
        self,
        ops: Iterable[Operation],
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
    ) -> tuple[list[Tensor], list[Operation]]:
        """Copies the ops of a run.

        Args:
            ops: the ops.
            fetches: the fetched tensors.
            targets: the ops to run.

        Returns:
            The tensors to fetch and the ops to run instead.
        """
        ops = list(ops)
        self._copy_all(self._run, ops)
        self._connect_all(self._run, ops)
        wanted = [c for op in targets for c in self._members(self._run, op)]
        for op in ops:
            if op in self._run.calls:
                wanted.extend(self._active(self._run.calls[op]))
        return [self._resolved(self._run, t) for t in fetches], wanted

    # Copies

    def _copy_all(self, body: _Body, ops: list[Operation]) -> None:
        for op in ops:
            if op in body.copies or op in body.calls:
                continue
            position = (*body.position, op._id_value)
            if op._record.body is None:
                body.copies[op] = self._copy(op, body.name + op._name, position)
                continue
            graph = op._record.body(op)
            if body.is_within(graph):
                raise _recursive(op)
            inner = body.calls[op] = _Body(f"{body.name}{op._name}/", position, graph, (body, op))
            self._copy_all(inner, inner.ops_of_body())

    def _copy(self, op: Operation, name: str, position: Any) -> Operation:
        copy = Operation.__new__(Operation)
        types = [t._dtype for t in op._outputs]
        attrs = op._attrs
        if "frame_name" in attrs:
            # Loops of the same body in two calls are two loops.
            attrs = {**attrs, "frame_name": name[: -len(op._name)] + attrs["frame_name"]}
        copy._fill(self._graph, op._record, name, (), [], attrs, types, position)
        copy._stack = op._stack
        copy._device = op._device
        copy._original_op = op
        for tensor, source in zip(copy._outputs, op._outputs):
            tensor._shape = source._shape
        return copy

    def _connect_all(self, body: _Body, ops: list[Operation]) -> None:
        for op in ops:
            if op in body.calls:
                inner = body.calls[op]
                self._connect_all(inner, inner.ops_of_body())
                continue
            copy = body.copies[op]
            copy._inputs = tuple(self._resolved(body, t) for t in op._inputs)
            controls = dict.fromkeys(
                c for source in op._control_inputs for c in self._members(body, source)
            )
            if body.call is not None and self._is_root(body, op):
                controls.update(dict.fromkeys(self._before_root(op, *body.call)))
            copy._control_inputs = list(controls)

    @staticmethod
    def _is_root(body: _Body, op: Operation) -> bool:
        """Whether an op depends on no other op of its body."""
        return not op._control_inputs and all(t in body.arguments for t in op._inputs)

    def _before_root(self, root: Operation, body: _Body, call: Operation) -> list[Operation]:
        """Copies of the ops that a root of a called body waits for."""
        if not root._inputs:
            return self._before_call(body, call)
        found = self._waits_of_call(body, call)
        if root._record.stateful:
            found.extend(self._before_effect(root, body, call))
        return found

    def _before_effect(self, root: Operation, body: _Body, call: Operation) -> list[Operation]:
        """Copies of the ops that compute the arguments of a call.

        Effects wait for all of them: a call in `control_dependencies` may take nothing but
        arguments made there, and does not wait itself; in branches and loops a call is dead if an
        argument is. A variable that is read in each iteration may be read before.
        """
        if call._control_flow_context is not None and root._record.name == "ReadVariableOp":
            return []
        found = []
        for tensor in call._inputs:
            op = tensor._op
            if tensor not in body.arguments and (op._inputs or op._control_inputs):
                value = self._resolved(body, tensor)
                found.extend([] if value in self._fed else [self._made_by(value)])
        if body.call is not None and self._is_root(body, call):
            found.extend(self._before_effect(root, *body.call))
        return found

    def _waits_of_call(self, body: _Body, call: Operation) -> list[Operation]:
        """Copies of the ops that a call waits for without taking values from them."""
        found = [c for source in call._control_inputs for c in self._members(body, source)]
        if body.call is not None and self._is_root(body, call):
            found.extend(self._waits_of_call(*body.call))
        return found

    def _before_call(self, body: _Body, call: Operation) -> list[Operation]:
        """Copies of the ops that a call takes values from or waits for."""
        found = self._waits_of_call(body, call)
        values = [self._resolved(body, tensor) for tensor in call._inputs]
        # What is fed is there before the run.
        found.extend(self._made_by(tensor) for tensor in values if tensor not in self._fed)
        if not found and body.call is not None:
            return self._before_call(*body.call)
        return found

    def _made_by(self, tensor: Tensor) -> Operation:
        """An op that runs if and only if a tensor is alive."""
        op = tensor._op
        if op._record.name not in SWITCHES:
            return op
        if tensor not in self._alive:
            record = lookup("Identity")
            alive = Operation.__new__(Operation)
            position: Any = (*_position_of(op), tensor._value_index)
            types = [tensor._dtype.base_dtype]
            attrs = {"T": tensor._dtype.base_dtype}
            name = f"{op._name}/alive_{tensor._value_index}"
            alive._fill(self._graph, record, name, (tensor,), [], attrs, types, position)
            alive._stack = op._stack
            self._alive[tensor] = alive
        return self._alive[tensor]

    # Replacements

    def _resolved(self, body: _Body, tensor: Tensor) -> Tensor:
        """The tensor of a copy that replaces a tensor of a body."""
        while True:
            if body.call is None and tensor in self._fed:
                return tensor
            if tensor in body.arguments:
                assert body.call is not None
                position = body.arguments[tensor]
                body, call = body.call
                tensor = call._inputs[position]
            elif tensor._op in body.calls:
                body = body.calls[tensor._op]
                tensor = body.outputs[tensor._value_index]
            else:
                return body.copies[tensor._op]._outputs[tensor._value_index]

    def _members(self, body: _Body, op: Operation) -> list[Operation]:
        """The copies that must have run for an op to count as run."""
        inner = body.calls.get(op)
        if inner is None:
            copy = body.copies.get(op)
            return [] if copy is None else [copy]
        results = [self._made_by(self._resolved(inner, t)) for t in inner.outputs]
        # Ops of a branch may be dead; what waits for the branch stands outside of it.
        return list(dict.fromkeys([*results, *self._active(inner, in_branches=False)]))

    def _active(self, body: _Body, in_branches: bool = True) -> list[Operation]:
        """The copies of ops with an effect in a body and in the calls in it.

        Args:
            body: the body.
            in_branches: whether those in branches and loops of a body count.
        """

        def counts(op: Operation) -> bool:
            return in_branches or op._control_flow_context is None

        found = [copy for op, copy in body.copies.items() if is_active(op) and counts(op)]
        for call, inner in body.calls.items():
            if counts(call):
                found.extend(self._active(inner, in_branches))
        return found


def _position_of(op: Operation) -> Position:
    # `_copy` numbers the ops of an inlined graph by their positions.
    return cast(Position, op._id_value)


def inlined(
    graph: Graph,
    ops: Iterable[Operation],
    fetches: Sequence[Tensor],
    targets: Sequence[Operation],
    fed: Collection[Tensor],
) -> tuple[list[Tensor], list[Operation]]:
    """The fetches and targets of a run after the calls in its ops have been inlined."""
    with graph._lock:
        key = frozenset(fed)
        inlining = graph._inlinings.get(key)
        if inlining is None:
            inlining = graph._inlinings[key] = Inlining(graph, key)
        return inlining.inline(ops, fetches, targets)


def has_calls(ops: Iterable[Operation]) -> bool:
    """Whether an op of a run calls a function."""
    return any(op._record.body is not None for op in ops)
