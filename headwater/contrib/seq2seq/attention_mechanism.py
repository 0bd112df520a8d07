"""Attention mechanisms: Luong's and Bahdanau's, plain and monotonic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.seq2seq.attention_math import (
    bahdanau_score,
    dimension,
    luong_score,
    masked_score,
    noisy_monotonic,
    prepare_memory,
)
from headwater.contrib.seq2seq.helper import tensors
from headwater.graph import Tensor, export, name_scope
from headwater.model.layers.core import Dense
from headwater.model.rnn.cell import zero_state_tensors
from headwater.model.variables.initializers import Constant, Ones, Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.one_hot import one_hot
from headwater.ops.nn.softmax import softmax


@export("contrib.seq2seq.AttentionMechanism")
class AttentionMechanism:
    """The interface for AttentionWrapper: a function (query, state) -> (alignments, state)."""

    @property
    def alignments_size(self) -> Tensor | float:
        """The number of elements of the memory."""
        raise NotImplementedError

    @property
    def state_size(self) -> Tensor | float:
        """The size of the state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """A mechanism on a memory.

    Args:
        query_layer: a layer on queries, or None.
        memory: a tensor of shape [batch, time, ...].
        probability_fn: a function (scores, last alignments) -> alignments.
        memory_sequence_length: an int32 vector; what lies behind it is masked.
        memory_layer: a layer on the memory that gives the keys, or None.
        check_inner_dims_defined: whether all but the first two dimensions must be known.
        score_mask_value: the score behind the end of a sequence; minus infinity by default.
        custom_key_value_fn: a function (keys, values) -> (keys, values).
        name: a name scope.

    Raises:
        TypeError: if a layer or function is of the wrong kind.
        ValueError: if the memory has unknown dimensions.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: TensorLike | None,
        probability_fn: Callable[..., Any],
        memory_sequence_length: TensorLike | None = None,
        memory_layer: Dense | None = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: TensorLike | None = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        for role, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not callable(layer):
                raise TypeError(f"{role} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(
                f"probability_fn must be callable, saw type: {type(probability_fn).__name__}"
            )
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = None if memory_layer is None else memory_layer.dtype
        if score_mask_value is None:
            kind = as_dtype(self.dtype or dtypes.float32).as_numpy_dtype
            score_mask_value = np.asarray(-np.inf, kind)[()]
        self._probability_fn = lambda score, previous: probability_fn(
            masked_score(
                score,
                memory_sequence_length=memory_sequence_length,
                score_mask_value=score_mask_value,
            ),
            previous,
        )
        with name_scope(name, "BaseAttentionMechanismInit", tensors(memory)):
            self._values = prepare_memory(
                memory,
                memory_sequence_length=memory_sequence_length,
                check_inner_dims_defined=check_inner_dims_defined,
            )
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = dimension(self._keys, 0)
            self._alignments_size = dimension(self._keys, 1)

    @property
    def memory_layer(self) -> Callable[..., Any] | None:
        """The layer that gives the keys."""
        return self._memory_layer

    @property
    def query_layer(self) -> Dense | None:
        """The layer on queries."""
        return self._query_layer

    @property
    def values(self) -> Tensor:
        """The masked memory."""
        return self._values

    @property
    def keys(self) -> Tensor:
        """The keys, [batch, time, depth]."""
        return self._keys

    @property
    def batch_size(self) -> Tensor | float:
        """The number of sequences."""
        return self._batch_size

    @property
    def alignments_size(self) -> Tensor | float:
        """The number of elements of the memory."""
        return self._alignments_size

    @property
    def state_size(self) -> Tensor | float:
        """The size of the state, which is the last alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> Tensor:
        """The alignments before the first step: zeros.

        Args:
            batch_size: the number of sequences.
            dtype: the type.

        Returns:
            A tensor of shape [batch, alignments_size].
        """
        return zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Tensor:
        """The state before the first step: the initial alignments.

        Args:
            batch_size: the number of sequences.
            dtype: the type.

        Returns:
            A tensor of shape [batch, state_size].
        """
        return self.initial_alignments(batch_size, dtype)


class BaseMonotonicAttentionMechanism(BaseAttentionMechanism):
    """A mechanism whose attention begins at the first element of the memory."""

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> Tensor:
        """The alignments before the first step: all on the first element.

        Args:
            batch_size: the number of sequences.
            dtype: the type.

        Returns:
            A tensor of shape [batch, alignments_size].
        """
        first = zeros((batch_size,), dtype=dtypes.int32)
        return one_hot(first, self._alignments_size, dtype=dtype)


def _plain(probability_fn: Callable[[Any], Any] | None) -> Callable[..., Any]:
    function = softmax if probability_fn is None else probability_fn
    return lambda score, _: function(score)


def _linear(units: int, role: str, dtype: DType | None) -> Dense:
    return Dense(units, name=role, use_bias=False, dtype=dtype or dtypes.float32)


