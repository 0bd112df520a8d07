"""`tf.py_func`: a Python function as an op."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.array_values import as_array
from headwater.base.dtypes import DType, as_dtype, proto_name
from headwater.base.older_calls import inserted
from headwater.base.python_errors import python_error
from headwater.base.typing import Array, ArrayModule, DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Tensor,
    build,
    control_dependencies,
    export,
    get_default_graph,
    register_op,
    shapes,
)

# The graph of an op holds its function (`Graph._py_funcs_used_in_graph`); tokens find it from here.
_functions: weakref.WeakValueDictionary[str, _Function] = weakref.WeakValueDictionary()
_tokens = itertools.count()


class _Function:
    """A registered Python function; not every callable can be weakly referenced."""

    def __init__(
        self, function: Callable[..., Any], gradient: Callable[..., Any] | None = None
    ) -> None:
        self.function = function
        self.gradient = gradient
        self.token = f"pyfunc_{next(_tokens)}"
        _functions[self.token] = self


def held_functions() -> list[str]:
    """The tokens of the functions of all graphs that exist."""
    return list(_functions)


def kernel_py_func(
    xp: ArrayModule, inputs: list[Any], *, token: str, Tout: DTypeLike | Sequence[DTypeLike]
) -> list[Array]:
    held = _functions.get(token)
    if held is None:
        raise errors.UnknownError(None, None, f"KeyError: 'Callback {token} is not found'")
    try:
        # The function may keep or change its arguments.
        results = held.function(*(_argument(x) for x in inputs))
    except (errors.CancelledError, errors.DeadlineExceededError):
        # The run has ended, for which the function has waited.
        raise
    except Exception as error:
        raise python_error(error) from error
    if not isinstance(results, (list, tuple)):
        results = [] if results is None else [results]
    if len(results) != len(Tout):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{token} returns {len(results)} values, but expects to see {len(Tout)} values.",
        )
    return [_result(token, i, value, dtype) for i, (value, dtype) in enumerate(zip(results, Tout))]


def _argument(value: Array) -> Any:
    array = np.array(value)
    return array[()] if array.ndim == 0 else array  # a scalar, which can be a key of a dict


def _result(token: str, position: int, value: Array, dtype: DType) -> np.ndarray:
    array = np.asarray(value, order="C")
    if array.dtype == object:
        _check_strings(array)
    if array.dtype.kind in "SUO":
        array, _ = as_array(value if array.dtype.kind == "S" else array)
    if array.dtype != dtype.numpy_dtype:
        actual = proto_name(as_dtype(array.dtype)) if array.dtype != object else "string"
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{position}-th value returned by {token} is {actual}, but expects {proto_name(dtype)}",
        )
    # The function may change what it has returned.
    return np.array(array)


def _check_strings(array: np.ndarray) -> None:
    for item in array.flat:
        if not isinstance(item, (bytes, str)):
            kind = type(item.item() if isinstance(item, np.generic) else item)
            text = f"Unsupported object type {kind.__name__}"
            raise errors.InternalError(None, None, text)


def _register_py_func(name: str, stateful: bool) -> None:
    register_op(
        name,
        inputs="input: Tin",
        outputs="output: Tout",
        attrs="token: string, Tin: list(type) >= 0, Tout: list(type) >= 0",
        shape=shapes.unknown,
        kernel=kernel_py_func,
        runs_on=RunsOn.HOST,
        calls_python=True,
        stateful=stateful,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_py_func("PyFunc", stateful=True)
_register_py_func("PyFuncStateless", stateful=False)


def gradient_eager_py_func(op: Operation, *grads: Tensor) -> list[Tensor]:
    """An op that differentiates the last call of the function."""
    held = _functions.get(op._attrs["token"])
    if held is None or held.gradient is None:
        raise LookupError(f"Callback {op._attrs['token']} is not found")
    with control_dependencies(op.outputs):
        found = eager_node(
            held.gradient, None, list(grads), [t.dtype.base_dtype for t in op.inputs], None
        )
    return list(found)


register_op(
    "EagerPyFunc",
    inputs="input: Tin",
    outputs="output: Tout",
    attrs="token: string, is_async: bool = false, Tin: list(type) >= 0, Tout: list(type) >= 0",
    shape=shapes.unknown,
    kernel=kernel_py_func,
    runs_on=RunsOn.HOST,
    calls_python=True,
    stateful=True,
    gradient=gradient_eager_py_func,
)


def eager_node(
    func: Callable[..., Any],
    gradient: Callable[..., Any] | None,
    inp: list[Any],
    types: list[DType],
    name: str | None,
) -> Any:
    """Makes a node that calls a function of arrays.

    Args:
        func: the function.
        gradient: a function of the gradients of its results that gives those of its arguments in
            its last call; None if there is none.
        inp: the arguments.
        types: the types of the results.
        name: the name of the node.

    Returns:
        The list of results, or the Operation if there are none.
    """
    held = _Function(func, gradient)
    get_default_graph()._py_funcs_used_in_graph.append(held)
    found = build.EagerPyFunc(inp, token=held.token, Tout=types, name=name)
    return found if found else get_default_graph().get_operations()[-1]


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    name: str | None = None,
) -> NestedTensors:
    """`tf.py_func` of a function that may give different results for equal arguments.

    Args:
        func: a function of arrays that returns an array, or a list of them.
        inp: the tensors whose values are the arguments.
        Tout: the type of the result, or a list of types.
        name: the name of the op.

    Returns:
        A tensor, a list of tensors if `Tout` is a list, or the Operation if it is empty.
    """
    return py_func(func, inp, Tout, True, name)


@export("py_func")
@inserted(3, True)
def py_func(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> NestedTensors:
    """Makes an op that calls a Python function on NumPy arrays.

    Args:
        func: a function of arrays that returns an array, or a list of them.
        inp: the tensors whose values are the arguments.
        Tout: the type of the result, or a list of types.
        stateful: whether equal arguments may give different results.
        name: the name of the op.

    Returns:
        A tensor, a list of tensors if `Tout` is a list, or the Operation if it is empty.

    Raises:
        ValueError: if `func` is not a function.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    held = _Function(func)
    graph = get_default_graph()
    graph._py_funcs_used_in_graph.append(held)
    is_list = isinstance(Tout, (list, tuple))
    types = [as_dtype(t) for t in (Tout if is_list else [Tout])]
    builder = build.PyFunc if stateful else build.PyFuncStateless
    result = builder(inp, token=held.token, Tout=types, name=name)
    if isinstance(result, Operation):
        return result
    if not result:
        return get_default_graph().get_operations()[-1]
    return result if is_list else result[0]
