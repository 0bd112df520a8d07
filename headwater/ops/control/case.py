"""`tf.case`: the first of several functions whose predicate is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.older_calls import inserted
from headwater.base.typing import NestedTensors
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.math.axes import all_axes

Action = Callable[[], Any]


@export("case")
@inserted(3, False)
def case(
    pred_fn_pairs: Any,
    default: Action | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> NestedTensors:
    """Runs the ops of the function that belongs to the first predicate that is true.

    Args:
        pred_fn_pairs: a list or dict of (boolean scalar, function that builds the ops).
        default: the function if none is true; by default, the run fails then.
        exclusive: whether the run fails if more than one is true.
        strict: whether lists and tuples of one element come back as they are.
        name: a name scope.

    Returns:
        The values of the function that was chosen; all must return the same structure.

    Raises:
        TypeError: if an argument is of the wrong kind.
        ValueError: if the functions return different numbers or types of values.
    """
    return choose(partial(cond, strict=strict), pred_fn_pairs, default, exclusive, name)


def choose(
    one_of: Callable[..., Any],
    pairs: Any,
    default: Action | None,
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
) -> Tensor | float:
    """`case` on any function like `cond`.

    Args:
        one_of: function of a predicate, `true_fn` and `false_fn`.
        pairs: a list or dict of (predicate, function).
        default: the function if no predicate is true, or None.
        exclusive: whether at most one predicate may be true.
        name: a name scope.
        allow_python_preds: whether predicates may be Python bools.
    """
    predicates, actions = checked_pairs(pairs, exclusive, name, allow_python_preds)
    with name_scope(name, "case", list(predicates)):
        if default is None:
            default, predicates, actions = with_last_as_default(predicates, actions)
        action = default
        for predicate, function in reversed(list(zip(predicates, actions))):
            action = partial(one_of, predicate, true_fn=function, false_fn=action)
        if not exclusive:
            return action()
        with control_dependencies([at_most(1, predicates, "Input error: exclusive=True")]):
            return action()


def checked_pairs(
    pairs: Any, exclusive: bool, name: str, allow_python_preds: bool
) -> tuple[Sequence[Any], Sequence[Action]]:
    """The predicates and the functions.

    Raises:
        TypeError: if something is of the wrong kind.
    """
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError("fns must be a list, tuple, or dict")
    if isinstance(pairs, dict):
        if not exclusive:
            logging.warning(
                f"{name}: An unordered dictionary of predicate/fn pairs was provided, but "
                "exclusive=False. The order of conditional tests is deterministic but not "
                "guaranteed."
            )
        pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        predicate, function = pair
        if isinstance(predicate, Tensor):
            if predicate.dtype.base_dtype is not dtypes.bool_:
                raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        elif not allow_python_preds:
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        elif not isinstance(predicate, bool):
            raise TypeError(f"pred must be a Tensor or bool, got: {predicate}")
        if not callable(function):
            shown = predicate.name if isinstance(predicate, Tensor) else predicate
            raise TypeError(f"fn for pred {shown} must be callable.")
    predicates, actions = zip(*pairs)
    return predicates, actions


def with_last_as_default(
    predicates: Sequence[Any], actions: Sequence[Action]
) -> tuple[Action, Sequence[Any], Sequence[Action]]:
    """The last function as default, which fails if its predicate is false."""
    position = len(predicates) - 1

    def default() -> Tensor | float:
        others = (
            f"Implementation error: selected default action #{position} was called, but some of "
            "other predicates are True: "
        )
        message = (
            "Input error: None of conditions evaluated as True:",
            convert_to_tensor(list(predicates), name="preds_c"),
        )
        with control_dependencies(
            [
                at_most(0, predicates[:-1], others),
                assert_(predicates[-1], data=message),
            ]
        ):
            return actions[-1]()

    return default, predicates[:-1], actions[:-1]


def at_most(count: int, predicates: Sequence[Any], message: str) -> Operation:
    """An op that fails if more than `count` of the predicates are true."""
    packed = convert_to_tensor(list(predicates), name="preds_c")
    numbers = build.Cast(packed, DstT=dtypes.int32)
    number = build.Sum(numbers, all_axes(numbers), name="num_true_conds")
    condition = build.LessEqual(number, constant_node(count, name="n_true_conds"))
    names = ", ".join(getattr(predicate, "name", "?") for predicate in predicates)
    text = f"{message}: more than {count} conditions ({names}) evaluated as True:"
    return assert_(condition, data=[text, packed], summarize=len(predicates))