class _Scored(BaseAttentionMechanism):
    """Alignments that are a function of one score for each element of the memory."""

    _scope: ClassVar[str]
    # The first value of a bias on the scores, if there is one.
    _score_bias_init: TensorLike = None

    def _score(self, query: Tensor) -> Tensor:
        raise NotImplementedError

    def __call__(self, query: Tensor, state: TensorLike | None) -> tuple[Any, Any]:
        """Aligns a query with the memory.

        Args:
            query: [batch, depth].
            state: the last alignments.

        Returns:
            The alignments, and the next state.
        """
        with variable_scope(None, self._scope, [query]):
            score = self._score(query)
            if self._score_bias_init is not None:
                score += get_variable(
                    "attention_score_bias", dtype=query.dtype, initializer=self._score_bias_init
                )
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class _Luong(_Scored):
    """Scores that are products of query and keys."""

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        scale: bool,
        dtype: DTypeLike | None,
        name: str,
        **kwargs: Any,
    ) -> None:
        memory_layer = _linear(num_units, "memory_layer", dtype)
        super().__init__(None, memory, memory_layer=memory_layer, name=name, **kwargs)
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def _score(self, query: TensorLike) -> Tensor:
        scale = None
        if self._scale:
            scale = get_variable("attention_g", dtype=query.dtype, initializer=Ones, shape=())
        return luong_score(query, self._keys, scale)


class _Bahdanau(_Scored):
    """Scores of a hidden layer on query and keys."""

    def __init__(
        self,
        num_units: int,
        memory: Tensor | None,
        normalize: bool,
        dtype: DTypeLike | None,
        name: str,
        **kwargs: Any,
    ) -> None:
        query_layer = _linear(num_units, "query_layer", dtype)
        memory_layer = _linear(num_units, "memory_layer", dtype)
        super().__init__(query_layer, memory, memory_layer=memory_layer, name=name, **kwargs)
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def _score(self, query: Tensor) -> Tensor:
        processed = query if self._query_layer is None else self._query_layer(query)
        units, dtype = self._num_units, query.dtype
        v = get_variable("attention_v", [units], dtype=dtype)
        if not self._normalize:
            return bahdanau_score(processed, self._keys, v)
        norm = Constant(math.sqrt(1.0 / units))
        g = get_variable("attention_g", dtype=dtype, initializer=norm, shape=())
        b = get_variable("attention_b", [units], dtype=dtype, initializer=Zeros())
        return bahdanau_score(processed, self._keys, v, g, b)


@export("contrib.seq2seq.LuongAttention")
class LuongAttention(_Luong):
    """Attention by products of query and keys.

    Args:
        num_units: the depth of the keys, which is that of the queries.
        memory: a tensor of shape [batch, time, ...].
        memory_sequence_length: an int32 vector; what lies behind it is masked.
        scale: whether the scores are multiplied by a variable.
        probability_fn: a function from scores to alignments; softmax by default.
        score_mask_value: the score behind the end of a sequence; minus infinity by default.
        dtype: the type of the layers.
        custom_key_value_fn: a function (keys, values) -> (keys, values).
        name: a name scope.

    Source: M. Luong et al., "Effective Approaches to Attention-based Neural Machine
    Translation", 2015.
    """

    _scope = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            scale,
            dtype,
            name,
            probability_fn=_plain(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
        )


@export("contrib.seq2seq.BahdanauAttention")
class BahdanauAttention(_Bahdanau):
    """Attention by a hidden layer on query and keys.

    Args:
        num_units: the size of the hidden layer.
        memory: a tensor of shape [batch, time, ...].
        memory_sequence_length: an int32 vector; what lies behind it is masked.
        normalize: whether the weights of the hidden layer are normalized.
        probability_fn: a function from scores to alignments; softmax by default.
        score_mask_value: the score behind the end of a sequence; minus infinity by default.
        dtype: the type of the layers.
        custom_key_value_fn: a function (keys, values) -> (keys, values).
        name: a name scope.

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and
    Translate", 2014.
    """

    _scope = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike | None,
        memory_sequence_length: TensorLike = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            normalize,
            dtype,
            name,
            probability_fn=_plain(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
        )


@export("contrib.seq2seq.LuongMonotonicAttention")
class LuongMonotonicAttention(_Luong, BaseMonotonicAttentionMechanism):
    """Monotonic attention by products of query and keys.

    Args:
        num_units: the depth of the keys, which is that of the queries.
        memory: a tensor of shape [batch, time, ...].
        memory_sequence_length: an int32 vector; what lies behind it is masked.
        scale: whether the scores are multiplied by a variable.
        score_mask_value: the score behind the end of a sequence; minus infinity by default.
        sigmoid_noise: the deviation of noise on the scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of a bias on the scores.
        mode: see tf.contrib.seq2seq.monotonic_attention.
        dtype: the type of the layers.
        name: a name scope.

    Source: C. Raffel et al., "Online and Linear-Time Attention by Enforcing Monotonic
    Alignments", 2017.
    """

    _scope = "luong_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        score_mask_value: TensorLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Any = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            scale,
            dtype,
            name,
            probability_fn=noisy_monotonic(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
        )
        self._score_bias_init = score_bias_init


@export("contrib.seq2seq.BahdanauMonotonicAttention")
class BahdanauMonotonicAttention(_Bahdanau, BaseMonotonicAttentionMechanism):
    """Monotonic attention by a hidden layer on query and keys.

    Args:
        num_units: the size of the hidden layer.
        memory: a tensor of shape [batch, time, ...].
        memory_sequence_length: an int32 vector; what lies behind it is masked.
        normalize: whether the weights of the hidden layer are normalized.
        score_mask_value: the score behind the end of a sequence; minus infinity by default.
        sigmoid_noise: the deviation of noise on the scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of a bias on the scores.
        mode: see tf.contrib.seq2seq.monotonic_attention.
        dtype: the type of the layers.
        name: a name scope.

    Source: C. Raffel et al., "Online and Linear-Time Attention by Enforcing Monotonic
    Alignments", 2017.
    """

    _scope = "bahdanau_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        score_mask_value: TensorLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            normalize,
            dtype,
            name,
            probability_fn=noisy_monotonic(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
        )
        self._score_bias_init = score_bias_init
