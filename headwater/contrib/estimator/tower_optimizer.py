"""TowerOptimizer: applies the sum of the gradients of the towers of replicate_model_fn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.graph import Tensor, get_default_graph, name_scope
from headwater.graph.default_graph import device
from headwater.graph.indexed_slices import IndexedSlices
from headwater.model.losses.weighting import Reduction
from headwater.ops.array.concat import concat
from headwater.ops.control.identity import no_op
from headwater.ops.math.add_n import add_n
from headwater.ops.math.division import div
from headwater.train.optimizers.optimizer import Optimizer

# When replicate_model_fn and its optimizer were deprecated, and what for.
DEPRECATION = (
    "2018-05-31",
    "Please use `tf.contrib.distribute.MirroredStrategy` instead.",
)
_COLLECTION = "replicate_model_fn_graph_states"


@dataclass
class TowerState:
    """The towers of a graph.

    Attributes:
        number_of_towers: how many there are.
        loss_reduction: how the loss of a tower comes from those of its examples.
        current: the index of the one that is being built.
        has_been_used: whether a TowerOptimizer has been made or used.
        collected: per tower, the gradients and variables of each call of `apply_gradients`.
    """

    number_of_towers: int = 1
    loss_reduction: str = Reduction.SUM
    current: int = 0
    has_been_used: bool = False
    collected: list[list[Any]] = field(default_factory=lambda: [[]])

    def scaled(self, loss: Any) -> Any:
        """The share of a tower in the loss: a mean of all towers, or the summand of a sum."""
        if loss is None or self.number_of_towers == 1 or self.loss_reduction == Reduction.SUM:
            return loss
        return div(loss, 1.0 * self.number_of_towers, name="averaged_loss")

    @contextmanager
    def tower(self, index: int) -> Iterator[None]:
        """Builds a tower inside."""
        before, self.current = self.current, index
        try:
            yield
        finally:
            self.current = before


def state_of_graph() -> TowerState:
    """The towers of the default graph."""
    graph = get_default_graph()
    states = graph.get_collection_ref(_COLLECTION)
    if not states:
        states.append(TowerState())
    state: TowerState = states[0]
    return state


def _sum_of(gradients: Sequence[Any], variable: Any) -> Any:
    """The sum of the gradients that towers have of a variable."""
    given = [gradient for gradient in gradients if gradient is not None]
    if not given:
        return None
    with device(variable.device):
        if isinstance(given[0], IndexedSlices):
            return IndexedSlices(
                concat([gradient.values for gradient in given], 0),
                concat([gradient.indices for gradient in given], 0),
                given[0].dense_shape,
            )
        return add_n(given)


@export("contrib.estimator.TowerOptimizer")
class TowerOptimizer(Optimizer):
    """An Optimizer for model functions that `replicate_model_fn` builds several times.

    Elsewhere it does what the Optimizer does that it is made of.

    Args:
        optimizer_or_optimizer_fn: an Optimizer, or a function that returns one.
    """

    COLLECTION_FOR_GRAPH_STATES = _COLLECTION

    @deprecated(*DEPRECATION)
    def __init__(self, optimizer_or_optimizer_fn: Optimizer | Callable[[], Optimizer]) -> None:
        if isinstance(optimizer_or_optimizer_fn, Optimizer):
            self._optimizer = optimizer_or_optimizer_fn
        else:
            self._optimizer = optimizer_or_optimizer_fn()
        state_of_graph().has_been_used = True

    @staticmethod
    def has_been_used() -> bool:
        """Returns whether the default graph has met a TowerOptimizer."""
        return state_of_graph().has_been_used

    def compute_gradients(self, loss: Tensor, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Makes the gradients of the share of the tower in the loss; see Optimizer."""
        state = state_of_graph()
        state.has_been_used = True
        return self._optimizer.compute_gradients(state.scaled(loss), *args, **kwargs)

    def apply_gradients(  # type: ignore[override]  # passes on what it is given
        self, grads_and_vars: Any, global_step: Any = None, **kwargs: Any
    ) -> Any:
        """Applies the sum of the gradients of all towers; see Optimizer.

        Args:
            grads_and_vars: the gradients of this tower and their variables.
            global_step: the variable that counts the steps.
            **kwargs: further arguments of the Optimizer.

        Returns:
            The op that applies them; one that does nothing before the last tower.

        Raises:
            ValueError: if a tower before has made fewer calls.
        """
        state = state_of_graph()
        state.has_been_used = True
        own = state.collected[state.current]
        own.append(list(grads_and_vars))
        if state.current < state.number_of_towers - 1:
            return no_op()
        call = len(own) - 1
        if any(len(calls) <= call for calls in state.collected):
            raise ValueError("Towers have called their optimizers a different number of times.")
        of_towers = [calls[call] for calls in state.collected]
        if state.number_of_towers == 1:
            return self._optimizer.apply_gradients(own[-1], global_step=global_step, **kwargs)
        # Not in the name scope of the last tower.
        with name_scope(""):
            summed = [
                (_sum_of([gradient for gradient, _ in pairs], pairs[0][1]), pairs[0][1])
                for pairs in zip(*of_towers)
            ]
            return self._optimizer.apply_gradients(summed, global_step=global_step, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> str:
        """Returns the name of the Optimizer that it is made of."""
        return self._optimizer.get_name(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the Optimizer that it is made of; see Optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The slots of the Optimizer that it is made of; see Optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The variables of the Optimizer that it is made of."""
        return self._optimizer.variables(*args, **kwargs)
