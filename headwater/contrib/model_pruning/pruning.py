"""Pruning: raises the thresholds of masked weights until enough of them are zero.

Source: Zhu, Gupta, "To prune, or not to prune: exploring the efficacy of pruning for model
compression", 2017; the sparsity of a step is equation 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.model_pruning.blocks import pooled, repeated
from headwater.contrib.model_pruning.masks import get_masks, get_thresholds, get_weights
from headwater.contrib.training.hparam import HParams
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    group,
    name_scope,
    shape_tensor,
)
from headwater.model.global_step import get_global_step
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.division import div
from headwater.ops.nn.top_k import top_k
from headwater.ops.state.assign import assign
from headwater.ops.summary.scalar import scalar


@export("contrib.model_pruning.get_pruning_hparams")
def get_pruning_hparams() -> HParams:
    """Returns the hyperparameters of `Pruning` with their defaults.

    Returns:
        HParams with: name (of the scope); begin_pruning_step and end_pruning_step (-1 for no end);
        pruning_frequency, the steps between updates of masks; sparsity_function_begin_step,
        sparsity_function_end_step, sparsity_function_exponent, initial_sparsity and
        target_sparsity, which say how the sparsity grows; threshold_decay, the weight of the last
        threshold in a new one; block_height, block_width and block_pooling_function ("AVG" or
        "MAX") for matrices whose masks consist of blocks; weight_sparsity_map and block_dims_map,
        lists of "pattern:sparsity" and "pattern:HEIGHTxWIDTH" for weights whose names have the
        pattern; use_tpu; nbins (unused).

    Example:
        >>> hparams = tf.contrib.model_pruning.get_pruning_hparams().parse("target_sparsity=0.9")
        >>> hparams.target_sparsity
        0.9
    """
    return HParams(
        name="model_pruning",
        begin_pruning_step=0,
        end_pruning_step=-1,
        weight_sparsity_map=[""],
        block_dims_map=[""],
        threshold_decay=0.0,
        pruning_frequency=10,
        nbins=256,
        block_height=1,
        block_width=1,
        block_pooling_function="AVG",
        initial_sparsity=0.0,
        target_sparsity=0.5,
        sparsity_function_begin_step=0,
        sparsity_function_end_step=100,
        sparsity_function_exponent=3.0,
        use_tpu=False,
    )


@export("contrib.model_pruning.Pruning")
class Pruning:
    """Masks the smallest weights of a graph while it is trained.

    Args:
        spec: the HParams of `get_pruning_hparams`; the defaults if None.
        global_step: the step; that of the graph if None.
        sparsity: a scalar to use instead of the schedule of the HParams.

    Raises:
        ValueError: if the hyperparameters do not fit together.
    """

    def __init__(
        self, spec: HParams | None = None, global_step: Any = None, sparsity: TensorLike = None
    ) -> None:
        self._spec = _checked(spec or get_pruning_hparams())
        step = get_global_step() if global_step is None else global_step
        self._global_step = cast(step, dtypes.int32)
        self._sparsity = self._scheduled_sparsity() if sparsity is None else sparsity
        self._last_update_step = self._make_last_update_step()
        self._block_dims_map = _parse_block_dims(self._spec.block_dims_map)
        self._weight_sparsity_map = _parse_sparsities(self._spec.weight_sparsity_map)
        self._assign_ops: list[Any] = []

    def _scheduled_sparsity(self) -> Tensor:
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        with name_scope(spec.name):
            passed = div(cast(self._global_step - begin, dtypes.float32), end - begin)
            part = build.Minimum(1.0, build.Maximum(0.0, passed))
            left = build.Pow(1 - part, spec.sparsity_function_exponent)
            grown = build.Mul(spec.initial_sparsity - spec.target_sparsity, left)
            return build.Add(grown, spec.target_sparsity, name="sparsity")

    def _make_last_update_step(self) -> Any:
        with variable_scope(self._spec.name, use_resource=self._spec.use_tpu) as scope:
            try:
                return _last_update_step()
            except ValueError:  # another Pruning has it already
                scope.reuse_variables()
                return _last_update_step()

    def _get_sparsity(self, name: str) -> Tensor:
        """The sparsity of the weights of a name at the current step."""
        target = _only_match(self._weight_sparsity_map, name, "weight_sparsity_map")
        if target is None:
            return self._sparsity
        return build.Mul(self._sparsity, div(target, self._spec.target_sparsity))

    def _get_block_dims(self, name: str) -> Sequence[int]:
        block = _only_match(self._block_dims_map, name, "block_dims_map")
        return [self._spec.block_height, self._spec.block_width] if block is None else block

    def _updated(self, weights: TensorLike, threshold: TensorLike) -> tuple[Tensor, Tensor]:
        """Computes a new threshold and mask of weights."""
        name, decay = weights.op.name, self._spec.threshold_decay
        sparsity = self._get_sparsity(name)
        with name_scope(f"{name}_pruning_ops"):
            magnitudes = build.Abs(weights)
            kept = build.Round(cast(size(magnitudes), dtypes.float32) * (1 - sparsity))
            last = cast(kept, dtypes.int32)
            ordered, _ = top_k(reshape(magnitudes, [-1]), k=size(magnitudes))
            smallest = gather(ordered, last - 1)
            new = add_n([build.Mul(smallest, 1 - decay), build.Mul(threshold, decay)])
            return new, cast(build.GreaterEqual(magnitudes, new), dtypes.float32)

    def _updated_in_blocks(self, weights: TensorLike, threshold: TensorLike) -> tuple[Any, Any]:
        """Computes a new threshold and mask of weights, the mask in blocks if they are a matrix."""
        matrix = squeeze(weights)
        block = self._get_block_dims(weights.op.name)
        if matrix.shape.ndims != 2 or list(block) == [1, 1]:
            return self._updated(weights, threshold)
        pooling = self._spec.block_pooling_function
        if pooling not in ("AVG", "MAX"):
            raise ValueError(f"Unknown pooling function for block sparsity: {pooling}")
        with name_scope(f"{weights.op.name}_pruning_ops"):
            blocks = pooled(
                build.Abs(matrix), block, pooling, f"{weights.op.name}_pooled", self._spec.use_tpu
            )
            new, mask = self._updated(blocks, threshold)
            mask = repeated(mask, block, matrix.shape)
        return new, reshape(mask, shape_tensor(weights))

    def _make_assign_ops(self) -> None:
        masks, thresholds = get_masks(), get_thresholds()
        if len(masks) != len(thresholds):
            raise ValueError(
                f"Number of masks {len(masks)} and number of thresholds {len(thresholds)} mismatch"
            )
        for mask, weights, threshold in zip(masks, get_weights(), thresholds):
            whole = weights.as_tensor() if isinstance(weights, PartitionedVariable) else weights
            new_threshold, new_mask = self._updated_in_blocks(whole, threshold)
            for variable, value in ((threshold, new_threshold), (mask, new_mask)):
                self._assign_ops.append(_assigned(variable, value))

    def mask_update_op(self) -> Operation:
        """Returns an op that updates the masks of the graph for the current sparsity.

        Raises:
            ValueError: if the collections of masks and thresholds do not fit together.
        """
        with name_scope(self._spec.name):
            if not self._assign_ops:
                self._make_assign_ops()
            noted = assign(
                self._last_update_step, self._global_step, name="last_mask_update_step_assign"
            )
            with control_dependencies([noted]), control_dependencies(self._assign_ops):
                logging.info("Updating masks.")
                return build.NoOp(name="mask_update")

    def conditional_mask_update_op(self) -> Tensor:
        """Returns an op that updates the masks when the schedule says so.

        Returns:
            A tensor; the masks are updated when it is evaluated between the first and the last
            step of pruning and `pruning_frequency` steps after the last update.
        """
        spec, step = self._spec, self._global_step
        with name_scope(spec.name):
            begun = build.GreaterEqual(step, spec.begin_pruning_step)
            ended = build.LogicalOr(
                build.LessEqual(step, spec.end_pruning_step), build.Less(spec.end_pruning_step, 0)
            )
            within = build.LogicalAnd(begun, ended)
            due = build.LessEqual(build.Add(self._last_update_step, spec.pruning_frequency), step)
            updates = build.LogicalAnd(within, due)
        return cond(updates, self.mask_update_op, build.NoOp)

    def add_pruning_summaries(self) -> None:
        """Adds summaries of the sparsity, of each mask and each threshold."""
        with name_scope(f"{self._spec.name}_summaries"):
            scalar("sparsity", self._sparsity)
            scalar("last_mask_update_step", self._last_update_step)
            for mask, threshold in zip(get_masks(), get_thresholds()):
                scalar(f"{mask.op.name}/sparsity", zero_fraction(mask))
                scalar(f"{threshold.op.name}/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the hyperparameters."""
        logging.info(self._spec.to_json())


