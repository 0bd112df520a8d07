"""Networks without variables: the parameters are arguments of each call."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.cudnn_rnn import functions
from headwater.graph import Tensor, convert_to_tensor
from headwater.ops.array.fill import zeros


class CudnnModel:
    """The base of all kinds of networks.

    Args:
        rnn_mode: ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``.
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
        dtype: the type of the parameters.
        dropout: the part of the inputs of layers behind the first that is dropped in training.
        seed: the seed of what is dropped.
        num_proj: the size of projections; there is none.
    """

    def __init__(
        self,
        rnn_mode: str,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = functions.LINEAR_INPUT,
        direction: str = functions.UNIDIRECTION,
        dtype: DTypeLike = dtypes.float32,
        dropout: float = 0.0,
        seed: int = 0,
        num_proj: int | None = None,
    ) -> None:
        functions.check_mode(rnn_mode)
        functions.check_direction(direction)
        self._sizes = rnn_mode, num_layers, num_units, input_size
        self._input_mode, self._direction = input_mode, direction
        self._dtype, self._dropout, self._seed = dtype, dropout, seed
        self._num_proj = num_proj

    @property
    def rnn_mode(self) -> str:
        """The kind of network."""
        return self._sizes[0]

    @property
    def num_layers(self) -> int:
        """The number of layers."""
        return self._sizes[1]

    @property
    def num_units(self) -> int:
        """The number of units of each direction."""
        return self._sizes[2]

    @property
    def input_size(self) -> int:
        """The size of the inputs."""
        return self._sizes[3]

    @property
    def input_mode(self) -> str:
        """How the first layer takes its inputs."""
        return self._input_mode

    @property
    def direction(self) -> str:
        """The directions."""
        return self._direction

    @property
    def num_proj(self) -> int | None:
        """The size of projections."""
        return self._num_proj

    def _options(self) -> dict[str, Any]:
        return {"input_mode": self._input_mode, "direction": self._direction}

    def params_size(self) -> Tensor:
        """The number of parameters, an int32 scalar."""
        return functions.params_size(
            *self._sizes, dtype=self._dtype, num_proj=self._num_proj, **self._options()
        )

    def params_to_canonical(self, params: TensorLike) -> tuple[list[Tensor], list[Tensor]]:
        """The matrices and biases in a vector of parameters.

        Args:
            params: the vector.

        Returns:
            A list of matrices and a list of vectors.
        """
        return functions.to_canonical(
            *self._sizes, params, num_proj=self._num_proj, **self._options()
        )

    def canonical_to_params(self, weights: list[Any], biases: list[Any]) -> Tensor:
        """The vector of parameters of matrices and biases.

        Args:
            weights: the matrices.
            biases: the biases.

        Returns:
            A vector.
        """
        return functions.from_canonical(
            *self._sizes, weights, biases, num_proj=self._num_proj, **self._options()
        )

    def __call__(
        self,
        input_data: TensorLike,
        input_h: TensorLike,
        input_c: TensorLike,
        params: TensorLike,
        is_training: bool = True,
        sequence_lengths: TensorLike | None = None,
        time_major: bool = True,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Runs the network.

        Args:
            input_data: [steps, batch, depth].
            input_h: the states at the start, [layers * directions, batch, units].
            input_c: the cells at the start.
            params: the vector of parameters.
            is_training: whether gradients are taken, and inputs of layers dropped.
            sequence_lengths: how many steps count, int32 [batch]; None for all.
            time_major: whether the first axis are the steps, not the batch.

        Returns:
            The outputs, the last states and the last cells.
        """
        return functions.cudnn_rnn(
            input_data,
            input_h,
            input_c,
            params,
            is_training,
            self.rnn_mode,
            sequence_lengths=sequence_lengths,
            time_major=time_major,
            dropout=self._dropout,
            seed=self._seed,
            num_proj=self._num_proj,
            **self._options(),
        )


class CudnnLSTM(CudnnModel):
    """LSTM layers; the arguments are those of the base without `rnn_mode`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("lstm", *args, **kwargs)

    def __call__(  # type: ignore[override]
        self,
        input_data: TensorLike,
        input_h: TensorLike,
        input_c: TensorLike,
        params: TensorLike,
        sequence_lengths: TensorLike | None = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Runs the network; see the base, but for the order of the arguments."""
        return super().__call__(
            input_data, input_h, input_c, params, is_training, sequence_lengths, time_major
        )


class CudnnModelWithoutCells(CudnnModel):
    """Networks that have states, but no cells."""

    mode = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self.mode, *args, **kwargs)

    def __call__(  # type: ignore[override]
        self,
        input_data: TensorLike,
        input_h: TensorLike,
        params: TensorLike,
        sequence_lengths: TensorLike | None = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Tensor, Tensor]:
        """Runs the network; see the base.

        Returns:
            The outputs and the last states.
        """
        none = zeros([0], convert_to_tensor(input_data).dtype)
        found = super().__call__(
            input_data, input_h, none, params, is_training, sequence_lengths, time_major
        )
        return found[0], found[1]


class CudnnGRU(CudnnModelWithoutCells):
    """GRU layers; the arguments are those of the base without `rnn_mode`."""

    mode = "gru"


class CudnnRNNTanh(CudnnModelWithoutCells):
    """Layers with tanh; the arguments are those of the base without `rnn_mode`."""

    mode = "rnn_tanh"


class CudnnRNNRelu(CudnnModelWithoutCells):
    """Layers with relu; the arguments are those of the base without `rnn_mode`."""

    mode = "rnn_relu"
