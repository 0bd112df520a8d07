"""Losses over a sample of many classes: nce_loss, sampled_softmax_loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    shape_tensor,
    zeros_like,
)
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.embedding import embedding_lookup
from headwater.ops.nn.candidate_samplers import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits_v2


@export("nn.nce_loss")
def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Returns the noise-contrastive estimation loss of each example.

    Args:
        weights: a matrix of one row per class, or a list of parts of it.
        biases: a vector of one number per class, or a list of parts.
        labels: int64 matrix of shape [batch, num_true]. (In TensorFlow 0.x's order `inputs` comes
            before `labels`; the types tell.)
        inputs: a float matrix of one row per example.
        num_sampled: how many classes are sampled for the batch.
        num_classes: the number of classes.
        num_true: the number of true classes per example.
        sampled_values: what a candidate sampler returned; None is log_uniform_candidate_sampler.
        remove_accidental_hits: whether sampled classes that are true ones do not count.
        partition_strategy: how classes are spread over parts; see `embedding_lookup`.
        name: the name scope.

    Returns:
        A vector of one loss per example.

    Source: M. Gutmann, A. Hyvärinen, "Noise-contrastive estimation", AISTATS 2010.
    """
    labels, inputs = _in_order(labels, inputs)
    logits, label_values = sampled_logits(
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
        None,
    )
    losses = sigmoid_cross_entropy_with_logits(
        labels=label_values, logits=logits, name="sampled_losses"
    )
    return _row_sums(losses)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: NestedTensors,
    biases: NestedTensors,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """Returns the softmax cross entropy over the true and some sampled classes.

    Args:
        weights: a matrix of one row per class, or a list of parts of it.
        biases: a vector of one number per class, or a list of parts.
        labels: int64 matrix of shape [batch, num_true]. (In TensorFlow 0.x's order `inputs` comes
            before `labels`; the types tell.)
        inputs: a float matrix of one row per example.
        num_sampled: how many classes are sampled for the batch.
        num_classes: the number of classes.
        num_true: the number of true classes per example.
        sampled_values: what a candidate sampler returned; None is log_uniform_candidate_sampler.
        remove_accidental_hits: whether sampled classes that are true ones do not count.
        partition_strategy: how classes are spread over parts; see `embedding_lookup`.
        name: the name scope.
        seed: the seed of the sampler.

    Returns:
        A vector of one loss per example.

    Source: S. Jean et al., "On Using Very Large Target Vocabulary for Neural Machine Translation",
    ACL 2015.
    """
    labels, inputs = _in_order(labels, inputs)
    logits, label_values = sampled_logits(
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
    )
    label_values = build.StopGradient(label_values, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=label_values, logits=logits)


def _in_order(labels: TensorLike, inputs: TensorLike) -> tuple[Any, Any]:
    """Labels and inputs, which TensorFlow 0.x takes in the opposite order."""
    if _is_float(labels) and not _is_float(inputs):
        return inputs, labels
    return labels, inputs


def _is_float(value: TensorLike) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is None or dtypes.as_dtype(dtype).is_floating


