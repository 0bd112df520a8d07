"""Lagrange multipliers: one for each constraint."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.constrained_optimization.optimizer import GameOptimizer
from headwater.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from headwater.contrib.constrained_optimization.projections import onto_simplex
from headwater.graph import build
from headwater.model.variables.variable import Variable
from headwater.ops.array.reshape import reshape
from headwater.train.optimizers.optimizer import Optimizer


@export("contrib.constrained_optimization.AdditiveExternalRegretOptimizer")
class AdditiveExternalRegretOptimizer(GameOptimizer):
    """Minimizes the Lagrangian while gradient ascent moves its multipliers.

    The algorithm is that of Cotter, Jiang and Sridharan, "Two-Player Games for Efficient
    Non-Convex Constrained Optimization".

    Args:
        optimizer: the optimizer of the model.
        constraint_optimizer: that of the multipliers; None for the same.
        maximum_multiplier_radius: the largest sum of the multipliers; None for any.

    Raises:
        ValueError: if the radius is not positive.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        maximum_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if maximum_multiplier_radius and maximum_multiplier_radius <= 0.0:
            raise ValueError("maximum_multiplier_radius must be strictly positive")
        self._radius = maximum_multiplier_radius

    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any,
        name: str | None,
        options: dict[str, Any],
    ) -> Any:
        count = minimization_problem.num_constraints
        state = Variable(
            lambda: build.Fill([count], 0.0),
            trainable=False,
            name="external_regret_optimizer_state",
            use_resource=True,
        )
        constraints = reshape(minimization_problem.constraints, [count])
        proxies = minimization_problem.proxy_constraints
        proxies = constraints if proxies is None else reshape(proxies, [count])
        loss = minimization_problem.objective + build.Sum(state * proxies, [0])
        return self._apply(loss, state, -constraints, global_step, name, options)

    def _projected(self, state: Any) -> Any:
        if not self._radius:
            return state.assign(build.Relu(state)).op
        columns = build.ExpandDims(state, 1)
        return state.assign(reshape(onto_simplex(columns, self._radius, at_most=True), [-1])).op
