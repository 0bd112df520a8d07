"""Views of parts of a graph, with numbered inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base.export import export
from headwater.contrib.graph_editor import select, util
from headwater.graph import Graph, Operation, Tensor


def _check_within_range(mapping: Iterable[int], n: int, repetition: bool) -> None:
    for i in mapping:
        if not 0 <= i < n:
            raise ValueError(f"Out of [0, {n}[ range: {i}")
    if not repetition and len(set(mapping)) != len(list(mapping)):
        raise ValueError("Found repetition in mapping.")


@export("contrib.graph_editor.SubGraphView", "contrib.graph_editor.subgraph.SubGraphView")
class SubGraphView:
    """A part of a graph: ops, the tensors that go in, and those that come out.

    The order of inputs and outputs can be changed, and inputs can be left out; such methods return
    a new view.

    Args:
      inside_ops: the ops.
      passthrough_ts: tensors that go in and come out without an op of the view.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the elements are of several graphs.
    """

    def __init__(
        self,
        inside_ops: Iterable[Operation] | Operation = (),
        passthrough_ts: Iterable[Tensor] | Tensor = (),
    ) -> None:
        ops = util.make_list_of_op(inside_ops)
        ts = util.make_list_of_t(passthrough_ts)
        self._graph = util.get_unique_graph([*ops, *ts], none_if_empty=True)
        self._ops = ops
        inputs, outputs, insides = select.compute_boundary_ts(ops)
        known = {*inputs, *outputs, *insides}
        self._passthrough_ts = [t for t in ts if t not in known]
        self._input_ts = inputs + self._passthrough_ts
        self._output_ts = outputs + self._passthrough_ts

    def copy(self) -> SubGraphView:
        """Returns a view of the same ops with the same inputs and outputs."""
        copy = SubGraphView()
        copy._assign_from(self)
        return copy

    def _assign_from(self, other: SubGraphView) -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError(f"Expected SubGraphView, got: {type(other)}")
        self._graph = other._graph
        for name in ("_ops", "_passthrough_ts", "_input_ts", "_output_ts"):
            setattr(self, name, list(getattr(other, name)))

    def _remap_inputs(self, new_input_indices: Iterable[int]) -> None:
        indices = list(new_input_indices)
        _check_within_range(indices, len(self._input_ts), repetition=False)
        self._input_ts = [self._input_ts[i] for i in indices]

    def _remap_outputs(self, new_output_indices: Iterable[int]) -> None:
        indices = list(new_output_indices)
        _check_within_range(indices, len(self._output_ts), repetition=True)
        self._output_ts = [self._output_ts[i] for i in indices]

    def remap_inputs(self, new_input_indices: Iterable[int]) -> SubGraphView:
        """Chooses and orders the inputs.

        Args:
          new_input_indices: positions in the present list of inputs, none of them twice.

        Returns:
          A new view.

        Raises:
          ValueError: if a position is out of range or comes twice.
        """
        result = self.copy()
        result._remap_inputs(new_input_indices)
        return result

    def remap_outputs(self, new_output_indices: Iterable[int]) -> SubGraphView:
        """Chooses and orders the outputs.

        Args:
          new_output_indices: positions in the present list of outputs.

        Returns:
          A new view.

        Raises:
          ValueError: if a position is out of range.
        """
        result = self.copy()
        result._remap_outputs(new_output_indices)
        return result

    def remap(
        self,
        new_input_indices: Iterable[int] | None = None,
        new_output_indices: Iterable[int] | None = None,
    ) -> SubGraphView:
        """Chooses and orders inputs and outputs.

        Args:
          new_input_indices: as for `remap_inputs`, or None.
          new_output_indices: as for `remap_outputs`, or None.

        Returns:
          A new view.
        """
        result = self.copy()
        if new_input_indices is not None:
            result._remap_inputs(new_input_indices)
        if new_output_indices is not None:
            result._remap_outputs(new_output_indices)
        return result

    def remap_default(
        self, remove_input_map: bool = True, remove_output_map: bool = True
    ) -> SubGraphView:
        """Resets inputs and outputs to those of the ops.

        Args:
          remove_input_map: whether to do so with the inputs.
          remove_output_map: whether to do so with the outputs.

        Returns:
          A new view.
        """
        result, fresh = self.copy(), SubGraphView(self._ops, self._passthrough_ts)
        if remove_input_map:
            result._input_ts = fresh._input_ts
        if remove_output_map:
            result._output_ts = fresh._output_ts
        return result

    def remap_outputs_make_unique(self) -> SubGraphView:
        """Returns a view without duplicate outputs."""
        result = self.copy()
        result._output_ts = list(dict.fromkeys(self._output_ts))
        return result

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """Returns a view in which each output comes once for each op that uses it."""
        result = self.remap_outputs_make_unique()
        result._output_ts = [t for t in result._output_ts for _ in t.consumers()]
        return result

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """Removes the ops that the outputs do not depend on.

        Args:
          control_inputs: whether control edges count.

        Returns:
          A new view.
        """
        used = set(
            select.get_backward_walk_ops(
                self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs
            )
        )
        result = self.copy()
        result._ops = [op for op in self._ops if op in used]
        return result

    def is_passthrough(self, t: Tensor) -> bool:
        """Tells whether a tensor goes in and comes out without an op of the view."""
        return t in self._passthrough_ts

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *exc: Any) -> None:
        pass

    def __bool__(self) -> bool:
        return self._graph is not None

    __nonzero__ = __bool__

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"

        def listed(elements: list[Any]) -> str:
            marks = (" *" if t in self._passthrough_ts else "" for t in elements)
            return "\n".join(f"  {t.name}{mark}" for t, mark in zip(elements, marks))

        return (
            f"SubGraphView (graphid={id(self.graph)}):\n"
            f"** ops[{len(self._ops)}]:\n{listed(self._ops)}\n"
            f"** inputs[{len(self._input_ts)}]:\n{listed(self._input_ts)}\n"
            f"** outputs[{len(self._output_ts)}]:\n{listed(self._output_ts)}\n"
        )

    @property
    def graph(self) -> Graph:
        """The graph; None for an empty view."""
        return self._graph

    @property
    def ops(self) -> list[Operation]:
        """The ops."""
        return self._ops

    @property
    def inputs(self) -> util.ListView:
        """The tensors that go in."""
        return util.ListView(self._input_ts)

    @property
    def connected_inputs(self) -> list[Tensor]:
        """The tensors that go into ops of the view."""
        return [t for t in self._input_ts if not self.is_passthrough(t)]

    @property
    def outputs(self) -> util.ListView:
        """The tensors that come out."""
        return util.ListView(self._output_ts)

    @property
    def connected_outputs(self) -> list[Tensor]:
        """The tensors that come out of ops of the view."""
        return [t for t in self._output_ts if not self.is_passthrough(t)]

    @property
    def passthroughs(self) -> util.ListView:
        """The tensors that go in and come out without an op of the view."""
        return util.ListView(self._passthrough_ts)

    def op(self, op_id: int) -> Operation:
        """Returns the op of a position."""
        return self._ops[op_id]

    def input_index(self, t: Tensor) -> int:
        """Returns the position of an input.

        Args:
          t: the tensor.

        Returns:
          Its position.

        Raises:
          ValueError: if it is none.
        """
        return self._index(self._input_ts, t)

    def output_index(self, t: Tensor) -> int:
        """Returns the position of an output.

        Args:
          t: the tensor.

        Returns:
          Its position.

        Raises:
          ValueError: if it is none.
        """
        return self._index(self._output_ts, t)

    def _index(self, ts: list[Tensor], t: Tensor) -> int:
        if t not in ts:
            raise ValueError(f"Can't find {t.name} in the view.")
        return ts.index(t)

    def consumers(self) -> list[Operation]:
        """Returns the ops outside of the view that use its outputs."""
        inside = set(self._ops)
        users = (op for t in self._output_ts for op in t.consumers())
        return list(dict.fromkeys(op for op in users if op not in inside))

    def find_op_by_name(self, op_name: str) -> Operation:
        """Returns the op of a name.

        Args:
          op_name: the name.

        Returns:
          The op.

        Raises:
          ValueError: if the view has no such op.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")


