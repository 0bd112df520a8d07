"""DropoutWrapper: dropout of a cell's inputs, states and outputs."""

from __future__ import annotations

import hashlib
import itertools
import numbers
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, constant_value, convert_to_tensor, export, name_scope
from headwater.model.nn.dropout import dropped
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.rnn.wrappers import WrapperCell
from headwater.ops.array.concat import concat
from headwater.ops.math.division import div
from headwater.ops.random.uniform import random_uniform


def _all_but_memory(state: NestedTensors) -> NestedTensors:
    """Which states are dropped by default: all but the cells of an LSTM and TensorArrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return isinstance(state, Tensor) or not hasattr(state, "handle")


@export("nn.rnn_cell.DropoutWrapper", "contrib.rnn.DropoutWrapper")
class DropoutWrapper(WrapperCell):
    """Drops inputs, states and outputs of a cell at random.

    Args:
        cell: the inner cell.
        input_keep_prob: the probability that an input is kept; a number or a tensor.
        output_keep_prob: the same for outputs.
        state_keep_prob: the same for states.
        variational_recurrent: whether one decision is made for all steps and rows.
        input_size: the size of the inputs, which variational dropout of inputs needs.
        dtype: the type of inputs, states and outputs, which variational dropout needs.
        seed: the seed.
        dropout_state_filter_visitor: a function from a part of the state to booleans that tell
            what is dropped; by default all but the `c` of an LSTMStateTuple.
        **kwargs: further arguments of Layer.

    Raises:
        TypeError: if `cell` is not a cell or the visitor not a function.
        ValueError: if a probability is out of range, or variational dropout lacks an argument.

    Source: Y. Gal, Z. Ghahramani, "A Theoretically Grounded Application of Dropout in Recurrent
    Neural Networks", 2015.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: TensorLike = 1.0,
        output_keep_prob: TensorLike = 1.0,
        state_keep_prob: TensorLike = 1.0,
        variational_recurrent: bool = False,
        input_size: int | None = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._dropout_state_filter = visitor or _all_but_memory
        with name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability(input_keep_prob, "input_keep_prob")
            self._state_keep_prob = _probability(state_keep_prob, "state_keep_prob")
            self._output_keep_prob = _probability(output_keep_prob, "output_keep_prob")
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._make_noise(input_size, dtype)

    def _make_noise(self, input_size: int | None, dtype: DTypeLike | None) -> None:
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if not isinstance(self._input_keep_prob, numbers.Real) or self._input_keep_prob < 1.0:
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        for role, size in sizes.items():
            index = itertools.count()
            self._noise[role] = nest.map_structure(
                lambda s, role=role, index=index: random_uniform(
                    concat(([1], TensorShape(s).as_list()), 0),
                    seed=self._seed_of(role, next(index)),
                    dtype=dtype,
                ),
                size,
            )

    def _seed_of(self, role: str, index: int) -> int | None:
        """A seed that differs between the dropouts of inputs, states and outputs."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{role}_{index}".encode()).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _wrapped(
        self, inputs: TensorLike, state: NestedTensors, kwargs: dict[str, Any]
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        if _drops(self._input_keep_prob):
            inputs = self._dropped("input", inputs, self._input_keep_prob)
        output, new_state = self.cell(inputs, state, **kwargs)
        if _drops(self._state_keep_prob):
            which = nest.get_traverse_shallow_structure(self._dropout_state_filter, new_state)
            new_state = self._dropped("state", new_state, self._state_keep_prob, which)
        if _drops(self._output_keep_prob):
            output = self._dropped("output", output, self._output_keep_prob)
        return output, new_state

    def _dropped(
        self,
        role: str,
        values: Tensor | LSTMStateTuple,
        keep_prob: TensorLike,
        which: NestedTensors | None = None,
    ) -> Tensor | LSTMStateTuple:
        index = itertools.count()
        which = values if which is None else which

        def drop(decision: TensorLike, value: TensorLike, noise: Tensor | None = None) -> Tensor:
            i = next(index)
            if isinstance(decision, bool) and not decision:
                return value
            if noise is not None:
                return _masked(value, noise, keep_prob)
            return dropped(
                value, 1 - keep_prob, None, self._seed_of(role, i), None, zero_for_all=True
            )

        noise = [self._noise[role]] if self._variational_recurrent else []
        return nest.map_structure_up_to(which, drop, which, values, *noise)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {
            **super().get_config(),
            "input_keep_prob": self._input_keep_prob,
            "output_keep_prob": self._output_keep_prob,
            "state_keep_prob": self._state_keep_prob,
            "variational_recurrent": self._variational_recurrent,
            "input_size": self._input_size,
            "seed": self._seed,
        }


def _probability(value: TensorLike, argument: str) -> Tensor | float:
    """A probability as a float, or as a tensor if it is not known yet."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {argument} must be between 0 and 1: {int(known)}")
    return float(known)


def _drops(keep_prob: TensorLike) -> bool:
    return not isinstance(keep_prob, float) or keep_prob < 1


def _masked(value: TensorLike, noise: Tensor, keep_prob: TensorLike) -> Tensor:
    """The value with elements zeroed by the noise and the others scaled."""
    kept = build.Floor(keep_prob + noise)
    result = div(value, keep_prob) * kept
    result.set_shape(value.get_shape())
    return result
