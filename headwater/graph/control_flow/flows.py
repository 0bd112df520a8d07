"""Objects that go through branches and loops as one tensor, their flow: TensorArrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# (class, function that makes an object like the given one of another flow).
_kinds: list[tuple[type, Callable[[Any, Any], Any]]] = []


def register_flow_type(kind: type, with_flow: Callable[[Any, Any], Any]) -> None:
    """Registers a class whose objects go through branches and loops as their attribute ``flow``.

    Args:
        kind: the class.
        with_flow: function of an object and a tensor: an object like it with this flow.
    """
    _kinds.append((kind, with_flow))


def flow_of(value: Any) -> Any:
    """The flow of an object that has one, else the value itself."""
    return value.flow if _with_flow(value) is not None else value


def has_flow(value: Any) -> bool:
    """Whether a value goes through control flow as its flow."""
    return _with_flow(value) is not None


def with_flows(originals: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """The tensors, made objects again where the originals are objects with a flow."""
    results = []
    for original, tensor in zip(originals, tensors):
        rebuild = _with_flow(original)
        results.append(tensor if rebuild is None else rebuild(original, tensor))
    return results


def _with_flow(value: Any) -> Callable[[Any, Any], Any] | None:
    for kind, rebuild in _kinds:
        if isinstance(value, kind):
            return rebuild
    return None
