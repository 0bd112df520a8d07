"""LSTM cells whose kernels have masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import Activation, InitializerLike, ShapeLike
from headwater.contrib.model_pruning.masks import masked
from headwater.model.rnn.lstm import BasicLSTMCell, LSTMCell
from headwater.model.variables.initializers import Ones, Zeros

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


def _mask_kernel(cell: Any) -> None:
    """Makes the mask of a cell; from now on the cell computes with its masked kernel."""
    kernel = cell._kernel
    cell.built = False  # a cell that is built only finds variables
    cell._mask = cell.add_variable("mask", shape=kernel.shape, initializer=Ones(), trainable=False)
    cell._threshold = cell.add_variable("threshold", shape=[], initializer=Zeros(), trainable=False)
    cell._kernel = masked(kernel, cell._mask, cell._threshold)
    cell.built = True


@export("contrib.model_pruning.MaskedBasicLSTMCell")
class MaskedBasicLSTMCell(BasicLSTMCell):
    """A BasicLSTMCell whose kernel has a mask.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is an LSTMStateTuple; else one matrix of both, c first.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation | str | None = None,
        reuse: Reuse = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_units,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
            name=name,
        )

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel, bias, mask and threshold.

        Args:
            inputs_shape: the shape of the inputs.
        """
        super().build(inputs_shape)
        _mask_kernel(self)


@export("contrib.model_pruning.MaskedLSTMCell")
class MaskedLSTMCell(LSTMCell):
    """An LSTMCell whose kernel has a mask.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: the initializer of the weights and the projection.
        num_proj: the number of outputs, if they are projected.
        proj_clip: the largest absolute value of projected outputs; None for no clipping.
        num_unit_shards: the number of parts of the kernel; better use a partitioner of the scope.
        num_proj_shards: the number of parts of the projection.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is an LSTMStateTuple; else one matrix of both, c first.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation | str | None = None,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes=use_peepholes,
            cell_clip=cell_clip,
            initializer=initializer,
            num_proj=num_proj,
            proj_clip=proj_clip,
            num_unit_shards=num_unit_shards,
            num_proj_shards=num_proj_shards,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
        )

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel, bias, mask and threshold, and what the options need.

        Args:
            inputs_shape: the shape of the inputs.
        """
        super().build(inputs_shape)
        _mask_kernel(self)
