"""`tf.GradientTape` in graph mode: gradients through the ops that were made while it recorded."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes, logging, nest
from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.graph import (
    Operation,
    Tensor,
    constant_node,
    get_default_graph,
    gradients,
    shape_tensor,
    size_tensor,
    zeros_like,
)
from headwater.graph.convert import to_tensor
from headwater.graph.functions import FunctionGraph
from headwater.graph.gradients import UnconnectedGradients, is_trainable
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop

_USED = "GradientTape.{} can only be called once on non-persistent tapes."
# Ops that read a variable: their node may be older than the tape that sees the variable used.
_READS = frozenset({"Identity", "ReadVariableOp", "Enter"})


_recording_tapes: weakref.WeakSet[GradientTape] = weakref.WeakSet()


@contextmanager
def stop_recording() -> Iterator[None]:
    """A context whose ops no tape records."""
    tapes = list(_recording_tapes)
    for tape in tapes:
        tape._stop()
    try:
        yield
    finally:
        for tape in tapes:
            tape._resume()


def is_recording() -> bool:
    """Tells whether a tape records."""
    return bool(_recording_tapes)


@export("GradientTape", "contrib.eager.GradientTape")
class GradientTape:
    """Records which ops are made in its context, and builds gradients through them.

    Args:
        persistent: whether more than one gradient may be asked for.
        watch_accessed_variables: whether trainable variables count as watched.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x).eval())
        6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._used = False
        self._forget()

    def _forget(self) -> None:
        # For each graph, the ids of ops between which the tape recorded; the last may be open.
        self._spans: dict[Any, list[list[float]]] = {}
        self._watched: dict[int, tuple[Any, float]] = {}

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *details: object) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError("Tape is already recording.")
        if self._used:
            self._forget()
        self._used = False
        self._resume()

    def _resume(self) -> None:
        self._recording = True
        _recording_tapes.add(self)
        graph = get_default_graph()
        self._spans.setdefault(graph, []).append([graph._last_id_value, float("inf")])

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        _recording_tapes.discard(self)
        for graph, spans in self._spans.items():
            spans[-1][1] = min(spans[-1][1], graph._last_id_value)

    def watch(self, tensor: NestedTensors) -> None:
        """Makes gradients with respect to tensors possible.

        Args:
            tensor: a tensor, a variable, or a structure of them.

        Raises:
            ValueError: if it is something else.
        """
        for part in nest.flatten(tensor):
            if not isinstance(part, (Tensor, Variable)):
                raise ValueError(f"Passed in object of type {type(part)}, not tf.Tensor")
            if not is_trainable(part.dtype):
                logging.log_first_n(
                    logging.WARN,
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    5,
                    part.dtype,
                )
            self._watched.setdefault(id(part), (part, part.graph._last_id_value + 1))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context whose ops are not recorded.

        Raises:
            RuntimeError: if the tape has been used.
        """
        if self._used:
            raise RuntimeError(_USED.format("stop_recording"))
        self._stop()
        try:
            yield
        finally:
            self._resume()

    def reset(self) -> None:
        """Forgets what was recorded and watched; the tape records on."""
        self._stop()
        self._forget()
        self._resume()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that the recorded ops read, and those that are watched.

        Returns:
            A tuple in the order of their creation.
        """
        variables = _variables(get_default_graph())
        state = {_state_of(variable): variable for variable in variables}
        read = {tensor for op in self._recorded_ops() for tensor in op._inputs}
        read |= {t._op._inputs[0] for t in read if t._op.type in _READS}
        read = {_origin(tensor) for tensor in read}
        used = {id(state[tensor]) for tensor in read if tensor in state}
        return tuple(
            variable
            for variable in variables
            if id(variable) in self._watched or (self._sees(variable) and id(variable) in used)
        )

    def _recorded_ops(self) -> Iterator[Operation]:
        for graph in self._spans:
            for op in graph.get_operations():
                if self._has_recorded(op):
                    yield op

    def _has_recorded(self, op: Operation) -> bool:
        spans = self._spans.get(op._graph, ())
        return any(start < op._id_value <= end for start, end in spans)

    def _sees(self, variable: Any) -> bool:
        return self._watch_accessed_variables and bool(getattr(variable, "trainable", False))

    def gradient(
        self,
        target: NestedTensors,
        sources: NestedTensors,
        output_gradients: NestedTensors | None = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Builds gradients through the recorded ops.

        Args:
            target: a tensor or a structure of tensors, whose sum is differentiated.
            sources: tensors and variables in any structure.
            output_gradients: gradients with respect to the targets; ones by default.
            unconnected_gradients: what stands for a source without influence.

        Returns:
            Gradients in the structure of `sources`.

        Raises:
            RuntimeError: if the tape is not persistent and has been used.
        """
        if self._used:
            raise RuntimeError(_USED.format("gradient"))
        if self._recording:
            if self._persistent:
                logging.log_first_n(
                    logging.WARN,
                    "Calling GradientTape.gradient on a persistent tape inside its context is "
                    "significantly less efficient than calling it outside the context.",
                    1,
                )
            else:
                self._stop()
        found = self._gradients(
            nest.flatten(target),
            nest.flatten(sources),
            None if output_gradients is None else nest.flatten(output_gradients),
            unconnected_gradients,
        )
        self._used = not self._persistent
        return nest.pack_sequence_as(sources, found)

    def _gradients(
        self, ys: list[Any], sources: list[Any], grad_ys: list[Any] | None, unconnected: Any
    ) -> list[Any]:
        for source in sources:
            source.dtype  # noqa: B018 - AttributeError for what is not a tensor
        ys = [to_tensor(y) for y in ys]
        between, frontier = self._between(ys)
        known = {tensor for op in between for tensor in op._outputs}
        live = [self._is_watched(source) or source in known for source in sources]
        xs = [source for source, alive in zip(sources, live) if alive]
        options: dict[str, Any] = {"stop_gradients": frontier, "unconnected_gradients": unconnected}
        found = iter(gradients(ys, xs, grad_ys, **options) if xs and ys else ())
        return [
            next(found) if alive else _unconnected(source, unconnected)
            for source, alive in zip(sources, live)
        ]

    def _is_watched(self, source: Any) -> bool:
        return id(source) in self._watched or self._sees(source)

    def _between(self, ys: list[Tensor]) -> tuple[set[Operation], list[Tensor]]:
        """The recorded ops before `ys` that depend on what is watched, and their other inputs."""
        recorded = self._recorded_before(ys)
        state = {_state_of(v): v for v in _variables(get_default_graph())}
        live: set[Operation] = set()
        waiting = [op for op in recorded if any(self._begins(op, t, state) for t in op._inputs)]
        while waiting:
            op = waiting.pop()
            if op not in live:
                live.add(op)
                after = (c for tensor in op._outputs for c in tensor.consumers())
                waiting.extend(c for c in after if c in recorded)
        frontier = {t: None for op in live for t in op._inputs if t._op not in live}
        frontier.update((y, None) for y in ys if y._op not in live)
        return live, [t for t in frontier if not _is_state(t) and not self._reads(t, state)]

    def _recorded_before(self, ys: list[Tensor]) -> set[Operation]:
        found: set[Operation] = set()
        stack = [y._op for y in ys]
        while stack:
            op = stack.pop()
            if op not in found and self._has_recorded(op):
                found.add(op)
                stack.extend(tensor._op for tensor in op._inputs)
        return found

    def _begins(self, op: Operation, tensor: Tensor, state: dict[Tensor, Any]) -> bool:
        """Whether an input of an op is watched and was so when the op was made."""
        origin = _origin(tensor)
        since = self._watched.get(id(origin), (None, float("inf")))[1]
        # What is captured was there before all ops of the function.
        captured = origin is not tensor and id(origin) in self._watched
        return captured or since <= op._id_value or self._reads(tensor, state)

    def _reads(self, tensor: Tensor, state: dict[Tensor, Any]) -> bool:
        """Whether a tensor is a watched variable or its value."""
        if tensor._op.type in _READS and tensor not in state:
            tensor = tensor._op._inputs[0]
        variable = state.get(_origin(tensor))
        return variable is not None and self._is_watched(variable)

    def jacobian(
        self,
        target: Tensor,
        sources: NestedTensors,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Builds the derivatives of each element of the target.

        Args:
            target: a tensor.
            sources: tensors and variables in any structure.
            unconnected_gradients: what stands for a source without influence.
            parallel_iterations: how many rows may be computed at the same time.
            experimental_use_pfor: accepted; there is one way to compute the rows.

        Returns:
            Tensors of the shapes target.shape + source.shape, in the structure of `sources`.

        Raises:
            RuntimeError: if the tape is not persistent and has been used.
        """
        if self._used:
            raise RuntimeError(_USED.format("jacobian"))
        flat_sources = nest.flatten(sources)
        with self._unrecorded():
            rows = reshape(target, [-1])
        flat = self._rows(
            rows,
            target,
            size_tensor(rows),
            flat_sources,
            unconnected_gradients,
            parallel_iterations,
        )
        found = []
        for source, stacked in zip(flat_sources, flat):
            if stacked is not None:
                shape = concat((shape_tensor(target), shape_tensor(to_tensor(source))), 0)
                stacked = reshape(stacked, shape)
                stacked.set_shape(target.shape.concatenate(source.shape))
            found.append(stacked)
        self._used = not self._persistent
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Builds the derivatives of each example of the target by the same one of the source.

        Args:
            target: a tensor [batch, ...], whose examples depend on those of the source only.
            source: a tensor [batch, ...].
            unconnected_gradients: what is returned if the source has no influence.
            parallel_iterations: how many rows may be computed at the same time.
            experimental_use_pfor: accepted; there is one way to compute the rows.

        Returns:
            A tensor [batch, ...target, ...source].

        Raises:
            RuntimeError: if the tape is not persistent and has been used.
            ValueError: if a shape has no batch, or the batches differ.
        """
        if self._used:
            raise RuntimeError(_USED.format("batch_jacobian"))
        target_shape = target.shape.with_rank_at_least(2)
        source_shape = source.shape.with_rank_at_least(2)
        if not target_shape[:1].is_compatible_with(source_shape[:1]):
            raise ValueError(
                "Need first dimension of target shape and source shape to match. Got shapes "
                f"{target_shape} and {source_shape}."
            )
        with self._unrecorded():
            by_element = transpose(reshape(target, concat((shape_tensor(target)[:1], [-1]), 0)))
        (stacked,) = self._rows(
            by_element,
            target,
            shape_tensor(by_element)[0],
            [source],
            unconnected_gradients,
            parallel_iterations,
        )
        self._used = not self._persistent
        if stacked is None:
            return None
        examples = transpose(stacked, [1, 0, *range(2, stacked.shape.ndims)])
        result = reshape(examples, concat((shape_tensor(target), shape_tensor(source)[1:]), 0))
        result.set_shape(target_shape.concatenate(source_shape[1:]))
        return result

    @contextmanager
    def _unrecorded(self) -> Iterator[None]:
        # What arranges the target must count as recorded: it lies between target and rows.
        graph = get_default_graph()
        span = [graph._last_id_value, float("inf")]
        self._spans.setdefault(graph, []).insert(0, span)
        try:
            yield
        finally:
            span[1] = graph._last_id_value

    def _rows(
        self,
        rows: Tensor,
        target: Tensor,
        count: Tensor,
        sources: list[Any],
        unconnected: Any,
        parallel_iterations: int | None,
    ) -> list[Any]:
        """The gradients of each row of a tensor, stacked; None for those without influence."""
        if self._recording and not self._persistent:
            self._stop()
        reached = self._gradients([target], sources, None, unconnected)
        alive = [source for source, grad in zip(sources, reached) if grad is not None]

        def step(i: Tensor, *arrays: TensorArray) -> tuple[Any, ...]:
            with self._unrecorded():
                row = rows[i]
            found = self._gradients([row], alive, None, UnconnectedGradients.ZERO)
            return (i + 1, *(a.write(i, to_tensor(g)) for a, g in zip(arrays, found)))

        arrays = [TensorArray(source.dtype.base_dtype, count) for source in alive]
        start = [constant_node(0, dtypes.int32), *arrays]
        result = while_loop(
            lambda i, *_: i < count, step, start, parallel_iterations=parallel_iterations or 10
        )
        stacked = iter([array.stack() for array in result[1:]])
        return [None if grad is None else next(stacked) for grad in reached]


def _state_of(variable: Any) -> Tensor:
    """The handle of a variable, or the reference to its value."""
    tensor: Tensor = variable.op.outputs[0]
    return tensor


def _origin(tensor: Tensor) -> Tensor:
    """The tensor outside of a function that a tensor in it stands for; else the tensor itself."""
    while tensor._op.type == "Placeholder" and isinstance(tensor._op._graph, FunctionGraph):
        outer = tensor._op._graph.captured_from(tensor)
        if outer is None:
            break
        tensor = outer
    return tensor


def _is_state(tensor: Tensor) -> bool:
    return tensor.dtype is dtypes.resource or tensor.dtype.is_ref_dtype


def _variables(graph: Any) -> list[Any]:
    from_collections: dict[int, Any] = {}
    for key in ("variables", "local_variables"):
        for variable in graph.get_collection(key):
            from_collections.setdefault(id(variable), variable)
    return list(from_collections.values())


def _unconnected(source: Any, unconnected: Any) -> Any:
    if UnconnectedGradients(unconnected) is UnconnectedGradients.NONE:
        return None
    return zeros_like(to_tensor(source))
