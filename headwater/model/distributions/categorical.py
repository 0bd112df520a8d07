"""The categorical distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.older_calls import renamed
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.model.distributions.arguments import (
    embed_check_categorical_event_shape,
    embed_check_integer_casting_closed,
    get_logits_and_probs,
)
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones, ones_like, zeros_like
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import rank, shape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softmax import log_softmax, softmax
from headwater.ops.random.multinomial import multinomial

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def broadcast_event(event: TensorLike, params: Tensor, dtype: DType) -> tuple[Any, Any]:
    """Class numbers and parameters with the same batch.

    Args:
        event: class numbers.
        params: a tensor whose last dimension is one of classes.
        dtype: the type of the distribution's samples.

    Returns:
        Both, broadcast.

    Raises:
        TypeError: if `event` and `dtype` are not numbers.
    """
    if event.dtype.is_floating:
        event = cast(event, dtypes.int32)
    elif not event.dtype.is_integer:
        raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({dtype})")
    known = (
        params.get_shape().ndims is not None
        and params.get_shape()[:-1].is_fully_defined()
        and event.get_shape().is_fully_defined()
    )
    if not known or params.get_shape()[:-1] != event.get_shape():
        params = params * ones_like(event[..., np.newaxis], dtype=params.dtype)
        sizes: Tensor = shape(params)
        event = event * ones(sizes[:-1], dtype=event.dtype)
        if params.get_shape().ndims is not None:
            event.set_shape(params.get_shape()[:-1])
    return event, params


@export("distributions.Categorical", "contrib.distributions.Categorical")
class Categorical(Distribution):
    """One draw of a class: class k with probability probs[k].

    Args:
        logits: logarithms of probabilities up to a constant, [..., classes]; either these or
            `probs`.
        probs: the probabilities, [..., classes].
        dtype: the type of samples.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if both or none of `logits` and `probs` are given.
    """

    @renamed(p="probs")
    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [logits, probs]) as scope:
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits,
                probs=probs,
                validate_args=validate_args,
                multidimensional=True,
                name=scope,
            )
            if validate_args:
                self._logits = embed_check_categorical_event_shape(self._logits)
            known = self._logits.get_shape()
            if known.ndims is not None:
                self._batch_rank = convert_to_tensor(
                    known.ndims - 1, dtype=dtypes.int32, name="batch_rank"
                )
            else:
                with name_scope("batch_rank"):
                    self._batch_rank = rank(self._logits) - 1
            sizes: TensorLike = shape(self._logits, name="logits_shape")
            count = None if known.ndims is None else known[-1].value
            if count is not None:
                self._event_size = convert_to_tensor(count, dtype=dtypes.int32, name="event_size")
            else:
                with name_scope("event_size"):
                    self._event_size = sizes[self._batch_rank]
            if known.ndims is not None and known[:-1].is_fully_defined():
                self._batch_shape_val = constant(
                    known[:-1].as_list(), dtype=dtypes.int32, name="batch_shape"
                )
            else:
                with name_scope("batch_shape"):
                    self._batch_shape_val = sizes[:-1]
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    @property
    def event_size(self) -> Tensor:
        """The number of classes, an int32 scalar."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """Logarithms of the probabilities up to a constant."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    # Before release 1.2.
    p = probs
    num_classes = event_size

    def _batch_shape_tensor(self) -> Tensor:
        return identity(self._batch_shape_val)

    def _batch_shape(self) -> TensorShape:
        known = self.logits.get_shape()
        return TensorShape(None) if known.ndims is None else known[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        logits = self.logits
        if logits.get_shape().ndims != 2:
            logits = reshape(logits, [-1, self.event_size])
        wide = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = transpose(multinomial(logits, n, seed=seed, output_dtype=wide))
        draws = reshape(draws, concat([[n], self.batch_shape_tensor()], 0))
        return cast(draws, self.dtype)

    def _cdf(self, k: TensorLike) -> Tensor:
        k = convert_to_tensor(k, name="k")
        if self.validate_args:
            k = embed_check_integer_casting_closed(k, target_dtype=dtypes.int32)
        k, probs = broadcast_event(k, self.probs, self.dtype.base_dtype)
        rows = reshape(probs, [-1, self._event_size])
        below = sequence_mask(reshape(k, [-1]), self._event_size)
        summed = reduce_sum(build.Select(below, rows, zeros_like(rows)), axis=-1)
        return reshape(summed, shape(k))

    def _log_prob(self, k: TensorLike) -> Tensor:
        k = convert_to_tensor(k, name="k")
        if self.validate_args:
            k = embed_check_integer_casting_closed(k, target_dtype=dtypes.int32)
        k, logits = broadcast_event(k, self.logits, self.dtype.base_dtype)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self) -> Tensor:
        weighted: Tensor = log_softmax(self.logits)
        return -reduce_sum(weighted * self.probs, axis=-1)

    def _mode(self) -> Tensor:
        found = cast(argmax(self.logits, axis=self._batch_rank), self.dtype)
        found.set_shape(self.batch_shape)
        return found


@RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        difference: Tensor = log_softmax(a.logits)
        difference = difference - log_softmax(b.logits)
        return reduce_sum(softmax(a.logits) * difference, axis=-1)
