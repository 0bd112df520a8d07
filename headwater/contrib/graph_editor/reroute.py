"""Changes of the data and control edges of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.contrib.graph_editor import subgraph, util
from headwater.graph import Operation, Tensor

if TYPE_CHECKING:
    from headwater.contrib.graph_editor.subgraph import SubGraphView


def _public(*names: str) -> Callable[[Any], Any]:
    return export(
        *(f"contrib.graph_editor.{place}{name}" for name in names for place in ("", "reroute."))
    )


def _check_compatible(ts0: list[Tensor], ts1: list[Tensor]) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.get_shape().is_compatible_with(t1.get_shape()):
            raise ValueError(f"Shapes {t0.get_shape()} and {t1.get_shape()} are not compatible.")


def replace_inputs(old: Tensor, new: Tensor, ops: Iterable[Operation]) -> int:
    """Makes ops take another tensor.

    Args:
        old: what they take now.
        new: what takes its place.
        ops: the ops.

    Returns:
        How many inputs have changed.
    """
    count = 0
    for op in dict.fromkeys(ops):
        for i, t in enumerate(op.inputs):
            if t is old:
                op._update_input(i, new)
                count += 1
    return count


def _reroute_ts(
    ts0: Any,
    ts1: Any,
    swap: bool,
    can_modify: Sequence[Operation] | None = None,
    cannot_modify: Sequence[Operation] | None = None,
) -> int:
    """Makes the users of `ts1` use `ts0`, and if `swap`, those of `ts0` use `ts1`."""
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    _check_compatible(ts0, ts1)
    allowed = None if can_modify is None else frozenset(util.make_list_of_op(can_modify))
    forbidden: frozenset[Operation] = frozenset()
    if cannot_modify is not None:
        forbidden = frozenset(util.make_list_of_op(cannot_modify))

    def users(t: Tensor) -> list[Operation]:
        return [
            op for op in t.consumers() if (allowed is None or op in allowed) and op not in forbidden
        ]

    count = 0
    for t0, t1 in zip(ts0, ts1):
        if t0 is t1:
            continue
        users0, users1 = users(t0), users(t1)
        common = set(users0) & set(users1) if swap else set()
        for op in dict.fromkeys(users1):
            for i, t in enumerate(op.inputs):
                if t is t1:
                    op._update_input(i, t0)
                    count += 1
                elif op in common and t is t0:
                    op._update_input(i, t1)
                    count += 1
        if swap:
            count += replace_inputs(t0, t1, [op for op in users0 if op not in common])
    return count


@_public("swap_ts")
def swap_ts(
    ts0: Sequence[Tensor], ts1: Sequence[Tensor], can_modify: Any = None, cannot_modify: Any = None
) -> int:
    """Exchanges the users of tensors, pair by pair.

    Args:
      ts0: a tensor or an iterable of tensors.
      ts1: a tensor or an iterable of tensors.
      can_modify: the ops that may be changed, or None for all.
      cannot_modify: the ops that may not be changed, or None.

    Returns:
      How many inputs of ops have changed.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the lists differ in length, or tensors in type or shape.
    """
    return _reroute_ts(ts0, ts1, True, can_modify, cannot_modify)


@export("contrib.graph_editor.reroute_a2b_ts", "contrib.graph_editor.reroute.reroute_a2b_ts")
@_public("reroute_ts")
def reroute_ts(
    ts0: NestedTensors,
    ts1: Any,
    can_modify: Sequence[Operation] | None = None,
    cannot_modify: Sequence[Operation] | None = None,
) -> int:
    """Makes the users of tensors use others, pair by pair.

    Args:
      ts0: a tensor or an iterable of tensors that are to be used.
      ts1: a tensor or an iterable of tensors that are used now.
      can_modify: the ops that may be changed, or None for all.
      cannot_modify: the ops that may not be changed, or None.

    Returns:
      How many inputs of ops have changed.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the lists differ in length, or tensors in type or shape.
    """
    return _reroute_ts(ts0, ts1, False, can_modify, cannot_modify)


def _reroute_inputs(sgv0: SubGraphView, sgv1: Any, swap: bool) -> tuple[Any, Any]:
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    can_modify = [*sgv0.ops, *sgv1.ops]
    # A passthrough is used by ops outside of its view.
    can_modify += [op for sgv in (sgv0, sgv1) for t in sgv.passthroughs for op in t.consumers()]
    inputs0, inputs1 = list(sgv0.inputs), list(sgv1.inputs)
    _reroute_ts(inputs0, inputs1, swap, can_modify)
    sgv1._input_ts = inputs0
    if swap:
        sgv0._input_ts = inputs1
    return sgv0, sgv1


def _reroute_outputs(sgv0: SubGraphView, sgv1: SubGraphView, swap: bool) -> tuple[Any, Any]:
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    cannot_modify = [*sgv0.ops, *sgv1.ops]
    _reroute_ts(sgv0.outputs, sgv1.outputs, swap, cannot_modify=cannot_modify)
    return sgv0, sgv1


@_public("swap_inputs")
def swap_inputs(sgv0: SubGraphView, sgv1: Any) -> tuple[Any, Any]:
    """Exchanges the inputs of two views.

    Args:
      sgv0: a view, or what `make_view` takes.
      sgv1: a view, or what `make_view` takes.

    Returns:
      The two views.

    Raises:
      ValueError: if they do not fit each other.
    """
    return _reroute_inputs(sgv0, sgv1, swap=True)


@export(
    "contrib.graph_editor.reroute_a2b_inputs", "contrib.graph_editor.reroute.reroute_a2b_inputs"
)
@_public("reroute_inputs")
def reroute_inputs(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Gives the inputs of a view to another one too.

    Args:
      sgv0: the view that has the inputs, or what `make_view` takes.
      sgv1: the view that gets them.

    Returns:
      The two views.

    Raises:
      ValueError: if they do not fit each other.
    """
    return _reroute_inputs(sgv0, sgv1, swap=False)


