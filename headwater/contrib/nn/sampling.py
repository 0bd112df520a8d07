"""Sampled softmax losses: with classes that are sampled again by rank, and with sparse labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.nn.sampled_losses import sampled_logits, sampled_softmax_loss
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import stop_gradient
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_logsumexp
from headwater.ops.nn.top_k import top_k


def rank_resample(
    weights: Tensor,
    biases: Tensor,
    inputs: TensorLike,
    sampled_values: Sequence[Tensor],
    num_resampled: int,
    resampling_temperature: float,
    partition_strategy: str,
) -> tuple[Any, Any, Any]:
    """The classes of a sample that the inputs make most probable.

    Args:
        weights: the classes' vectors, or parts of them.
        biases: the classes' biases.
        inputs: [batch, depth].
        sampled_values: classes, and how often the true and the sampled classes are expected.
        num_resampled: how many are kept.
        resampling_temperature: what logits are divided by.
        partition_strategy: how the vectors are divided into parts.

    Returns:
        Such a triple for the classes that are kept.
    """
    sampled, true_expected, sampled_expected = sampled_values
    sampled = stop_gradient(sampled)
    vectors = embedding_lookup(weights, sampled, partition_strategy=partition_strategy)
    offsets = embedding_lookup(biases, sampled, partition_strategy=partition_strategy)
    logits: TensorLike = matmul(inputs, vectors, transpose_b=True)
    logits = (logits + offsets) / resampling_temperature
    _, places = top_k(reduce_logsumexp(logits, axis=0), k=num_resampled, sorted=False)
    return gather(sampled, places), true_expected, gather(sampled_expected, places)


@export("contrib.nn.rank_sampled_softmax_loss")
def rank_sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Sequence[TensorLike],
    resampling_temperature: TensorLike,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Tensor:
    """Sampled softmax loss with the most probable classes of a sample.

    Args:
        weights: the classes' vectors, [classes, depth], or parts of them.
        biases: the classes' biases, [classes].
        labels: class numbers, int64 [batch, num_true].
        inputs: [batch, depth].
        num_sampled: how many classes are sampled.
        num_resampled: how many of them are kept.
        num_classes: the number of classes.
        num_true: the number of labels of each example.
        sampled_values: what a candidate sampler gives; None for the learned unigram sampler.
        resampling_temperature: what logits are divided by to rank the classes.
        remove_accidental_hits: whether classes that are labels do not count.
        partition_strategy: how the vectors are divided into parts.
        name: the name scope.

    Returns:
        A vector [batch] with the losses.

    Raises:
        ValueError: if fewer classes are sampled than kept.

    Source: Y. Bai et al., "TAPAS: Two-pass Approximate Adaptive Sampling for Softmax", 2017.
    """
    if num_sampled > num_classes:
        raise ValueError(
            f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})"
        )
    if num_sampled <= num_resampled:
        raise ValueError(
            f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})"
        )
    values = [weights, biases, labels, inputs]
    with name_scope(name, "rank_sampled_softmax_loss", values) as scope:
        if sampled_values is None:
            sampled_values = build.LearnedUnigramCandidateSampler(
                labels, num_true=num_true, num_sampled=num_sampled, unique=True,
                range_max=num_classes,
            )  # fmt: skip
        known = constant_value(convert_to_tensor(resampling_temperature))
        if known is not None and not known > 0.0:
            raise ValueError(f"resampling_temperature must be positive, not {known}")
        kept = rank_resample(
            weights,
            biases,
            inputs,
            sampled_values,
            num_resampled,
            resampling_temperature,
            partition_strategy,
        )
        return sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=kept,
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )


@export("contrib.nn.sampled_sparse_softmax_loss")
def sampled_sparse_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Tensor:
    """Sampled softmax loss of one label per example.

    Args:
        weights: the classes' vectors, [classes, depth], or parts of them.
        biases: the classes' biases, [classes].
        labels: class numbers, int64 [batch, 1].
        inputs: [batch, depth].
        num_sampled: how many classes are sampled.
        num_classes: the number of classes.
        sampled_values: what a candidate sampler gives; None for the log-uniform sampler.
        remove_accidental_hits: whether classes that are labels do not count.
        partition_strategy: how the vectors are divided into parts.
        name: the name scope.

    Returns:
        A vector [batch] with the losses.
    """
    logits, _ = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        1,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        None,
    )
    # The logit of the label stands first.
    sizes: Tensor = shape(labels)
    first = build.Fill(reshape(sizes[0], [1]), 0)
    return sparse_softmax_cross_entropy_with_logits(
        labels=build.Cast(first, DstT=dtypes.int64), logits=logits
    )
