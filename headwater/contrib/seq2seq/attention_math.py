"""Scores and distributions of attention, and the preparation of a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.model.functional_loops import scan
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like, zeros
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.transpose import transpose
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.scan import cumprod, cumsum
from headwater.ops.math.select import where
from headwater.ops.random.normal import random_normal

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def dimension(x: TensorLike, axis: int) -> Any:
    """The length of an axis: an int if it is known, else a scalar tensor."""
    known = x.get_shape()[axis].value
    return known if known is not None else shape_tensor(x)[axis]


def prepare_memory(
    memory: Tensor | None,
    memory_sequence_length: TensorLike | None = None,
    memory_mask: TensorLike | None = None,
    check_inner_dims_defined: bool = True,
) -> Tensor:
    """Sets the elements of a memory after the end of each sequence to zero.

    Args:
        memory: a tensor of shape [batch, time, ...], or a structure of them.
        memory_sequence_length: an int32 vector; None for no mask.
        memory_mask: a boolean matrix [batch, time], instead.
        check_inner_dims_defined: whether all but the first two dimensions must be known.

    Returns:
        The masked memory.

    Raises:
        ValueError: if dimensions are unknown that must be known, or there are two masks.
    """
    memory = nest.map_structure(lambda m: convert_to_tensor(m, name="memory"), memory)
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_sequence_length is not None:
        memory_sequence_length = convert_to_tensor(
            memory_sequence_length, name="memory_sequence_length"
        )
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {m.name} to have fully defined inner dims, but saw "
                    f"shape: {m.get_shape()}"
                )
    first = nest.flatten(memory)[0]
    if memory_sequence_length is not None:
        longest = shape_tensor(first)[1]
        mask = sequence_mask(memory_sequence_length, maxlen=longest, dtype=first.dtype)
    elif memory_mask is not None:
        mask = cast(memory_mask, first.dtype)
    else:
        return memory

    def masked(m: TensorLike) -> Tensor:
        rank = m.get_shape().ndims
        extra = ones((rank if rank is not None else rank_tensor(m)) - 2, dtype=dtypes.int32)
        return m * build.Reshape(mask, concat((shape_tensor(mask), extra), 0))

    return nest.map_structure(masked, memory)


def masked_score(
    score: TensorLike,
    memory_sequence_length: TensorLike | None = None,
    memory_mask: Any = None,
    score_mask_value: TensorLike = None,
) -> Tensor:
    """Sets the scores after the end of each sequence to one value.

    Args:
        score: the scores, [batch, time].
        memory_sequence_length: a vector of positive lengths; None for no mask.
        memory_mask: a boolean matrix [batch, time], instead.
        score_mask_value: the value.

    Returns:
        The masked scores.

    Raises:
        ValueError: if there are two masks.
    """
    if memory_sequence_length is None and memory_mask is None:
        return score
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_sequence_length is not None:
        text = "All values in memory_sequence_length must be greater than zero."
        check = assert_positive(memory_sequence_length, message=text)
        with control_dependencies([check]):
            longest = shape_tensor(score)[1]
            memory_mask = sequence_mask(memory_sequence_length, maxlen=longest)
    return where(memory_mask, score, score_mask_value * ones_like(score))


def luong_score(query: TensorLike, keys: TensorLike, scale: Variable | None) -> Tensor:
    """The products of a query with the keys.

    Args:
        query: [batch, depth].
        keys: [batch, time, depth].
        scale: a scalar that they are multiplied by, or None.

    Returns:
        Scores of shape [batch, time].

    Raises:
        ValueError: if the depths differ or are unknown.

    Source: M. Luong et al., "Effective Approaches to Attention-based Neural Machine
    Translation", 2015.
    """
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  "
            f"Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    score = matmul(build.ExpandDims(query, 1), keys, transpose_b=True)
    score = build.Squeeze(score, squeeze_dims=[1])
    return score if scale is None else scale * score


def bahdanau_score(
    processed_query: TensorLike,
    keys: Tensor,
    attention_v: TensorLike,
    attention_g: Variable | None = None,
    attention_b: Variable | None = None,
) -> Tensor:
    """The scores of a hidden layer on query and keys.

    Args:
        processed_query: [batch, units].
        keys: [batch, time, units].
        attention_v: the weights of the units.
        attention_g: the norm of the weights, if they are normalized.
        attention_b: the bias of the units, if the weights are normalized.

    Returns:
        Scores of shape [batch, time].

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and
    Translate", 2014; T. Salimans and D. Kingma, "Weight Normalization", 2016.
    """
    query = build.ExpandDims(processed_query, 1)
    if attention_g is None or attention_b is None:
        return reduce_sum(attention_v * build.Tanh(keys + query), [2])
    scaled = attention_g * attention_v
    normed = scaled * build.Rsqrt(reduce_sum(build.Square(attention_v)))
    return reduce_sum(normed * build.Tanh(keys + query + attention_b), [2])


@export("contrib.seq2seq.hardmax")
def hardmax(logits: TensorLike, name: str | None = None) -> Tensor:
    """A one at the largest logit of each row, zeros elsewhere.

    Args:
        logits: [..., classes].
        name: a name scope.

    Returns:
        A tensor like `logits`.
    """
    values = [logits] if isinstance(logits, Tensor) else []
    with name_scope(name, "Hardmax", values):
        logits = convert_to_tensor(logits, name="logits")
        return one_hot(argmax(logits, -1), dimension(logits, -1), dtype=logits.dtype)


@export("contrib.seq2seq.safe_cumprod")
def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """Cumulative products of numbers of [0, 1], as sums of logarithms.

    Args:
        x: the numbers.
        *args: further arguments of tf.cumsum.
        **kwargs: further arguments of tf.cumsum.

    Returns:
        A tensor like `x`.
    """
    with name_scope(None, "SafeCumprod", [x] if isinstance(x, Tensor) else []):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        logarithms = build.Log(clip_by_value(x, tiny, 1))
        return build.Exp(cumsum(logarithms, *args, **kwargs))


@export("contrib.seq2seq.monotonic_attention")
def monotonic_attention(
    p_choose_i: TensorLike, previous_attention: TensorLike, mode: str
) -> Tensor:
    """The distribution of monotonic attention.

    Args:
        p_choose_i: the probabilities to stop at each element, [batch, time].
        previous_attention: the distribution of the last step, [batch, time].
        mode: "recursive", "parallel" (quick, less exact) or "hard" (for 0 and 1 only).

    Returns:
        A tensor like `p_choose_i`.

    Raises:
        ValueError: if the mode is another.

    Source: C. Raffel et al., "Online and Linear-Time Attention by Enforcing Monotonic
    Alignments", 2017.
    """
    p = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        return p * _recursive_attention(p, previous)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        weights = p * passed
        return weights * cumsum(previous / clip_by_value(passed, 1e-10, 1.0), 1)
    if mode == "hard":
        p *= cumsum(previous, axis=1)
        return p * cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _recursive_attention(p: Tensor, previous: Tensor) -> Tensor:
    """The probability that attention reaches each element."""
    rows = dimension(p, 0)
    passed = concat([ones((rows, 1)), 1 - p[:, :-1]], 1)

    def step(arrived: Tensor, element: Sequence[Tensor]) -> Tensor:
        return build.Reshape(element[0] * arrived + element[1], (rows,))

    return transpose(scan(step, [transpose(passed), transpose(previous)], zeros((rows,))))


def monotonic_probabilities(
    score: TensorLike,
    previous_alignments: TensorLike,
    sigmoid_noise: float,
    mode: str,
    seed: int | None = None,
) -> Tensor:
    """The alignments of monotonic attention.

    Args:
        score: the scores, [batch, time].
        previous_alignments: those of the last step.
        sigmoid_noise: the deviation of noise on the scores.
        mode: see `monotonic_attention`.
        seed: the seed of the noise.

    Returns:
        A tensor like `score`.
    """
    if sigmoid_noise > 0:
        noise = random_normal(shape_tensor(score), dtype=score.dtype, seed=seed)
        score += sigmoid_noise * noise
    p = cast(score > 0, score.dtype) if mode == "hard" else build.Sigmoid(score)
    return monotonic_attention(p, previous_alignments, mode)


def noisy_monotonic(sigmoid_noise: float, mode: str, seed: int | None) -> Callable[..., Tensor]:
    """`monotonic_probabilities` with given settings, as a function of two arguments."""

    def probabilities(score: TensorLike, previous: TensorLike) -> Tensor:
        return monotonic_probabilities(score, previous, sigmoid_noise, mode, seed)

    return probabilities
