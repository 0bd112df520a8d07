"""An order of equations in which few values live long, and which equations are not worth fusing.

XLA makes a kernel of each small piece that is concatenated, which takes 13 ms to compile. Without
fusion, pieces share kernels: one for all products, one for all sines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_CONCATENATIONS = frozenset({"concatenate", "stack"})
_RESHAPES = frozenset({"broadcast_in_dim", "reshape", "squeeze", "expand_dims"})
# Concatenations of fewer computed pieces compile fast enough.
_MIN_PIECES = 64
# Pieces of more equations, on average, would be slow without fusion; so would larger ones.
_EQUATIONS_PER_PIECE = 8
_PIECE_BYTES = 1 << 12
_PIECE_WEIGHT = 8


class Group(NamedTuple):
    """Consecutive equations, and whether XLA may fuse them."""

    equations: list[Any]
    fuses: bool


class _Tree(NamedTuple):
    """An equation with the equations that only it needs, directly or not.

    Attributes:
        size: the number of equations.
        pieces: how many computed pieces its concatenations join.
        is_small: whether all of them work on little.
        computes: whether one of them does more than to change a shape.
    """

    size: int
    pieces: int
    is_small: bool
    computes: bool


def groups_of(equations: Sequence[Any], results: Sequence[Any], weights: list[int]) -> list[Group]:
    """The equations in an order in which each one stands close before the one that needs it.

    Args:
        equations: the equations of a jaxpr.
        results: the variables that it returns.
        weights: how many equations each one stands for.

    Returns:
        Groups of equations in an order in which they can be executed.
    """
    owners = _owners(equations, results)
    children: list[list[int]] = [[] for _ in equations]
    for position, owner in enumerate(owners):
        if owner is not None:
            children[owner].append(position)
    trees: list[_Tree] = []
    for position, equation in enumerate(equations):
        trees.append(_tree(equation, weights[position], [trees[c] for c in children[position]]))
    roots = [_is_group(e, t) for e, t in zip(equations, trees)]
    # The root of the group of each equation that is not fused.
    group_of: list[int | None] = [None] * len(equations)
    for position in range(len(equations) - 1, -1, -1):
        owner = owners[position]
        outer = group_of[owner] if owner is not None else None
        joins = _is_concatenation(equations[position])
        if outer is not None and (joins or trees[position].is_small):
            group_of[position] = outer
        elif roots[position]:
            group_of[position] = position
    return _grouped(equations, _post_order(owners, children), group_of)


def _owners(equations: Sequence[Any], results: Sequence[Any]) -> list[int | None]:
    """For each equation the position of the only one that uses what it makes, if there is one."""
    users: dict[Any, set[int]] = {}
    for position, equation in enumerate(equations):
        for variable in equation.invars:
            if not hasattr(variable, "val"):
                users.setdefault(variable, set()).add(position)
    for variable in results:
        if not hasattr(variable, "val"):
            users.setdefault(variable, set()).add(-1)
    owners: list[int | None] = []
    for equation in equations:
        found = set().union(*(users.get(v, ()) for v in equation.outvars))
        only = found.pop() if len(found) == 1 else -1
        owners.append(only if only >= 0 else None)
    return owners


def _tree(equation: Any, weight: int, children: list[_Tree]) -> _Tree:
    if _is_concatenation(equation):
        # Large pieces do not belong to the group.
        small = [c for c in children if c.is_small or c.pieces]
        pieces = sum(c.pieces or c.computes for c in small)
        is_small = len(small) == len(children) and _is_little(equation, weight)
        return _Tree(1 + sum(c.size for c in small), pieces, is_small, True)
    is_small = _is_little(equation, weight) and all(c.is_small for c in children)
    computes = equation.primitive.name not in _RESHAPES or any(c.computes for c in children)
    return _Tree(1 + sum(c.size for c in children), 0, is_small, computes)


def _is_group(equation: Any, tree: _Tree) -> bool:
    return (
        _is_concatenation(equation)
        and tree.pieces >= _MIN_PIECES
        and tree.size <= _EQUATIONS_PER_PIECE * tree.pieces
    )


def _is_concatenation(equation: Any) -> bool:
    return bool(equation.primitive.name in _CONCATENATIONS)


def _is_little(equation: Any, weight: int) -> bool:
    """Whether an equation and what it calls work on few elements."""
    return weight <= _PIECE_WEIGHT and all(size_of(v) <= _PIECE_BYTES for v in equation.outvars)


def size_of(variable: Any) -> int:
    """The bytes of a variable."""
    aval = variable.aval
    return int(aval.size) * int(getattr(aval.dtype, "itemsize", 0))


def _post_order(owners: list[int | None], children: list[list[int]]) -> Iterator[int]:
    """The positions of all equations, each right after its tree."""
    for root, owner in enumerate(owners):
        if owner is not None:
            continue
        stack = [(root, iter(children[root]))]
        while stack:
            position, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                yield position
                stack.pop()
            else:
                stack.append((child, iter(children[child])))


def _grouped(
    equations: Sequence[Any], order: Iterator[int], group_of: list[int | None]
) -> list[Group]:
    groups: list[Group] = []
    held: dict[int, list[Any]] = {}

    def add(found: list[Any], fuses: bool) -> None:
        if groups and groups[-1].fuses is fuses:
            groups[-1].equations.extend(found)
        else:
            groups.append(Group(found, fuses))

    for position in order:
        root = group_of[position]
        if root is None:
            add([equations[position]], True)
            continue
        held.setdefault(root, []).append(equations[position])
        if root == position:
            add(held.pop(root), False)
    return groups