@_public("swap_outputs")
def swap_outputs(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Exchanges the users of the outputs of two views.

    Args:
      sgv0: a view, or what `make_view` takes.
      sgv1: a view, or what `make_view` takes.

    Returns:
      The two views.

    Raises:
      ValueError: if they do not fit each other.
    """
    return _reroute_outputs(sgv0, sgv1, swap=True)


@export(
    "contrib.graph_editor.reroute_a2b_outputs", "contrib.graph_editor.reroute.reroute_a2b_outputs"
)
@_public("reroute_outputs")
def reroute_outputs(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Makes the users of the outputs of a view use those of another one.

    Args:
      sgv0: the view whose outputs are to be used, or what `make_view` takes.
      sgv1: the view whose outputs are used now.

    Returns:
      The two views.

    Raises:
      ValueError: if they do not fit each other.
    """
    return _reroute_outputs(sgv0, sgv1, swap=False)


@export("contrib.graph_editor.swap", "contrib.graph_editor.reroute.swap")
@_public("swap_ios")
def swap_ios(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """`swap_inputs` and `swap_outputs`.

    Args:
      sgv0: a view, or what `make_view` takes.
      sgv1: a view, or what `make_view` takes.

    Returns:
      The two views.
    """
    return _reroute_outputs(*_reroute_inputs(sgv0, sgv1, swap=True), swap=True)


@export("contrib.graph_editor.reroute_a2b", "contrib.graph_editor.reroute.reroute_a2b")
@_public("reroute_ios")
def reroute_ios(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """`reroute_inputs` and `reroute_outputs`.

    Args:
      sgv0: a view, or what `make_view` takes.
      sgv1: a view, or what `make_view` takes.

    Returns:
      The two views.
    """
    return _reroute_outputs(*_reroute_inputs(sgv0, sgv1, swap=False), swap=False)


# Names up to release 0.12, with the tensors in the other order.


@_public("reroute_b2a_ts")
def reroute_b2a_ts(
    ts0: Any,
    ts1: Any,
    can_modify: Sequence[Operation] | None = None,
    cannot_modify: Sequence[Operation] | None = None,
) -> int:
    """Makes the users of `ts0` use `ts1`; see `reroute_ts`."""
    return reroute_ts(ts1, ts0, can_modify, cannot_modify)


@_public("reroute_b2a_inputs")
def reroute_b2a_inputs(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Makes `sgv0` take the inputs of `sgv1`; returns both."""
    return reroute_inputs(sgv1, sgv0)[::-1]


@_public("reroute_b2a_outputs")
def reroute_b2a_outputs(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Makes the users of the outputs of `sgv0` use those of `sgv1`; returns both."""
    return reroute_outputs(sgv1, sgv0)[::-1]


@_public("reroute_b2a")
def reroute_b2a(sgv0: SubGraphView, sgv1: SubGraphView) -> tuple[Any, Any]:
    """Makes `sgv1` take the place of `sgv0`; returns both."""
    return reroute_ios(sgv1, sgv0)[::-1]


def _check_op(op: Operation) -> Operation:
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return op


@_public("remove_control_inputs")
def remove_control_inputs(op: Operation, cops: Any) -> None:
    """Removes control inputs of an op.

    Args:
      op: the op.
      cops: an op or an iterable of ops.

    Raises:
      TypeError: if `op` is not an op.
      ValueError: if it does not wait for one of them.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    kept = list(op.control_inputs)
    for cop in cops:
        if cop not in kept:
            raise ValueError(f"{op.name} is not a control_input of {cop.name}")
        kept.remove(cop)
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


@_public("add_control_inputs")
def add_control_inputs(op: Operation, cops: Any) -> None:
    """Adds control inputs to an op.

    Args:
      op: the op.
      cops: an op or an iterable of ops.

    Raises:
      TypeError: if `op` is not an op.
      ValueError: if it waits for one of them already.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(cops)
