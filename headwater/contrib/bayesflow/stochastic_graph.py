"""Losses of graphs with stochastic tensors (Schulman et al., 2015)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.typing import TensorLike
from headwater.contrib.bayesflow.stochastic_tensor import (
    BaseStochasticTensor,
    default_graph_tensors,
)
from headwater.graph import Tensor, export, name_scope
from headwater.ops.control.identity import stop_gradient
from headwater.ops.math.add_n import add_n


@export("contrib.bayesflow.stochastic_graph.surrogate_loss")
def surrogate_loss(
    sample_losses: Sequence[TensorLike],
    stochastic_tensors: Collection[BaseStochasticTensor] | None = None,
    name: str = "SurrogateLoss",
) -> Tensor:
    """Returns a loss whose gradients are estimates of those of expected losses.

    It is the sum of the losses and of a term for each stochastic tensor through which gradients do
    not go.

    Args:
        sample_losses: losses of samples, whose first axis is that of the batch.
        stochastic_tensors: the stochastic tensors that count; all of the graph if None.
        name: the name scope.

    Returns:
        A tensor.

    Raises:
        ValueError: if a loss is a scalar.
    """
    with name_scope(name, values=sample_losses):
        losses: list[Any] = list(sample_losses)
        for loss in losses:
            if not loss.get_shape().ndims:
                raise ValueError(f"loss must have dimensionality 1 or greater: {loss}")
        dependent = stochastic_dependencies([stop_gradient(x) for x in losses], stochastic_tensors)
        if not default_graph_tensors():
            logging.warning("No collection of Stochastic Tensors found for current graph.")
        for tensor, its_losses in dependent.items():
            term = tensor.loss(_total(its_losses))
            if term is not None:
                losses.append(term)
        return _total(losses)


def _total(terms: Sequence[Any]) -> Tensor:
    """The sum of tensors, which may have to be broadcast."""
    shape = terms[0].get_shape()
    if all(shape.is_fully_defined() and shape == t.get_shape() for t in terms):
        return add_n(terms)
    return sum(terms[1:], terms[0])


def stochastic_dependencies(
    losses: Sequence[Tensor], stochastic_tensors: Collection[BaseStochasticTensor] | None = None
) -> dict[BaseStochasticTensor, list[Tensor]]:
    """Returns the losses that depend on each stochastic tensor.

    Args:
        losses: the losses.
        stochastic_tensors: the stochastic tensors that count; all of the graph if None.
    """
    found: dict[BaseStochasticTensor, list[Tensor]] = defaultdict(list)
    for loss, above in upstream_stochastic_tensors(losses).items():
        for tensor in above:
            if stochastic_tensors is None or tensor in stochastic_tensors:
                found[tensor].append(loss)
    return dict(found)


def upstream_stochastic_tensors(
    tensors: Sequence[Tensor],
) -> dict[Tensor, list[BaseStochasticTensor]]:
    """Returns the stochastic tensors that each tensor depends on, in the order of their making."""
    values: dict[int, list[BaseStochasticTensor]] = defaultdict(list)
    for stochastic in default_graph_tensors():
        values[id(stochastic.value())].append(stochastic)
    everything = default_graph_tensors()
    found = {}
    for tensor in tensors:
        reached: set[int] = set()
        stack, seen = [tensor], {id(tensor)}
        while stack:
            current = stack.pop()
            reached.update(id(each) for each in values.get(id(current), ()))
            for source in current.op.inputs:
                if id(source) not in seen:
                    seen.add(id(source))
                    stack.append(source)
        found[tensor] = [each for each in everything if id(each) in reached]
    return found
