"""How the arguments of a call of a `tf.function` are bound, compared and converted."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.tensor_shape import as_tuple
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.composite_specs import CompositeTensor
from headwater.graph.type_spec import TensorSpec, TypeSpec
from headwater.model.variables.variable import Variable

# The arguments of a call: those that are positional in the signature, and the others.
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class FunctionSpec:
    """The parameters of a Python function, and the signature that restricts its tensors.

    Args:
        fullargspec: the parameters, `self` of a method included.
        is_method: whether the first parameter is bound already.
        input_signature: TensorSpecs of all arguments; None for arguments of any kind.

    Raises:
        TypeError: if the signature is not a sequence.
        ValueError: if the signature has other things than TensorSpecs, or the function has keyword
            arguments that it cannot describe.
    """

    def __init__(
        self,
        fullargspec: inspect.FullArgSpec,
        is_method: bool,
        input_signature: Sequence[Any] | None,
    ) -> None:
        self.fullargspec = fullargspec
        self.is_method = is_method
        self.input_signature = None
        if input_signature is not None:
            _check_signature(fullargspec, input_signature)
            self.input_signature = tuple(input_signature)

    @classmethod
    def of(cls, function: Callable[..., Any], input_signature: Any) -> FunctionSpec:
        """The spec of a Python function, method or object that can be called."""
        called: Any = function
        known: FunctionSpec | None = getattr(called, "function_spec", None)
        if known is not None:
            return cls(known.fullargspec, known.is_method, input_signature)
        if not isinstance(function, functools.partial) and inspect.ismethod(called.__call__):
            function = called.__call__
        inner = function.func if isinstance(function, functools.partial) else function
        is_method = inspect.ismethod(inner)
        spec = inspect.getfullargspec(function)
        return cls(spec, is_method, input_signature)

    @property
    def arg_names(self) -> list[str]:
        """The names of the positional parameters, without that of the bound one."""
        names = self.fullargspec.args
        return names[1:] if self.is_method else list(names)

    @property
    def vararg_name(self) -> str | None:
        """The name of the parameter that takes further arguments, or None."""
        return self.fullargspec.varargs

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Moves keyword arguments to their positions, and adds default values.

        Raises:
            TypeError: if the arguments do not fit the parameters.
            ValueError: if they do not fit the signature.
        """
        if self.input_signature is not None and len(args) > len(self.input_signature):
            raise TypeError(
                f"When input_signature is provided, only pass arguments covered by it. Received "
                f"{len(args)} argument(s)."
            )
        bound = self._signature().bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = _arguments_of(bound)
        if self.input_signature is None:
            return nest.map_structure(_array_as_tensor, arguments)
        return self._as_signature(arguments)

    def _signature(self) -> inspect.Signature:
        spec = self.fullargspec
        names = self.arg_names
        defaults = spec.defaults or ()
        first = len(names) - len(defaults)
        kind = inspect.Parameter
        parameters = [
            kind(n, kind.POSITIONAL_OR_KEYWORD, default=defaults[i - first])
            if i >= first
            else kind(n, kind.POSITIONAL_OR_KEYWORD)
            for i, n in enumerate(names)
        ]
        if spec.varargs:
            parameters.append(kind(spec.varargs, kind.VAR_POSITIONAL))
        only = spec.kwonlydefaults or {}
        parameters.extend(
            kind(n, kind.KEYWORD_ONLY, default=only.get(n, kind.empty)) for n in spec.kwonlyargs
        )
        if spec.varkw:
            parameters.append(kind(spec.varkw, kind.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def _as_signature(self, arguments: Arguments) -> Arguments:
        args, kwargs = arguments
        signature = self.input_signature
        assert signature is not None
        given, rest = args[: len(signature)], args[len(signature) :]
        try:
            # A list is an argument in itself where the signature has a tensor.
            values = nest.flatten_up_to(signature, given)
        except (ValueError, TypeError):
            raise ValueError(
                "Structure of Python function inputs does not match input_signature:\n"
                f"  inputs: (\n{_lines(given)})\n  input_signature: (\n{_lines(signature)})"
            ) from None
        specs = nest.flatten(signature)
        try:
            tensors = [_as_tensor(value) for value in values]
        except (ValueError, TypeError):
            raise ValueError(
                "When input_signature is provided, all inputs to the Python function must be "
                f"convertible to tensors:\n  inputs: (\n{_lines(given)})\n  input_signature: (\n"
                f"{_lines(signature)})"
            ) from None
        if any(not spec.is_compatible_with(tensor) for spec, tensor in zip(specs, tensors)):
            raise ValueError(
                f"Python inputs incompatible with input_signature:\n  inputs: (\n{_lines(given)})\n"
                f"  input_signature: (\n{_lines(signature)})"
            )
        packed = nest.pack_sequence_as(signature, tensors)
        return (*packed, *rest), kwargs


def _arguments_of(bound: inspect.BoundArguments) -> Arguments:
    """The arguments as a call has them, defaults included."""
    return bound.args, dict(sorted(bound.kwargs.items()))


def _lines(values: Any) -> str:
    return ",\n".join(f"    {value}" for value in values)


def _check_signature(fullargspec: inspect.FullArgSpec, input_signature: Any) -> None:
    if set(fullargspec.kwonlyargs) - set(fullargspec.kwonlydefaults or ()):
        raise ValueError(
            "Cannot define a TensorFlow function from a Python function with keyword-only "
            "arguments when input_signature is provided."
        )
    if not isinstance(input_signature, (tuple, list)):
        raise TypeError(
            "input_signature must be either a tuple or a list, received "
            + str(type(input_signature))
        )
    if any(not isinstance(s, TypeSpec) for s in nest.flatten(tuple(input_signature))):
        raise TypeError(
            "Invalid input_signature. input_signature must be a possibly nested sequence of "
            f"TensorSpec objects. Got {input_signature}."
        )


def _array_as_tensor(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value


def key_of(arguments: Arguments) -> tuple[Any, ...]:
    """What calls have in common that can share one traced function."""
    leaves = nest.flatten(arguments)
    return (_structure(arguments), *(_leaf_key(leaf) for leaf in leaves))


def _structure(value: Any) -> Any:
    if isinstance(value, dict):
        return dict, tuple((k, _structure(v)) for k, v in sorted(value.items(), key=repr))
    if nest.is_sequence(value):
        return type(value), tuple(map(_structure, value))
    return None


def _leaf_key(leaf: Any) -> Any:
    if isinstance(leaf, (Tensor, TensorSpec)):
        return Tensor, leaf.dtype, as_tuple(leaf.shape)
    if isinstance(leaf, CompositeTensor):
        return type(leaf), tuple(map(_leaf_key, nest.flatten(leaf, expand_composites=True)))
    if isinstance(leaf, Variable):
        return Variable, id(leaf)
    if isinstance(leaf, TypeSpec):
        return TypeSpec, leaf
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf


def spec_of(value: Any, name: str | None = None) -> Any:
    """A TensorSpec for a tensor; other values are as they are.

    Args:
        value: a tensor, a TensorSpec or any Python value.
        name: the name of the TensorSpec.
    """
    if isinstance(value, Tensor):
        return TensorSpec(value._shape, value.dtype, name)
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    return value


def weakly_bound(function: Callable[..., Any], instance: Any) -> Callable[..., Any]:
    """A method that does not keep its object alive."""
    reference = weakref.ref(instance)

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(reference(), *args, **kwargs)

    return types.MethodType(call, _Bound())


class _Bound:
    """Stands for the object to which a method is bound."""


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else convert_to_tensor(value)
