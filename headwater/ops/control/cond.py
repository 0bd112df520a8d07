"""`tf.cond`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.older_calls import inserted
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import IndexedSlices, SparseTensor, Tensor, build, export, name_scope
from headwater.graph.control_flow.cond_context import CondContext
from headwater.graph.control_flow.flows import with_flows
from headwater.graph.control_flow.nodes import merge, switch, with_int64_indices
from headwater.graph.default_graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys


@export("cond")
@inserted(3, False)
def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> NestedTensors:
    """Runs the ops of one of two functions.

    Args:
        pred: a boolean scalar.
        true_fn: builds the ops that run if `pred` is true; returns tensors, sparse tensors,
            IndexedSlices, TensorArrays or ops, or a nested structure of them.
        false_fn: builds the ops that run if it is false; returns the same structure.
        strict: whether lists and tuples of one element come back as they are.
        name: a name scope.
        fn1: the old name of `true_fn`.
        fn2: the old name of `false_fn`.

    Returns:
        The values of the function that was chosen, in its structure.

    Raises:
        TypeError: if an argument is missing or cannot be called, or `pred` is a Python bool.
        ValueError: if the functions return different numbers or types of values.

    Example:
        >>> x = tf.constant(2)
        >>> print(tf.cond(x < 5, lambda: x * 10, lambda: x - 1).eval())
        20
    """
    true_fn = _one_of(true_fn, fn1, "true_fn", "fn1")
    false_fn = _one_of(false_fn, fn2, "false_fn", "fn2")
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        graph = get_default_graph()
        if_false, if_true = switch(pred, pred)
        pivot_true = build.Identity(if_true, name="switch_t")
        pivot_false = build.Identity(if_false, name="switch_f")
        pred = build.Identity(pred, name="pred_id")
        for tensor in (if_true, if_false, pivot_true, pivot_false, pred):
            graph.prevent_fetching(tensor.op)
        original, on_true, inner = _branch(CondContext(pred, pivot_true, 1), true_fn, "true_fn")
        other, on_false, inner_false = _branch(
            CondContext(pred, pivot_false, 0), false_fn, "false_fn"
        )
        if not strict:
            original, other = unpacked(original), unpacked(other)
        original, on_true, on_false = _checked(original, other, on_true, on_false)
        merges = [merge(pair)[0] for pair in zip(on_false, on_true)]
        if inner.outer_context is None:
            graph.add_to_collection(GraphKeys.COND_CONTEXT, inner)
            graph.add_to_collection(GraphKeys.COND_CONTEXT, inner_false)
        leaves = nest.flatten(original, expand_composites=True)
        result = nest.pack_sequence_as(original, with_flows(leaves, merges), expand_composites=True)
        return result if strict else unpacked(result)


def _one_of(
    function: Callable[..., Any] | None, old: Callable[..., Any] | None, name: str, old_name: str
) -> Callable[[], Any]:
    if old is not None:
        if function is not None:
            raise TypeError(f"cond(): {name} and {old_name} may not be set simultaneously.")
        function = old
    elif function is None:
        raise TypeError(f"cond(): {name} argument required")
    if not callable(function):
        raise TypeError(f"{name} must be callable.")
    return function


def _branch(
    context: CondContext, function: Callable[[], Any], name: str
) -> tuple[Any, Any, CondContext]:
    """Builds one branch: what the function returns, the tensors of it, and the context."""
    try:
        context.Enter()
        original, tensors = context.BuildCondBranch(function)
        if original is None:
            raise ValueError(f"{name} must have a return value.")
        context.ExitResult(tensors)
    finally:
        context.Exit()
    return original, tensors, context


def unpacked(result: Any) -> Any:
    """The element of a list or tuple of one."""
    if isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _checked(
    original: Any, other: Any, on_true: Sequence[Any], on_false: Sequence[Any]
) -> tuple[Any, list[Tensor], list[Tensor]]:
    """The results of the first branch, and the flat tensors of both, which must fit."""
    try:
        nest.assert_same_structure(original, other, expand_composites=True)
    except (TypeError, ValueError):
        original, other = _with_equal_indices(original, other)
        on_true, on_false = _with_equal_indices(on_true, on_false)
        try:
            nest.assert_same_structure(original, other, expand_composites=True)
        except TypeError as error:
            raise TypeError(f"Incompatible return types of true_fn and false_fn: {error}") from None
        except ValueError as error:
            raise ValueError(
                f"Incompatible return values of true_fn and false_fn: {error}"
            ) from None
    if not on_true:
        raise ValueError("true_fn and false_fn must return at least one result.")
    flat_true = nest.flatten(on_true, expand_composites=True)
    flat_false = nest.flatten(on_false, expand_composites=True)
    for x, y in zip(flat_true, flat_false):
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{x.dtype.name}, {y.dtype.name}"
            )
    return original, flat_true, flat_false


def _with_equal_indices(x: Any, y: Any) -> tuple[Any, Any]:
    """Both structures, with IndexedSlices in the same position given one index type."""
    nest.assert_same_structure(x, y)
    pairs = [_equal_indices(a, b) for a, b in zip(nest.flatten(x), nest.flatten(y))]
    return (
        nest.pack_sequence_as(x, [a for a, _ in pairs]),
        nest.pack_sequence_as(y, [b for _, b in pairs]),
    )


def _equal_indices(a: IndexedSlices | SparseTensor, b: Tensor | IndexedSlices) -> tuple[Any, Any]:
    if not (isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices)):
        return a, b
    if a.indices.dtype == b.indices.dtype:
        return a, b
    return with_int64_indices(a), with_int64_indices(b)
