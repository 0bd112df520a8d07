"""FertileStats: what the leaves of a growing tree know about how to split.

A leaf first draws candidates, each from one example: a random feature and its value. Then it
counts the examples on either side of each candidate until there are enough to choose the best.
Source: Saffari et al., "On-line random forests", 2009; the Hoeffding bound: Domingos, Hulten,
"Mining high-speed data streams", 2000.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.ops.trees.forest_model import DecisionTree, Features
from headwater.ops.trees.forest_params import Params
from headwater.protos.lazy import fertile_stats_pb2

_BASIC, _HOEFFDING, _BOOTSTRAP = 0, 2, 3
# What pruning leaves of the candidates.
_KEPT = {1: 0.5, 2: 0.75, 3: 0.9}
_PRUNE_BY_BOUND = 4


class Split(NamedTuple):
    """The best candidate of a leaf: its test, and the statistics of the two sides."""

    feature: int
    threshold: float
    left: np.ndarray
    right: np.ndarray


class _Slot:
    """The statistics of a leaf.

    Sums have a row of numbers for each candidate: for classes, the weight of each; for regression,
    the weight, then the sums of the outputs, then those of their squares.
    """

    def __init__(self, depth: int, width: int) -> None:
        self.depth = depth
        self.features = np.zeros(0, np.int64)
        self.thresholds = np.zeros(0, np.float32)
        self.left = np.zeros((0, width))
        self.total = np.zeros(width)
        self.checked_at = 0.0
        self.pruned_at = 0.0
        self.ready = False
        self.early = False

    def add_candidates(self, features: np.ndarray, thresholds: np.ndarray) -> None:
        self.features = np.concatenate([self.features, features])
        self.thresholds = np.concatenate([self.thresholds, thresholds])
        self.left = np.concatenate([self.left, np.zeros((len(features), self.left.shape[1]))])

    def keep(self, chosen: np.ndarray) -> None:
        self.features, self.thresholds = self.features[chosen], self.thresholds[chosen]
        self.left = self.left[chosen]


class FertileStats:
    """The statistics of all leaves of a tree."""

    def __init__(self) -> None:
        self.created = False

    def create(self, config: bytes, params: Params) -> None:
        """Makes the statistics anew.

        Args:
            config: a serialized FertileStats; empty for those of a tree of one leaf.
            params: the parameters of the tree.
        """
        self._params = params
        self._width = 1 + 2 * params.outputs if params.regression else params.outputs
        self._slots: dict[int, _Slot] = {}
        self._rng: np.random.Generator | None = None
        if config:
            self._parse(config)
        else:
            self._slots[0] = _Slot(0, self._width)
        self.created = True

    def checked(self) -> FertileStats:
        """The statistics; raises FailedPreconditionError if they were not made yet."""
        if not self.created:
            raise errors.FailedPreconditionError(
                None, None, "Fertile stats variable is not initialized."
            )
        return self

    def process(
        self,
        features: Features,
        targets: np.ndarray,
        weights: np.ndarray,
        leaves: np.ndarray,
        seed: int,
    ) -> np.ndarray:
        """Adds examples to the leaves they are in.

        Args:
            features: the examples.
            targets: their classes, or a matrix of their outputs.
            weights: their weights.
            leaves: their leaves.
            seed: the seed of the candidates; 0 for a random one.

        Returns:
            The leaves that are ready to split.
        """
        if self._rng is None:
            self._rng = np.random.default_rng(seed or None)
        finished = []
        rows = np.argsort(leaves, kind="stable")
        nodes, firsts = np.unique(leaves[rows], return_index=True)
        for node, members in zip(nodes.tolist(), np.split(rows, firsts[1:])):
            slot = self._slots.setdefault(node, _Slot(0, self._width))
            members = self._draw_candidates(slot, features, members)
            if members.size:
                self._count(slot, features, targets, weights, members)
            if slot.ready and self._finished(slot):
                finished.append(node)
        return np.array(finished, np.int32)

    def _draw_candidates(self, slot: _Slot, features: Features, members: np.ndarray) -> np.ndarray:
        """Makes candidates of the first examples; returns the other examples."""
        if slot.ready:
            return members
        wanted = self._params.splits_to_consider(slot.depth) - len(slot.features)
        used, rest = members[:wanted], members[wanted:]
        drawn = np.array([self._random_feature(features, row) for row in used.tolist()], np.int64)
        known = drawn >= 0
        slot.add_candidates(drawn[known], features.at(used[known], drawn[known]))
        slot.ready = len(slot.features) >= self._params.splits_to_consider(slot.depth)
        return rest if slot.ready else rest[:0]

    def _random_feature(self, features: Features, row: int) -> int:
        """A dense feature, or a sparse one that the example has; -1 if there are none."""
        assert self._rng is not None
        sparse = features.sparse_of(row)
        count = features.dense_count + len(sparse)
        if not count:
            return -1
        chosen = int(self._rng.integers(count))
        return (
            chosen if chosen < features.dense_count else int(sparse[chosen - features.dense_count])
        )

    def _rows(self, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """What examples add to sums: a row for each."""
        if self._params.regression:
            both = [np.ones((len(targets), 1)), targets, targets**2]
            return np.concatenate(both, 1) * weights[:, None]
        rows = np.zeros((len(targets), self._width))
        rows[np.arange(len(targets)), targets] = weights
        return rows

    def _count(
        self,
        slot: _Slot,
        features: Features,
        targets: np.ndarray,
        weights: np.ndarray,
        members: np.ndarray,
    ) -> None:
        rows = self._rows(targets[members], weights[members])
        tested = features.at(members[:, None], slot.features[None, :])
        left = tested < slot.thresholds if self._params.strict else tested <= slot.thresholds
        slot.left += left.T.astype(float) @ rows
        slot.total += rows.sum(0)
        weight = self._weight(slot.total)
        every = self._params.prune_every(slot.depth)
        if self._params.pruning and every and weight - slot.pruned_at >= every:
            slot.pruned_at = weight
            self._prune(slot)

    def _weight(self, sums: np.ndarray) -> Any:
        return sums[..., 0] if self._params.regression else sums.sum(-1)

    def _impurity(self, sums: np.ndarray) -> np.ndarray:
        """Of each row of sums: the Gini impurity, or the sum of squared errors."""
        weight = self._weight(sums)
        if self._params.regression:
            outputs = self._params.outputs
            first, second = sums[..., 1 : 1 + outputs], sums[..., 1 + outputs :]
            square = (first**2).sum(-1)
            start: Any = second.sum(-1)
        else:
            square, start = (sums**2).sum(-1), weight
        return start - np.divide(square, weight, out=np.zeros_like(square), where=weight > 0)

    def _scores(self, slot: _Slot) -> np.ndarray:
        """The impurity that remains with each candidate; infinite for those with an empty side."""
        right = slot.total - slot.left
        least = np.minimum(self._weight(slot.left), self._weight(right))
        scores = self._impurity(slot.left) + self._impurity(right)
        return np.where(
            (least > 0) & (least >= self._params.min_split_samples(slot.depth)), scores, np.inf
        )

    def _bound(self, slot: _Slot) -> float:
        """By how much a score may be off, by Hoeffding's inequality."""
        weight = float(self._weight(slot.total))
        sure = min(self._params.dominate_fraction(slot.depth), 1 - 1e-9)
        spread = 0.25 * self._params.outputs * weight
        return float(spread * np.sqrt(-0.5 * np.log(1 - sure) / max(weight, 1)))

    def _prune(self, slot: _Slot) -> None:
        if len(slot.features) < 2:
            return
        scores = self._scores(slot)
        if self._params.pruning == _PRUNE_BY_BOUND:
            slot.keep(np.flatnonzero(scores <= scores.min() + self._bound(slot)))
            return
        count = max(1, round(_KEPT[self._params.pruning] * len(scores)))
        slot.keep(np.sort(np.argsort(scores, kind="stable")[:count]))

    def _finished(self, slot: _Slot) -> bool:
        weight = self._weight(slot.total)
        mixed = self._params.regression or np.count_nonzero(slot.total) > 1
        if weight >= self._params.split_after_samples(slot.depth) and mixed:
            return True
        if self._params.finish == _BASIC or not mixed or self._params.regression:
            return False
        if weight - slot.checked_at >= self._params.check_every(slot.depth):
            slot.checked_at = float(weight)
            slot.early = self._dominated(slot)
        return slot.early

    def _dominated(self, slot: _Slot) -> bool:
        """Whether the best candidate is almost surely better than the second."""
        scores = self._scores(slot)
        if np.isfinite(scores).sum() < 2:
            return False
        best, second = np.argsort(scores, kind="stable")[:2]
        if self._params.finish == _HOEFFDING:
            return bool(scores[second] - scores[best] > self._bound(slot))
        return bool(self._resampled(slot, best).max() < self._resampled(slot, second).min())

    def _resampled(self, slot: _Slot, candidate: int) -> np.ndarray:
        """The scores of a candidate for samples drawn, with replacement, from its examples."""
        assert self._rng is not None
        sure = min(self._params.dominate_fraction(slot.depth), 0.999)
        repeats = max(1, int(np.ceil(1 / (1 - sure))))
        left = slot.left[candidate]
        cells = np.maximum(np.concatenate([left, slot.total - left]), 0)
        drawn = self._rng.multinomial(int(cells.sum()), cells / cells.sum(), repeats).astype(float)
        return self._impurity(drawn[:, : len(left)]) + self._impurity(drawn[:, len(left) :])

    def best_split(self, node: int) -> Split | None:
        """The best candidate of a leaf; None if all examples are on one side of each."""
        slot = self._slots.get(node)
        if slot is None or not len(slot.features):
            return None
        scores = self._scores(slot)
        best = int(np.argmin(scores))
        if not np.isfinite(scores[best]):
            return None
        left = slot.left[best]
        return Split(
            int(slot.features[best]), float(slot.thresholds[best]), left, slot.total - left
        )

    def grow(self, tree: DecisionTree, nodes: list[int]) -> None:
        """Splits leaves that are ready.

        Args:
            tree: the tree.
            nodes: the leaves.
        """
        params = self._params
        for node in nodes:
            if tree.size + 2 > params.max_nodes:
                return
            slot = self._slots.get(node)
            if slot is None:
                fail(f"Node {node} is not a leaf that grows.")
            found = self.best_split(node)
            if found is None:
                # New candidates may divide the examples.
                self._slots[node] = _Slot(slot.depth, self._width)
                continue
            children = tree.split(node, found.feature, found.threshold, params.strict)
            del self._slots[node]
            for child, sums in zip(children, (found.left, found.right)):
                self._slots[child] = _Slot(slot.depth + 1, self._width)
                tree.add(child, sums, params.regression)

    def serialize(self) -> bytes:
        """The statistics as a FertileStats."""
        message = fertile_stats_pb2.FertileStats()
        for node, slot in sorted(self._slots.items()):
            entry = message.node_to_slot.add(node_id=node, depth=slot.depth)
            if self._params.keep_stats:
                self._write(slot, entry)
        return bytes(message.SerializeToString(deterministic=True))

    def _write(self, slot: _Slot, entry: Any) -> None:
        self._write_sums(slot.total, entry.post_init_leaf_stats)
        for feature, threshold, left in zip(slot.features, slot.thresholds, slot.left):
            candidate = entry.candidates.add()
            test = candidate.split.inequality_left_child_test
            test.feature_id.id.value = str(feature)
            test.threshold.float_value = float(threshold)
            self._write_sums(left, candidate.left_stats)

    def _write_sums(self, sums: np.ndarray, stat: Any) -> None:
        stat.weight_sum = float(self._weight(sums))
        outputs = self._params.outputs
        if not self._params.regression:
            for value in sums.tolist():
                stat.classification.dense_counts.value.add().float_value = value
            return
        for place in range(outputs):
            stat.regression.mean_output.value.add().float_value = sums[1 + place]
            stat.regression.mean_output_squares.value.add().float_value = sums[1 + outputs + place]

    def _read_sums(self, stat: Any) -> np.ndarray:
        if self._params.regression:
            means, squares = stat.regression.mean_output, stat.regression.mean_output_squares
            values = [v.float_value for v in (*means.value, *squares.value)]
            sums = np.array([stat.weight_sum, *values])
        else:
            sums = np.array([v.float_value for v in stat.classification.dense_counts.value])
        return sums if len(sums) == self._width else np.zeros(self._width)

    def _parse(self, config: bytes) -> None:
        message = fertile_stats_pb2.FertileStats()
        try:
            message.ParseFromString(config)
        except Exception as error:
            fail(f"Unable to parse stats config: {error}")
        for entry in message.node_to_slot:
            slot = _Slot(entry.depth, self._width)
            tests = [c.split.inequality_left_child_test for c in entry.candidates]
            slot.add_candidates(
                np.array([int(t.feature_id.id.value or 0) for t in tests], np.int64),
                np.array([t.threshold.float_value for t in tests], np.float32),
            )
            for place, candidate in enumerate(entry.candidates):
                slot.left[place] = self._read_sums(candidate.left_stats)
            slot.total = self._read_sums(entry.post_init_leaf_stats)
            slot.ready = len(tests) >= self._params.splits_to_consider(entry.depth)
            self._slots[entry.node_id] = slot
