"""Resampling: batches in which each example appears a random number of times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.fill import fill, zeros
from headwater.ops.array.gather import gather
from headwater.ops.array.shape import shape
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import stop_gradient
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.random.poisson import random_poisson
from headwater.train.moving_averages import assign_moving_average


def _repeat_range(counts: Tensor, name: str | None = None) -> Tensor:
    """The indices of `counts`, each as often as its count says: [2, 0, 1] gives [0, 0, 2]."""
    with name_scope(name, "repeat_range", [counts]) as scope:
        counts = convert_to_tensor(counts)
        rows = shape(counts)[0]
        array = TensorArray(dtypes.int32, size=rows, infer_shape=False)
        array, steps = while_loop(
            lambda _, i: i < rows,
            lambda written, i: (written.write(i, fill(counts[i : i + 1], i)), i + 1),
            (array, 0),
        )
        # Nothing can be joined if nothing was written.
        return cond(greater(steps, 0), array.concat, lambda: zeros([0], dtypes.int32), name=scope)


@export("contrib.training.resample_at_rate")
def resample_at_rate(
    inputs: Sequence[TensorLike],
    rates: TensorLike,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Tensor]:
    """Repeats each example as often as a Poisson variable of its rate says.

    Args:
        inputs: tensors [n, ...], one row per example.
        rates: the expected numbers of appearances [n], not negative.
        scope: the name scope.
        seed: the seed of the op.
        back_prop: whether gradients pass through the choice of the rows.

    Returns:
        The resampled tensors.
    """
    with name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates, name="rates")
        counts = cast(random_poisson(rates, (), rates.dtype, seed=seed), dtypes.int32)
        rows = _repeat_range(counts)
        if not back_prop:
            rows = stop_gradient(rows)
        return [gather(tensor, rows) for tensor in inputs]


@export("contrib.training.weighted_resample")
@signature("inputs, weights, overall_rate, scope=None, mean_decay=0.999, seed=None")
def weighted_resample(
    inputs: Sequence[TensorLike],
    weights: TensorLike,
    overall_rate: float,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
    **older: Any,
) -> tuple[list[Tensor], Tensor]:
    """Repeats each example in proportion to its weight over a moving average of the weights.

    Args:
        inputs: tensors [n, ...], one row per example.
        weights: the weights [n].
        overall_rate: the expected number of appearances of an example of average weight.
        scope: the name scope.
        mean_decay: the decay of the moving average.
        seed: the seed of the op.
        **older: `warmup` of release 0.12, which has no effect.

    Returns:
        A pair: the resampled tensors, and the rates of the rows [m].
    """
    unknown = set(older) - {"warmup"}
    if unknown:
        raise TypeError(f"weighted_resample() got an unexpected keyword argument '{min(unknown)}'")
    with name_scope(scope, "weighted_resample", inputs) as name:
        mean = _estimated_mean(weights, mean_decay)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates, *inputs], rates, scope=name, seed=seed, back_prop=False)
        return results[1:], results[0]


def _estimated_mean(values: TensorLike, decay: float) -> Any:
    """The moving average of the means of `values`, which starts at the first mean."""
    with variable_scope(None, "estimate_mean", [values]):
        mean = get_variable(
            "estimated_mean",
            initializer=cast(0, dtypes.float32),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        return assign_moving_average(mean, reduce_mean(values), decay)