def sampled_logits(
    weights: NestedTensors,
    biases: NestedTensors,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Sequence[TensorLike] | None,
    subtract_hits: bool,
    partition_strategy: str,
    name: str | None,
    seed: int | None,
    subtract_log_q: bool = True,
) -> tuple[Tensor, Tensor]:
    """Logits of the true classes, then of the sampled ones, and the labels that belong to them.

    With `subtract_log_q` logits are lowered by the logarithm of how often their class is expected
    in a sample.
    """
    weights, biases = _parts(weights), _parts(biases)
    with name_scope(name, "compute_sampled_logits", [*weights, *biases, inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = build.Cast(labels, DstT=dtypes.int64)
        flat_labels = build.Reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                true_classes=labels,
                num_true=num_true,
                num_sampled=num_sampled,
                unique=True,
                range_max=num_classes,
                seed=seed,
            )
        sampled, true_expected, sampled_expected = [build.StopGradient(v) for v in sampled_values]
        if sampled.dtype != dtypes.int64:
            sampled = build.Cast(sampled, DstT=dtypes.int64)
        all_ids = build.ConcatV2([flat_labels, sampled], 0, name="concat")

        rows = embedding_lookup(weights, all_ids, partition_strategy=partition_strategy)
        true_rows = build.Slice(rows, [0, 0], _stack(_length(flat_labels), -1))
        sampled_rows = build.Slice(rows, _stack(_length(flat_labels), 0), [-1, -1])
        other_logits: Tensor = build.MatMul(inputs, sampled_rows, transpose_b=True)
        all_biases = embedding_lookup(biases, all_ids, partition_strategy=partition_strategy)
        true_biases = build.Slice(all_biases, [0], shape_tensor(flat_labels))
        sampled_biases = build.Slice(all_biases, shape_tensor(flat_labels), [-1])

        true_shape: Tensor = shape_tensor(true_rows)
        width = true_shape[1:2]
        shape = build.ConcatV2([[-1, num_true], width], 0, name="concat")
        products = build.Mul(build.ExpandDims(inputs, 1), build.Reshape(true_rows, shape))
        flat_shape = build.ConcatV2([[-1], width], 0, name="concat")
        true_logits: Tensor = _row_sums(build.Reshape(products, flat_shape))
        true_logits = build.Reshape(true_logits, [-1, num_true])
        true_logits = true_logits + build.Reshape(true_biases, [-1, num_true])
        other_logits = other_logits + sampled_biases

        if subtract_hits:
            other_logits = other_logits + _hit_weights(
                labels, sampled, num_true, num_sampled, other_logits.dtype
            )
        if subtract_log_q:
            true_logits = true_logits - build.Log(true_expected)
            other_logits = other_logits - build.Log(sampled_expected)
        logits = build.ConcatV2([true_logits, other_logits], 1, name="concat")
        ones: Tensor = ones_like(true_logits)
        label_values = build.ConcatV2([ones / num_true, zeros_like(other_logits)], 1, name="concat")
        return logits, label_values


def _parts(params: NestedTensors) -> list[Any]:
    parts = getattr(params, "_get_variable_list", None)
    if parts is not None:
        return parts()
    return list(params) if isinstance(params, (list, tuple)) else [params]


def _length(vector: Tensor) -> Tensor:
    shape: Tensor = shape_tensor(vector)
    return shape[0]


def _stack(*items: Any) -> Tensor:
    return convert_to_tensor(list(items), name="stack")


def _hit_weights(
    labels: TensorLike, sampled: Tensor, num_true: int, num_sampled: int, dtype: DTypeLike
) -> Tensor:
    """A matrix with a large negative number where a sampled class is a true one, else 0."""
    indices, ids, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = build.Reshape(indices, [-1, 1])
    columns = build.Reshape(build.Cast(ids, DstT=dtypes.int32), [-1, 1])
    places = build.ConcatV2([rows, columns], 1, name="sparse_indices")
    labels_shape: Tensor = shape_tensor(labels)
    shape = build.ConcatV2([labels_shape[:1], build.ExpandDims(num_sampled, 0)], 0, name="concat")
    if weights.dtype != dtype:
        weights = build.Cast(weights, DstT=dtype)
    return build.SparseToDense(places, shape, weights, 0.0, validate_indices=False)


def _row_sums(x: Tensor) -> Tensor:
    """The sums of rows, as a matrix product."""
    shape: Tensor = shape_tensor(x)
    column = _stack(shape[1], 1)
    with name_scope(None, "ones", [column]) as scope:
        ones = build.Fill(column, constant_node(1, x.dtype.base_dtype), name=scope)
    return build.Reshape(build.MatMul(x, ones), [-1])
