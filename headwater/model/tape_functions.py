"""`tf.contrib.eager`: functions that call a function under a tape and build its gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.gradient_tape import GradientTape
from headwater.model.variables.resource_variable import ResourceVariable
from headwater.ops.control.identity import identity


def _checked(result: Any, function: Callable[..., Any]) -> Any:
    if result is None:
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to return a value "
            f"from {getattr(function, '__name__', repr(function))}?"
        )
    return result


@export("contrib.eager.implicit_value_and_gradients")
def implicit_value_and_gradients(
    f: Callable[..., Any],
) -> Callable[..., tuple[Any, list[tuple[Tensor | None, Any]]]]:
    """A function that calls another one and builds the gradients of the variables that it reads.

    Args:
        f: a function of any arguments that returns a tensor or a structure of tensors, whose sum
            is differentiated.

    Returns:
        A function of the same arguments that returns what `f` returns, and a list of pairs of a
        gradient (None for a variable without influence) and a trainable resource variable, in the
        order of their creation. It raises ValueError if `f` returns None or reads no such variable.
    """

    def call(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Tensor | None, Any]]]:
        with GradientTape() as tape:
            result = _checked(f(*args, **kwargs), f)
        # Reference variables are not read through handles, which TensorFlow's tape watches.
        variables = [v for v in tape.watched_variables() if isinstance(v, ResourceVariable)]
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        return result, list(zip(tape.gradient(result, variables), variables))

    return call


@export("contrib.eager.implicit_gradients")
def implicit_gradients(f: Callable[..., Any]) -> Callable[..., list[tuple[Tensor | None, Any]]]:
    """A function that builds the gradients of the variables that another function reads.

    Args:
        f: a function of any arguments that returns a tensor or a structure of tensors, whose sum
            is differentiated.

    Returns:
        A function of the same arguments that returns pairs of a gradient and a variable, for
        `Optimizer.apply_gradients`. It raises ValueError as `implicit_value_and_gradients` does.
    """
    both = implicit_value_and_gradients(f)

    def call(*args: Any, **kwargs: Any) -> list[tuple[Tensor | None, Any]]:
        return both(*args, **kwargs)[1]

    return call


def _positions(
    function: Callable[..., Any], params: str | Sequence[Any] | None, count: int
) -> Sequence[int]:
    """The positions of the arguments that are differentiated."""
    chosen: Any = [params] if isinstance(params, (str, int)) else params
    try:
        names = inspect.getfullargspec(function).args
    except TypeError as error:
        if chosen is None:
            return range(count)
        if all(isinstance(param, int) for param in chosen):
            return chosen
        raise ValueError(
            "Either callable provided is not a function or could not inspect its arguments by "
            f"name: {function}. Original error: {error}"
        ) from None
    if chosen is None:
        return range(len(names) - (names[0] == "self") if names else count)
    if all(isinstance(param, str) for param in chosen):
        return [names.index(param) for param in chosen]
    if all(isinstance(param, int) for param in chosen):
        return chosen
    raise ValueError(f"params must be all strings or all integers; got {params}.")


def _distinct_tensors(args: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    """The arguments, with a tensor of its own at each position."""
    found, seen = list(args), set()
    for position in positions:
        tensor = convert_to_tensor(found[position])
        found[position] = identity(tensor) if tensor in seen else tensor
        seen.add(tensor)
    return found


@export("contrib.eager.value_and_gradients_function")
def value_and_gradients_function(
    f: Callable[..., Any], params: str | Sequence[Any] | None = None
) -> Callable[..., tuple[NestedTensors, list[Tensor | None]]]:
    """A function that calls another one and builds the gradients of its arguments.

    Args:
        f: a function of tensors that returns a tensor or a structure of tensors, whose sum is
            differentiated.
        params: the names or the positions of the arguments to differentiate; all by default.

    Returns:
        A function of the same arguments, and of `dy`, the gradients of the results (ones by
        default). It returns what `f` returns and a list of gradients. It raises ValueError if `f`
        returns None, for other keyword arguments, and for wrong `params`.
    """

    def call(*args: Any, **kwargs: Any) -> tuple[NestedTensors, list[Tensor | None]]:
        output_gradients = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        positions = _positions(f, params, len(args))
        with GradientTape() as tape:
            arguments = _distinct_tensors(args, positions)
            sources = [arguments[position] for position in positions]
            for source in sources:
                tape.watch(source)
            result = nest.map_structure(identity, _checked(f(*arguments), f))
        return result, tape.gradient(result, sources, output_gradients)

    return call


@export("contrib.eager.gradients_function")
def gradients_function(
    f: Callable[..., Any], params: str | Sequence[Any] | None = None
) -> Callable[..., list[Tensor | None]]:
    """A function that builds the gradients of the arguments of another function.

    Args:
        f: a function of tensors that returns a tensor or a structure of tensors, whose sum is
            differentiated.
        params: the names or the positions of the arguments to differentiate; all by default.

    Returns:
        A function of the same arguments, and of `dy`, that returns a list of gradients. It raises
        ValueError as `value_and_gradients_function` does.
    """
    both = value_and_gradients_function(f, params)

    def call(*args: Any, **kwargs: Any) -> list[Tensor | None]:
        return both(*args, **kwargs)[1]

    return call
