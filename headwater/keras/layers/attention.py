"""Attention and AdditiveAttention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.keras.backend.settings import floatx
from headwater.keras.layers.arguments import KerasConfig
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.logical import logical_and, logical_not
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.scan import cumsum
from headwater.ops.nn.softmax import softmax

_KINDS = "[query, value] or [query, value, key]"


class BaseDenseAttention(KerasConfig):
    """The base of attention layers: a mean of values, weighted by the scores of keys.

    Args:
        causal: whether a position sees no later one.
        **kwargs: further arguments of Layer.
    """

    config_names: tuple[str, ...] = ("causal",)

    def __init__(self, causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    def _calculate_scores(self, query: TensorLike, key: TensorLike) -> Tensor:
        """The scores (batch, positions of queries, positions of keys)."""
        raise NotImplementedError

    def _apply_scores(
        self, scores: TensorLike, value: TensorLike, scores_mask: TensorLike | None = None
    ) -> Tensor:
        if scores_mask is not None:
            # So low that the softmax of a masked position is zero.
            scores = scores - 1.0e9 * build.Cast(logical_not(scores_mask), DstT=floatx())
        return matmul(softmax(scores), value)

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a list: queries (batch, positions, features), values, and keys (the values if
                there are none).
            mask: a list: the masks (batch, positions) of queries and values, or None.

        Returns:
            A tensor (batch, positions of queries, features).

        Raises:
            ValueError: if the lists have other lengths.
        """
        self._check_arguments(inputs, mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = (mask[0], mask[1]) if mask else (None, None)
        scores = self._calculate_scores(query, key)
        scores_mask = None if value_mask is None else expand_dims(value_mask, axis=-2)
        if self.causal:
            shape: Any = shape_tensor(scores)
            rank: Any = scores.shape.ndims
            # The same for all examples.
            lengths = [1] * (rank - 2) + [shape[rank - 2], shape[rank - 1]]
            earlier = lower_triangular_mask(lengths)
            scores_mask = earlier if scores_mask is None else logical_and(scores_mask, earlier)
        result = self._apply_scores(scores, value, scores_mask)
        if query_mask is not None:
            shown = expand_dims(query_mask, axis=-1)
            result = result * build.Cast(shown, DstT=result.dtype.base_dtype)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor | None:
        """The mask of the queries."""
        self._check_arguments(inputs, mask)
        if not mask or mask[0] is None:
            return None
        return convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the output."""
        query, value = TensorShape(input_shape[0]), TensorShape(input_shape[1])
        return TensorShape([*query.as_list()[:-1], value.as_list()[-1]])

    def _check_arguments(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(f"{name} layer must be called on a list of inputs, namely {_KINDS}.")
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely {_KINDS}. Given "
                f"length: {len(inputs)}"
            )
        if mask is None:
            return
        if not isinstance(mask, list):
            raise ValueError(f"{name} layer mask must be a list, namely [query_mask, value_mask].")
        if len(mask) != 2 and mask:
            raise ValueError(
                f"{name} layer mask must be a list of length 2, namely [query_mask, value_mask]. "
                f"Given length: {len(mask)}"
            )


def lower_triangular_mask(shape: ShapeLike) -> Tensor:
    """A mask of the keys (last axis) that are no later than the query (the axis before it)."""
    every = ones(shape, dtype="int32")
    return build.GreaterEqual(cumsum(every, axis=-2), cumsum(every, axis=-1))


@export("keras.layers.Attention")
class Attention(BaseDenseAttention):
    """Dot-product attention: the scores are products of queries and keys.

    Args:
        use_scale: whether the scores have a trained factor.
        **kwargs: `causal`: whether a position sees no later one; further arguments of Layer.

    Source: M.-T. Luong et al., "Effective Approaches to Attention-based Neural Machine
    Translation", 2015.
    """

    config_names = ("causal", "use_scale")

    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        """Makes the factor."""
        self.scale: Any = None
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale", shape=(), initializer="ones", dtype=self.dtype, trainable=True
            )
        self.built = True

    def _calculate_scores(self, query: TensorLike, key: TensorLike) -> Tensor:
        scores = matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


@export("keras.layers.AdditiveAttention")
class AdditiveAttention(BaseDenseAttention):
    """Additive attention: the scores are sums of tanh(query + key).

    Args:
        use_scale: whether the sums have a trained factor for each feature.
        **kwargs: `causal`: whether a position sees no later one; further arguments of Layer.

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and
    Translate", 2014.
    """

    config_names = ("causal", "use_scale")

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Sequence[ShapeLike]) -> None:
        """Makes the factors."""
        self.scale: Any = None
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale",
                shape=[TensorShape(input_shape[1])[-1].value],
                initializer="glorot_uniform",
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def _calculate_scores(self, query: TensorLike, key: TensorLike) -> Tensor:
        total = expand_dims(query, axis=-2) + expand_dims(key, axis=-3)
        summed = build.Tanh(total)
        return reduce_sum(summed if self.scale is None else self.scale * summed, axis=-1)
