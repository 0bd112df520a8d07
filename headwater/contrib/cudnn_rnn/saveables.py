"""cuDNN's parameters in checkpoints, stored as the variables of the equivalent cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.typing import TensorLike
from headwater.contrib.cudnn_rnn import converters, functions
from headwater.graph import Operation, Tensor, build, export
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.model.variables.variable_scope import get_variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


class CudnnOpaqueParamsSaveable(SaveableObject):
    """Saves a vector of parameters as kernels and biases.

    Args:
        opaque_params: the variable.
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
        scope: the scope under which the kernels and biases are saved; the current one by default.
        name: the end of the name.
    """

    converter: type[converters.ParamsFormatConverter]
    cell_name = ""
    kernel_names: tuple[str, ...] = ("kernel",)
    bias_names: tuple[str, ...] = ("bias",)

    def __init__(
        self,
        opaque_params: TensorLike,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = functions.LINEAR_INPUT,
        direction: str = functions.UNIDIRECTION,
        scope: ScopeLike | None = None,
        name: str = "cudnn_rnn_saveable",
    ) -> None:
        self._variable = opaque_params
        self._num_layers = num_layers
        self._direction = direction
        self._num_dirs = functions.direction_count(direction)
        scope = get_variable_scope() if scope is None else scope
        self._scope = scope if isinstance(scope, str) else scope.name
        self._format_converter = self.converter(
            num_layers, num_units, input_size, None, input_mode, direction
        )
        weights, biases = self._format_converter.opaque_to_tf_canonical(opaque_params)
        tensors = [*weights, *biases]
        names = [*self._names(self.kernel_names), *self._names(self.bias_names)]
        specs = [SaveSpec(t, "", n) for t, n in zip(tensors, names)]
        super().__init__(
            build.Identity(opaque_params), specs, f"{opaque_params.name.partition(':')[0]}_{name}"
        )

    @property
    def format_converter(self) -> converters.ParamsFormatConverter:
        """The converter of the vector to kernels and biases."""
        return self._format_converter

    def _names(self, ends: tuple[str, ...]) -> list[str]:
        names: list[str] = []
        for layer in range(self._num_layers):
            for direction in ("fw", "bw")[: self._num_dirs]:
                place = f"rnn/multi_rnn_cell/cell_{layer}"
                if self._num_dirs == 2:
                    place = f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{direction}"
                prefix = f"{self._scope}/{place}" if self._scope else place
                names.extend(f"{prefix}/{self.cell_name}/{end}" for end in ends)
        return names

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: TensorLike | None
    ) -> Operation:
        """Makes the op that restores the vector from kernels and biases.

        Args:
            restored_tensors: all kernels, then all biases.
            restored_shapes: not used.

        Returns:
            An Operation.
        """
        params = self._format_converter.tf_canonical_to_opaque(restored_tensors)
        assigned = self._variable.assign(params)
        return getattr(assigned, "op", assigned)


@export("contrib.cudnn_rnn.CudnnLSTMSaveable")
class CudnnLSTMSaveable(CudnnOpaqueParamsSaveable):
    """Of networks of LSTM cells; see the base."""

    converter = converters.CudnnParamsFormatConverterLSTM
    cell_name = "cudnn_compatible_lstm_cell"


@export("contrib.cudnn_rnn.CudnnGRUSaveable")
class CudnnGRUSaveable(CudnnOpaqueParamsSaveable):
    """Of networks of GRU cells; see the base."""

    converter = converters.CudnnParamsFormatConverterGRU
    cell_name = "cudnn_compatible_gru_cell"
    kernel_names = (
        "gates/kernel",
        "candidate/input_projection/kernel",
        "candidate/hidden_projection/kernel",
    )
    bias_names = (
        "gates/bias",
        "candidate/input_projection/bias",
        "candidate/hidden_projection/bias",
    )


@export("contrib.cudnn_rnn.CudnnRNNTanhSaveable")
class CudnnRNNTanhSaveable(CudnnOpaqueParamsSaveable):
    """Of networks of cells with tanh; see the base."""

    converter = converters.CudnnParamsFormatConverterTanh
    cell_name = "basic_rnn_cell"


@export("contrib.cudnn_rnn.CudnnRNNReluSaveable")
class CudnnRNNReluSaveable(CudnnOpaqueParamsSaveable):
    """Of networks of cells with relu; see the base."""

    converter = converters.CudnnParamsFormatConverterRelu
    cell_name = "basic_rnn_cell"
