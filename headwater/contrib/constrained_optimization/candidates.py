"""The best of several models, or of mixtures of them, by objectives and constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.lazy import scipy_optimize
from headwater.base.typing import Array

_SHAPES = (
    "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the number "
    "of candidates, and m is the number of constraints"
)


def _checked(objective_vector: Any, constraints_matrix: Any) -> tuple[Array, Array]:
    objectives, constraints = np.asarray(objective_vector), np.asarray(constraints_matrix)
    _, count = constraints.shape
    if objectives.shape != (count,):
        raise ValueError(_SHAPES)
    return objectives, constraints


def _ranks(values: Array) -> Array:
    """For each value, how many are smaller."""
    return np.searchsorted(np.sort(values), values)


@export("contrib.constrained_optimization.find_best_candidate_index")
def find_best_candidate_index(
    objective_vector: Any, constraints_matrix: Any, rank_objectives: bool = False
) -> int:
    """The candidate whose worst rank is best.

    A candidate has a rank for each constraint, by the amount of its violation. Of candidates with
    the same worst rank the one with the smallest objective is taken.

    Args:
        objective_vector: the objectives of the candidates.
        constraints_matrix: a row for each constraint; values above 0 violate it.
        rank_objectives: whether the rank of the objective counts as well.

    Returns:
        The index of the candidate.

    Raises:
        ValueError: if the shapes do not fit.
    """
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    ranks = [_ranks(row) for row in np.maximum(constraints, 0)]
    if rank_objectives:
        ranks.append(_ranks(objectives))
    worst = np.max(ranks, axis=0) if ranks else np.zeros(len(objectives))
    best = np.flatnonzero(worst == worst.min())
    smallest = best[objectives[best] == objectives[best].min()]
    return int(smallest[-1])


@export("contrib.constrained_optimization.find_best_candidate_distribution")
def find_best_candidate_distribution(
    objective_vector: Any, constraints_matrix: Any, epsilon: float = 0.0
) -> Array:
    """The mixture of candidates with the smallest objective that violates no constraint.

    If there is none, the violation that has to be allowed is found by bisection, or exactly if
    `epsilon` is 0.

    Args:
        objective_vector: the objectives of the candidates.
        constraints_matrix: a row for each constraint; values above 0 violate it.
        epsilon: how much larger than needed the violation may be.

    Returns:
        The weights of the candidates.

    Raises:
        ValueError: if the shapes do not fit, or `epsilon` is negative.
    """
    if epsilon < 0:
        raise ValueError("epsilon must be nonnegative")
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    found = _mixture(objectives, constraints, 0.0)
    if found is not None:
        return found
    upper = float(np.maximum(constraints, 0).max(axis=0).min())
    if epsilon == 0:
        upper = _least_violation(constraints)
    found = _mixture(objectives, constraints, upper)
    lower = 0.0
    while epsilon and upper - lower > epsilon:
        middle = (lower + upper) / 2
        better = _mixture(objectives, constraints, middle)
        if better is None:
            lower = middle
        else:
            found, upper = better, middle
    assert found is not None
    return found


def _mixture(objectives: Array, constraints: Array, violation: float) -> Array | None:
    """The best weights where no constraint is violated by more, or None."""
    count = len(objectives)
    result = scipy_optimize.linprog(
        objectives,
        A_ub=constraints if len(constraints) else None,
        b_ub=np.full(len(constraints), violation + 1e-12) if len(constraints) else None,
        A_eq=np.ones((1, count)),
        b_eq=[1.0],
    )
    return np.asarray(result.x) if result.success else None


def _least_violation(constraints: Array) -> float:
    """The smallest violation that a mixture can have."""
    rows, count = constraints.shape
    result = scipy_optimize.linprog(
        np.r_[np.zeros(count), 1.0],
        A_ub=np.c_[constraints, -np.ones(rows)],
        b_ub=np.zeros(rows),
        A_eq=np.r_[np.ones(count), 0.0][None],
        b_eq=[1.0],
    )
    return float(result.x[-1])
