"""Copies of views, with or without changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.contrib.graph_editor import select, subgraph, util
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.device import canonical_name

if TYPE_CHECKING:
    from headwater.contrib.graph_editor.subgraph import SubGraphView

string_types = (str,)


def _public(*names: str) -> Callable[[Any], Any]:
    return export(
        *(f"contrib.graph_editor.{place}{name}" for name in names for place in ("", "transform."))
    )


@_public("replace_t_with_placeholder_handler")
def replace_t_with_placeholder_handler(info: _State, t: Tensor) -> Tensor:
    """Replaces a tensor from outside of the view by a placeholder.

    Args:
      info: the state of the transformation.
      t: the tensor.

    Returns:
      The placeholder.
    """
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


@_public("keep_t_if_possible_handler")
def keep_t_if_possible_handler(info: _State, t: Tensor) -> Tensor:
    """Keeps a tensor from outside of the view if the copy is in the same graph.

    Args:
      info: the state of the transformation.
      t: the tensor.

    Returns:
      The tensor, or a placeholder.
    """
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


@_public("assign_renamed_collections_handler")
def assign_renamed_collections_handler(
    info: _State, elem: Tensor | Operation, elem_: Tensor | Operation
) -> None:
    """Adds a copied op or tensor to the collections of the original.

    Collections of TensorFlow keep their names, others get the scope of the copy before them.

    Args:
      info: the state of the transformation.
      elem: the original.
      elem_: the copy.
    """
    predefined = util.get_predefined_collection_names()
    for name in info.graph.get_all_collection_keys():
        if not any(elem is member for member in info.graph.get_collection_ref(name)):
            continue
        own = name in predefined or not isinstance(name, str)
        info.graph_.add_to_collection(name if own else info.scope_ + name, elem_)


@_public("transform_op_if_inside_handler")
def transform_op_if_inside_handler(
    info: _State, op: Operation, keep_if_possible: bool = True
) -> Operation | None:
    """Copies an op of the view, and keeps others if the copy is in the same graph.

    Args:
      info: the state of the transformation.
      op: the op.
      keep_if_possible: whether ops outside of the view are kept.

    Returns:
      An op, or None.
    """
    if op in info.sgv_ops:
        return info.transformer._transform_op(info, op)
    return op if keep_if_possible and info.graph is info.graph_ else None


@_public("copy_op_handler")
def copy_op_handler(
    info: _State,
    op: Operation,
    new_inputs: Sequence[Tensor],
    copy_shape: bool = False,
    nodedef_fn: Callable[[Any], Any] | None = None,
) -> tuple[Operation, Any]:
    """Copies an op.

    Args:
      info: the state of the transformation.
      op: the op.
      new_inputs: the inputs of the copy.
      copy_shape: whether the static shapes are copied too.
      nodedef_fn: a function of the NodeDef of the copy that returns the one to take, or None.

    Returns:
      The copy and its outputs.
    """
    node = op.node_def
    node.name = info.graph_.unique_name(info.new_name(op.name))
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    with info.graph_.name_scope(None):
        new_op = info.graph_.create_op(
            node.op,
            list(new_inputs),
            name=node.name + "/",
            attrs={key: node.attr[key] for key in node.attr},
        )
    if node.device:
        new_op._set_device(canonical_name(node.device))
    if copy_shape:
        for t, t_ in zip(op.outputs, new_op.outputs):
            t_.set_shape(t.get_shape())
    if op._original_op is not None:
        original = info.transform_original_op_handler(info, op._original_op)
        if original is not None:
            new_op._original_op = original
    return new_op, new_op.outputs


def _leads_back(t: Tensor) -> bool:
    """Tells whether a tensor is the back edge of a loop."""
    return t.op.type in ("NextIteration", "RefNextIteration")


class _State:
    """The state of a running transformation."""

    def __init__(
        self,
        transformer: Transformer,
        sgv: SubGraphView,
        graph_: Graph,
        dst_scope: str,
        src_scope: str,
    ) -> None:
        self.transformer = transformer
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.sgv_ops = frozenset(sgv.ops)
        self.ops = self.sgv_ops
        self.graph = sgv.graph
        self.graph_ = graph_
        self.scope = src_scope
        self.scope_ = dst_scope
        self.transformed_ops: dict[Operation, Operation | None] = {}
        self.transformed_ts: dict[Tensor, Tensor] = {}
        # Back edges to ops that are not copied yet: (op, input position).
        self.back_edges: list[tuple[Operation, int]] = []

    @property
    def transform_original_op_handler(self) -> Callable[..., Any]:
        """The handler of the original op of an op."""
        return self.transformer.transform_original_op_handler

    def new_name(self, name: str) -> str:
        """Returns the name of the copy of an op.

        Raises:
          ValueError: if the op is not in the scope that is copied.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


