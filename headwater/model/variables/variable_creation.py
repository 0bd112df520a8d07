"""How `tf.Variable(...)` makes a variable: creators, and the kind that the scopes ask for."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.base import declarations
from headwater.base.export import export
from headwater.base.thread_state import inherited
from headwater.base.typing import DeviceLike, DTypeLike, NestedTensors, ShapeLike
from headwater.graph import Graph, get_default_graph

if TYPE_CHECKING:
    from headwater.protos.variable_pb2 import VariableDef


@export("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When the copies of a replicated variable are synchronized."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export("VariableAggregation")
class VariableAggregation(enum.Enum):
    """How the copies of a replicated variable are aggregated."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # noqa: PIE796 (the name before release 1.12)

    def __hash__(self) -> int:
        return hash(self.value)


class _Creators(threading.local):
    """The creator functions that `variable_creator_scope` has pushed."""

    def __init__(self) -> None:
        self.stack: list[tuple[Graph, Callable[..., Any]]] = []


_creators = inherited(_Creators())
# The default creator, called by the last of the other creators.
_default_creator: list[Callable[..., Any]] = []
_HOOK = "default_variable_creator"


def set_default_creator(function: Callable[..., Any]) -> None:
    """Sets the default creator, which the last of the other creators calls."""
    _default_creator[:] = [function]
    declarations.declare(declarations.HOOK, _HOOK)


@export("variable_creator_scope")
@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A with block in which a function makes the variables of the current graph.

    Args:
        variable_creator: function ``(next_creator, **kwargs)`` that returns a variable, usually
            what ``next_creator(**kwargs)`` returns.
    """
    entry = (get_default_graph(), variable_creator)
    _creators.stack.append(entry)
    try:
        yield
    finally:
        if _creators.stack[-1] is not entry:
            raise RuntimeError("Exiting variable_creator_scope without proper nesting.")
        _creators.stack.pop()


def create_variable(**kwargs: Any) -> NestedTensors:
    """Makes a variable through the active creators."""
    graph = get_default_graph()
    if not _default_creator:
        declarations.load(declarations.HOOK, _HOOK)
    creator = _default_creator[0]
    for owner, function in _creators.stack:
        if owner is graph:
            creator = _chained(function, creator)
    return creator(**kwargs)


def _chained(function: Callable[..., Any], following: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **kwargs: function(following, **kwargs)


class VariableType(type):
    """Calling `Variable` itself makes a variable of the kind that the scopes ask for."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_is_made_by_scopes" in cls.__dict__:
            return _variable_call(*args, **kwargs)
        return super().__call__(*args, **kwargs)


def _variable_call(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    validate_shape: bool = True,
    caching_device: DeviceLike | None = None,
    name: str | None = None,
    variable_def: VariableDef | None = None,
    dtype: DTypeLike | None = None,
    expected_shape: ShapeLike | None = None,
    import_scope: str | None = None,
    constraint: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    shape: ShapeLike | None = None,
) -> Any:
    return create_variable(
        initial_value=initial_value,
        trainable=trainable,
        collections=collections,
        validate_shape=validate_shape,
        caching_device=caching_device,
        name=name,
        variable_def=variable_def,
        dtype=dtype,
        expected_shape=expected_shape,
        import_scope=import_scope,
        constraint=constraint,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
        shape=shape,
    )
