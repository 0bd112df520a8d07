"""Weights of the objective and the constraints from the stationary distribution of a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.contrib.constrained_optimization.optimizer import GameOptimizer
from headwater.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from headwater.contrib.constrained_optimization.projections import onto_simplex
from headwater.graph import Tensor, build
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import reshape
from headwater.ops.control.while_loop import while_loop
from headwater.train.optimizers.optimizer import Optimizer

_PRECISION = 1e-6
_ITERATIONS = 100


def stationary_distribution(matrix: Tensor) -> Tensor:
    """The distribution that a column-stochastic matrix leaves as it is, by power iteration.

    Args:
        matrix: a matrix [n, n] whose columns have the sum 1.

    Returns:
        A vector of the sum 1.
    """
    size = matrix.shape[0].value

    def step(count: Tensor, vector: Tensor, _: Tensor) -> Any:
        product = reshape(build.MatMul(matrix, build.ExpandDims(vector, 1)), [size])
        following = product / build.Sqrt(build.Sum(build.Square(product), 0))
        return count + 1, following, build.Sum(build.Square(following - vector), 0)

    first = constant(np.full(size, size**-0.5, np.float32))
    _, vector, _ = while_loop(
        lambda count, _, moved: build.LogicalAnd(
            count < _ITERATIONS, moved > _PRECISION * _PRECISION
        ),
        step,
        (constant(0), first, constant(1.0)),
    )
    sizes = build.Abs(vector)
    return sizes / build.Sum(sizes, 0)


class SwapRegretOptimizer(GameOptimizer):
    """Minimizes a weighted sum of objective and constraints, whose weights learn by swap regret.

    The algorithm is that of Cotter, Jiang and Sridharan, "Two-Player Games for Efficient
    Non-Convex Constrained Optimization". Subclasses say how the matrix is kept.
    """

    def _initial_state(self, size: int) -> np.ndarray:
        raise NotImplementedError

    def _matrix(self, state: Any) -> Tensor:
        raise NotImplementedError

    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any,
        name: str | None,
        options: dict[str, Any],
    ) -> Any:
        count = minimization_problem.num_constraints
        initial = self._initial_state(count + 1).astype(np.float32)
        state = Variable(
            lambda: constant(initial),
            trainable=False,
            name="swap_regret_optimizer_state",
            use_resource=True,
        )
        objective = reshape(minimization_problem.objective, [1])
        constraints = reshape(minimization_problem.constraints, [count])
        proxies = minimization_problem.proxy_constraints
        proxies = constraints if proxies is None else reshape(proxies, [count])
        matrix = self._matrix(state)
        weights = build.StopGradient(stationary_distribution(matrix))
        loss = build.Sum(weights * concat([objective, proxies], 0), [0])
        violations = concat([build.ZerosLike(objective), constraints], 0)
        gradient = -build.MatMul(build.ExpandDims(violations, 1), build.ExpandDims(weights, 0))
        return self._apply(loss, state, gradient, global_step, name, options)


@export("contrib.constrained_optimization.AdditiveSwapRegretOptimizer")
class AdditiveSwapRegretOptimizer(SwapRegretOptimizer):
    """Minimizes under constraints; gradient steps and projections move the matrix of weights.

    Args:
        optimizer: the optimizer of the model.
        constraint_optimizer: that of the matrix; None for the same.
    """

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None) -> None:
        super().__init__(optimizer, constraint_optimizer)

    def _initial_state(self, size: int) -> np.ndarray:
        initial = np.zeros((size, size))
        initial[0] = 1
        return initial

    def _matrix(self, state: Any) -> Tensor:
        return build.Identity(state)

    def _projected(self, state: Any) -> Any:
        return state.assign(onto_simplex(build.Identity(state), 1.0)).op


@export("contrib.constrained_optimization.MultiplicativeSwapRegretOptimizer")
class MultiplicativeSwapRegretOptimizer(SwapRegretOptimizer):
    """Minimizes under constraints; multiplicative steps move the matrix of weights.

    Args:
        optimizer: the optimizer of the model.
        constraint_optimizer: that of the logarithm of the matrix; None for the same.
        minimum_multiplier_radius: bounds the elements of the matrix from below.
        initial_multiplier_radius: the first weight of all constraints; the bound if None.

    Raises:
        ValueError: if a radius is out of range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        minimum_multiplier_radius: float = 1e-3,
        initial_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if not 0.0 < minimum_multiplier_radius < 1.0:
            raise ValueError("minimum_multiplier_radius must be in the range (0,1)")
        if initial_multiplier_radius is None:
            initial_multiplier_radius = minimum_multiplier_radius
        elif initial_multiplier_radius < minimum_multiplier_radius:
            raise ValueError(
                "initial_multiplier_radius must be in the range [minimum_multiplier_radius,1]"
            )
        self._least = minimum_multiplier_radius
        self._first = initial_multiplier_radius

    def _initial_state(self, size: int) -> np.ndarray:
        share = self._first / size
        initial = np.full((size, size), math.log(share))
        initial[0] = math.log(1 - (size - 1) * share)
        return initial

    def _matrix(self, state: Any) -> Tensor:
        return build.Exp(state)

    def _projected(self, state: Any) -> Any:
        columns = build.Transpose(build.Identity(state), [1, 0])
        normalized = build.Transpose(build.LogSoftmax(columns), [1, 0])
        least = math.log(self._least / state.shape[0].value)
        return state.assign(build.Maximum(normalized, least)).op
