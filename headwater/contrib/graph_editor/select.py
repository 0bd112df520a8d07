"""Selection of ops and tensors by name, by filter and by walks along edges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.graph_editor import util
from headwater.graph import Graph, Operation, Tensor

if TYPE_CHECKING:
    from headwater.contrib.graph_editor.util import ControlOutputs

_PACKAGE = "contrib.graph_editor"
string_types = (str,)


def _public(*names: str) -> Callable[[Any], Any]:
    return export(*(f"{_PACKAGE}.{place}{name}" for name in names for place in ("", "select.")))


@_public("can_be_regex")
def can_be_regex(obj: Any) -> bool:
    """Tells whether an object is a text or a compiled regular expression.

    Args:
      obj: the object.

    Returns:
      True or False.
    """
    return isinstance(obj, str | re.Pattern)


@_public("make_regex")
def make_regex(obj: Any) -> re.Pattern[str]:
    """Compiles a regular expression, if it is not compiled.

    Args:
      obj: a text or a compiled regular expression.

    Returns:
      A compiled regular expression.

    Raises:
      ValueError: if it is none.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj) if isinstance(obj, str) else obj


def _get_input_ts(ops: Any) -> list[Tensor]:
    """The input tensors of ops, each once."""
    return list(dict.fromkeys(t for op in util.make_list_of_op(ops) for t in op.inputs))


def _get_output_ts(ops: Any) -> list[Tensor]:
    """The output tensors of ops."""
    return [t for op in util.make_list_of_op(ops) for t in op.outputs]


