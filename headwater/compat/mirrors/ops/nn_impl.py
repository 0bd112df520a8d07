"""tensorflow.python.ops.nn_impl: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.model.nn.sampled_losses import sampled_logits

__all__ = ["_compute_sampled_logits"]


def _compute_sampled_logits(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: Any = None,
) -> tuple[Tensor, Tensor]:
    return sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
        subtract_log_q,
    )