@_public("TransformerInfo")
class TransformerInfo:
    """The result of a transformation: the copies of ops and tensors.

    Args:
      info: the state of the transformation.
    """

    def __init__(self, info: _State) -> None:
        self._graph = info.graph
        self._scope = info.scope
        self._graph_ = info.graph_
        self._scope_ = info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def _get_transformed_map(self, top: Tensor | Operation) -> dict[Any, Any]:
        if isinstance(top, Operation):
            return self._transformed_ops
        if isinstance(top, Tensor):
            return self._transformed_ts
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(top)}")

    def _found(
        self,
        element: Tensor | Operation,
        graph: Graph,
        missing_fn: Callable[..., Any] | None,
        mapped: Callable[[Any, Any], Any],
    ) -> Tensor | Operation | None:
        if isinstance(element, str):
            element = graph.as_graph_element(element)
        result = mapped(self._get_transformed_map(element), element)
        if result is None and missing_fn is not None:
            result = missing_fn(element)
        return result

    def transformed(self, original: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """Returns the copies of ops and tensors.

        Args:
          original: an op, a tensor, a name of one, or a nested structure of them.
          missing_fn: a function of an op or tensor that has no copy, or None.

        Returns:
          The copies in the same structure, None where there is none.
        """
        return util.transform_tree(
            original,
            lambda element: self._found(
                element, self._graph, missing_fn, lambda known, key: known.get(key)
            ),
        )

    def original(
        self, transformed: Operation, missing_fn: Callable[[Any], Any] | None = None
    ) -> Operation:
        """Returns the ops and tensors that were copied.

        Args:
          transformed: an op, a tensor, a name of one, or a nested structure of them.
          missing_fn: a function of an op or tensor that is not a copy, or None.

        Returns:
          The originals in the same structure, None where there is none.
        """

        def mapped(known: dict[Any, Any], wanted: Operation) -> Any:
            return next((key for key, value in known.items() if value is wanted), None)

        return util.transform_tree(
            transformed,
            lambda element: self._found(element, self._graph_, missing_fn, mapped),
        )

    def __str__(self) -> str:
        return (
            f"Transform result info:\nfrom graph {id(self._graph)}, scope {self._scope!r} to graph "
            f"{id(self._graph_)}, scope {self._scope_!r}: {len(self._transformed_ops)} ops, "
            f"{len(self._transformed_ts)} tensors"
        )


@_public("Transformer")
class Transformer:
    """Copies views, by handlers that can be replaced.

    - `transform_op_handler(info, op, new_inputs)` copies an op.
    - `transform_external_input_handler(info, t)` says what stands for an input of the view,
      `transform_external_hidden_input_handler` for another tensor from outside.
    - `transform_control_input_handler(info, op)` and `transform_original_op_handler(info, op)` say
      what stands for an op that another waits for, or was made for.
    - `assign_collections_handler(info, elem, elem_)` gives copies to collections.
    """

    def __init__(self) -> None:
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = (
            replace_t_with_placeholder_handler
        )
        self.transform_external_hidden_input_handler: Callable[..., Any] = (
            replace_t_with_placeholder_handler
        )
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.transform_original_op_handler: Callable[..., Any] = lambda info, op: (
            transform_op_if_inside_handler(info, op, keep_if_possible=False)
        )

    def __call__(
        self,
        sgv: SubGraphView,
        dst_graph: Graph,
        dst_scope: str,
        src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> tuple[Any, TransformerInfo]:
        """Copies a view.

        Args:
          sgv: the view, or what `make_view` takes.
          dst_graph: the graph of the copy.
          dst_scope: the scope of the copy.
          src_scope: the scope of the view, which names of the copy do without.
          reuse_dst_scope: whether the scope may exist already; otherwise it gets a new name.

        Returns:
          The view of the copy, and what became of what.

        Raises:
          TypeError: if `dst_graph` is not a Graph.
        """
        sgv = subgraph.make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        src_scope, dst_scope = util.scope_finalize(src_scope), util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(dst_graph.unique_name(dst_scope[:-1]))
        info = _State(self, sgv, dst_graph, dst_scope, src_scope)
        with dst_graph.as_default():
            for op in sgv.ops:
                self._transform_op(info, op)
            for op, index in info.back_edges:
                copy_of_op = info.transformed_ops[op]
                assert copy_of_op is not None
                copy_of_op._update_input(index, self._transform_t(info, op.inputs[index]))
            self._copy_control_inputs(info)
        return self._copy_of_view(info), TransformerInfo(info)

    def _copy_control_inputs(self, info: _State) -> None:
        for op in info.sgv.ops:
            copy_of_op = info.transformed_ops[op]
            if copy_of_op is None:
                continue
            wanted = (self.transform_control_input_handler(info, c) for c in op.control_inputs)
            found = [c for c in wanted if c is not None]
            if found:
                copy_of_op._add_control_inputs(
                    [c for c in found if c not in copy_of_op.control_inputs]
                )

    def _copy_of_view(self, info: _State) -> SubGraphView:
        """The view of the copied ops, with the inputs and outputs in the order of the originals."""
        ops = [info.transformed_ops[op] for op in info.sgv.ops]
        passthroughs = [info.transformed_ts.get(t) for t in info.sgv.passthroughs]
        view = subgraph.SubGraphView(
            [op for op in ops if op is not None], [t for t in passthroughs if t is not None]
        )
        inputs = [info.transformed_ts.get(t) for t in info.sgv.inputs]
        outputs = [info.transformed_ts.get(t) for t in info.sgv.outputs]
        known_inputs, known_outputs = list(view.inputs), list(view.outputs)
        return view.remap(
            [known_inputs.index(t) for t in inputs if t in known_inputs],
            [known_outputs.index(t) for t in outputs if t in known_outputs],
        )

    def _transform_op(self, info: _State, op: Operation) -> Operation | None:
        # Iterative, because graphs can be deeper than Python's recursion limit.
        stack = [op]
        while stack:
            current = stack[-1]
            if current in info.transformed_ops:
                stack.pop()
                continue
            missing = next(
                (
                    t.op
                    for t in current.inputs
                    if t.op in info.sgv_ops
                    and t.op not in info.transformed_ops
                    and not _leads_back(t)
                ),
                None,
            )
            if missing is not None:
                stack.append(missing)
                continue
            self._copy_op(info, current)
            stack.pop()
        return info.transformed_ops[op]

    def _copy_op(self, info: _State, op: Operation) -> None:
        inputs: list[Tensor] = []
        for i, t in enumerate(op.inputs):
            if t.op in info.sgv_ops and t.op not in info.transformed_ops:
                # The back edge of a loop: the first input is a substitute for now.
                info.back_edges.append((op, i))
                inputs.append(inputs[0])
            else:
                inputs.append(self._transform_t(info, t))
        new_op, new_outputs = self.transform_op_handler(info, op, inputs)
        info.transformed_ops[op] = new_op
        if new_op is not None and new_op is not op:
            self.assign_collections_handler(info, op, new_op)
        for t, new_t in zip(op.outputs, new_outputs):
            info.transformed_ts[t] = new_t
            if new_t is not t:
                self.assign_collections_handler(info, t, new_t)

    def _transform_t(self, info: _State, t: Tensor) -> Tensor:
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        return self.transform_external_hidden_input_handler(info, t)


@_public("copy")
def copy(
    sgv: SubGraphView | Graph,
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copies a view; its inputs are replaced by placeholders.

    Args:
      sgv: the view, or what `make_view` takes.
      dst_graph: the graph of the copy, by default the same.
      dst_scope: the scope of the copy.
      src_scope: the scope of the view, which names of the copy do without.
      reuse_dst_scope: whether the scope may exist already; otherwise it gets a new name.

    Returns:
      The view of the copy, and what became of what.

    Raises:
      TypeError: if `dst_graph` is not a Graph.
    """
    sgv = subgraph.make_view(sgv)
    graph = sgv.graph if dst_graph is None else dst_graph
    return Transformer()(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


@_public("copy_with_input_replacements")
def copy_with_input_replacements(
    sgv: SubGraphView,
    replacement_ts: dict[Tensor, Tensor],
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copies a view with other inputs; those that are not replaced are kept if possible.

    Args:
      sgv: the view, or what `make_view` takes.
      replacement_ts: the new input by the old one.
      dst_graph: the graph of the copy, by default the same.
      dst_scope: the scope of the copy.
      src_scope: the scope of the view, which names of the copy do without.
      reuse_dst_scope: whether the scope may exist already; otherwise it gets a new name.

    Returns:
      The view of the copy, and what became of what.

    Raises:
      TypeError: if `dst_graph` is not a Graph.
    """
    sgv = subgraph.make_view(sgv)
    graph = sgv.graph if dst_graph is None else dst_graph
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    copier = Transformer()

    def replaced(info: _State, t: Tensor) -> Tensor:
        return replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)

    copier.transform_external_input_handler = replaced
    return copier(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


@_public("graph_replace")
def graph_replace(
    target_ts: NestedTensors,
    replacement_ts: dict[Tensor, Tensor],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> NestedTensors:
    """Copies tensors with some of their dependencies replaced.

    Args:
      target_ts: a tensor or a nested structure of tensors.
      replacement_ts: what to use by what is used now.
      dst_scope: the scope of the new ops.
      src_scope: the scope of the old ops, which names of the new ones do without.
      reuse_dst_scope: whether the scope may exist already; otherwise it gets a new name.

    Returns:
      The new tensors in the structure of `target_ts`; those that depend on nothing that is
      replaced stay as they are.

    Raises:
      ValueError: if no target depends on what is replaced.
    """
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=Tensor)
    control_ios = util.ControlOutputs(graph)
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    view = subgraph.make_view(ops)
    _, info = copy_with_input_replacements(
        view, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, missing_fn=lambda t: t)
