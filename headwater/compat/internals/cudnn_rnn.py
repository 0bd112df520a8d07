"""Functions and networks of cuDNN under the paths of TensorFlow's modules."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.contrib.cudnn_rnn import converters, functions, layers, models, saveables
from headwater.graph import convert_to_tensor
from headwater.ops.array.fill import zeros

_OPS = "tensorflow.contrib.cudnn_rnn.python.ops.cudnn_rnn_ops"
_LAYERS = "tensorflow.contrib.cudnn_rnn.python.layers.cudnn_rnn"
for _name in ("CudnnLSTM", "CudnnGRU", "CudnnRNNTanh", "CudnnRNNRelu"):
    internal(f"{_OPS}.{_name}")(getattr(models, _name))
    internal(f"{_LAYERS}.{_name}")(getattr(layers, _name))
internal(f"{_OPS}._CudnnRNN")(models.CudnnModel)
internal(f"{_OPS}._CudnnRNNNoInputC")(models.CudnnModelWithoutCells)
internal(f"{_LAYERS}._CudnnRNN")(layers.CudnnRNN)
internal(f"{_OPS}.CudnnOpaqueParamsSaveable")(saveables.CudnnOpaqueParamsSaveable)
internal(f"{_OPS}.CudnnParamsFormatConverter")(converters.ParamsFormatConverter)
internal(f"{_OPS}._cudnn_rnn")(functions.cudnn_rnn)
internal(f"{_OPS}.cudnn_rnn_opaque_params_size")(functions.params_size)
internal(f"{_OPS}.cudnn_rnn_opaque_params_to_canonical")(functions.to_canonical)
internal(f"{_OPS}.cudnn_rnn_canonical_to_opaque_params")(functions.from_canonical)


def _without_cells(mode: str) -> Any:
    def run(
        inputs: TensorLike,
        input_h: TensorLike,
        params: TensorLike,
        is_training: bool,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Runs a network without cells; returns the outputs and the last states."""
        none = zeros([0], convert_to_tensor(inputs).dtype)
        found = functions.cudnn_rnn(
            inputs, input_h, none, params, is_training, mode, *args, **kwargs
        )
        return found[:2]

    return run


@internal(f"{_OPS}.cudnn_lstm")
def cudnn_lstm(
    inputs: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: TensorLike,
    is_training: bool,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Runs LSTM layers; returns the outputs, the last states and the last cells."""
    return functions.cudnn_rnn(
        inputs, input_h, input_c, params, is_training, "lstm", *args, **kwargs
    )


internal(f"{_OPS}.cudnn_gru")(_without_cells("gru"))
internal(f"{_OPS}.cudnn_rnn_tanh")(_without_cells("rnn_tanh"))
internal(f"{_OPS}.cudnn_rnn_relu")(_without_cells("rnn_relu"))
for _constant, _value in {
    "CUDNN_RNN_UNIDIRECTION": "unidirectional",
    "CUDNN_RNN_BIDIRECTION": "bidirectional",
    "CUDNN_LSTM": "lstm",
    "CUDNN_GRU": "gru",
    "CUDNN_RNN_RELU": "rnn_relu",
    "CUDNN_RNN_TANH": "rnn_tanh",
    "CUDNN_LSTM_PARAMS_PER_LAYER": 8,
    "CUDNN_GRU_PARAMS_PER_LAYER": 6,
    "CUDNN_RNN_TANH_PARAMS_PER_LAYER": 2,
    "CUDNN_RNN_RELU_PARAMS_PER_LAYER": 2,
    "CUDNN_INPUT_LINEAR_MODE": "linear_input",
    "CUDNN_INPUT_SKIP_MODE": "skip_input",
    "CUDNN_INPUT_AUTO_MODE": "auto_select",
}.items():
    internal(f"{_OPS}.{_constant}", f"{_LAYERS}.{_constant}")(_value)
