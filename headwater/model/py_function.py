"""`tf.py_function`: a Python function of tensors whose values are known, as an op."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.typing import Array, DTypeLike, NestedTensors, TensorLike
from headwater.graph import Graph, Operation, Tensor, convert_to_tensor, export, gradients
from headwater.ops.control.py_func import eager_node
from headwater.session.session import Session


class EagerTensor(Tensor):
    """A tensor of a graph that can be computed at any time: it has a value."""

    __slots__ = ()

    def numpy(self) -> Array:
        """Returns the value as an array, or as a scalar of NumPy."""
        graph: Any = self.graph
        return graph.value_of(self)

    def __array__(self, dtype: DTypeLike | None = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numpy(), dtype)

    def __bool__(self) -> bool:
        return bool(self.numpy())

    __nonzero__ = __bool__

    def __int__(self) -> int:
        return int(self.numpy())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.numpy())

    def __len__(self) -> int:
        return len(self.numpy())

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __str__(self) -> str:
        return f"tf.Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        value = np.array_repr(np.asarray(self.numpy()))
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={value}>"


class EagerGraph(Graph):
    """A graph without inputs from outside: each of its tensors has one value."""

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[Tensor, Any] = {}

    def add_node(self, *args: Any, **kwargs: Any) -> Operation:
        op = super().add_node(*args, **kwargs)
        for tensor in op._outputs:
            tensor.__class__ = EagerTensor
        return op

    def values_of(self, tensors: list[Tensor]) -> list[Any]:
        """Computes tensors; values are cached."""
        wanted = [tensor for tensor in tensors if tensor not in self._values]
        if wanted:
            with Session(graph=self) as session:
                self._values.update(zip(wanted, session.run(wanted, dict(self._values))))
        return [self._values[tensor] for tensor in tensors]

    def value_of(self, tensor: Tensor) -> Array:
        """Computes a tensor."""
        return self.values_of([tensor])[0]


class _Call:
    """A function, and the graph of its last call."""

    def __init__(self, func: Callable[..., Any], types: list[Any]) -> None:
        self._func = func
        self._types = types
        self._graph = EagerGraph()
        self._inputs: list[Tensor] = []
        self._outputs: list[Tensor] = []

    def run(self, *arrays: np.ndarray) -> list[Any]:
        """Calls the function with tensors that have the given values."""
        graph = EagerGraph()
        with graph.as_default():
            inputs = [convert_to_tensor(array) for array in arrays]
            results = self._func(*inputs)
            if not isinstance(results, list | tuple):
                results = [] if results is None and not self._types else [results]
            outputs = [
                convert_to_tensor(value, dtype) if i < len(self._types) else value
                for i, (value, dtype) in enumerate(
                    zip(results, [*self._types, *[None] * len(results)])
                )
            ]
        self._graph, self._inputs, self._outputs = graph, inputs, outputs
        return graph.values_of(outputs)

    def gradient(self, *grads: np.ndarray) -> list[Any]:
        """The gradients of the arguments of the last call."""
        graph = self._graph
        with graph.as_default():
            found = gradients(self._outputs, self._inputs, [convert_to_tensor(g) for g in grads])
            dense = [
                np.zeros(x.shape.as_list(), x.dtype.as_numpy_dtype)  # type: ignore[arg-type]
                if grad is None
                else convert_to_tensor(grad)
                for x, grad in zip(self._inputs, found)
            ]
        known = graph.values_of([grad for grad in dense if isinstance(grad, Tensor)])
        values = iter(known)
        return [next(values) if isinstance(grad, Tensor) else grad for grad in dense]


@export("py_function", "contrib.eager.py_func")
def py_function(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    name: str | None = None,
) -> NestedTensors:
    """Makes an op that calls a Python function on tensors which have values.

    The function may take the values by `numpy()`, use them in Python's `if` and loops, and call
    functions of `tf`. What it computes by functions of `tf` has gradients.

    Args:
        func: a function of tensors that returns a tensor, or a list of them.
        inp: the tensors whose values are the arguments.
        Tout: the type of the result, or a list of types.
        name: the name of the op.

    Returns:
        A tensor, a list of tensors if `Tout` is a list, or the Operation if it is empty.

    Raises:
        ValueError: if `func` is not a function.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    is_list = isinstance(Tout, list | tuple)
    types = [as_dtype(t) for t in (Tout if is_list else [Tout])]
    call = _Call(func, types)
    found = eager_node(call.run, call.gradient, list(inp), types, name)
    return found if is_list else found[0]
