"""An objective and its constraints."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor


@export("contrib.constrained_optimization.ConstrainedMinimizationProblem")
class ConstrainedMinimizationProblem(abc.ABC):
    """An objective to minimize while each constraint is at most zero. Programs subclass it."""

    @property
    @abc.abstractmethod
    def objective(self) -> Tensor:
        """The objective, a scalar."""

    @property
    @abc.abstractmethod
    def constraints(self) -> Tensor:
        """The constraints, a tensor of values that are to be at most 0."""

    @property
    def num_constraints(self) -> int:
        """The number of constraints.

        Raises:
            ValueError: if it is unknown, or differs from that of the proxies.
        """
        shape = self.constraints.shape
        proxies = self.proxy_constraints
        known = [shape] if proxies is None else [shape, proxies.shape]
        if not all(each.is_fully_defined() for each in known):
            raise ValueError("constraints and proxy_constraints must have fully-known shapes")
        if any(each.as_list() != shape.as_list() for each in known):
            raise ValueError("constraints and proxy_constraints must have the same shape")
        return int(shape.num_elements() or 0)

    @property
    def proxy_constraints(self) -> Tensor | None:
        """Differentiable stand-ins of the constraints in the loss; None for the constraints."""
        return None

    @property
    def pre_train_ops(self) -> list[Any] | None:
        """Ops that run before each step, or None."""
        return None
