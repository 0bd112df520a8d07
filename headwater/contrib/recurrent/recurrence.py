"""`tf.contrib.recurrent.Recurrent`: a cell applied to each step, with a custom gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.graph.gradients import gradients
from headwater.model.defun import DefinedFunction, Defun
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_max

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


@export("contrib.recurrent.Recurrent")
def Recurrent(
    theta: NestedTensors,
    state0: NestedTensors,
    inputs: NestedTensors,
    cell_fn: Callable[[Any, Any, Any], tuple[Any, Any]],
    cell_grad: Callable[..., tuple[Any, Any, Any]] | None = None,
    extras: Sequence[TensorLike] | None = None,
    max_input_length: TensorLike | None = None,
    use_tpu: bool = False,
    aligned_end: bool = False,
) -> list[Any]:
    """Computes state[t], extras[t] = cell_fn(theta, state[t - 1], inputs[t]) for each step.

    Only the states are kept for the backward pass, which recomputes each step from them.

    Args:
        theta: a structure of tensors: the parameters of the cell.
        state0: a structure of tensors: the state before the first step.
        inputs: a structure of tensors; the first axis of each counts the steps.
        cell_fn: (theta, state, inputs of a step) -> (the next state, extras for `cell_grad`). It
            uses no other tensors of the graph.
        cell_grad: (theta, state before, inputs, extras, gradient of the state after) ->
            (gradients of theta, of the state before, of the inputs); by default the gradients of
            `cell_fn`.
        extras: a structure as `cell_fn` gives it, whose values do not matter; found by a call of
            `cell_fn` if None.
        max_input_length: the number of steps; the states of others are zeros. None for all steps.
        use_tpu: accepted; the computation is the same.
        aligned_end: whether the steps that are left out come first, not last.

    Returns:
        A list of the states after all steps, stacked along a new first axis, and the last state.

    Raises:
        AssertionError: if `cell_fn` or `cell_grad` uses other tensors of the graph.
    """
    theta, state0, inputs = _tensors(theta), _tensors(state0), _tensors(inputs)
    if extras is None:
        first = constant(0)
        _, extras = cell_fn(theta, state0, nest.map_structure(lambda x: gather(x, first), inputs))
    if max_input_length is None:
        max_input_length = reduce_max(shape_tensor(nest.flatten(inputs)[0])[0])
    arguments = _Arguments(
        theta, state0, inputs, cast(max_input_length, dtypes.int32), _tensors(extras)
    )
    recurrence = _Recurrence(arguments, cell_fn, cell_grad or _gradient_of(cell_fn), aligned_end)
    return recurrence.states()


def _tensors(structure: NestedTensors) -> NestedTensors:
    return nest.map_structure(convert_to_tensor, structure)


def _gradient_of(cell_fn: Callable[[Any, Any, Any], tuple[Any, Any]]) -> Callable[..., Any]:
    """The gradient of a cell, by recomputation of the cell."""

    def cell_gradient(
        theta: Sequence[Tensor],
        state: NestedTensors,
        inputs: NestedTensors,
        extras: Any,
        grad: Sequence[Tensor],
    ) -> list[NestedTensors]:
        del extras
        sources = [theta, state, inputs]
        new_state, _ = cell_fn(theta, state, inputs)
        pairs = zip(nest.flatten(new_state), nest.flatten(grad), strict=True)
        ys, grad_ys = zip(*[pair for pair in pairs if _differentiable(pair[0])], strict=True)
        found = gradients(list(ys), nest.flatten(sources), list(grad_ys))
        return nest.pack_sequence_as(sources, found)

    return cell_gradient


def _differentiable(x: Tensor) -> bool:
    return x.dtype.base_dtype.is_floating or x.dtype.base_dtype.is_complex


def _zeros_for_none(structure: NestedTensors, values: NestedTensors) -> list[Tensor]:
    """Flat gradients, with zeros in place of None."""
    flat = nest.flatten(values)
    return [
        zeros_like(x) if value is None else convert_to_tensor(value)
        for x, value in zip(nest.flatten(structure), flat, strict=True)
    ]


class _Arguments:
    """The tensors of a recurrence, as structures and flat."""

    def __init__(
        self,
        theta: NestedTensors,
        state0: NestedTensors,
        inputs: NestedTensors,
        length: Tensor,
        extras: Sequence[Tensor],
    ) -> None:
        self.theta, self.state0, self.inputs = theta, state0, inputs
        self.length, self.extras = length, extras

    @property
    def structure(self) -> list[Any]:
        return [self.theta, self.state0, self.inputs, self.length, self.extras]

    @property
    def flat(self) -> list[Tensor]:
        return nest.flatten(self.structure)

    def like(self, tensors: Sequence[Tensor]) -> _Arguments:
        """Arguments of the same structure and the same static shapes."""
        for tensor, own in zip(tensors, self.flat, strict=True):
            tensor.set_shape(own.get_shape())
        return _Arguments(*nest.pack_sequence_as(self.structure, list(tensors)))


class _Recurrence:
    """The functions that compute all steps, forwards and backwards."""

    def __init__(
        self,
        arguments: _Arguments,
        cell_fn: Callable[..., Any],
        cell_grad: Callable[..., Any],
        aligned_end: bool,
    ) -> None:
        self._arguments = arguments
        self._cell_fn, self._cell_grad = cell_fn, cell_grad
        self._aligned_end = aligned_end
        self._counts = [len(nest.flatten(x)) for x in (arguments.state0, arguments.extras)]

    def states(self) -> list[Any]:
        """Adds the call of the forward function; returns all states and the last one."""
        flat = self._arguments.flat
        types = [x.dtype.base_dtype for x in flat]

        def Forward(*args: Tensor) -> list[Tensor]:
            return self._forward(self._arguments.like(args))

        function = Defun(*types, python_grad_func=self._gradient)(Forward)
        _check_pure(function, "cell_fn")
        results = function(*flat)
        results = list(results) if isinstance(results, tuple) else [results]
        count = self._counts[0]
        state0 = self._arguments.state0
        return [
            nest.pack_sequence_as(state0, results[:count]),
            nest.pack_sequence_as(state0, results[count : 2 * count]),
        ]

    def _range(self, arguments: _Arguments) -> tuple[Any, Any, Any]:
        """The first step, the step after the last one, and the number of all steps."""
        steps = shape_tensor(nest.flatten(arguments.inputs)[0])[0]
        if self._aligned_end:
            return steps - arguments.length, steps, steps
        return constant(0), arguments.length, steps

    def _forward(self, arguments: _Arguments) -> list[Tensor]:
        first, end, steps = self._range(arguments)
        kept = nest.flatten([arguments.state0, arguments.extras])

        def step(
            time: Tensor, state: NestedTensors, arrays: Sequence[TensorArray]
        ) -> tuple[NestedTensors, ...]:
            inputs = nest.map_structure(lambda x: gather(x, time), arguments.inputs)
            new_state, extras = self._cell_fn(arguments.theta, state, inputs)
            new_state = nest.pack_sequence_as(state, nest.flatten(new_state))
            values = [
                convert_to_tensor(x, dtype=like.dtype.base_dtype)
                for x, like in zip(nest.flatten([new_state, extras]), kept, strict=True)
            ]
            written = [a.write(time, x) for a, x in zip(arrays, values, strict=True)]
            return time + 1, new_state, written

        _, last, arrays = while_loop(
            lambda time, *_: time < end, step, [first, arguments.state0, _arrays(kept, steps)]
        )
        arrays = self._with_zeros(arrays, kept, first, end, steps)
        stacked = [array.stack() for array in arrays]
        count = self._counts[0]
        return [*stacked[:count], *nest.flatten(last), *stacked[count:]]

    def _with_zeros(
        self, arrays: list[Any], like: list[Tensor], first: Tensor, end: Tensor, steps: Tensor
    ) -> list[Any]:
        """Arrays with zeros for the skipped steps."""
        begin, limit = (constant(0), first) if self._aligned_end else (end, steps)
        zeros = [zeros_like(x) for x in like]

        def step(time: Tensor, arrays: Sequence[TensorArray]) -> tuple[NestedTensors, ...]:
            return time + 1, [a.write(time, x) for a, x in zip(arrays, zeros, strict=True)]

        return while_loop(lambda time, _: time < limit, step, [begin, arrays])[1]

    def _gradient(self, op: Operation, *grads: Tensor) -> list[Any]:
        """The gradient function of the call of the forward function."""
        count = self._counts[0]
        all_grads = [zeros_like(y) if grad is None else grad for y, grad in zip(op.outputs, grads)]
        values = [
            *op.inputs,
            *op.outputs[:count],
            *op.outputs[2 * count :],
            *all_grads[: 2 * count],
        ]
        types = [x.dtype.base_dtype for x in values]

        def Backward(*args: Tensor) -> list[Tensor]:
            return self._backward(list(args))

        function = Defun(*types)(Backward)
        _check_pure(function, "cell_grad")
        results = function(*values)
        results = list(results) if isinstance(results, tuple) else [results]
        missing = len(op.inputs) - len(results)
        return [
            result if _differentiable(x) else None
            for x, result in zip(op.inputs, [*results, *[None] * missing], strict=True)
        ]

    def _backward(self, args: list[Any]) -> list[Tensor]:
        count, extra_count = self._counts
        own = len(self._arguments.flat)
        arguments = self._arguments.like(args[:own])
        rest = args[own:]
        states, rest = rest[:count], rest[count:]
        extras, rest = rest[:extra_count], rest[extra_count:]
        state_grads, last_grads = rest[:count], rest[count:]
        state0 = nest.flatten(arguments.state0)
        inputs = nest.flatten(arguments.inputs)
        first, end, steps = self._range(arguments)
        for kept, like in zip(
            [*states, *extras, *state_grads],
            [*state0, *nest.flatten(arguments.extras), *state0],
            strict=True,
        ):
            kept.set_shape(_stacked_shape(like))
        for grad, like in zip(last_grads, state0, strict=True):
            grad.set_shape(like.get_shape())

        def state_before(time: Tensor) -> list[Tensor]:
            previous = build.Maximum(time - 1, 0)
            flat = [
                build.Select(time > first, gather(x, previous), start)
                for x, start in zip(states, state0, strict=True)
            ]
            return nest.pack_sequence_as(arguments.state0, flat)

        def step(
            time: TensorLike,
            grad: Sequence[Tensor],
            theta_grad: Sequence[Tensor],
            arrays: Sequence[TensorArray],
        ) -> tuple[NestedTensors, ...]:
            grad = [g + gather(x, time) for g, x in zip(grad, state_grads, strict=True)]
            step_inputs = [gather(x, time) for x in inputs]
            step_extras = [gather(x, time) for x in extras]
            found = self._cell_grad(
                arguments.theta,
                state_before(time),
                nest.pack_sequence_as(arguments.inputs, step_inputs),
                nest.pack_sequence_as(arguments.extras, step_extras),
                nest.pack_sequence_as(arguments.state0, grad),
            )
            dtheta = _zeros_for_none(arguments.theta, found[0])
            new_grad = _zeros_for_none(state0, found[1])
            dinputs = _zeros_for_none(step_inputs, found[2])
            for one, like in zip(new_grad, state0, strict=True):
                one.set_shape(like.get_shape())
            return (
                time - 1,
                new_grad,
                [total + one for total, one in zip(theta_grad, dtheta, strict=True)],
                [a.write(time, x) for a, x in zip(arrays, dinputs, strict=True)],
            )

        like_steps = [gather(x, 0) for x in inputs]
        theta_zeros = [zeros_like(x) for x in nest.flatten(arguments.theta)]
        _, state_grad, theta_grad, arrays = while_loop(
            lambda time, *_: time >= first,
            step,
            [end - 1, last_grads, theta_zeros, _arrays(like_steps, steps)],
        )
        arrays = self._with_zeros(arrays, like_steps, first, end, steps)
        return [*theta_grad, *state_grad, *(array.stack() for array in arrays)]


def _stacked_shape(x: Tensor) -> TensorShape:
    shape = x.get_shape()
    return shape if shape.ndims is None else type(shape)([None]).concatenate(shape)


def _arrays(values: list[Tensor], steps: Tensor) -> list[Any]:
    """Arrays for tensors like some values, one element for each step."""
    return [
        TensorArray(x.dtype.base_dtype, size=steps, element_shape=x.get_shape()) for x in values
    ]


def _check_pure(function: DefinedFunction, what: str) -> None:
    if function.captured_inputs:
        raise AssertionError(f"{what} is not pure with extra args: {function.captured_inputs}.")
