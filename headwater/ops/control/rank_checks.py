"""Checks of ranks, made while the graph is built where that is possible."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.control.assertion import assert_
from headwater.ops.control.type_checks import assert_type


def _check(
    x: Tensor,
    ranks: list[Tensor],
    requirement: str,
    holds: Callable[[int], bool] | None,
    condition: Callable[[Tensor], Tensor],
    wanted: str,
    data: Sequence[TensorLike],
    summarize: int | None,
    message: str,
) -> Operation:
    """An op that fails unless a tensor has a fitting rank.

    Args:
        x: the tensor.
        ranks: the ranks that it is compared with.
        requirement: the requirement in words.
        holds: tells whether a rank fits; None if `ranks` are not known yet.
        condition: makes the node that tells whether a rank fits.
        wanted: the known ranks in words.
        data: what the error shows instead.
        summarize: how many elements it shows of each.
        message: what the error begins with.
    """
    rank = x.shape.ndims
    if holds is not None and rank is not None:
        if not holds(rank):
            raise ValueError(
                f"{message}.  Tensor {x.name} must have {requirement} {wanted}.  Received rank "
                f"{rank}, shape {x.shape}"
            )
        return build.NoOp(name="static_checks_determined_all_ok")
    fits = condition(rank_tensor(x))
    for given in ranks:
        if constant_value(given) is None:
            scalar = ["Rank must be a scalar. Received rank: ", given]
            fits = with_dependencies([assert_rank(given, 0, data=scalar)], fits)
    return assert_(fits, data, summarize=summarize)


def _known(ranks: list[Tensor]) -> list[Any] | None:
    """The values of ranks, if all are known."""
    for rank in ranks:
        assert_type(rank, dtypes.int32)
    values = [constant_value(rank) for rank in ranks]
    known = [value for value in values if value is not None]
    if any(value.ndim for value in known):
        raise ValueError("Rank must be a scalar.")
    return known if len(known) == len(ranks) else None


@export("assert_rank", "debugging.assert_rank")
def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that a tensor has a rank.

    Args:
        x: a tensor.
        rank: a scalar int32 tensor.
        data: tensors that the error shows; by default the rank and the shape.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the rank differs; it does nothing if the rank is known.

    Raises:
        ValueError: if the known rank differs, or `rank` is not a scalar.
        TypeError: if `rank` is not of type int32.
    """
    with name_scope(name, "assert_rank", [x, rank, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        rank = convert_to_tensor(rank, name="rank")
        message = message or ""
        what = f"Tensor {x.name} must have rank"
        data = data or [message, what, rank, "Received shape: ", shape_tensor(x)]
        known = _known([rank])
        holds = None if known is None else lambda found: found == known[0]
        condition = functools.partial(_equal_to, rank)
        return _check(x, [rank], "rank", holds, condition, _words(known), data, summarize, message)


def _words(known: list[Any] | None) -> str:
    return "" if known is None else str(known[0])


def _equal_to(rank: Tensor, found: Tensor) -> Tensor:
    return build.Equal(found, rank)


@export("assert_rank_at_least", "debugging.assert_rank_at_least")
def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that a tensor has a rank or a higher one.

    Args:
        x: a tensor.
        rank: a scalar int32 tensor.
        data: tensors that the error shows; by default the rank and the shape.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the rank is lower; it does nothing if the rank is known.

    Raises:
        ValueError: if the known rank is lower, or `rank` is not a scalar.
        TypeError: if `rank` is not of type int32.
    """
    with name_scope(name, "assert_rank_at_least", [x, rank, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        rank = convert_to_tensor(rank, name="rank")
        message = message or ""
        what = f"Tensor {x.name} must have rank at least"
        data = data or [message, what, rank, "Received shape: ", shape_tensor(x)]
        known = _known([rank])
        return _check(
            x,
            [rank],
            "rank at least",
            None if known is None else lambda found: found >= known[0],
            lambda found: build.GreaterEqual(found, rank),
            _words(known),
            data,
            summarize,
            message,
        )


@export("assert_rank_in", "debugging.assert_rank_in")
def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[TensorLike],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that a tensor has one of several ranks.

    Args:
        x: a tensor.
        ranks: scalar int32 tensors.
        data: tensors that the error shows; by default the ranks and the shape.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the rank differs from all; it does nothing if it is known.

    Raises:
        ValueError: if the known rank differs from all, or one of `ranks` is not a scalar.
        TypeError: if one of `ranks` is not of type int32.
    """
    with name_scope(name, "assert_rank_in", [x, *ranks, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        given = [convert_to_tensor(rank, name="rank") for rank in ranks]
        message = message or ""
        what = f"Tensor {x.name} must have rank in"
        data = data or [message, what, *given, "Received shape: ", shape_tensor(x)]
        known = _known(given)
        return _check(
            x,
            given,
            "rank in",
            None if known is None else lambda found: found in known,
            lambda found: functools.reduce(
                build.LogicalOr, [build.Equal(rank, found) for rank in given]
            ),
            str(tuple(known or ())),
            data,
            summarize,
            message,
        )


@export("assert_scalar", "debugging.assert_scalar", "contrib.framework.assert_scalar")
def assert_scalar(
    tensor: TensorLike, name: str | None = None, message: str | None = None
) -> Tensor:
    """Checks that a tensor is known to be a scalar.

    Args:
        tensor: a tensor.
        name: a name scope.
        message: what the error begins with.

    Returns:
        The tensor.

    Raises:
        ValueError: if its shape is another one or unknown.
    """
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.ndims != 0:
            raise ValueError(
                f"{message or ''}Expected scalar shape for {tensor.name}, saw shape: "
                f"{tensor.shape}."
            )
        return tensor