@_public("filter_ts")
def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """Selects tensors that ops make or use.

    Args:
      ops: ops, or a graph.
      positive_filter: a function of a tensor that tells whether to take it, or True for all.

    Returns:
      A list of tensors.
    """
    ops = util.make_list_of_op(ops)
    ts = util.concatenate_unique(_get_input_ts(ops), _get_output_ts(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


@_public("filter_ts_from_regex")
def filter_ts_from_regex(ops: Graph, regex: Any) -> list[Tensor]:
    """Selects tensors that ops make or use, by name.

    Args:
      ops: ops, or a graph.
      regex: a regular expression that is found in the names.

    Returns:
      A list of tensors.
    """
    pattern = make_regex(regex)
    return filter_ts(ops, positive_filter=lambda t: pattern.search(t.name))


@_public("filter_ops")
def filter_ops(ops: Any, positive_filter: Callable[..., Any]) -> list[Operation]:
    """Selects ops.

    Args:
      ops: ops, or a graph.
      positive_filter: a function of an op that tells whether to take it, or True for all.

    Returns:
      A list of ops.
    """
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


@_public("filter_ops_from_regex")
def filter_ops_from_regex(ops: Graph, regex: Any) -> list[Operation]:
    """Selects ops by name.

    Args:
      ops: ops, or a graph.
      regex: a regular expression that is found in the names.

    Returns:
      A list of ops.
    """
    pattern = make_regex(regex)
    return filter_ops(ops, positive_filter=lambda op: pattern.search(op.name))


@_public("get_name_scope_ops")
def get_name_scope_ops(ops: Graph, scope: str) -> list[Operation]:
    """Selects the ops of a name scope.

    Args:
      ops: ops, or a graph.
      scope: the scope, with or without a slash at its end.

    Returns:
      A list of ops.
    """
    return filter_ops_from_regex(ops, f"^{re.escape(scope.removesuffix('/'))}(/.*)?$")


@_public("check_cios")
def check_cios(
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: ControlOutputs | None = None,
) -> tuple[bool, Any]:
    """Checks the arguments for control edges.

    Args:
      control_inputs: whether control edges into ops count.
      control_outputs: a ControlOutputs, if control edges out of ops count, or None.
      control_ios: a ControlOutputs, if both count, or None.

    Returns:
      `control_inputs` and `control_outputs`.

    Raises:
      TypeError: if one of the latter two is not a ControlOutputs.
      ValueError: if `control_ios` and `control_outputs` are given.
    """
    for given in (control_outputs, control_ios):
        if given is not None and not isinstance(given, util.ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


@_public("get_ops_ios")
def get_ops_ios(
    ops: Any,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> list[Operation]:
    """Returns the ops before and behind ops.

    Args:
      ops: an op or an iterable of ops.
      control_inputs: whether control edges into ops count.
      control_outputs: a ControlOutputs, if control edges out of ops count, or None.
      control_ios: a ControlOutputs, if both count, or None.

    Returns:
      A list of ops.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found: list[Operation] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(found, [t.op for t in op.inputs])
        for t in op.outputs:
            util.concatenate_unique(found, t.consumers())
        if control_outputs is not None:
            util.concatenate_unique(found, control_outputs.get(op))
        if control_inputs:
            util.concatenate_unique(found, op.control_inputs)
    return found


@_public("compute_boundary_ts")
def compute_boundary_ts(
    ops: Sequence[Operation],
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """Returns the tensors that enter, leave, and stay inside of a set of ops.

    Args:
      ops: an op or an iterable of ops.

    Returns:
      Three lists: tensors used by the ops but made by none of them; tensors that they make and
      that other ops use or that are unused; tensors that they make and use.
    """
    ops = util.make_list_of_op(ops)
    input_ts, output_ts = _get_input_ts(ops), _get_output_ts(ops)
    made, used, inside = set(output_ts), set(input_ts), set(ops)
    outside_input_ts = [t for t in input_ts if t not in made]
    inside_ts = [t for t in output_ts if t in used]
    outside_output_ts = [
        t for t in output_ts if t not in used or any(op not in inside for op in t.consumers())
    ]
    return outside_input_ts, outside_output_ts, inside_ts


@_public("get_within_boundary_ops")
def get_within_boundary_ops(
    ops: Graph,
    seed_ops: Operation,
    boundary_ops: Sequence[Operation] = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: ControlOutputs | None = None,
) -> list[Operation]:
    """Returns the ops that are reached from some without going through a boundary.

    Args:
      ops: the ops to stay in, or a graph.
      seed_ops: where to begin.
      boundary_ops: the ops of the boundary.
      inclusive: whether the ops of the boundary that are reached belong to the result.
      control_inputs: whether control edges into ops count.
      control_outputs: a ControlOutputs, if control edges out of ops count, or None.
      control_ios: a ControlOutputs, if both count, or None.

    Returns:
      A list of ops.

    Raises:
      ValueError: if an op of the boundary is also where to begin.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    within = util.make_list_of_op(ops)
    seeds = util.make_list_of_op(seed_ops, allow_graph=False)
    boundary = set(util.make_list_of_op(boundary_ops))
    found = set(seeds)
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    wave = set(seeds)
    while wave:
        around = get_ops_ios(wave, control_inputs, control_outputs)
        wave = set()
        for op in around:
            if op in found:
                continue
            if op in boundary:
                if inclusive:
                    found.add(op)
            else:
                wave.add(op)
        found |= wave
    return [op for op in within if op in found]


def _within(
    within_ops: Sequence[Operation] | None, within_ops_fn: Callable[..., Any] | None
) -> Callable[[Operation], bool]:
    """A function that tells whether a walk may go to an op."""
    allowed = None
    if within_ops:
        allowed = frozenset(util.make_list_of_op(within_ops, allow_graph=False))
    return lambda op: (
        (within_ops_fn is None or within_ops_fn(op)) and (allowed is None or op in allowed)
    )


def _walk(
    seeds: list[Operation],
    following: Callable[[Operation], Iterable[Operation]],
    is_within: Callable[[Operation], bool],
    inclusive: bool,
) -> list[Operation]:
    seen: dict[Operation, None] = {op: None for op in seeds if is_within(op)}
    wave = list(seen)
    while wave:
        new_wave = []
        for op in wave:
            for other in following(op):
                if other not in seen and is_within(other):
                    seen[other] = None
                    new_wave.append(other)
        wave = new_wave
    excluded = set() if inclusive else set(seeds)
    return [op for op in seen if op not in excluded]


def _seeds(seed_ops: Any, ops_of_ts: Callable[[Any], list[Operation]]) -> list[Operation]:
    """The seed ops of a walk, given as ops or tensors."""
    items = list(seed_ops) if util.is_iterable(seed_ops) else [seed_ops]
    if items and isinstance(items[0], Tensor):
        return ops_of_ts(util.make_list_of_t(items, allow_graph=False))
    return util.make_list_of_op(items, allow_graph=False)


@_public("get_forward_walk_ops")
def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    stop_at_ts: TensorLike = (),
    control_outputs: ControlOutputs | None = None,
) -> list[Operation]:
    """Returns the ops that depend on others.

    Args:
      seed_ops: where to begin: ops, or tensors.
      inclusive: whether these belong to the result.
      within_ops: the ops to stay in, or None.
      within_ops_fn: a function of an op that tells whether to go there, or None.
      stop_at_ts: tensors beyond which not to go.
      control_outputs: a ControlOutputs, if control edges count, or None.

    Returns:
      A list of ops.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = frozenset(util.make_list_of_t(stop_at_ts))

    def following(op: Operation) -> list[Operation]:
        found = [c for t in op.outputs if t not in stops for c in t.consumers()]
        return found if control_outputs is None else found + control_outputs.get(op)

    seeds = _seeds(seed_ops, util.get_consuming_ops)
    return _walk(seeds, following, _within(within_ops, within_ops_fn), inclusive)


@_public("get_backward_walk_ops")
def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Sequence[Operation] | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> list[Operation]:
    """Returns the ops that others depend on.

    Args:
      seed_ops: where to begin: ops, or tensors.
      inclusive: whether these belong to the result.
      within_ops: the ops to stay in, or None.
      within_ops_fn: a function of an op that tells whether to go there, or None.
      stop_at_ts: tensors beyond which not to go.
      control_inputs: whether control edges count.

    Returns:
      A list of ops.
    """
    control_inputs, _ = check_cios(control_inputs, None)
    stops = frozenset(util.make_list_of_t(stop_at_ts))

    def following(op: Operation) -> list[Operation]:
        found = [t.op for t in op.inputs if t not in stops]
        return found + op.control_inputs if control_inputs else found

    seeds = _seeds(seed_ops, util.get_generating_ops)
    return _walk(seeds, following, _within(within_ops, within_ops_fn), inclusive)


def _both_walks(
    forward_seed_ops: Sequence[Tensor | Operation],
    backward_seed_ops: Sequence[Tensor | Operation],
    forward_inclusive: bool,
    backward_inclusive: bool,
    within_ops: Any,
    within_ops_fn: Any,
    control: tuple[bool, Any],
) -> tuple[list[Operation], list[Operation]]:
    forward = get_forward_walk_ops(
        forward_seed_ops,
        inclusive=forward_inclusive,
        within_ops=within_ops,
        within_ops_fn=within_ops_fn,
        control_outputs=control[1],
    )
    backward = get_backward_walk_ops(
        backward_seed_ops,
        inclusive=backward_inclusive,
        within_ops=within_ops,
        within_ops_fn=within_ops_fn,
        control_inputs=control[0],
    )
    return forward, backward


@_public("get_walks_intersection_ops")
def get_walks_intersection_ops(
    forward_seed_ops: Sequence[Tensor | Operation],
    backward_seed_ops: Sequence[Tensor | Operation],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: ControlOutputs | None = None,
) -> list[Operation]:
    """Returns the ops that depend on some ops and that others depend on.

    Args:
      forward_seed_ops: ops or tensors.
      backward_seed_ops: ops or tensors.
      forward_inclusive: whether the former belong to the ops that depend on them.
      backward_inclusive: whether the latter belong to the ops that they depend on.
      within_ops: the ops to stay in, or None.
      within_ops_fn: a function of an op that tells whether to go there, or None.
      control_inputs: whether control edges into ops count.
      control_outputs: a ControlOutputs, if control edges out of ops count, or None.
      control_ios: a ControlOutputs, if both count, or None.

    Returns:
      A list of ops.
    """
    forward, backward = _both_walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )
    behind = set(backward)
    return [op for op in forward if op in behind]


@_public("get_walks_union_ops")
def get_walks_union_ops(
    forward_seed_ops: Sequence[Operation],
    backward_seed_ops: Sequence[Operation],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """Returns the ops that depend on some ops, and those that others depend on.

    Args:
      forward_seed_ops: ops or tensors.
      backward_seed_ops: ops or tensors.
      forward_inclusive: whether the former belong to the result.
      backward_inclusive: whether the latter belong to the result.
      within_ops: the ops to stay in, or None.
      within_ops_fn: a function of an op that tells whether to go there, or None.
      control_inputs: whether control edges into ops count.
      control_outputs: a ControlOutputs, if control edges out of ops count, or None.
      control_ios: a ControlOutputs, if both count, or None.

    Returns:
      A list of ops.
    """
    forward, backward = _both_walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )
    return util.concatenate_unique(forward, backward)


def _options(kwargs: dict[str, Any], restrict: str) -> tuple[Any, Any, Any]:
    """Takes the graph, the filter of regular expressions and the filter of elements."""
    graph = kwargs.pop("graph", None)
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    positive_filter = kwargs.pop("positive_filter", None)
    restricted = kwargs.pop(restrict, False)
    if kwargs:
        raise ValueError(f"Wrong keywords argument: {next(iter(kwargs))}.")
    return graph, positive_filter, restricted


_NO_GRAPH = "Use the keyword argument 'graph' to use regex."


@_public("select_ops")
def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Selects ops.

    Args:
      *args: regular expressions for names, ops, and lists of ops.
      **kwargs: `graph`, where to look for names; `positive_filter`, a function of an op that tells
        whether to take it; `restrict_ops_regex`, whether only expressions that begin with "(?#ops)"
        count.

    Returns:
      A list of ops.

    Raises:
      TypeError: if `graph` is not a Graph.
      ValueError: if an argument is of another kind, or there is no graph to look for names.
    """
    graph, positive_filter, restricted = _options(kwargs, "restrict_ops_regex")
    found: list[Operation] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError(_NO_GRAPH)
            pattern = make_regex(arg)
            if pattern.pattern.startswith("(?#ts)"):
                continue
            if restricted and not pattern.pattern.startswith("(?#ops)"):
                continue
            chosen = filter_ops_from_regex(graph, pattern)
        else:
            chosen = util.make_list_of_op(arg)
        if positive_filter is not None:
            chosen = [op for op in chosen if positive_filter(op)]
        util.concatenate_unique(found, chosen)
    return found


@_public("select_ts")
def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Selects tensors.

    Args:
      *args: regular expressions for names, tensors, and lists of tensors.
      **kwargs: `graph`, where to look for names; `positive_filter`, a function of a tensor that
        tells whether to take it; `restrict_ts_regex`, whether only expressions that begin with
        "(?#ts)" count.

    Returns:
      A list of tensors.

    Raises:
      TypeError: if `graph` is not a Graph.
      ValueError: if an argument is of another kind, or there is no graph to look for names.
    """
    graph, positive_filter, restricted = _options(kwargs, "restrict_ts_regex")
    found: list[Tensor] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError(_NO_GRAPH)
            pattern = make_regex(arg)
            if pattern.pattern.startswith("(?#ops)"):
                continue
            if restricted and not pattern.pattern.startswith("(?#ts)"):
                continue
            chosen = filter_ts_from_regex(graph, pattern)
        else:
            chosen = util.make_list_of_t(arg)
        if positive_filter is not None:
            chosen = [t for t in chosen if positive_filter(t)]
        util.concatenate_unique(found, chosen)
    return found


@_public("select_ops_and_ts")
def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Operation], list[Tensor]]:
    """Selects ops and tensors.

    Args:
      *args: regular expressions for names of ops, or behind "(?#ts)" of tensors; ops, tensors and
        lists of them.
      **kwargs: `graph`, where to look for names; `positive_filter`, a function of an op or tensor
        that tells whether to take it.

    Returns:
      A list of ops and a list of tensors.

    Raises:
      TypeError: if `graph` is not a Graph.
      ValueError: if an argument is of another kind, or there is no graph to look for names.
    """
    kinds: tuple[list[Any], list[Any]] = ([], [])
    for arg in args:
        if can_be_regex(arg):
            kinds[make_regex(arg).pattern.startswith("(?#ts)")].append(arg)
            continue
        for item in list(arg) if util.is_iterable(arg) else [arg]:
            kinds[isinstance(item, Tensor)].append(item)
    return select_ops(*kinds[0], **kwargs), select_ts(*kinds[1], **kwargs)