def _checked(spec: Any) -> Any:
    begin, end = spec.begin_pruning_step, spec.end_pruning_step
    if begin < 0:
        raise ValueError("Illegal value for begin_pruning_step")
    if begin >= end != -1:
        raise ValueError(
            f"Pruning must begin before it can end. begin_step={begin}, end_step={end}.Set "
            "end_pruning_step to -1 if pruning is required till trainingstops"
        )
    if spec.sparsity_function_begin_step < 0:
        raise ValueError("Illegal value for sparsity_function_begin_step")
    if spec.sparsity_function_begin_step >= spec.sparsity_function_end_step:
        raise ValueError("Sparsity function requires begin_step < end_step")
    for name in ("threshold_decay", "initial_sparsity", "target_sparsity"):
        if not 0.0 <= getattr(spec, name) < 1.0:
            raise ValueError(f"{name} must be in range [0,1)")
    return spec


def _last_update_step() -> Any:
    return get_variable(
        "last_mask_update_step", [], initializer=Zeros(), trainable=False, dtype=dtypes.int32
    )


def _parse_sparsities(entries: Sequence[str]) -> dict[re.Pattern[str], float]:
    """Parses "pattern:sparsity"."""
    found = {}
    for entry in filter(None, entries):
        pattern, sparsity = entry.split(":")
        if float(sparsity) >= 1.0:
            raise ValueError("Weight sparsity can not exceed 1.0")
        found[re.compile(pattern)] = float(sparsity)
    return found


def _parse_block_dims(entries: Sequence[str]) -> dict[re.Pattern[str], list[int]]:
    """Parses "pattern:HEIGHTxWIDTH"."""
    found = {}
    for entry in filter(None, entries):
        pattern, text = entry.split(":")
        lengths = text.split("x")
        if len(lengths) != 2:
            raise ValueError(f"Expected 2 values for block dim for {pattern}, got {lengths}")
        found[re.compile(pattern)] = [int(length) for length in lengths]
    return found


def _only_match(values: dict[re.Pattern[str], Any], name: str, map_name: str) -> Any:
    """Returns the value of the pattern that a name has, or None."""
    matches = [value for pattern, value in values.items() if pattern.search(name)]
    if len(matches) > 1:
        raise ValueError(f"Multiple matches in {map_name} for weight {name}")
    return matches[0] if matches else None


def _assigned(variable: Any, value: TensorLike) -> Any:
    if isinstance(variable, PartitionedVariable):
        return group(*variable.assign(value, name=f"{variable.name}_assign"))
    return assign(variable, value, name=f"{variable.op.name}_assign")
