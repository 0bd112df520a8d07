"""Recurrent networks of several layers and directions with cuDNN's formulas, as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, InitializerLike, NestedTensors, ShapeLike, TensorLike
from headwater.contrib.cudnn_rnn import functions, saveables
from headwater.graph import Tensor, convert_to_tensor, export, get_default_graph, shape_tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.layers.base import Layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.variables.initializers import Constant
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.fill import zeros

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


class CudnnRNN(Layer):
    """A network whose parameters are one vector, saved as kernels and biases of cells.

    Args:
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_mode: ``linear_input``; ``skip_input`` leaves the first matrices out; ``auto_select``
            does so where it is possible.
        direction: ``unidirectional`` or ``bidirectional``.
        dropout: the part of the inputs of layers behind the first that is dropped in training.
        seed: the seed of what is dropped.
        dtype: the type of the parameters.
        kernel_initializer: the initializer of the matrices; Glorot's uniform one by default.
        bias_initializer: the initializer of the biases; zero by default.
        name: the name of the layer.

    Raises:
        ValueError: if an argument is wrong.
    """

    mode = ""
    saveable_class: type[saveables.CudnnOpaqueParamsSaveable]

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = functions.LINEAR_INPUT,
        direction: str = functions.UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        self._num_dirs = functions.direction_count(direction)
        modes = (functions.LINEAR_INPUT, "skip_input", "auto_select")
        if input_mode not in modes:
            expected = ", ".join(modes)
            raise ValueError(f"Invalid input_mode: {input_mode}, expect one of ({expected})")
        if as_dtype(dtype).base_dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {as_dtype(dtype)}")
        self._plain_dtype = as_dtype(dtype)
        self._num_layers, self._num_units = num_layers, num_units
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer = kernel_initializer or GlorotUniform(dtype=self._plain_dtype)
        self._bias_initializer = bias_initializer or Constant(0.0, dtype=self._plain_dtype)
        self._input_size: int | None = None
        self._saveable: Any = None
        self.kernel: Variable | None = None

    @property
    def num_layers(self) -> int:
        """The number of layers."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The number of units of each direction."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """How the first layer takes its inputs."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """The size of the inputs.

        Raises:
            ValueError: before the layer is built.
        """
        if self._input_size is None:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        """The kind of network."""
        return self.mode

    @property
    def direction(self) -> str:
        """The directions."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """The number of directions."""
        return self._num_dirs

    @property
    def saveable(self) -> Any:
        """The saveable object for checkpoints; None before the layer is built."""
        return self._saveable

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of the matrices.

        Raises:
            RuntimeError: before the layer is built.
        """
        if self._input_size is None:
            raise RuntimeError(
                f"{type(self).__name__}.canonical_weight_shapes invoked before input shape is known"
            )
        half = functions.PARAMS_PER_LAYER[self.mode] // 2
        shapes = []
        for layer in range(self._num_layers):
            depth = self._input_size if layer == 0 else self._num_units * self._num_dirs
            sides = [(self._num_units, depth)] * half + [(self._num_units, self._num_units)] * half
            shapes += sides * self._num_dirs
        return shapes

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of the biases."""
        count = functions.parameter_count(self.mode, self._num_layers, self._direction)
        return [[self._num_units]] * count

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variable `opaque_kernel`.

        Args:
            input_shape: the shape of the inputs, [steps, batch, depth].

        Raises:
            ValueError: if the shape does not have three dimensions or the last one is unknown.
        """
        shape = TensorShape(input_shape)
        if shape.ndims != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {shape.ndims}")
        self._input_size = shape[-1].value
        if self._input_size is None:
            raise ValueError(
                "The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(ndim=3, axes={-1: self._input_size})
        self._set_scope(None)
        dtype = self._plain_dtype
        with variable_scope(self._scope, reuse=self.built):
            matrices = [self._kernel_initializer(s, dtype) for s in self.canonical_weight_shapes]
            biases = [self._bias_initializer(s, dtype) for s in self.canonical_bias_shapes]
            params = functions.from_canonical(
                self.mode,
                self._num_layers,
                self._num_units,
                self._input_size,
                matrices,
                biases,
                self._input_mode,
                self._direction,
            )
            self.kernel = get_variable("opaque_kernel", initializer=params, validate_shape=False)
            self._trainable_weights.append(self.kernel)
        if self._saveable is None:
            self._saveable = self.saveable_class(
                self.kernel,
                self._num_layers,
                self._num_units,
                self._input_size,
                self._input_mode,
                self._direction,
                scope=self._scope,
                name="saveable",
            )
            get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)
        self.built = True

    def call(
        self,
        inputs: TensorLike,
        initial_state: NestedTensors | None = None,
        sequence_lengths: TensorLike | None = None,
        time_major: bool = True,
        training: bool = True,
    ) -> tuple[Any, tuple[Any, ...]]:
        """Runs the network.

        Args:
            inputs: [steps, batch, depth].
            initial_state: a tuple of the states (and cells) at the start; zeros by default.
            sequence_lengths: how many steps count, int32 [batch]; None for all.
            time_major: whether the first axis are the steps, not the batch.
            training: whether gradients are taken, and inputs of layers dropped.

        Returns:
            The outputs, and a tuple of the last states (and cells).

        Raises:
            ValueError: if the type of the inputs is wrong.
            TypeError: if `initial_state` is not a tuple.
        """
        inputs = convert_to_tensor(inputs)
        if inputs.dtype.base_dtype is not self._plain_dtype.base_dtype:
            raise ValueError(
                f"inputs have the type {inputs.dtype}, but the layer has {self._plain_dtype}"
            )
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {type(initial_state)}, expecting tuple.")
        if initial_state is None:
            batch = shape_tensor(inputs)[1 if time_major else 0]
            initial_state = tuple(
                zeros(self._layout(shape, time_major), dtype=inputs.dtype)
                for shape in self._state_shapes(batch)
            )
        # Networks without cells ignore them.
        h, c = (*initial_state, zeros([0], inputs.dtype))[:2]
        found = functions.cudnn_rnn(
            inputs,
            h,
            c,
            self.kernel,
            training,
            self.mode,
            sequence_lengths=sequence_lengths,
            time_major=time_major,
            input_mode=self._input_mode,
            direction=self._direction,
            dropout=self._dropout,
            seed=self._seed,
        )
        return found[0], tuple(found[1 : 1 + len(initial_state)])

    @staticmethod
    def _layout(shape: list[Any], time_major: bool) -> list[Any]:
        return shape if time_major else [shape[1], shape[0], shape[2]]

    def _state_shapes(self, batch_size: Tensor) -> tuple[list[Any], ...]:
        return ([self._num_layers * self._num_dirs, batch_size, self._num_units],)

    def state_shape(self, batch_size: TensorLike) -> tuple[list[Any], ...]:
        """The shapes of the states.

        Args:
            batch_size: the number of sequences.

        Returns:
            A tuple of lists.
        """
        return self._state_shapes(batch_size)


@export("contrib.cudnn_rnn.CudnnLSTM")
class CudnnLSTM(CudnnRNN):
    """LSTM layers; see the base. The state is a pair of states and cells."""

    mode = "lstm"
    saveable_class = saveables.CudnnLSTMSaveable

    def _state_shapes(self, batch_size: Tensor) -> tuple[list[Any], ...]:
        return super()._state_shapes(batch_size) * 2


@export("contrib.cudnn_rnn.CudnnGRU")
class CudnnGRU(CudnnRNN):
    """GRU layers; see the base."""

    mode = "gru"
    saveable_class = saveables.CudnnGRUSaveable


@export("contrib.cudnn_rnn.CudnnRNNTanh")
class CudnnRNNTanh(CudnnRNN):
    """Layers with tanh; see the base."""

    mode = "rnn_tanh"
    saveable_class = saveables.CudnnRNNTanhSaveable


@export("contrib.cudnn_rnn.CudnnRNNRelu")
class CudnnRNNRelu(CudnnRNN):
    """Layers with relu; see the base."""

    mode = "rnn_relu"
    saveable_class = saveables.CudnnRNNReluSaveable
