"""HighwayWrapper: a gated sum of the inputs and outputs of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.typing import NestedTensors
from headwater.graph import Tensor, build, export
from headwater.model.nn.dense import xw_plus_b
from headwater.model.rnn.wrappers import WrapperCell
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import get_variable

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.rnn.lstm import LSTMStateTuple


@export("contrib.rnn.HighwayWrapper")
class HighwayWrapper(WrapperCell):
    """Mixes the inputs of a cell into its outputs: inputs * carry + outputs * transform.

    Args:
        cell: the inner cell.
        couple_carry_transform_gates: whether transform is 1 - carry.
        carry_bias_init: the first value of the bias of carry.

    Source: R. Srivastava et al., "Highway Networks", 2015.
    """

    _tracks_cell = False

    def __init__(
        self, cell: RNNCell, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._couple = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _gate(self, name: str, x: Tensor, bias: float) -> Tensor:
        size = x.get_shape().with_rank(2)[1].value
        weights = get_variable(f"{name}_w", [size, size])
        biases = get_variable(f"{name}_b", [size], initializer=Constant(bias))
        return build.Sigmoid(xw_plus_b(x, weights, biases))

    def _mixed(self, x: Tensor, y: Tensor) -> Tensor:
        carry = self._gate("carry", x, self._carry_bias_init)
        if self._couple:
            transform = 1 - carry
        else:
            transform = self._gate("transform", x, -self._carry_bias_init)
        return x * carry + y * transform

    def _wrapped(
        self, inputs: Tensor, state: NestedTensors, kwargs: dict[str, Any]
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        outputs, new_state = self.cell(inputs, state, **kwargs)
        nest.assert_same_structure(inputs, outputs)
        for x, y in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
            x.get_shape().assert_is_compatible_with(y.get_shape())
        return nest.map_structure(self._mixed, inputs, outputs), new_state