def _check_graph(sgv: SubGraphView, graph: Graph | None) -> SubGraphView:
    if not isinstance(sgv, SubGraphView):
        raise TypeError(f"Expected a SubGraphView, got: {type(sgv)}")
    if graph is not None and sgv.graph is not graph:
        raise ValueError("Graph mismatch.")
    return sgv


@export(
    "contrib.graph_editor.make_view",
    "contrib.graph_editor.subgraph.make_view",
    "contrib.graph_editor.sgv",
)
def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """Makes a view of ops and tensors.

    Args:
      *args: a view, which is returned, or what `select_ops_and_ts` takes.
      **kwargs: as for `select_ops_and_ts`.

    Returns:
      A SubGraphView.

    Raises:
      ValueError: if an argument is of another kind.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return _check_graph(args[0], kwargs.get("graph"))
    return SubGraphView(*select.select_ops_and_ts(*args, **kwargs))


@export(
    "contrib.graph_editor.make_view_from_scope",
    "contrib.graph_editor.subgraph.make_view_from_scope",
    "contrib.graph_editor.sgv_scope",
)
def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """Makes a view of the ops of a name scope.

    Args:
      scope: the scope.
      graph: the graph.

    Returns:
      A SubGraphView.
    """
    return SubGraphView(select.get_name_scope_ops(graph, scope))
