"""SkipGramGenerateCandidates: pairs of tokens and their neighbors, for word embeddings.

Source: Mikolov, Chen, Corrado, Dean, "Efficient estimation of word representations in vector
space", 2013, section 3.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, ShapeContext, register_op
from headwater.ops.random import arguments, philox
from headwater.ops.random.words import Words


def kernel_skip_gram(
    xp: ArrayModule,
    input_tensor: Array,
    min_skips: Array,
    max_skips: Array,
    start: Array,
    limit: Array,
    emit_self_as_target: Array,
    *,
    state: Array,
) -> tuple[Any, Any]:
    low, high, first = int(min_skips), int(max_skips), int(start)
    if low < 0 or high < 0:
        fail("Both min_skips and max_skips must be >= 0.")
    if low > high:
        fail("min_skips must be <= max_skips.")
    if first < 0:
        fail("start must be >= 0.")
    count = len(input_tensor)
    end = min(first + int(limit), count) if limit >= 0 else count
    words = Words(state)
    tokens: list[int] = []
    labels: list[int] = []
    for token in range(first, end):
        window = low + words.below(high - low + 1)
        for label in range(max(first, token - window), min(end, token + window + 1)):
            if label != token or emit_self_as_target:
                tokens.append(token)
                labels.append(label)
    outputs = input_tensor[np.array(tokens, np.int64)], input_tensor[np.array(labels, np.int64)]
    drawn = max(end - first, 0)
    return outputs, philox.skip(np, state, -(-drawn * philox.RESERVED_PER_OUTPUT // 4))


def shape_skip_gram(c: ShapeContext) -> list[Shape]:
    c.with_rank("input_tensor", 1)
    for name in ("min_skips", "max_skips", "start", "limit", "emit_self_as_target"):
        c.with_rank(name, 0)
    return [(None,), (None,)]


register_op(
    "SkipGramGenerateCandidates",
    inputs=(
        "input_tensor: T, min_skips: int32, max_skips: int32, start: int32, limit: int32, "
        "emit_self_as_target: bool"
    ),
    outputs="tokens: T, labels: T",
    attrs="T: type, seed: int = 0, seed2: int = 0",
    shape=shape_skip_gram,
    kernel=kernel_skip_gram,
    state=arguments.state_of,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
