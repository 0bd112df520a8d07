"""Recurrent cells and loops: the private helpers that programs take from their modules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from headwater.base import namespace
from headwater.base.export import exports_below
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.graph import Tensor, constant_value_as_shape
from headwater.model.rnn import (
    block_cells,
    cell,
    dynamic,
    layer_norm,
    linear,
    minimal,
    projections,
    static,
    steps,
    turing,
    weight_norm,
    wrappers,
)

_CONTRIB = "tensorflow.contrib.rnn.python.ops"
_CELL_MODULES = ("ops.rnn_cell_impl", "ops.rnn_cell", f"{_CONTRIB}.core_rnn_cell")
_OLD_CELL_MODULES = (*_CELL_MODULES, f"{_CONTRIB}.core_rnn_cell_impl")

for _module in _OLD_CELL_MODULES:
    internal(f"{_module}._linear")(linear.linear)
    internal(f"{_module}._Linear")(linear.Linear)
for _module in _CELL_MODULES:
    internal(f"{_module}._WEIGHTS_VARIABLE_NAME")(cell.KERNEL)
    internal(f"{_module}._BIAS_VARIABLE_NAME")(cell.BIAS)
for _module in ("ops.rnn_cell_impl", "ops.rnn_cell"):
    internal(f"{_module}._zero_state_tensors")(cell.zero_state_tensors)
    internal(f"{_module}._RNNCellWrapperV1")(wrappers.WrapperCell)
    internal(f"{_module}.assert_like_rnncell")(cell.check_cell)
    internal(f"{_module}.ASSERT_LIKE_RNNCELL_ERROR_REGEXP")("is not an RNNCell")
    internal(f"{_module}._hasattr")(cell.has_attribute)
    internal(f"{_module}._check_supported_dtypes")(cell.check_floating)
    internal(f"{_module}._check_rnn_cell_input_dtypes")(cell.check_floating)
internal(f"{_CONTRIB}.lstm_ops._lstm_block_cell")(block_cells.lstm_block_cell)
internal(f"{_CONTRIB}.lstm_ops._block_lstm")(block_cells.block_lstm)
internal("ops.rnn._transpose_batch_time")(steps.transpose_batch_time)
internal("ops.rnn._best_effort_input_batch_size")(steps.best_effort_input_batch_size)
internal("ops.rnn._reverse_seq")(steps.reversed_sequence)
internal("ops.rnn._infer_state_dtype")(steps.type_of_state)
# Up to release 0.12.
internal("ops.rnn.rnn")(static.static_rnn)
internal("ops.rnn.state_saving_rnn")(static.static_state_saving_rnn)
internal("ops.rnn.bidirectional_rnn")(static.static_bidirectional_rnn)
for _wrapper in (
    projections.EmbeddingWrapper,
    projections.InputProjectionWrapper,
    projections.OutputProjectionWrapper,
):
    internal(f"ops.rnn_cell.{_wrapper.__name__}")(_wrapper)
for _cell in (
    layer_norm.LayerNormLSTMCell,
    minimal.MinimalRNNCell,
    minimal.CFNCell,
    turing.NTMCell,
    turing.NTMControllerState,
    weight_norm.WeightNormLSTMCell,
):
    internal(f"{_CONTRIB}.rnn_cell.{_cell.__name__}")(_cell)


@internal("ops.rnn_cell_impl._like_rnncell", "ops.rnn._like_rnncell")
def like_rnn_cell(value: Any) -> bool:
    """Tells whether a value has the attributes of a recurrent cell."""
    names = ("output_size", "state_size", "zero_state")
    return callable(value) and all(cell.has_attribute(value, name) for name in names)


@internal("ops.rnn_cell_impl._concat", "ops.rnn._concat", "ops.rnn_cell._concat")
def concat_shapes(prefix: Any, suffix: Any, static: bool = False) -> Tensor | list[Any] | None:
    """Joins two shapes, as a tensor or (`static`) as a list of what is known."""
    return (cell.static_concat_dims if static else cell.concat_dims)(prefix, suffix)


@internal("ops.rnn._rnn_step")
def rnn_step(
    time: Any,
    sequence_length: Any,
    min_sequence_length: Any,
    max_sequence_length: Any,
    zero_output: Any,
    state: Any,
    call_cell: Callable[[], Any],
    state_size: Any,
    skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """One step of a loop; sequences that are over give zeros and keep their state."""
    del state_size
    bounds = (min_sequence_length, max_sequence_length)
    return steps.step_within_lengths(
        time, sequence_length, bounds, zero_output, state, call_cell, skip_conditionals
    )


@internal("ops.rnn._dynamic_rnn_loop")
def dynamic_rnn_loop(
    cell: Any,
    inputs: Any,
    initial_state: Any,
    parallel_iterations: int,
    swap_memory: bool,
    sequence_length: TensorLike | None = None,
    dtype: Any = None,
) -> tuple[Any, Any]:
    """The loop of dynamic_rnn over time-major inputs."""
    return dynamic.loop(
        cell, inputs, initial_state, sequence_length, dtype, parallel_iterations, swap_memory
    )


@internal("ops.rnn._should_cache")
def caches_variables() -> bool:
    """Whether a network that is built here reads its variables once per run."""
    return not steps.in_loop()


@internal("ops.rnn._maybe_tensor_shape_from_tensor")
def shape_of_tensor(shape: Any) -> Any:
    """The static shape of a shape tensor; other values are returned unchanged."""
    return TensorShape(constant_value_as_shape(shape)) if isinstance(shape, Tensor) else shape


def _cell_module() -> ModuleType:
    """The module of cells as an attribute of the module of loops, which imports it."""
    module = ModuleType("tensorflow.python.ops.rnn_cell_impl")
    namespace.import_waiting("nn.rnn_cell")
    for name, value in exports_below("nn.rnn_cell").items():
        setattr(module, name, value)
    helpers: dict[str, Any] = {
        "_concat": concat_shapes,
        "_like_rnncell": like_rnn_cell,
        "_zero_state_tensors": cell.zero_state_tensors,
        "assert_like_rnncell": cell.check_cell,
    }
    for name, value in helpers.items():
        setattr(module, name, value)
    return module


internal("ops.rnn.rnn_cell_impl")(_cell_module())


@internal("ops.rnn_cell_impl._SlimRNNCell")
class FunctionCell(cell.RNNCell):
    """A cell made of a function (inputs, state, scope) -> (output, state).

    Args:
        cell_fn: a functools.partial; called with None for both it gives an output and a state of
            the right sizes.

    Raises:
        TypeError: if it cannot be called.
        ValueError: if the sizes are unknown.
    """

    def __init__(self, cell_fn: Any) -> None:
        if not callable(cell_fn):
            raise TypeError(f"cell_fn {cell_fn} needs to be callable")
        self._cell_fn = cell_fn
        self._cell_name = cell_fn.func.__name__
        output, state = cell_fn(None, None)
        self._sizes = [x.get_shape().with_rank(2)[1].value for x in (output, state)]
        if self._sizes[0] is None:
            raise ValueError(f"Initial output created by {cell_fn} has invalid shape")
        if self._sizes[1] is None:
            raise ValueError(f"Initial state created by {cell_fn} has invalid shape")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._sizes[0]

    @property
    def state_size(self) -> Any:
        """The size of the state."""
        return self._sizes[1]

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Calls the function, in a scope of its name."""
        return self._cell_fn(inputs, state, scope=scope or self._cell_name)
