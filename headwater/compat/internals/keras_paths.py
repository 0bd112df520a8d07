"""tensorflow.python.keras: names of releases 1.4 to 1.15 that are not public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.engine.devices import local_devices
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor
from headwater.keras.applications.assembly import checked_image_shape
from headwater.keras.backend.branches import in_train_phase
from headwater.keras.backend.convolutions import padding_of_op
from headwater.keras.backend.graph_state import get_session
from headwater.keras.backend.normalization import plainly_normalized
from headwater.keras.backend.random_values import dropout
from headwater.keras.engine import cloning, input_layer, network, tensor_origins, training
from headwater.keras.layers import normalization, stacked_cells
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer
from headwater.ops.math.reduce_functions import reduce_logsumexp

for _name, _value in {
    "Input": input_layer.Input,
    "InputLayer": input_layer.InputLayer,
    "InputSpec": InputSpec,
    "Layer": Layer,
    "Network": network.Network,
    "get_source_inputs": tensor_origins.get_source_inputs,
}.items():
    internal(f"keras.engine.topology.{_name}")(_value)
# The base of models in releases before 1.5.
internal("keras.engine.topology.Container")(network.Network)
internal("keras.engine.Model")(training.Model)
internal("keras.models._clone_functional_model")(cloning.clone_model)
internal("keras.models.Network")(network.Network)
internal("keras.layers.normalization.BatchNormalizationBase")(normalization.BatchNormalization)
internal("keras.backend._preprocess_padding")(padding_of_op)
internal("keras.backend._get_session")(get_session)
internal("keras.backend._regular_normalize_batch_in_training")(plainly_normalized)
internal("keras.layers.recurrent._generate_zero_filled_state_for_cell")(stacked_cells.initial_state)


@internal("keras.backend._to_tensor", "keras.backend._constant_to_tensor")
def to_tensor(x: TensorLike, dtype: Any) -> Tensor:
    """Returns a tensor of a type."""
    return convert_to_tensor(x, dtype=dtype)


def _channels_last(x: TensorLike, data_format: str) -> TensorLike:
    if data_format == "channels_last":
        return x
    rank = convert_to_tensor(x).shape.ndims or 0
    return build.Transpose(x, [0, *range(2, rank), 1])


@internal("keras.backend._preprocess_conv1d_input")
def conv1d_input(x: TensorLike, data_format: str) -> tuple[TensorLike, str]:
    """Returns sequences with the channels last, and the name of that order of axes."""
    return _channels_last(x, data_format), "NWC"


@internal("keras.backend._preprocess_conv2d_input")
def conv2d_input(
    x: TensorLike, data_format: str, force_transpose: bool = False
) -> tuple[TensorLike, str]:
    """Returns images in an order of axes that convolutions take here, and its name.

    Args:
        x: the images.
        data_format: "channels_last" or "channels_first".
        force_transpose: has no effect: the axes of channels_first are always moved.
    """
    return _channels_last(x, data_format), "NHWC"


@internal("keras.backend._preprocess_conv3d_input")
def conv3d_input(x: TensorLike, data_format: str) -> tuple[TensorLike, str]:
    """Returns volumes with the channels last, and the name of that order of axes."""
    return _channels_last(x, data_format), "NDHWC"


@internal("keras.backend._get_available_gpus")
def available_gpus() -> list[str]:
    """Returns the names of the GPUs."""
    return [device.name for device in local_devices() if device.device_type == "GPU"]


@internal("keras.backend._has_nchw_support")
def has_nchw_support() -> bool:
    """Tells whether convolutions with the channels first have kernels: on a GPU."""
    return bool(available_gpus())


@internal("keras.backend._is_symbolic_tensor")
def is_symbolic_tensor(x: Any) -> bool:
    """Tells whether a value is a tensor of a graph."""
    return isinstance(x, (Tensor, SparseTensor))


@internal("keras.backend.logsumexp")
def logsumexp(x: TensorLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Returns log(sum(exp(x))) over axes.

    Args:
        x: a tensor.
        axis: the axes; all if None.
        keepdims: whether they stay, with length 1.
    """
    return reduce_logsumexp(x, axis, keepdims)


@internal("keras.layers.recurrent._generate_dropout_mask")
def dropout_mask(ones: TensorLike, rate: float, training: Any = None, count: int = 1) -> Any:
    """Returns what inputs of a cell are multiplied with: ones with dropout.

    Args:
        ones: a tensor of ones like the inputs.
        rate: the part that becomes 0.
        training: whether the layer is being trained; the learning phase if None.
        count: how many masks to make.

    Returns:
        A tensor; a list for more than one mask.
    """

    def mask() -> Any:
        return in_train_phase(lambda: dropout(ones, rate), ones, training=training)

    return mask() if count == 1 else [mask() for _ in range(count)]


@internal("keras.layers.recurrent._generate_zero_filled_state")
def zero_filled_state(batch_size_tensor: Any, state_size: Any, dtype: Any) -> Any:
    """Returns zeros in the structure of the sizes of states.

    Args:
        batch_size_tensor: the number of sequences.
        state_size: the sizes, or shapes, of the states.
        dtype: the type.

    Raises:
        ValueError: if the number or the type is None.
    """

    class _Cell:
        pass

    cell: Any = _Cell()
    cell.state_size = state_size
    return stacked_cells.zero_state(cell, batch_size_tensor, dtype)


@internal("keras.layers.recurrent._is_multiple_state")
def is_multiple_state(state_size: Any) -> bool:
    """Tells whether a cell has several states."""
    return hasattr(state_size, "__len__") and not isinstance(state_size, TensorShape)


@internal("keras.layers.recurrent._standardize_args")
def standardize_args(
    inputs: Any, initial_state: Any, constants: Any, num_constants: int | None
) -> tuple[Any, Any, Any]:
    """Returns inputs, states and constants of a recurrent layer, which may be in one list.

    Args:
        inputs: the inputs, or a list of inputs, states and constants.
        initial_state: the states, or None.
        constants: the constants, or None.
        num_constants: how many of the list are constants.

    Returns:
        The inputs, a list of states or None, and a list of constants or None.
    """
    if isinstance(inputs, list):
        assert initial_state is None and constants is None
        rest = inputs[1:]
        if num_constants:
            rest, constants = rest[:-num_constants], rest[-num_constants:]
        inputs, initial_state = inputs[0], rest or None
    return inputs, _listed(initial_state), _listed(constants)


def _listed(x: Any) -> list[Any] | None:
    if x is None or isinstance(x, list):
        return x
    return list(x) if isinstance(x, tuple) else [x]


@internal("keras.applications.imagenet_utils._obtain_input_shape")
def obtain_input_shape(
    input_shape: Sequence[int | None] | None,
    default_size: int,
    min_size: int,
    data_format: str,
    require_flatten: bool,
    weights: str | None = None,
) -> tuple[int | None, ...]:
    """Returns the shape of the images that a network takes.

    Args:
        input_shape: the shape that is asked for, or None.
        default_size: height and width of the images that published weights are for.
        min_size: the least height and width.
        data_format: "channels_last" or "channels_first".
        require_flatten: whether height and width have to be known.
        weights: "imagenet", a path, or None.

    Raises:
        ValueError: if the shape is not possible.
    """
    return checked_image_shape(
        input_shape, default_size, min_size, require_flatten, weights, data_format
    )
