"""The attributes of the ops of random forests: their parameters, and what the features are."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.protos.lazy import tensor_forest_params_pb2

_COLUMN = re.compile(r"\{name: (.*?) original_type: (\d+) size: (-?\d+)\}")
_SPEC = re.compile(r"dense_features_size: (-?\d+) dense: \[(.*?)\] sparse: \[(.*?)\]$", re.DOTALL)


class Params(NamedTuple):
    """The parameters of a tree.

    Args:
        regression: whether the outputs are numbers, not classes.
        outputs: the number of outputs.
        max_nodes: the largest number of nodes.
        features: the number of features.
        finish: how a node is found ready to split: 0 basic, 2 Hoeffding, 3 bootstrap.
        pruning: which candidates are dropped early: 0 none, 1 half, 2 a quarter, 3 10 percent,
            4 by Hoeffding's bound.
        strict: whether an example goes left if its feature is less than the threshold, not if it
            is less or equal.
        keep_stats: whether a checkpoint has the statistics of the leaves.
        tree_paths: whether predictions come with the paths to their leaves.
        message: the TensorForestParams, for the values that depend on the depth of a node.
    """

    regression: bool
    outputs: int
    max_nodes: int
    features: int
    finish: int
    pruning: int
    strict: bool
    keep_stats: bool
    tree_paths: bool
    message: object

    def splits_to_consider(self, depth: int) -> int:
        """How many candidates a node has."""
        return max(1, int(_at_depth(self.message.num_splits_to_consider, depth)))  # type: ignore[attr-defined]

    def split_after_samples(self, depth: int) -> float:
        """The weight of examples after which a node splits."""
        return _at_depth(self.message.split_after_samples, depth)  # type: ignore[attr-defined]

    def dominate_fraction(self, depth: int) -> float:
        """How sure it must be that the best candidate is the best."""
        return _at_depth(self.message.dominate_fraction, depth)  # type: ignore[attr-defined]

    def min_split_samples(self, depth: int) -> float:
        """The least weight on either side of a split."""
        return _at_depth(self.message.min_split_samples, depth)  # type: ignore[attr-defined]

    def check_every(self, depth: int) -> float:
        """The weight of examples after which it is checked whether a node splits early."""
        return _at_depth(self.message.finish_type.check_every_steps, depth)  # type: ignore[attr-defined]

    def prune_every(self, depth: int) -> float:
        """The weight of examples after which candidates are dropped."""
        return _at_depth(self.message.pruning_type.prune_every_samples, depth)  # type: ignore[attr-defined]


def _at_depth(parameter: object, depth: int) -> float:
    """The value of a DepthDependentParam."""
    kind = parameter.WhichOneof("ParamType")  # type: ignore[attr-defined]
    if kind is None:
        return 0.0
    value = getattr(parameter, kind)
    if kind == "constant_value":
        return float(value)
    if kind == "linear":
        at = depth * value.slope + value.y_intercept
        return float(min(max(at, value.min_val), value.max_val))
    if kind == "exponential":
        power = value.base ** (value.depth_multiplier * depth)
        return float(value.bias + value.multiplier * power)
    return float(value.on_value if depth >= value.threshold else value.off_value)


@functools.lru_cache(maxsize=64)
def parsed_params(text: bytes) -> Params:
    """Parses a TensorForestParams.

    Args:
        text: the serialized message.

    Returns:
        The parameters.
    """
    message = tensor_forest_params_pb2.TensorForestParams()
    message.ParseFromString(text)
    return Params(
        regression=message.is_regression,
        outputs=message.num_outputs,
        max_nodes=message.max_nodes,
        features=message.num_features,
        finish=message.finish_type.type,
        pruning=message.pruning_type.type,
        strict=message.inequality_test_type == 1,
        keep_stats=message.checkpoint_stats,
        tree_paths=message.inference_tree_paths,
        message=message,
    )


@functools.lru_cache(maxsize=64)
def feature_types(spec: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Reads what the features are.

    Args:
        spec: the text of a TensorForestDataSpec.

    Returns:
        For each dense feature, and for each sparse one (of which the last stands for all that
        follow), whether it is a category.
    """
    match = _SPEC.match(spec.decode())
    if match is None:
        fail(f"Could not parse the input spec: {spec.decode()!r}")
    found = []
    for part in match.groups()[1:]:
        columns = [(int(kind), int(size)) for _, kind, size in _COLUMN.findall(part)]
        kinds = [np.full(max(size, 1), kind == 1) for kind, size in columns]
        found.append(np.concatenate(kinds) if kinds else np.zeros(0, bool))
    return found[0], found[1]
