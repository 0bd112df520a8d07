"""Detaching views from their graph, and connecting them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.contrib.graph_editor import reroute, select, subgraph, util
from headwater.graph import Tensor

if TYPE_CHECKING:
    from headwater.contrib.graph_editor.subgraph import SubGraphView
    from headwater.contrib.graph_editor.util import ControlOutputs


def _public(*names: str) -> Callable[[Any], Any]:
    return export(
        *(f"contrib.graph_editor.{place}{name}" for name in names for place in ("", "edit."))
    )


@_public("detach_control_inputs")
def detach_control_inputs(sgv: SubGraphView) -> None:
    """Removes the control inputs of a view from ops outside of it.

    Args:
      sgv: a view, or what `make_view` takes.
    """
    sgv = subgraph.make_view(sgv)
    inside = set(sgv.ops)
    for op in sgv.ops:
        outside = [cop for cop in op.control_inputs if cop not in inside]
        if outside:
            reroute.remove_control_inputs(op, outside)


@_public("detach_control_outputs")
def detach_control_outputs(sgv: SubGraphView, control_outputs: util.ControlOutputs) -> None:
    """Removes the control outputs of a view to ops outside of it.

    Args:
      sgv: a view, or what `make_view` takes.
      control_outputs: a ControlOutputs of the graph.

    Raises:
      TypeError: if it is none.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    sgv = subgraph.make_view(sgv)
    inside = set(sgv.ops)
    for op in sgv.ops:
        for cop in list(control_outputs.get(op)):
            if cop not in inside:
                reroute.remove_control_inputs(cop, op)


@_public("detach_inputs")
def detach_inputs(sgv: SubGraphView, control_inputs: bool = False) -> tuple[Any, list[Tensor]]:
    """Replaces the inputs of a view by placeholders.

    Args:
      sgv: a view, or what `make_view` takes.
      control_inputs: whether its ops stop waiting for ops outside, too.

    Returns:
      The view and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


@_public("detach_outputs")
def detach_outputs(
    sgv: SubGraphView, control_outputs: ControlOutputs | None = None
) -> tuple[Any, list[Tensor]]:
    """Replaces the outputs of a view by placeholders in the ops that use them.

    Args:
      sgv: a view, or what `make_view` takes.
      control_outputs: a ControlOutputs, if ops outside also stop waiting for those of the view.

    Returns:
      A view with the outputs that are used, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    used = sgv.remap_outputs([i for i, t in enumerate(sgv.outputs) if t.consumers()])
    outputs = set(used.outputs)
    users = subgraph.SubGraphView(used.consumers())
    users = users.remap_inputs([i for i, t in enumerate(users.inputs) if t in outputs])
    with used.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in users.inputs]
    reroute.swap_inputs(users, placeholders)
    if control_outputs is not None:
        detach_control_outputs(used, control_outputs)
    return used, placeholders


@_public("detach")
def detach(
    sgv: SubGraphView,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: ControlOutputs | None = None,
) -> tuple[Any, list[Tensor], list[Tensor]]:
    """`detach_inputs` and `detach_outputs`.

    Args:
      sgv: a view, or what `make_view` takes.
      control_inputs: whether control edges into the view go too.
      control_outputs: a ControlOutputs, if control edges out of it go too, or None.
      control_ios: a ControlOutputs, if both go, or None.

    Returns:
      The view, and the placeholders for its inputs and its outputs.
    """
    control_inputs, control_outputs = select.check_cios(
        control_inputs, control_outputs, control_ios
    )
    _, input_placeholders = detach_inputs(sgv, control_inputs)
    _, output_placeholders = detach_outputs(sgv, control_outputs)
    return sgv, input_placeholders, output_placeholders


@_public("connect")
def connect(
    sgv0: SubGraphView, sgv1: SubGraphView, disconnect_first: bool = False
) -> tuple[Any, Any]:
    """Makes the outputs of a view the inputs of another one.

    Args:
      sgv0: the view with the outputs, or what `make_view` takes.
      sgv1: the view with the inputs.
      disconnect_first: whether the outputs are taken from the ops that use them now.

    Returns:
      The two views.
    """
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=sgv0.outputs), sgv1)
    return sgv0, sgv1


@_public("bypass")
def bypass(sgv: SubGraphView) -> tuple[Any, list[Tensor]]:
    """Makes what follows a view use the inputs of the view.

    Args:
      sgv: a view with as many inputs as outputs, or what `make_view` takes.

    Returns:
      The view, and the placeholders that are its inputs now.
    """
    sgv = subgraph.make_view(sgv)
    inputs = list(sgv.inputs)
    sgv, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, sgv.outputs)
    return sgv, placeholders
