"""How a variable with copies is made under a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.distributed.replicas.mirrored_variables import MirroredVariable, SyncOnReadVariable
from headwater.graph import Tensor, build, get_default_graph
from headwater.graph.default_graph import add_to_collections
from headwater.graph.default_graph import device as in_device
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import is_trainable
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization


def create_distributed(extended: Any, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
    """Makes a variable with a copy on each device of a strategy.

    Args:
        extended: the StrategyExtended.
        next_creator: makes a variable from its arguments.
        **kwargs: the arguments of the variable.

    Returns:
        A MirroredVariable or SyncOnReadVariable.

    Raises:
        ValueError: if synchronization or aggregation are not as they have to be.
    """
    if kwargs.get("variable_def") is not None:
        return next_creator(**kwargs)
    name = kwargs.get("name")
    synchronization = _checked_synchronization(kwargs.get("synchronization"), name)
    aggregation = _checked_aggregation(kwargs.get("aggregation"), name)
    on_read = synchronization is VariableSynchronization.ON_READ
    if on_read and kwargs.get("trainable"):
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for "
            "non-trainable variables. You have specified trainable=True and "
            "synchronization=VariableSynchronization.ON_READ."
        )
    collections = kwargs.pop("collections", None)
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    trainable = is_trainable(kwargs.get("trainable"), synchronization)
    copies = _copies(extended, next_creator, {**kwargs, "use_resource": True, "collections": []})
    if trainable:
        _leave_trainable(copies)
        collections.append(GraphKeys.TRAINABLE_VARIABLES)
    kind = SyncOnReadVariable if on_read else MirroredVariable
    variable = kind(
        extended._container_strategy(),
        extended.worker_devices,
        copies,
        aggregation,
        synchronization,
    )
    add_to_collections(list(dict.fromkeys(collections)), variable)
    return variable


def _copies(extended: Any, create: Callable[..., Any], kwargs: dict[str, Any]) -> list[Any]:
    """The copies; all but the first begin with the initial value of the first."""
    graph = get_default_graph()
    copies: list[Any] = []
    for number, device in enumerate(extended.worker_devices):
        with graph.control_dependencies(None), in_device(device):
            if number == 0:
                copies.append(create(**kwargs))
                start = extended._common_start(copies[0])
                continue
            first = copies[0]
            given = {
                **kwargs,
                "initial_value": _same_start(start, device),
                "name": f"{first.op.name}/replica_{number}",
                "dtype": None,
            }
            with graph.name_scope(None):
                copies.append(create(**given))
    return copies


def _same_start(start: Tensor, device: str) -> Callable[[], Tensor]:
    def initial_value() -> Tensor:
        with in_device(device):
            value: Tensor = build.Identity(start)
        return value

    return initial_value


def _leave_trainable(copies: Sequence[Any]) -> None:
    """Takes the copies out of the trainable variables: the variable as a whole is one of them."""
    found = get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
    found[:] = [v for v in found if not any(v is copy for copy in copies)]


def _checked_synchronization(given: Any, name: Any) -> VariableSynchronization:
    if given is None:
        return VariableSynchronization.AUTO
    if given is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with `Mirrored` distribution "
            f"strategy. Please change the `synchronization` for variable: {name}"
        )
    if not isinstance(given, VariableSynchronization):
        raise ValueError(f"Invalid variable synchronization mode: {given} for variable: {name}")
    return given


def _checked_aggregation(given: Any, name: Any) -> VariableAggregation:
    if given is None:
        return VariableAggregation.NONE
    if not isinstance(given, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {given} for variable: {name}")
    return given
