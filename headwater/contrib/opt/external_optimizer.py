"""Optimizers outside of the graph, which see the loss as a function of one flat vector."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import logging
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, gradients, stacks
from headwater.model.variables.variable_lists import trainable_variables
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import placeholder
from headwater.ops.array.reshape import reshape

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable
    from headwater.session.session import Session

EvalFunction = Callable[[np.ndarray], list[Any]]


@export("contrib.opt.ExternalOptimizerInterface")
class ExternalOptimizerInterface:
    """The base of optimizers that are called with functions; a subclass defines `_minimize`.

    Args:
        loss: a scalar tensor.
        var_list: the variables; all trainable ones if None.
        equalities: tensors that are to become zero.
        inequalities: tensors that are not to become negative.
        var_to_bounds: {variable: (lower, upper)}, which broadcast to the variable's shape.
        **optimizer_kwargs: handed on to `_minimize`.
    """

    def __init__(
        self,
        loss: TensorLike,
        var_list: Sequence[Variable] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: dict[Any, Any] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = list(equalities or [])
        self._inequalities = list(inequalities or [])
        self._vars = trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = None if var_to_bounds is None else self._pack_bounds(var_to_bounds)
        self._update_placeholders = [placeholder(v.dtype.base_dtype) for v in self._vars]
        self._var_updates = [
            v.assign(reshape(value, _shape(v)))
            for v, value in zip(self._vars, self._update_placeholders)
        ]
        self._packed_loss_grad = self._packed_gradient(loss)
        self._packed_equality_grads = [self._packed_gradient(t) for t in self._equalities]
        self._packed_inequality_grads = [self._packed_gradient(t) for t in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _packed(self._vars)
        ends = np.cumsum([0, *(int(np.prod(_shape(v))) for v in self._vars)]).tolist()
        self._packing_slices = [slice(a, b) for a, b in itertools.pairwise(ends)]

    def minimize(
        self,
        session: Session | None = None,
        feed_dict: dict[Any, Any] | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[..., Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss and gives the variables their best values.

        Args:
            session: the session; the default session if None.
            feed_dict: the feeds for each evaluation of the loss.
            fetches: what is fetched besides, and given to `loss_callback`.
            step_callback: called with the flat vector after each step.
            loss_callback: called with the values of `fetches` at each evaluation of the loss.
            **run_kwargs: given to the session's last run.
        """
        session = session or stacks.sessions.top()
        feeds = feed_dict or {}
        others = list(fetches or [])

        def function(tensors: list[Any], callback: Any = None) -> EvalFunction:
            return self._make_eval_func(tensors, session, feeds, others, callback)

        best = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[function([t]) for t in self._equalities],
            equality_grad_funcs=[function([t]) for t in self._packed_equality_grads],
            inequality_funcs=[function([t]) for t in self._inequalities],
            inequality_grad_funcs=[function([t]) for t in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda _: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [best[where] for where in self._packing_slices]
        updates = dict(zip(self._update_placeholders, values))
        session.run(self._var_updates, feed_dict=updates, **run_kwargs)

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: EvalFunction,
        equality_funcs: list[EvalFunction],
        equality_grad_funcs: list[EvalFunction],
        inequality_funcs: list[EvalFunction],
        inequality_grad_funcs: list[EvalFunction],
        packed_bounds: Any,
        step_callback: Callable[..., Any],
        optimizer_kwargs: dict[str, Any],
    ) -> np.ndarray:
        """Finds the vector that minimizes the loss.

        Args:
            initial_val: the values of all variables in one vector.
            loss_grad_func: from a vector to the loss and its gradient.
            equality_funcs: from a vector to what is to become zero.
            equality_grad_funcs: the gradients of these.
            inequality_funcs: from a vector to what is not to become negative.
            inequality_grad_funcs: the gradients of these.
            packed_bounds: a (lower, upper) for each element, or None.
            step_callback: to be called with the vector after each step.
            optimizer_kwargs: what the constructor was given besides.

        Returns:
            The best vector.
        """
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() "
            "method."
        )

    def _packed_gradient(self, target: Tensor) -> Tensor:
        grads = gradients(target, self._vars)
        return _packed([build.ZerosLike(v) if g is None else g for g, v in zip(grads, self._vars)])

    def _pack_bounds(self, var_to_bounds: dict[Any, Any]) -> list[tuple[float, float]]:
        packed: list[tuple[float, float]] = []
        for var in self._vars:
            lower, upper = var_to_bounds.get(var, (-np.inf, np.inf))
            shape = _shape(var)
            pair = (np.broadcast_to(lower, shape).flat, np.broadcast_to(upper, shape).flat)
            packed.extend(zip(*pair))
        return packed

    def _make_eval_func(
        self,
        tensors: list[Any],
        session: Session,
        feed_dict: dict[Any, Any],
        fetches: list[Any],
        callback: Callable[..., Any] | None = None,
    ) -> EvalFunction:
        """A function from the flat vector to the values of the tensors."""

        def eval_func(x: np.ndarray) -> list[Any]:
            feeds = {
                var: x[where].reshape(_shape(var))
                for var, where in zip(self._vars, self._packing_slices)
            }
            feeds.update(feed_dict)
            values = session.run(tensors + fetches, feed_dict=feeds)
            if callback is not None:
                callback(*values[len(tensors) :])
            return values[: len(tensors)]

        return eval_func


