"""ResidualWrapper and DeviceWrapper, and the base of wrappers that act around a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.typing import DeviceLike, DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, export, get_default_graph, name_scope
from headwater.model.rnn.cell import RNNCell, check_cell
from headwater.model.trackable.base import Trackable

if TYPE_CHECKING:
    from headwater.model.rnn.lstm import LSTMStateTuple
    from headwater.model.variables.variable_scope_object import ScopeLike


class WrapperCell(RNNCell):
    """A cell that wraps another one, which has the variables.

    Args:
        cell: the inner cell.
        **kwargs: further arguments of Layer.

    Raises:
        TypeError: if `cell` is not a cell.
    """

    # Whether checkpoints of objects have the inner cell.
    _tracks_cell = True

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell
        # Cells of other libraries need not be trackable.
        if self._tracks_cell and isinstance(cell, Trackable):
            self._track_trackable(cell, name="cell")

    @property
    def wrapped_cell(self) -> RNNCell:
        """The inner cell."""
        return self.cell

    @property
    def state_size(self) -> LSTMStateTuple | int:
        """The sizes of the states of the inner cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> int:
        """The sizes of the outputs of the inner cell."""
        return self.cell.output_size

    def zero_state(
        self, batch_size: TensorLike | None, dtype: DTypeLike
    ) -> Tensor | LSTMStateTuple:
        """The zero state of the inner cell.

        Args:
            batch_size: the number of sequences, or a scalar tensor.
            dtype: the type of the state.

        Returns:
            Tensors in the structure of `state_size`.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(
        self,
        inputs: NestedTensors,
        state: NestedTensors,
        scope: ScopeLike | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step of the inner cell, and what the wrapper adds.

        Args:
            inputs: the inputs.
            state: the state of the inner cell.
            scope: the variable scope of the inner cell.
            **kwargs: further arguments of the inner cell.

        Returns:
            The outputs and the new state.
        """
        if scope is not None:
            kwargs["scope"] = scope
        return self._wrapped(inputs, state, kwargs)

    def _wrapped(
        self, inputs: Tensor, state: NestedTensors, kwargs: dict[str, Any]
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        return self.cell(inputs, state, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        inner = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {**super().get_config(), "cell": inner}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> RNNCell:
        """Makes a wrapper from what `get_config` has returned, with a cell in the place of `cell`.

        Args:
            config: the arguments of the class.

        Returns:
            A wrapper.

        Raises:
            ValueError: if `cell` is still the configuration of a cell.
        """
        config = dict(config)
        cell = config.pop("cell")
        if isinstance(cell, dict):
            raise ValueError(
                "RNNCellWrapper cannot reconstruct the wrapped cell. Please overwrite the cell in "
                "the config with a RNNCell instance."
            )
        return cls(cell, **config)


@export("nn.rnn_cell.ResidualWrapper", "contrib.rnn.ResidualWrapper")
class ResidualWrapper(WrapperCell):
    """Adds the inputs of a cell to its outputs.

    Args:
        cell: the inner cell.
        residual_fn: a function (inputs, outputs) -> outputs to apply instead of the sum.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _wrapped(
        self, inputs: Tensor, state: NestedTensors, kwargs: dict[str, Any]
    ) -> tuple[Tensor, ...]:
        outputs, new_state = self.cell(inputs, state, **kwargs)
        return (self._residual_fn or _sums)(inputs, outputs), new_state


def _sums(inputs: Tensor, outputs: Tensor) -> Tensor:
    nest.assert_same_structure(inputs, outputs)
    for x, y in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
        x.get_shape().assert_is_compatible_with(y.get_shape())
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


@export("nn.rnn_cell.DeviceWrapper", "contrib.rnn.DeviceWrapper")
class DeviceWrapper(WrapperCell):
    """Places a cell on a device.

    Args:
        cell: the inner cell.
        device: a device name or function, as for tf.device.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, cell: Any, device: DeviceLike, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> Tensor:
        """The zero state of the inner cell.

        Args:
            batch_size: the number of sequences, or a scalar tensor.
            dtype: the type of the state.

        Returns:
            Tensors in the structure of `state_size`.
        """
        with (
            name_scope(type(self).__name__ + "ZeroState", values=[batch_size]),
            get_default_graph().device(self._device),
        ):
            return self.cell.zero_state(batch_size, dtype)

    def _wrapped(
        self, inputs: Tensor, state: NestedTensors, kwargs: dict[str, Any]
    ) -> tuple[Tensor, ...]:
        with get_default_graph().device(self._device):
            return self.cell(inputs, state, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {**super().get_config(), "device": self._device}


@export("contrib.rnn.CompiledWrapper")
class CompiledWrapper(WrapperCell):
    """A cell that is to be compiled; the engine compiles every cell that can be.

    Args:
        cell: the inner cell.
        compile_stateful: accepted; ops with a state are compiled where that is possible.
    """

    _tracks_cell = False

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)
        self._compile_stateful = compile_stateful
