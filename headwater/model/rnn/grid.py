"""Grid cells: recurrent cells along several dimensions of one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.rnn.basic import BasicRNNCell, GRUCell
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.lstm import BasicLSTMCell, LSTMCell
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


@dataclass(frozen=True)
class _Dimensions:
    """The roles of the dimensions of a grid."""

    count: int
    inputs: list[int]
    outputs: list[int]
    priority: list[int]
    non_recurrent: list[int]

    @property
    def recurrent(self) -> list[int]:
        return [d for d in range(self.count) if d not in self.non_recurrent]

    @property
    def non_priority(self) -> list[int]:
        return [d for d in range(self.count) if d not in self.priority]


def _dims(given: Any, count: int) -> list[int]:
    if given is None:
        given = []
    if not isinstance(given, (list, tuple)):
        given = [given]
    dims = sorted(set(given))
    if any(d < 0 or d >= count for d in dims):
        raise ValueError(f"Invalid dims: {dims}. Must be in [0, {count})")
    return dims


@export("contrib.grid_rnn.GridRNNCell")
class GridRNNCell(RNNCell):
    """A grid of recurrent cells: one per dimension, each with the outputs of all others as inputs.

    Args:
        num_units: the number of units of each dimension.
        num_dims: the number of dimensions.
        input_dims: the dimensions that the inputs are projected into.
        output_dims: the dimensions whose outputs are the outputs of the grid.
        priority_dims: the dimensions that are computed last, from the new outputs of the others.
        non_recurrent_dims: the dimensions without state.
        tied: whether all dimensions share their weights.
        cell_fn: a function from the number of units to a cell; LSTMCell if None.
        non_recurrent_fn: the activation of dimensions without state; relu if None.
        state_is_tuple: whether the state is a tuple of the states of the recurrent dimensions.
        output_is_tuple: whether the output is a tuple of the outputs of the output dimensions.

    Raises:
        ValueError: if there is no dimension, or one of them is out of range.
        TypeError: if `cell_fn` does not give a cell.

    Source: N. Kalchbrenner et al., "Grid Long Short-Term Memory", 2015.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: int | Sequence[int] | None = None,
        output_dims: int | Sequence[int] | None = None,
        priority_dims: int | Sequence[int] | None = None,
        non_recurrent_dims: int | Sequence[int] | None = None,
        tied: bool = False,
        cell_fn: Callable[[int], Any] | None = None,
        non_recurrent_fn: Callable[..., Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._num_units = num_units
        self._tied = tied
        self._state_is_tuple = state_is_tuple
        self._output_is_tuple = output_is_tuple
        self._non_recurrent_fn = non_recurrent_fn or build.Relu
        self._dimensions = _Dimensions(
            num_dims,
            _dims(input_dims, num_dims),
            _dims(output_dims, num_dims),
            _dims(priority_dims, num_dims),
            _dims(non_recurrent_dims, num_dims),
        )
        make = LSTMCell if cell_fn is None else cell_fn
        if tied:
            self._cells = [make(num_units)] * num_dims
        else:
            self._cells = [make(num_units) for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}")

    @property
    def output_size(self) -> Any:
        """The sizes of the outputs."""
        sizes = (self._cells[0].output_size,) * len(self._dimensions.outputs)
        return sizes if self._output_is_tuple else sum(sizes)

    @property
    def state_size(self) -> Any:
        """The sizes of the states of the recurrent dimensions."""
        sizes = (self._cells[0].state_size,) * len(self._dimensions.recurrent)
        return sizes if self._state_is_tuple else sum(nest.flatten(sizes))

    def __call__(
        self, inputs: NestedTensors, state: NestedTensors, scope: ScopeLike | None = None
    ) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence, or a tuple of them for the input dimensions.
            state: the state in the form of `state_size`.
            scope: the variable scope; the name of the class by default.

        Returns:
            The outputs and the new state.

        Raises:
            ValueError: if the tuple of states has a wrong length.
        """
        dims, dtype = self._dimensions, inputs.dtype
        cells, outputs, with_cells = self._taken_apart(state)
        with variable_scope(scope or type(self).__name__):
            self._project(inputs, cells, outputs, with_cells)
            new_outputs: list[Any] = [None] * dims.count
            new_states: list[Any] = [None] * dims.count
            for first, indices in ((True, dims.non_priority), (False, dims.priority)):
                self._propagate(indices, cells, outputs, new_outputs, new_states, first)
            chosen = [new_outputs[d] for d in dims.outputs]
            if self._output_is_tuple:
                output: NestedTensors = tuple(chosen)
            else:
                output = concat(chosen, 1) if chosen else zeros([0, 0], dtype)
            states = [new_states[d] for d in dims.recurrent]
            if self._state_is_tuple:
                return output, tuple(states)
            parts = nest.flatten(states)
            return output, concat(parts, 1) if parts else zeros([0, 0], dtype)

    def _taken_apart(self, state: TensorLike) -> tuple[list[Any], list[Any], bool]:
        """Cells and outputs of the dimensions in the last step; whether there are cells."""
        dims, units = self._dimensions, self._num_units
        cells: list[Any] = [None] * dims.count
        outputs: list[Any] = [None] * dims.count
        size = self._cells[0].state_size
        size = sum(size) if isinstance(size, tuple) else size
        with_cells = size > units
        if self._state_is_tuple:
            if len(dims.recurrent) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(dims.recurrent)} element")
            for d, part in zip(dims.recurrent, state, strict=True):
                if with_cells:
                    cells[d], outputs[d] = part
                else:
                    outputs[d] = part
            return cells, outputs, with_cells
        for position, d in enumerate(dims.recurrent):
            start = position * size
            if with_cells:
                cells[d] = slice_(state, [0, start], [-1, units])
                outputs[d] = slice_(state, [0, start + units], [-1, size - units])
            else:
                outputs[d] = slice_(state, [0, start], [-1, units])
        return cells, outputs, with_cells

    def _project(
        self, inputs: Tensor, cells: list[Any], outputs: list[Any], with_cells: bool
    ) -> None:
        """Replaces the last step by the inputs in the input dimensions."""
        dims, units = self._dimensions, self._num_units
        if inputs is None or not inputs.get_shape().with_rank(2)[1].value or not dims.inputs:
            return
        if isinstance(inputs, tuple):
            if len(dims.inputs) != len(inputs):
                raise ValueError(f"Expect inputs as a tuple of {len(dims.inputs)} tensors")
            parts = list(inputs)
        else:
            parts = split(value=inputs, num_or_size_splits=len(dims.inputs), axis=1)
        width = parts[0].get_shape().with_rank(2)[1].value
        for part, d in zip(parts, dims.inputs, strict=True):
            weights = get_variable(f"project_m_{d}", [width, units], dtype=inputs.dtype)
            outputs[d] = build.MatMul(part, weights)
            if with_cells:
                weights = get_variable(f"project_c_{d}", [width, units], dtype=inputs.dtype)
                cells[d] = build.MatMul(part, weights)

    def _propagate(
        self,
        indices: list[int],
        cells: list[Any],
        outputs: list[Any],
        new_outputs: list[Any],
        new_states: list[Any],
        first_call: bool,
    ) -> None:
        """Computes dimensions: the last dimension is the state, all others are the inputs."""
        if not indices:
            return
        dims = self._dimensions
        current = [old if new is None else new for old, new in zip(outputs, new_outputs)]
        if dims.count > 1:
            inputs = concat(current[:-1], 1)
        else:
            rows = outputs[0].get_shape().as_list()[0]
            inputs = zeros([rows, 0], outputs[0].dtype)
        last = current[-1]
        for d in indices:
            first = first_call and d == indices[0]
            kind = "non_recurrent" if d in dims.non_recurrent else "recurrent"
            if d in dims.non_recurrent:
                arguments = concat([inputs, last], 1) if dims.count > 1 else last
            with variable_scope(kind if self._tied else f"{kind}/cell_{d}"):
                if self._tied and not first:
                    get_variable_scope().reuse_variables()
                if d in dims.non_recurrent:
                    new_outputs[d] = self._connected(arguments)
                    continue
                cell_state = last
                if cells[d] is not None:
                    as_tuple = isinstance(self._cells[d].state_size, tuple)
                    cell_state = (cells[d], last) if as_tuple else concat([cells[d], last], 1)
                new_outputs[d], new_states[d] = self._cells[d](inputs, cell_state)

    def _connected(self, x: TensorLike) -> Tensor:
        """A fully connected layer, for dimensions without state."""
        outer = get_variable_scope()
        with variable_scope(None, default_name="fully_connected", values=[x]):
            weights = get_variable(
                "weights",
                [x.get_shape()[-1].value, self._num_units],
                dtype=x.dtype,
                initializer=outer.initializer or GlorotUniform(),
                regularizer=outer.regularizer,
            )
            biases = get_variable("biases", [self._num_units], dtype=x.dtype, initializer=Zeros())
            return self._non_recurrent_fn(bias_add(build.MatMul(x, weights), biases))


class _OneDimension(GridRNNCell):
    """A grid of one dimension, for inputs and outputs."""

    _DIMS = 1

    def _begin(self, num_units: int, make: Callable[..., Any], **keywords: Any) -> None:
        GridRNNCell.__init__(
            self,
            num_units=num_units,
            num_dims=self._DIMS,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            cell_fn=make,
            **keywords,
        )


@export("contrib.grid_rnn.Grid1BasicRNNCell")
class Grid1BasicRNNCell(_OneDimension):
    """A grid of one dimension with a BasicRNNCell.

    Args:
        num_units: the number of units.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        self._begin(
            num_units,
            lambda n: BasicRNNCell(num_units=n),
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


@export("contrib.grid_rnn.Grid1BasicLSTMCell")
class Grid1BasicLSTMCell(_OneDimension):
    """A grid of one dimension with a BasicLSTMCell.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin(
            num_units,
            lambda n: BasicLSTMCell(num_units=n, forget_bias=forget_bias),
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


@export("contrib.grid_rnn.Grid1LSTMCell")
class Grid1LSTMCell(_OneDimension):
    """A grid of one dimension with an LSTMCell.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin(
            num_units,
            _lstm(use_peepholes, forget_bias),
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


def _lstm(use_peepholes: bool, forget_bias: float) -> Callable[[int], Any]:
    return lambda n: LSTMCell(
        num_units=n,
        forget_bias=forget_bias,
        use_peepholes=use_peepholes,
    )


class _ManyDimensions(_OneDimension):
    """A grid of several dimensions; the first one is for inputs and outputs."""

    _DIMS = 2

    def _begin_many(
        self,
        num_units: int,
        make: Callable[..., Any],
        tied: bool,
        non_recurrent_fn: Callable[..., Any] | None,
        state_is_tuple: bool,
        output_is_tuple: bool,
    ) -> None:
        self._begin(
            num_units,
            make,
            tied=tied,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


@export("contrib.grid_rnn.Grid2BasicRNNCell")
class Grid2BasicRNNCell(_ManyDimensions):
    """A grid of two dimensions with BasicRNNCells.

    Args:
        num_units: the number of units.
        tied: whether both dimensions share their weights.
        non_recurrent_fn: the activation of the first dimension, if that has no state.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin_many(
            num_units,
            lambda n: BasicRNNCell(num_units=n),
            tied,
            non_recurrent_fn,
            state_is_tuple,
            output_is_tuple,
        )


@export("contrib.grid_rnn.Grid2BasicLSTMCell")
class Grid2BasicLSTMCell(_ManyDimensions):
    """A grid of two dimensions with BasicLSTMCells.

    Args:
        num_units: the number of units.
        tied: whether both dimensions share their weights.
        non_recurrent_fn: the activation of the first dimension, if that has no state.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin_many(
            num_units,
            lambda n: BasicLSTMCell(num_units=n, forget_bias=forget_bias),
            tied,
            non_recurrent_fn,
            state_is_tuple,
            output_is_tuple,
        )


@export("contrib.grid_rnn.Grid2LSTMCell")
class Grid2LSTMCell(_ManyDimensions):
    """A grid of two dimensions with LSTMCells.

    Args:
        num_units: the number of units.
        tied: whether all dimensions share their weights.
        non_recurrent_fn: the activation of the first dimension, if that has no state.
        use_peepholes: whether the gates see c.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin_many(
            num_units,
            _lstm(use_peepholes, forget_bias),
            tied,
            non_recurrent_fn,
            state_is_tuple,
            output_is_tuple,
        )


@export("contrib.grid_rnn.Grid3LSTMCell")
class Grid3LSTMCell(Grid2LSTMCell):
    """A grid of three dimensions with LSTMCells; see Grid2LSTMCell."""

    _DIMS = 3


@export("contrib.grid_rnn.Grid2GRUCell")
class Grid2GRUCell(_ManyDimensions):
    """A grid of two dimensions with GRUCells.

    Args:
        num_units: the number of units.
        tied: whether both dimensions share their weights.
        non_recurrent_fn: the activation of the first dimension, if that has no state.
        state_is_tuple: whether the state is a tuple.
        output_is_tuple: whether the output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._begin_many(
            num_units,
            lambda n: GRUCell(num_units=n),
            tied,
            non_recurrent_fn,
            state_is_tuple,
            output_is_tuple,
        )
