"""BasicDecoder: a recurrent cell whose inputs come from a helper."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.seq2seq.decoder import Decoder
from headwater.contrib.seq2seq.helper import Helper, tensors
from headwater.graph import Tensor, export, name_scope
from headwater.model.layers.base import Layer
from headwater.model.rnn.cell import check_cell

if TYPE_CHECKING:
    pass


@export("contrib.seq2seq.BasicDecoderOutput")
class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """The output of a step of BasicDecoder: outputs of the cell or layer, and samples."""


@export("contrib.seq2seq.BasicDecoder")
class BasicDecoder(Decoder):
    """A decoder of a cell, a helper for its inputs, and a layer on the outputs.

    Args:
        cell: a recurrent cell.
        helper: a Helper.
        initial_state: the first state of the cell.
        output_layer: a layer that is applied to the outputs before samples are drawn.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """

    def __init__(
        self,
        cell: Any,
        helper: Helper,
        initial_state: NestedTensors,
        output_layer: Callable[..., Any] | None = None,
    ) -> None:
        check_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        check_layer(output_layer)
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of outputs and samples."""
        return BasicDecoderOutput(
            rnn_output=layer_output_size(self._cell.output_size, self._output_layer),
            sample_id=self._helper.sample_ids_shape,
        )

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The types of outputs and samples; the outputs have that of the state."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        size = layer_output_size(self._cell.output_size, self._output_layer)
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, size), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> tuple[NestedTensors | None, ...]:
        """Returns the initial state of decoding; see Decoder."""
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self, time: TensorLike, inputs: TensorLike, state: NestedTensors, name: str | None = None
    ) -> tuple[NestedTensors, ...]:
        """Decodes one step; see Decoder."""
        with name_scope(name, "BasicDecoderStep", tensors(time, inputs, state)):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=sample_ids
            )
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished


def check_layer(layer: Callable[..., Any] | None) -> None:
    """Checks that an output layer is a layer or None.

    Raises:
        TypeError: if it is not.
    """
    if layer is not None and not isinstance(layer, Layer):
        raise TypeError(f"output_layer must be a Layer, received: {type(layer)}")


def layer_output_size(size: int, layer: Any) -> TensorShape | int:
    """The sizes of a cell's outputs after a layer.

    Args:
        size: the sizes of the cell's outputs.
        layer: the layer, or None.

    Returns:
        Sizes in the structure of `size`.
    """
    if layer is None:
        return size
    shapes = nest.map_structure(lambda s: TensorShape([None]).concatenate(s), size)
    shape = layer.compute_output_shape(shapes)
    return nest.map_structure(lambda s: s[1:], shape)
