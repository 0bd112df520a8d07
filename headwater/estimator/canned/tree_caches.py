"""What training of boosted trees keeps of the examples, if all of them are one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headwater.base import dtypes
from headwater.graph import Operation, Tensor, group
from headwater.graph.default_graph import control_dependencies
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import ones, zeros
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity


def local_flag(value: bool, name: str) -> Variable:
    """A bool variable that is not trained."""
    return Variable(value, trainable=False, name=name, use_resource=True)


class NoCache:
    """Starts from the first tree in each step.

    Args:
        batch_size: the number of examples.
    """

    def __init__(self, batch_size: Tensor) -> None:
        self.tree_ids = zeros([batch_size], dtypes.int32)
        self.node_ids = -1 * ones([batch_size], dtypes.int32)
        self.logits = zeros([batch_size, 1], dtypes.float32)

    def insert(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """The op that keeps nothing."""
        return group()


class VariableCache:
    """Keeps in variables where the examples of the only batch are.

    Args:
        batch_size: the number of examples.
    """

    def __init__(self, batch_size: Tensor) -> None:
        start = zeros([batch_size], dtypes.int32)
        self._tree_ids = _cache(start, "tree_ids_cache")
        self._node_ids = _cache(-1 * ones([batch_size], dtypes.int32), "node_ids_cache")
        self._logits = _cache(zeros([batch_size, 1], dtypes.float32), "logits_cache")
        self.tree_ids = self._tree_ids.value()
        self.node_ids = self._node_ids.value()
        self.logits = self._logits.value()

    def insert(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """The op that keeps the state of all examples."""
        return group(
            self._tree_ids.assign(tree_ids, read_value=False),
            self._node_ids.assign(node_ids, read_value=False),
            self._logits.assign(logits, read_value=False),
            name="cache_insert",
        )


def _cache(initial_value: Tensor, name: str) -> Variable:
    return Variable(
        initial_value, trainable=False, name=name, use_resource=True, validate_shape=False
    )


def cached_buckets(
    make: Callable[[], Sequence[Tensor]], count: int, batch_size: Tensor, ready: Tensor
) -> list[Tensor]:
    """Features that are computed once the boundaries are known, and read from then on.

    Args:
        make: makes the features, int32 vectors.
        count: how many there are.
        batch_size: the number of examples.
        ready: whether the boundaries of buckets are known.

    Returns:
        The features.
    """
    caches = [
        _cache(zeros([batch_size], dtypes.int32), f"cached_feature_{i}") for i in range(count)
    ]
    are_cached = local_flag(False, "are_features_cached")

    def made_and_kept() -> list[Tensor]:
        features = [identity(feature) for feature in make()]
        keep = [c.assign(f, read_value=False) for c, f in zip(caches, features)]
        keep.append(are_cached.assign(True, read_value=False))
        with control_dependencies(keep):
            return [identity(feature) for feature in features]

    def kept() -> list[Tensor]:
        return [cache.value() for cache in caches]

    def known() -> list[Tensor]:
        return _listed(cond(are_cached.value(), kept, made_and_kept))

    def unknown() -> list[Tensor]:
        return [identity(feature) for feature in make()]

    features = _listed(cond(ready, known, unknown))
    for feature in features:
        feature.set_shape([None])
    return features


def _listed(result: Tensor | list[Tensor]) -> list[Tensor]:
    return list(result) if isinstance(result, (list, tuple)) else [result]
