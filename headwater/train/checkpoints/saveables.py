"""What a Saver saves: variables, slices of variables, and objects with tensors of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.restoration import VARIABLE_VALUE_KEY, made_saveable
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.variable import Variable


class ReferenceSaveable(SaveableObject):
    """A reference variable, or a slice of one."""

    def __init__(self, ref: Tensor, value: Any, slice_spec: str, name: str) -> None:
        super().__init__(ref, [SaveSpec(value, slice_spec, name, ref.dtype, ref.device)], name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Assigns the restored tensor."""
        (tensor,) = restored_tensors
        if restored_shapes is not None:
            tensor = build.Reshape(tensor, restored_shapes[0])
        check = restored_shapes is None and self.op.get_shape().is_fully_defined()
        assigned = build.Assign(self.op, tensor, validate_shape=check)
        return assigned.op


class ResourceSaveable(SaveableObject):
    """A resource variable, or a slice of one."""

    def __init__(self, variable: TensorLike, slice_spec: str, name: str) -> None:
        self._variable = variable
        value = variable._as_graph_element()
        spec = SaveSpec(value, slice_spec, name, variable.dtype, variable.device)
        super().__init__(variable.op, [spec], name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Assigns the restored tensor."""
        (tensor,) = restored_tensors
        if restored_shapes is not None:
            tensor = build.Reshape(tensor, restored_shapes[0])
        with get_default_graph().device(self._variable.device):
            tensor = build.Identity(tensor)
            self._variable.shape.assert_is_compatible_with(tensor.get_shape())
            return build.AssignVariableOp(self._variable.handle, tensor)


def all_saveables(scope: str | None = None) -> list[Any]:
    """The global variables and the saveable objects of the default graph."""
    graph = get_default_graph()
    return graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope) + graph.get_collection(
        GraphKeys.SAVEABLE_OBJECTS, scope
    )


def saveables_of(var_list: Iterable[Any] | dict[str, Any]) -> list[SaveableObject]:
    """The saveable objects of a list or dict of variables, sorted by name.

    Raises:
        TypeError: if something is neither a variable nor a saveable object.
        ValueError: if two have one name, or one has two names.
    """
    named = items_by_name(var_list)
    result: list[SaveableObject] = []
    seen: set[Any] = set()
    for name in sorted(named):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable "
                f"operations. Name is not a string: {name}"
            )
        for saveable in saveables_for(name, named[name]):
            if saveable.op in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(saveable.op)
            result.append(saveable)
    return result


def items_by_name(items: Any) -> dict[str, Any]:
    """A list of variables under the names that they are saved by; a dict is returned unchanged.

    Returns:
        {name: variable, saveable object, or list of the slices of a variable}.

    Raises:
        TypeError: if something is neither a variable nor a saveable object.
        ValueError: if two have one name.
    """
    if isinstance(items, dict):
        return items
    named: dict[str, Any] = {}

    def add(name: str, item: Any) -> None:
        if name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
        named[name] = item

    for item in items:
        if isinstance(item, (SaveableObject, PartitionedVariable)):
            add(item.name, item)
        elif isinstance(item, Variable) and item._get_save_slice_info() is not None:
            full_name = item._get_save_slice_info().full_name
            found = named.setdefault(full_name, [])
            if not isinstance(found, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {full_name}")
            found.append(item)
        elif isinstance(item, Variable):
            add(item.op.name, item)
        elif isinstance(item, Trackable):
            made = [
                made_saveable(factory)
                for factory in item._gather_saveables_for_checkpoint().values()
            ]
            for name, saveable in items_by_name(made).items():
                add(name, saveable)
        else:
            tensor = convert_to_tensor(item) if not hasattr(item, "name") else item
            if not _is_variable(tensor):
                raise TypeError(f"Variable to save is not a Variable: {tensor}")
            add(tensor.op.name, item)
    return named


def _is_variable(item: TensorLike) -> bool:
    return isinstance(item, Tensor) and item.op._record.variable


def saveables_for(name: str, item: Any) -> list[SaveableObject]:
    """The saveable objects of one entry: a variable, its slices, a saveable or trackable object.

    Args:
        name: the name in the checkpoint.
        item: what is saved.

    Raises:
        TypeError: if it cannot be saved.
    """
    if isinstance(item, SaveableObject):
        return [item]
    if isinstance(item, (list, tuple, PartitionedVariable)):
        return [_of_slice(part, name) for part in item]
    if isinstance(item, Variable):
        factory = item._gather_saveables_for_checkpoint()[VARIABLE_VALUE_KEY]
        if factory is not item:
            return [made_saveable(factory, name)]
    if is_resource_variable(item):
        return [ResourceSaveable(item, "", name)]
    if isinstance(item, Variable):
        return [ReferenceSaveable(item._ref(), item._ref(), "", name)]
    if not _is_variable(item):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a "
            f"variable: {item}"
        )
    return [ReferenceSaveable(item, item, "", name)]


def _of_slice(variable: Variable, name: str) -> SaveableObject:
    if not isinstance(variable, Variable):
        raise ValueError(f"Slices must all be Variables: {variable}")
    info = variable._get_save_slice_info()
    if info is None:
        raise ValueError(f"Slices must all be slices: {variable}")
    if is_resource_variable(variable):
        return ResourceSaveable(variable, info.spec, name)
    value: Callable[[], Tensor] = variable.value
    return ReferenceSaveable(variable._ref(), value, info.spec, name)
