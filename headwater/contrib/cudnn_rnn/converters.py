"""cuDNN's parameters as the kernels and biases of the cells that compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.cudnn_rnn import functions
from headwater.graph import Tensor, build, export
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.array.transpose import transpose

# The positions in an LSTM cell of cuDNN's gates: input, new value, forget, output.
_LSTM_GATES = (0, 2, 1, 3)


class ParamsFormatConverter:
    """Turns the parameters of a network into kernels and biases of cells, and back.

    Args:
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        num_proj: the size to which states are projected; None for no projection.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
    """

    mode = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        num_proj: int | None = None,
        input_mode: str = functions.LINEAR_INPUT,
        direction: str = functions.UNIDIRECTION,
    ) -> None:
        self._num_layers = num_layers
        self._num_units = num_units
        self._input_size = input_size
        self._input_mode = input_mode
        self._direction = direction
        self._num_dirs = functions.direction_count(direction)
        self._num_proj = num_proj

    def _opaque_to_cu_canonical(
        self, opaque_param: TensorLike
    ) -> tuple[list[Tensor], list[Tensor]]:
        """The matrices and biases in the vector, as cuDNN has them."""
        return functions.to_canonical(
            self.mode,
            self._num_layers,
            self._num_units,
            self._input_size,
            opaque_param,
            self._input_mode,
            self._direction,
            num_proj=self._num_proj,
        )

    def _cu_canonical_to_opaque(self, cu_weights: list[Any], cu_biases: list[Any]) -> Tensor:
        """The inverse of `_opaque_to_cu_canonical`."""
        return functions.from_canonical(
            self.mode,
            self._num_layers,
            self._num_units,
            self._input_size,
            cu_weights,
            cu_biases,
            self._input_mode,
            self._direction,
            num_proj=self._num_proj,
        )

    def opaque_to_tf_canonical(self, opaque_param: TensorLike) -> tuple[list[Tensor], ...]:
        """The kernels and biases of all cells.

        Args:
            opaque_param: the vector of parameters.

        Returns:
            A list of kernels and a list of biases, cell by cell; if there are projections, also a
            list of their matrices.
        """
        weights, biases = self._opaque_to_cu_canonical(opaque_param)
        count = functions.PARAMS_PER_LAYER[self.mode]
        stride = count + bool(self._num_proj)
        kernels: list[Tensor] = []
        vectors: list[Tensor] = []
        projections: list[Tensor] = []
        for cell in range(self._num_layers * self._num_dirs):
            part = weights[cell * stride : (cell + 1) * stride]
            kernels.extend(self._kernels(part[:count]))
            projections.extend(transpose(w) for w in part[count:])
            vectors.extend(self._vectors(biases[cell * count : (cell + 1) * count]))
        return (kernels, vectors, projections) if self._num_proj else (kernels, vectors)

    def tf_canonical_to_opaque(
        self, tf_canonicals: Sequence[Any], weights_proj: NestedTensors = None
    ) -> Tensor:
        """The vector of parameters of kernels and biases.

        Args:
            tf_canonicals: all kernels, then all biases, cell by cell.
            weights_proj: the matrices of the projections, cell by cell, if there are any.

        Returns:
            A vector.
        """
        cells = self._num_layers * self._num_dirs
        per_cell = len(tf_canonicals) // (2 * cells)
        kernels, vectors = tf_canonicals[: per_cell * cells], tf_canonicals[per_cell * cells :]
        weights: list[Tensor] = []
        biases: list[Tensor] = []
        for cell in range(cells):
            first = cell < self._num_dirs
            depth = self._input_size if first else self._width * self._num_dirs
            part = slice(cell * per_cell, (cell + 1) * per_cell)
            weights.extend(self._matrices(kernels[part], depth))
            if self._num_proj:
                weights.append(transpose(weights_proj[cell]))
            biases.extend(self._biases(vectors[part]))
        return self._cu_canonical_to_opaque(weights, biases)

    @property
    def _width(self) -> int:
        """The size of the states."""
        return self._num_proj or self._num_units

    # One cell

    def _kernels(self, weights: list[Tensor]) -> list[Tensor]:
        raise NotImplementedError

    def _vectors(self, biases: list[Tensor]) -> list[Tensor]:
        raise NotImplementedError

    def _matrices(self, kernels: Sequence[Any], depth: int) -> list[Tensor]:
        raise NotImplementedError

    def _biases(self, vectors: Sequence[Any]) -> list[Tensor]:
        raise NotImplementedError

    def _sides(self, matrix: Tensor, depth: int) -> list[Tensor]:
        """The columns for the inputs and those for the state."""
        return split(matrix, [depth, self._width], axis=1)


def _joined(weights: list[Tensor], count: int) -> list[Tensor]:
    """The matrix of each gate for inputs and state together."""
    return [concat([weights[i], weights[count + i]], 1) for i in range(count)]


def _halves(biases: Sequence[Tensor]) -> list[Tensor]:
    """Two biases for each one: only their sum counts."""
    return [0.5 * b for b in biases] * 2


@export("contrib.cudnn_rnn.CudnnParamsFormatConverterLSTM")
class CudnnParamsFormatConverterLSTM(ParamsFormatConverter):
    """Of networks of LSTM cells; see the base."""

    mode = "lstm"

    def _kernels(self, weights: list[Tensor]) -> list[Tensor]:
        gates = _joined(weights, 4)
        return [transpose(concat([gates[i] for i in _LSTM_GATES], 0))]

    def _vectors(self, biases: list[Tensor]) -> list[Tensor]:
        sums = [biases[i] + biases[4 + i] for i in range(4)]
        return [concat([sums[i] for i in _LSTM_GATES], 0)]

    def _matrices(self, kernels: Sequence[Any], depth: int) -> list[Tensor]:
        gates = split(transpose(kernels[0]), 4, axis=0)
        sides = [self._sides(gates[i], depth) for i in _LSTM_GATES]
        return [s[0] for s in sides] + [s[1] for s in sides]

    def _biases(self, vectors: Sequence[Any]) -> list[Tensor]:
        gates = split(vectors[0], 4, axis=0)
        return _halves([gates[i] for i in _LSTM_GATES])


@export("contrib.cudnn_rnn.CudnnParamsFormatConverterGRU")
class CudnnParamsFormatConverterGRU(ParamsFormatConverter):
    """Of networks of GRU cells; see the base."""

    mode = "gru"

    def _kernels(self, weights: list[Tensor]) -> list[Tensor]:
        reset, update = _joined([*weights[:2], *weights[3:5]], 2)
        gates = transpose(concat([reset, update], 0))
        return [gates, transpose(weights[2]), transpose(weights[5])]

    def _vectors(self, biases: list[Tensor]) -> list[Tensor]:
        return [concat(biases[:2], 0) + concat(biases[3:5], 0), biases[2], biases[5]]

    def _matrices(self, kernels: Sequence[Any], depth: int) -> list[Tensor]:
        gates, from_input, from_state = (transpose(k) for k in kernels)
        sides = [self._sides(gate, depth) for gate in split(gates, 2, axis=0)]
        inputs, states = [s[0] for s in sides], [s[1] for s in sides]
        return [*inputs, from_input, *states, from_state]

    def _biases(self, vectors: Sequence[Any]) -> list[Tensor]:
        halves = _halves(split(vectors[0], 2, axis=0))
        return [*halves[:2], vectors[1], *halves[2:], vectors[2]]


class _Basic(ParamsFormatConverter):
    def _kernels(self, weights: list[Tensor]) -> list[Tensor]:
        return [transpose(concat(weights, 1))]

    def _vectors(self, biases: list[Tensor]) -> list[Tensor]:
        return [biases[0] + biases[1]]

    def _matrices(self, kernels: Sequence[Any], depth: int) -> list[Tensor]:
        return self._sides(transpose(kernels[0]), depth)

    def _biases(self, vectors: Sequence[Any]) -> list[Tensor]:
        return _halves([build.Identity(vectors[0])])


@export("contrib.cudnn_rnn.CudnnParamsFormatConverterTanh")
class CudnnParamsFormatConverterTanh(_Basic):
    """Of networks of cells with tanh; see the base."""

    mode = "rnn_tanh"


@export("contrib.cudnn_rnn.CudnnParamsFormatConverterRelu")
class CudnnParamsFormatConverterRelu(_Basic):
    """Of networks of cells with relu; see the base."""

    mode = "rnn_relu"
