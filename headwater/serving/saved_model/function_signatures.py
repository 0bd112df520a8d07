"""Signatures of objects: which functions a SavedModel serves, with results by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.graph import Tensor
from headwater.graph.type_spec import TensorSpec
from headwater.model.function.concrete_function import ConcreteFunction
from headwater.model.function.polymorphic import Function
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.serving.saved_model import constants


class SignatureMap(Mapping[str, Any], Trackable):
    """Functions by the keys of their signatures.

    Args:
        functions: the functions, by key.
    """

    def __init__(self, functions: Mapping[str, Any] | None = None) -> None:
        self.functions = dict(functions or {})

    def __getitem__(self, key: str) -> Any:
        return self.functions[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def __repr__(self) -> str:
        return f"_SignatureMap({self.functions!r})"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def _object_identifier(self) -> str:
        return "signature_map"

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return []

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return self.functions


def function_to_export(root: Any) -> ConcreteFunction | None:
    """The one function of an object that can be a signature; None if there are several or none."""
    found = []
    for function in root._list_functions_for_serialization({}).values():
        concrete = _concrete(function)
        if concrete is not None and _is_valid(concrete):
            found.append(concrete)
    return found[0] if len(found) == 1 else None


def _concrete(function: Any) -> ConcreteFunction | None:
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    return function if isinstance(function, ConcreteFunction) else None


def _is_valid(concrete: ConcreteFunction) -> bool:
    try:
        _named_results(concrete.output_specs, concrete.name, "")
    except ValueError:
        return False
    return bool(concrete._arg_keywords is not None)


def canonical_signatures(signatures: Any) -> dict[str, ConcreteFunction]:
    """Wraps functions so that they take keywords and return a dict.

    Args:
        signatures: a function, or functions by their keys; None for none.

    Returns:
        The wrappers by their keys.

    Raises:
        ValueError: if something is not a function with a signature, or its results have no names.
    """
    if signatures is None:
        return {}
    if not isinstance(signatures, Mapping):
        signatures = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return {key: _wrapper(key, function) for key, function in signatures.items()}


def _wrapper(key: str, function: Any) -> ConcreteFunction:
    concrete = _concrete(function)
    if concrete is None:
        raise ValueError(
            f"Expected a TensorFlow function to generate a signature for, but got {function}. Only "
            "`tf.functions` with an input signature or concrete functions can be used as a "
            "signature."
        )
    inner = concrete

    def signature_wrapper(**kwargs: Any) -> dict[str, Tensor]:
        results = inner.call_flat([kwargs[keyword] for keyword in keywords])
        return _named_results(results, inner.name, key)

    keywords = list(concrete._arg_keywords or ())
    placeholders = concrete.inputs[: len(keywords)]
    specs = {k: TensorSpec(t._shape, t.dtype, k) for k, t in zip(keywords, placeholders)}
    wrapper = Function(signature_wrapper, "signature_wrapper")
    made = wrapper.get_concrete_function(**specs)
    # Keywords in the order of the function, of which one alone may be positional.
    made.set_keywords(sorted(keywords), int(len(keywords) == 1))
    return made


def _named_results(results: Any, name: str, key: str) -> dict[str, Any]:
    """The results of a function by names: output_0 and so on, if they have none.

    Raises:
        ValueError: if there are other values than tensors.
    """
    if not isinstance(results, Mapping):
        flat = list(results) if isinstance(results, (list, tuple)) else [results]
        results = {f"output_{i}": value for i, value in enumerate(flat)}
    for output_key, value in results.items():
        if not isinstance(output_key, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {output_key!r} in the output of the "
                f"function {name} used to generate the SavedModel signature {key!r}."
            )
        if not isinstance(value, (Tensor, TensorSpec)):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {output_key!r} in the output of the "
                f"function {name} used to generate the SavedModel signature {key!r}. Outputs for "
                "functions used as signatures must be a single Tensor or a dictionary mapping from "
                "string keys to Tensors."
            )
    return dict(results)
