"""`tf.function`: one traced function per signature of the calls."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.decorators import TFDecorator
from headwater.base.export import export
from headwater.graph import Graph, Tensor, get_default_graph
from headwater.graph.execution_mode import init_scope
from headwater.graph.type_spec import TypeSpec
from headwater.model.autograph.calls import convert
from headwater.model.function.concrete_function import ConcreteFunction
from headwater.model.function.function_spec import (
    Arguments,
    FunctionSpec,
    key_of,
    weakly_bound,
)
from headwater.model.function.tracing import trace

_run_eagerly = False


@export("config.experimental_run_functions_eagerly")
def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """Says whether calls of `tf.function` run the Python function itself, as it is.

    Args:
        run_eagerly: whether they do: then each call adds the ops of the function to the graph, and
            control flow must not depend on tensors.
    """
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)


class Function:
    """A Python function that is traced once for each signature of its calls.

    Args:
        python_function: the function.
        name: its name.
        input_signature: TensorSpecs of all arguments: then there is one signature only.
        spec: the parameters, if they are known.
        autograph: whether its control flow may depend on tensors.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str,
        input_signature: Any = None,
        spec: FunctionSpec | None = None,
        autograph: bool = True,
    ) -> None:
        self._python_function = python_function
        self._autograph = autograph
        self._name = name
        self._function_spec = spec or FunctionSpec.of(python_function, input_signature)
        self._bound: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        # The traced functions of each graph that calls this one.
        self._traced: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()
        # The variables that the first trace has made, which the graph's collections keep.
        self._created: list[Any] | None = None
        functools.update_wrapper(self, python_function, updated=())
        self._tf_decorator = TFDecorator(
            "function", python_function, decorator_argspec=self._function_spec.fullargspec
        )

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python_function

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters."""
        return self._function_spec

    @property
    def input_signature(self) -> Any:
        """The TensorSpecs of all arguments, or None."""
        return self._function_spec.input_signature

    def __get__(self, instance: Any, owner: Any) -> Function:
        """The function with its first argument bound, one for each object."""
        if instance is None:
            return self
        try:
            return self._bound[instance]
        except KeyError:
            method = weakly_bound(self._traceable(), instance)
            old = self._function_spec
            spec = FunctionSpec(old.fullargspec, True, old.input_signature)
            bound = Function(method, self._name, spec=spec)
            self._bound[instance] = bound
            return bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function; adds a node to the default graph.

        Args:
            *args: tensors, and Python values, which are part of the signature.
            **kwargs: further arguments by name.

        Returns:
            What the Python function returns, with tensors.
        """
        if _run_eagerly:
            return self._python_function(*args, **kwargs)
        bound = self._function_spec.bind(args, kwargs)
        concrete = self._concrete(bound)
        flat = nest.flatten(bound, expand_composites=True)
        return concrete.call_flat([value for value in flat if isinstance(value, Tensor)])

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Traces the function for a signature.

        Args:
            *args: tensors, TensorSpecs, or Python values; none if there is an input signature.
            **kwargs: further arguments by name.

        Returns:
            The ConcreteFunction.
        """
        signature = self._function_spec.input_signature
        if signature is not None and not args and not kwargs:
            return self._concrete((signature, {}))
        if signature is not None and _has_specs((args, kwargs)):
            return self._concrete((signature, {}))
        return self._concrete(self._function_spec.bind(args, kwargs))

    def _concrete(self, arguments: Arguments) -> ConcreteFunction:
        graph = get_default_graph()
        signature = self._function_spec.input_signature
        if signature is not None:
            arguments = (signature, {}) if len(arguments[0]) == len(signature) else arguments
        key = key_of(arguments)
        with self._lock:
            known: dict[Any, ConcreteFunction] = self._traced.setdefault(graph, {})
            if key not in known:
                known[key] = self._traced_for(arguments)
            return known[key]

    def _traceable(self) -> Callable[..., Any]:
        return convert(self._python_function) if self._autograph else self._python_function

    def _traced_for(self, arguments: Arguments) -> ConcreteFunction:
        first = self._created is None
        created: list[Any] = []

        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            if not first:
                raise ValueError(
                    "tf.function-decorated function tried to create variables on non-first call."
                )
            with init_scope():
                variable = next_creator(**{**kwargs, "use_resource": True})
            created.append(variable)
            return variable

        def trace_once() -> ConcreteFunction:
            return trace(self._traceable(), self._name, self._function_spec, arguments, create)

        concrete = trace_once()
        self._created = created
        if created:
            # A function that makes variables at each call fails here.
            first = False
            concrete = trace_once()
        return concrete

    def concrete_functions(self, graph: Graph) -> list[ConcreteFunction]:
        """The traced functions of a graph."""
        return list(self._traced.get(graph, {}).values())

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        if self.input_signature is not None:
            self.get_concrete_function()
        return self.concrete_functions(get_default_graph())


def _has_specs(arguments: Any) -> bool:
    return any(isinstance(value, TypeSpec) for value in nest.flatten(arguments))


@export("function", "contrib.eager.function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
    experimental_compile: bool | None = None,
) -> Any:
    """Makes a function of the graph's library out of a Python function.

    The function is traced once for each combination of types and static shapes of its tensors and
    of values of its other arguments. Its variables are made in the graph around it.

    Args:
        func: the function; None to get a decorator.
        input_signature: TensorSpecs of all arguments, for which it is traced once.
        autograph: whether `if`, `while` and `for` of the function, and of those that it calls, may
            depend on tensors.
        experimental_autograph_options: has no effect.
        experimental_relax_shapes: has no effect.
        experimental_compile: has no effect.

    Returns:
        A callable, which adds a node to the default graph.

    Raises:
        TypeError: if the signature is not one.

    Example:
        >>> @tf.function
        ... def double(x):
        ...     return 2 * x
        >>> print(double(tf.constant(3.0)).eval())
        6.0
    """

    def decorated(inner: Callable[..., Any]) -> Function:
        name = getattr(inner, "__name__", type(inner).__name__)
        return Function(inner, name, input_signature, autograph=autograph)

    return decorated if func is None else decorated(func)


@export("contrib.eager.defun")
def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """The earlier name of `tf.function`.

    Args:
        func: the function; None to get a decorator.
        input_signature: TensorSpecs of all arguments, for which it is traced once.
        autograph: whether `if`, `while` and `for` may depend on tensors.
        experimental_autograph_options: has no effect.
        experimental_relax_shapes: has no effect.

    Returns:
        A callable, which adds a node to the default graph.
    """
    return function(
        func,
        input_signature,
        autograph,
        experimental_autograph_options,
        experimental_relax_shapes,
    )