@export("contrib.opt.ScipyOptimizerInterface")
class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes with `scipy.optimize.minimize`, by default with the method L-BFGS-B.

    Args: see ExternalOptimizerInterface; further keywords are those of SciPy's function.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: EvalFunction,
        equality_funcs: list[EvalFunction],
        equality_grad_funcs: list[EvalFunction],
        inequality_funcs: list[EvalFunction],
        inequality_grad_funcs: list[EvalFunction],
        packed_bounds: Any,
        step_callback: Callable[..., Any],
        optimizer_kwargs: dict[str, Any],
    ) -> np.ndarray:
        def loss_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = loss_grad_func(x)
            return float(loss), gradient.astype(np.float64)

        given = dict(optimizer_kwargs)
        arguments: dict[str, Any] = {
            "jac": True,
            "callback": step_callback,
            "method": given.pop("method", self._DEFAULT_METHOD),
            "constraints": _constraints("eq", equality_funcs, equality_grad_funcs)
            + _constraints("ineq", inequality_funcs, inequality_grad_funcs),
            "bounds": packed_bounds,
        }
        for name in arguments:
            if name == "bounds" and name in given:
                raise ValueError("Bounds must be set using the var_to_bounds argument")
            if name in given:
                raise ValueError(
                    f"Optimizer keyword arg '{name}' is set automatically and cannot be injected "
                    "manually"
                )
        # SciPy is slow to load, and few programs minimize with it.
        import scipy.optimize

        first = np.asarray(initial_val, np.float64)
        result = scipy.optimize.minimize(loss_and_gradient, first, **arguments, **given)
        lines = [
            "Optimization terminated with:",
            f"  Message: {result.message}",
            f"  Objective function value: {result.fun:f}",
        ]
        if hasattr(result, "nit"):  # some methods do not count iterations
            lines.append(f"  Number of iterations: {result.nit}")
        if hasattr(result, "nfev"):
            lines.append(f"  Number of functions evaluations: {result.nfev}")
        logging.info("\n".join(lines))
        return result["x"]


def _constraints(
    kind: str, functions: list[EvalFunction], gradients: list[EvalFunction]
) -> list[dict[str, Any]]:
    return [
        {"type": kind, "fun": _in_float64(function), "jac": _in_float64(gradient)}
        for function, gradient in zip(functions, gradients)
    ]


def _in_float64(function: EvalFunction) -> Callable[[np.ndarray], np.ndarray]:
    def value(x: np.ndarray) -> np.ndarray:
        return np.asarray(function(x)[0], np.float64)

    return value


def _shape(var: TensorLike) -> tuple[int, ...]:
    return tuple(dimension.value for dimension in var.get_shape())


def _packed(tensors: list[Any]) -> Tensor:
    """All elements in one vector."""
    flat = [reshape(convert_to_tensor(tensor), [-1]) for tensor in tensors]
    return flat[0] if len(flat) == 1 else concat(flat, 0)
