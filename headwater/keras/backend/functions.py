"""Functions made of placeholders, tensors and updates; gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, SparseTensorValue, Tensor, control_dependencies, group
from headwater.graph import gradients as make_gradients
from headwater.keras.backend.graph_state import get_session
from headwater.ops.control.identity import identity
from headwater.ops.control.identity import stop_gradient as make_stop_gradient
from headwater.ops.state.assign import assign


class GraphExecutionFunction:
    """Computes tensors from the values of placeholders, and runs updates.

    Args:
        inputs: placeholders.
        outputs: a structure of tensors.
        updates: nodes, or pairs of a variable and its new value.
        name: a name, for error messages.
        **session_kwargs: `feed_dict`, `fetches`, `options`, `run_metadata`.

    Attributes:
        fetches: what is computed besides; programs may add to it.
        fetch_callbacks: functions of the value of a fetch.
        feed_dict: what is fed besides.
    """

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        updates: Sequence[Any] | None = None,
        name: str | None = None,
        **session_kwargs: Any,
    ) -> None:
        updates = updates or []
        if not isinstance(updates, (list, tuple)):
            raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
        self._inputs_structure = inputs
        self.inputs = nest.flatten(inputs)
        self._outputs_structure = outputs
        self.outputs = [_computed(output) for output in nest.flatten(outputs)]
        dependencies = [output for output in self.outputs if isinstance(output, Tensor)]
        with control_dependencies(dependencies):
            nodes = []
            for update in updates:
                if isinstance(update, tuple):
                    variable, value = update
                    nodes.append(assign(variable, value))
                else:
                    nodes.append(update)
            self.updates_op = group(*nodes)
        self.name = name
        self.feed_dict = session_kwargs.pop("feed_dict", None)
        fetches = session_kwargs.pop("fetches", [])
        self.fetches = fetches if isinstance(fetches, list) else [fetches]
        self.run_options = session_kwargs.pop("options", None)
        self.run_metadata = session_kwargs.pop("run_metadata", None)
        self.fetch_callbacks: dict[Any, Callable[[Any], Any]] = {}
        if session_kwargs:
            raise ValueError(
                "Some keys in session_kwargs are not supported at this time: "
                f"{tuple(session_kwargs)}"
            )

    def _feed(self, values: list[Any]) -> dict[Any, Any]:
        feed = dict(self.feed_dict or {})
        for target, value in zip(self.inputs, values, strict=False):
            if value is None:
                continue
            if isinstance(target, SparseTensor):
                feed[target] = _sparse_value(value)
            elif isinstance(value, Tensor):
                feed[target] = get_session([value]).run(value)
            else:
                feed[target] = np.asarray(value, dtype=target.dtype.as_numpy_dtype)
        return feed

    def __call__(self, inputs: Any) -> Any:
        """Computes the outputs.

        Args:
            inputs: the values of the placeholders; None for one that is not needed.

        Returns:
            NumPy arrays in the structure of the outputs.
        """
        session = get_session(self.inputs)
        values = _flat_values(inputs, len(self.inputs))
        fetches = [*self.outputs, *self.fetches, self.updates_op]
        options = {}
        if self.run_options is not None:
            options["options"] = self.run_options
        if self.run_metadata is not None:
            options["run_metadata"] = self.run_metadata
        fetched = session.run(fetches, feed_dict=self._feed(values), **options)
        count = len(self.outputs)
        for fetch, value in zip(self.fetches, fetched[count:-1], strict=True):
            if fetch in self.fetch_callbacks:
                self.fetch_callbacks[fetch](value)
        return nest.pack_sequence_as(self._outputs_structure, fetched[:count])


def _computed(output: Any) -> Any:
    """A tensor that is computed before the updates: variables are read."""
    if isinstance(output, (Tensor, SparseTensor)):
        return output
    return identity(output)


def _flat_values(inputs: Any, count: int) -> list[Any]:
    if not isinstance(inputs, (list, tuple, dict)):
        return [inputs]
    if isinstance(inputs, (list, tuple)) and len(inputs) == count:
        return list(inputs)
    return nest.flatten(inputs)


def _sparse_value(value: Any) -> Any:
    if isinstance(value, (tuple, SparseTensorValue)):
        return value
    coordinates = value.tocoo()
    indices = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
    return SparseTensorValue(indices, coordinates.data, coordinates.shape)


_SESSION_ARGUMENTS = ("feed_dict", "fetches", "options", "run_metadata")


@export("keras.backend.function")
def function(
    inputs: Any,
    outputs: Any,
    updates: Sequence[Any] | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> GraphExecutionFunction:
    """Makes a Python function of placeholders and tensors.

    Args:
        inputs: placeholders.
        outputs: tensors.
        updates: nodes, or pairs of a variable and its new value, run after the outputs.
        name: a name.
        **kwargs: `feed_dict`, `fetches`, `options`, `run_metadata`.

    Returns:
        A function of the list of input values.

    Raises:
        ValueError: if a keyword is unknown.
        TypeError: if `updates` is not a list.

    Example:
        >>> x = tf.keras.backend.placeholder([2])
        >>> double = tf.keras.backend.function([x], [2.0 * x])
        >>> print(double([[1.0, 2.0]]))
        [array([2., 4.], dtype=float32)]
    """
    for key in kwargs:
        if key not in _SESSION_ARGUMENTS:
            raise ValueError(
                f'Invalid argument "{key}" passed to K.function with TensorFlow backend'
            )
    return GraphExecutionFunction(inputs, outputs, updates=updates, name=name, **kwargs)


@export("keras.backend.gradients")
def gradients(loss: TensorLike, variables: Any) -> list[Any]:
    """The derivatives of a loss.

    Args:
        loss: a scalar.
        variables: tensors or variables.

    Returns:
        A list of tensors; None for what the loss does not depend on.
    """
    return make_gradients(loss, variables, colocate_gradients_with_ops=True)


@export("keras.backend.stop_gradient")
def stop_gradient(variables: Any) -> Any:
    """Values that count as constants in derivatives.

    Args:
        variables: a tensor, or a list of them.

    Returns:
        A tensor or a list of them.
    """
    if isinstance(variables, (list, tuple)):
        return [make_stop_gradient(variable) for variable in variables]
    return make_stop_gradient(variables)
