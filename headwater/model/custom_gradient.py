"""Functions of tensors with custom gradients."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.arguments import getfullargspec
from headwater.base.decorators import make_decorator
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    gradients,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.registry import gradient_of, register_gradient
from headwater.model.variables.resource_variable import ResourceVariable
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable

_numbers = itertools.count(1)

_NO_RESOURCE = (
    "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. "
    "Ensure that no `variable_scope` is created with `use_resource=False`."
)
_NO_ARGUMENT = (
    "If using @custom_gradient with a function that uses variables, then grad_fn must accept a "
    "keyword argument 'variables'."
)
_NO_VARIABLES = (
    "If using @custom_gradient with a function that uses variables, the enclosing variable scope "
    "must have use_resource=True."
)


class _Bound:
    """A decorated function; as a method it is bound to its object."""

    def __init__(self, call: Callable[..., Any], function: Callable[..., Any]) -> None:
        self._call = call
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> NestedTensors:
        return self._call(self._function, args, kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        bound = _Bound(self._call, functools.partial(self._function, instance))
        return functools.update_wrapper(bound, self._function)


def _decorated(call: Callable[..., Any], function: Callable[..., Any]) -> _Bound:
    return make_decorator(function, _Bound(call, function), "custom_gradient")


@export("custom_gradient", "contrib.eager.custom_gradient")
def custom_gradient(f: Callable[..., Any]) -> _Bound:
    """Gives a function of tensors a custom gradient.

    Args:
      f: a function of tensors that returns a pair: its result, a tensor or a nested structure of
        tensors, and a function. That function gets the gradients of the tensors of the result and
        returns those of the arguments. If `f` uses trainable variables, which must be resource
        variables, the function also gets them as a keyword argument `variables` and returns a pair
        of the gradients of the arguments and a list of those of the variables.

    Returns:
      A function of tensors that returns the first of the pair.
    """
    return _decorated(_call_with_gradient, f)


def _call_with_gradient(
    f: Callable[..., Any], args: Sequence[TensorLike], kwargs: dict[str, int], strict: bool = True
) -> NestedTensors:
    if kwargs:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager "
            "execution is enabled."
        )
    name = f"CustomGradient-{next(_numbers)}"
    args = [convert_to_tensor(x) for x in args]
    known = set(_variables())
    result, gradient = f(*args)
    flat = nest.flatten(result)
    if any(not isinstance(v, ResourceVariable) for v in _variables() if v not in known):
        raise TypeError(_NO_RESOURCE)
    variables = [
        v for v in get_dependent_variables(args, result) if isinstance(v, ResourceVariable)
    ]
    outputs = [convert_to_tensor(x) for x in flat]
    for output in outputs:
        build.Identity(output)
    signature = getfullargspec(gradient)
    takes_variables = "variables" in (*signature.args, *signature.kwonlyargs) or signature.varkw
    if variables and not takes_variables:
        raise TypeError(_NO_ARGUMENT)
    if takes_variables and not signature.varkw and not variables and strict:
        raise TypeError(_NO_VARIABLES)

    def gradient_of_node(op: Operation, *result_gradients: Tensor) -> list[Any]:
        given = result_gradients[: len(outputs)]
        of_variables: list[Any] = []
        if variables:
            of_arguments, of_variables = gradient(*given, variables=variables)
            if len(of_variables) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn."
                )
        else:
            of_arguments = gradient(*given)
        return [None] * len(outputs) + nest.flatten(of_arguments) + list(of_variables)

    register_gradient(name, gradient_of_node)
    with get_default_graph().gradient_override_map({"IdentityN": name}):
        through = build.IdentityN([*outputs, *args, *variables])
    # Creates as many reads of the variables as TensorFlow does.
    for variable in variables:
        convert_to_tensor(variable)
    return nest.pack_sequence_as(result, list(through)[: len(outputs)])


def _variables() -> list[Any]:
    graph = get_default_graph()
    found = [
        variable
        for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        for variable in graph.get_collection(key)
    ]
    return list(dict.fromkeys(found))


def get_dependent_variables(input_ops: NestedTensors, output_ops: NestedTensors) -> list[Any]:
    """Finds the trainable variables that tensors depend on other than through other tensors.

    Args:
      input_ops: a tensor or a nested structure of tensors, behind which nothing is looked for.
      output_ops: a tensor or a nested structure of tensors.

    Returns:
      A list of variables, in the order in which they were made.
    """
    stops = {x for x in nest.flatten(input_ops) if isinstance(x, Tensor)}
    pending = [convert_to_tensor(x) for x in nest.flatten(output_ops)]
    ops: set[Operation] = set()
    seen: set[Tensor] = set()
    while pending:
        tensor = pending.pop()
        if tensor in stops or tensor in seen:
            continue
        seen.add(tensor)
        op = tensor.op
        name = op._attrs.get("_gradient_op_type") or op.type
        ops.add(op)
        # Gradients do not flow through an op without a gradient function.
        if gradient_of(name) not in (None, NOT_DIFFERENTIABLE):
            pending.extend(op.inputs)
    return [v for v in _variables() if v.op in ops and v.trainable]


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> _Bound:
    """Makes a function count as the identity in gradients.

    Args:
      f: a function of tensors that returns a tensor.

    Returns:
      The function; its arguments get the gradient of its result as it is.
    """

    def with_gradient(*args: Tensor) -> tuple[Tensor | Callable[..., Any], ...]:
        def gradient(*result_gradients: Tensor, variables: Any = None) -> NestedTensors:
            if variables is None:
                return result_gradients
            return result_gradients, [None] * len(variables)

        return f(*args), gradient

    return _decorated(
        lambda g, args, kwargs: _call_with_gradient(with_gradient, args, kwargs, strict=False), f
    )


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> _Bound:
    """Makes a function recompute its intermediate values for gradients, to save memory.

    Args:
      f: a function of tensors that returns a tensor or a structure of tensors.

    Returns:
      The function.
    """

    def with_gradient(*args: Tensor) -> tuple[Tensor | Callable[..., Any], ...]:
        scope = get_variable_scope()
        result = f(*args)

        def gradient(
            *result_gradients: Tensor, variables: Sequence[Variable] | None = None
        ) -> NestedTensors:
            # Recomputed only once the gradients of the result are available.
            with control_dependencies([g for g in result_gradients if g is not None]):
                inputs = [build.Identity(x) for x in args]
            with variable_scope(scope, reuse=True if variables else None):
                again = f(*inputs)
            wanted = [*inputs, *(variables or ())]
            found = gradients(nest.flatten(again), wanted, list(result_gradients))
            if variables is None:
                return found
            return found[: len(inputs)], found[len(inputs) :]

        return result, gradient

    return _decorated(
        lambda g, args, kwargs: _call_with_gradient(with_gradient, args, kwargs, strict=False), f
    )
