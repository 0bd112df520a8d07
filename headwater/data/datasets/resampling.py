"""`rejection_resample`: elements of classes in another distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import map_functions, selection
from headwater.data.datasets.dataset import DatasetV1
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.constant_value import constant_value
from headwater.ops.array.constant import constant
from headwater.ops.control.cond import cond
from headwater.ops.control.print import print_
from headwater.ops.random.uniform import random_uniform

# The classes of so many elements make the next estimate of their distribution.
_ESTIMATION_BATCH = 32
# Each class counts as if so many elements of it had been seen before.
_SMOOTHING = 10
# More rejected elements than this proportion are worth a warning.
_MOST_REJECTED = 0.5
_PREFETCHED = 3


@export("data.experimental.rejection_resample")
def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: Any = None,
) -> Callable[[Any], Any]:
    """Elements of which some are left out or come twice, so that classes have a distribution.

    Args:
        class_func: a function from an element to its class, an int32 scalar.
        target_dist: how often each class shall come, a vector of floats.
        initial_dist: how often each class comes in the input; estimated if None.
        seed: makes the choice reproducible.

    Returns:
        A function from a Dataset to a Dataset of pairs of class and element.
    """
    return lambda dataset: _resampled(dataset, class_func, target_dist, initial_dist, seed)


def _resampled(
    dataset: Any, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any, seed: Any
) -> Any:
    target = convert_to_tensor(target_dist, name="target_dist")
    classes = dataset.map(class_func)
    static = None
    if initial_dist is not None:
        initial_dist = convert_to_tensor(initial_dist, name="initial_dist")
        acceptance, original = _acceptance(initial_dist, target)
        initial, accepted, kept = (
            DatasetV1.from_tensors(value).repeat() for value in (initial_dist, acceptance, original)
        )
        static = _static_original(initial_dist, target)
    else:
        initial = _estimated(target, classes)
        both = initial.map(lambda initial: _acceptance(initial, target))
        accepted = both.map(lambda accept, prob: accept)
        kept = both.map(lambda accept, prob: prob)
    filtered = _filtered(dataset, accepted, initial, classes, seed).prefetch(_PREFETCHED)
    if static == 1:
        return DatasetV1.zip((classes, dataset))
    if static == 0:
        return filtered
    return selection.sample_from_datasets(
        [DatasetV1.zip((classes, dataset)), filtered],
        weights=kept.map(lambda prob: [(prob, 1.0 - prob)]),
        seed=seed,
    )


def _acceptance(initial: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """How probable the acceptance of each class is, and that of an element without a choice.

    A share of the elements, as large as the smallest ratio of the distributions, is taken as it
    is. The others come from elements that are accepted as often as the rest of the ratios says.
    """
    ratio = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    highest, lowest = build.Max(ratio, constant([0])), build.Min(ratio, constant([0]))
    return (ratio - lowest) / (highest - lowest), lowest


def _static_original(initial: Tensor, target: Tensor) -> float | None:
    """The smallest ratio of two distributions, if they are known."""
    known = constant_value(initial), constant_value(target)
    if known[0] is None or known[1] is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.min(known[1] / known[0]))


def _estimated(target: Tensor, classes: Any) -> Any:
    """A dataset of the distribution of the classes as far as they have come."""
    known = target.shape[0].value
    number: Any = build.Shape(target)[0] if known is None else known

    def update_estimate_and_tile(seen: Tensor, found: Tensor) -> tuple[Tensor, Tensor]:
        one, zero = constant(1, dtypes.int64), constant(0, dtypes.int64)
        hits = build.OneHot(found, number, one, zero)
        seen = build.Add(seen, build.Sum(hits, constant([0])))
        total = build.Sum(seen, constant([0]))
        share = build.Cast(seen / total, DstT=dtypes.float32)
        return seen, build.Tile(build.ExpandDims(share, 0), [_ESTIMATION_BATCH, 1])

    first = build.Fill([number], constant(_SMOOTHING, dtypes.int64))
    scanned = map_functions.scan(first, update_estimate_and_tile)
    return classes.batch(_ESTIMATION_BATCH).apply(scanned).unbatch()


def _filtered(dataset: Any, acceptance: Any, initial: Any, classes: Any, seed: Any) -> Any:
    """A dataset of the classes and elements that are accepted."""

    def maybe_warn_on_large_rejection(accept: Tensor, initial: Tensor) -> Any:
        rejected = build.Sum((1.0 - accept) * initial, constant([0]))
        return cond(
            rejected < _MOST_REJECTED,
            lambda: accept,
            lambda: print_(
                accept,
                [rejected, initial, accept],
                message="Proportion of examples rejected by sampler is high: ",
                summarize=100,
                first_n=10,
            ),
        )

    def _gather_and_copy(found: Tensor, accept: Tensor, data: Any) -> Any:
        return build.GatherV2(accept, found, 0), found, data

    warned = DatasetV1.zip((acceptance, initial)).map(maybe_warn_on_large_rejection)
    return (
        DatasetV1.zip((classes, warned, dataset))
        .map(_gather_and_copy)
        .filter(lambda accept, found, data: random_uniform([], seed=seed) < accept)
        .map(lambda accept, found, data: (found, data))
    )
