"""The base of optimizers under constraints."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base.export import export
from headwater.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from headwater.graph import build, control_dependencies
from headwater.ops.control.cond import cond
from headwater.train.optimizers.optimizer import Optimizer


@export("contrib.constrained_optimization.ConstrainedOptimizer")
class ConstrainedOptimizer(abc.ABC):
    """Minimizes an objective under constraints. Subclasses define the step.

    Args:
        optimizer: the optimizer of the model.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of the model."""
        return self._optimizer

    @abc.abstractmethod
    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any,
        name: str | None,
        options: dict[str, Any],
    ) -> Any:
        """Builds a step; `options` are arguments of `compute_gradients`."""

    def minimize_unconstrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Builds a step that ignores the constraints.

        Args:
            minimization_problem: the problem.
            global_step: a variable that counts the steps, or None.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
            aggregation_method: how gradients are added.
            colocate_gradients_with_ops: places each gradient with its op.
            name: the name of the step.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            An operation.
        """
        with control_dependencies(minimization_problem.pre_train_ops or []):
            return self._optimizer.minimize(
                minimization_problem.objective,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            )

    def minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Builds a step that minimizes the objective under the constraints.

        Args:
            minimization_problem: the problem.
            global_step: a variable that counts the steps, or None.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
            aggregation_method: how gradients are added.
            colocate_gradients_with_ops: places each gradient with its op.
            name: the name of the step.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            An operation.
        """
        options = {
            "var_list": var_list,
            "gate_gradients": gate_gradients,
            "aggregation_method": aggregation_method,
            "colocate_gradients_with_ops": colocate_gradients_with_ops,
            "grad_loss": grad_loss,
        }
        with control_dependencies(minimization_problem.pre_train_ops or []):
            return self._minimize_constrained(minimization_problem, global_step, name, options)

    def minimize(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        unconstrained_steps: int | None = None,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Builds a step that ignores the constraints at first, if that is asked for.

        Args:
            minimization_problem: the problem.
            unconstrained_steps: the number of steps that ignore the constraints; None for none.
            global_step: a variable that counts the steps; needed with `unconstrained_steps`.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
            aggregation_method: how gradients are added.
            colocate_gradients_with_ops: places each gradient with its op.
            name: the name of the step.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            An operation, or a tensor with `unconstrained_steps`.

        Raises:
            ValueError: if `unconstrained_steps` is given without `global_step`.
        """
        arguments: dict[str, Any] = {
            "global_step": global_step,
            "var_list": var_list,
            "gate_gradients": gate_gradients,
            "aggregation_method": aggregation_method,
            "colocate_gradients_with_ops": colocate_gradients_with_ops,
            "name": name,
            "grad_loss": grad_loss,
        }
        if unconstrained_steps is None:
            return self.minimize_constrained(minimization_problem, **arguments)
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        count = build.Cast(unconstrained_steps, DstT=global_step.dtype.base_dtype)
        return cond(
            build.Less(global_step, count),
            lambda: self.minimize_unconstrained(minimization_problem, **arguments),
            lambda: self.minimize_constrained(minimization_problem, **arguments),
        )


class GameOptimizer(ConstrainedOptimizer):
    """A game of the model against the weights of the constraints, which learn at the same time.

    Args:
        optimizer: the optimizer of the model.
        constraint_optimizer: that of the weights; None for the same.
    """

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None) -> None:
        super().__init__(optimizer)
        self._constraint_optimizer = constraint_optimizer

    @property
    def constraint_optimizer(self) -> Optimizer | None:
        """The optimizer of the weights of the constraints, or None."""
        return self._constraint_optimizer

    def _apply(
        self,
        loss: Any,
        state: Any,
        state_gradient: Any,
        global_step: Any,
        name: str | None,
        options: dict[str, Any],
    ) -> Any:
        """Updates the model by a loss and the state by a gradient, then projects the state."""
        pairs = self._optimizer.compute_gradients(loss, **options)
        own = [(state_gradient, state)]
        if self._constraint_optimizer is None:
            updates = [
                self._optimizer.apply_gradients(pairs + own, global_step=global_step, name=name)
            ]
        else:
            gradients = [grad for grad, _ in pairs if grad is not None] + [state_gradient]
            # Both sides move from the same point.
            with control_dependencies(gradients):
                updates = [
                    self._optimizer.apply_gradients(pairs, global_step=global_step, name=name),
                    self._constraint_optimizer.apply_gradients(own),
                ]
        with control_dependencies(updates):
            return self._projected(state)

    def _projected(self, state: Any) -> Any:
        """Builds the op that brings the state back to where it is allowed."""
        raise NotImplementedError
