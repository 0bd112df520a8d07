"""Kullback-Leibler divergences, registered for pairs of classes of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.graph import Tensor, build, control_dependencies, export, name_scope
from headwater.ops.control.assertion import assert_
from headwater.ops.control.identity import identity
from headwater.ops.math.reduce_functions import reduce_any

_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


def registered_kl(type_a: type, type_b: type) -> Callable[..., Any] | None:
    """The function of the nearest pair of base classes, or None."""
    best = None
    for i, base_a in enumerate(type_a.__mro__):
        for j, base_b in enumerate(type_b.__mro__):
            function = _DIVERGENCES.get((base_a, base_b))
            if function is not None and (best is None or i + j < best[0]):
                best = i + j, function
    return None if best is None else best[1]


@export(
    "distributions.kl_divergence", "contrib.distributions.kl_divergence", "contrib.distributions.kl"
)
def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Tensor:
    """The Kullback-Leibler divergence KL(a || b) in nats.

    Args:
        distribution_a: a distribution.
        distribution_b: a distribution.
        allow_nan_stats: whether the result may be NaN; if not, this is an error of the run.
        name: the name of the op.

    Returns:
        A tensor with the divergences of the batch.

    Raises:
        NotImplementedError: if none is registered for the two classes.
    """
    classes = type(distribution_a), type(distribution_b)
    function = registered_kl(*classes)
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{classes[0].__name__} and distribution_b type {classes[1].__name__}"
        )
    with name_scope("KullbackLeibler"):
        result = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        text = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN "
            "values (and was called with allow_nan_stats=False). Values:"
        )
        result = identity(result, name="kl")
        sound = build.LogicalNot(reduce_any(build.IsNan(result)))
        with control_dependencies([assert_(sound, [text, result])]):
            return identity(result, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The cross entropy of two distributions in nats.

    Args:
        ref: the distribution whose samples are taken.
        other: the distribution whose probabilities are taken.
        allow_nan_stats: whether the result may be NaN.
        name: the name scope.

    Returns:
        A tensor with the cross entropies of the batch.
    """
    with name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


@export("distributions.RegisterKL", "contrib.distributions.RegisterKL")
class RegisterKL:
    """A decorator that registers a function (a, b, name=None) for two classes.

    Args:
        dist_cls_a: the class of the first distribution.
        dist_cls_b: the class of the second one.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a function.

        Args:
            kl_fn: the function.

        Returns:
            The function.

        Raises:
            TypeError: if it is not callable.
            ValueError: if there is one already.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            a, b = self._key
            raise ValueError(
                f"KL({a.__name__} || {b.__name__}) has already been registered to: "
                f"{_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
