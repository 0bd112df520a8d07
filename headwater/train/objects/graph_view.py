"""The graph of the objects below a root, as a checkpoint has it."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any

from headwater.model.trackable.auto import NotTrackable
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.model.trackable.python_saveables import PythonStateSaveable
from headwater.model.trackable.restoration import made_saveable
from headwater.model.trackable.saveable import SaveableObject
from headwater.model.variables.variable import Variable
from headwater.protos.lazy import trackable_object_graph_pb2
from headwater.train.checkpoints.saveables import items_by_name, saveables_for

_ESCAPE = "."
# Marks what belongs to an object itself, not to one of its dependencies.
_ATTRIBUTES = f"{_ESCAPE}ATTRIBUTES"
_OPTIMIZER_SLOT = f"{_ESCAPE}OPTIMIZER_SLOT"


def escaped(local_name: str) -> str:
    """A name of a dependency as a part of keys, without slashes."""
    return local_name.replace(_ESCAPE, _ESCAPE + _ESCAPE).replace("/", f"{_ESCAPE}S")


def _prefix(path: Iterable[TrackableReference]) -> str:
    return "/".join(escaped(reference.name) for reference in path)


def _key(object_name: str, attribute: str) -> str:
    return "/".join(part for part in (object_name, _ATTRIBUTES, escaped(attribute)) if part)


class _Objects:
    """Objects in their order, with the number and the name of each, by identity."""

    def __init__(self) -> None:
        self.ordered: list[Any] = []
        self.names: dict[int, str] = {}
        self._numbers: dict[int, int] = {}

    def add(self, obj: Any, name: str) -> int:
        self.names[id(obj)] = name
        self._numbers[id(obj)] = len(self.ordered)
        self.ordered.append(obj)
        return self._numbers[id(obj)]

    def __contains__(self, obj: Any) -> bool:
        return id(obj) in self._numbers

    def number(self, obj: Any) -> int:
        return self._numbers[id(obj)]

    def name(self, obj: Any) -> str:
        return self.names[id(obj)]


class ObjectGraphView:
    """The objects that a root depends on.

    Args:
        root: a trackable object, or a weak reference to one.
        saveables_cache: ignored; the view caches the saveable objects itself.
    """

    def __init__(
        self, root: Trackable | weakref.ref[Trackable], saveables_cache: Any = None
    ) -> None:
        self._root = root
        # id of an object -> (the object, {(value, key): saveable objects})
        self._saveables: dict[int, tuple[Any, dict[tuple[str, str], list[SaveableObject]]]] = {}

    @property
    def root(self) -> Any:
        """The root."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    def list_dependencies(self, obj: Any) -> list[TrackableReference]:
        """The dependencies of an object."""
        obj._maybe_initialize_trackable()
        return obj._checkpoint_dependencies

    def _breadth_first_traversal(self) -> _Objects:
        objects = _Objects()
        paths: dict[int, tuple[TrackableReference, ...]] = {id(self.root): ()}
        queue = deque([self.root])
        while queue:
            current = queue.popleft()
            if isinstance(current, NotTrackable):
                raise NotImplementedError(
                    f"The object {current} does not support object-based saving. File a feature "
                    "request if this limitation bothers you. In the meantime, you can remove the "
                    "dependency on this object and save everything else."
                )
            path = paths[id(current)]
            objects.add(current, _prefix(path))
            for reference in self.list_dependencies(current):
                if id(reference.ref) not in paths:
                    paths[id(reference.ref)] = (*path, reference)
                    queue.append(reference.ref)
        return objects

    def _gathered(self) -> tuple[_Objects, dict[int, list[Any]]]:
        """All objects, slots of optimizers included, and the slot references of each optimizer."""
        objects = self._breadth_first_traversal()
        slots: dict[int, list[Any]] = {}
        variables = list(objects.ordered)
        for optimizer in variables:
            if hasattr(optimizer, "_create_or_restore_slot_variable"):
                slots[id(optimizer)] = list(_add_slots(optimizer, variables, objects))
        return objects, slots

    def list_objects(self) -> list[Any]:
        """All objects: the root, then those that it depends on, then slots of optimizers."""
        return self._gathered()[0].ordered

    def objects_ids_and_slot_variables(self) -> tuple[list[Any], dict[int, int], dict[int, Any]]:
        """All objects, their numbers by id, and the slot references of optimizers by id."""
        objects, slots = self._gathered()
        return objects.ordered, objects._numbers, slots

    def serialize_object_graph(self) -> tuple[list[SaveableObject], Any, dict[Any, Any]]:
        """What a checkpoint has.

        Returns:
            The saveable objects, the TrackableObjectGraph, and the values of tensors that must be
            fed, in Python, when they are saved.
        """
        objects, slots = self._gathered()
        proto = trackable_object_graph_pb2.TrackableObjectGraph()
        saveables: list[SaveableObject] = []
        feeds: dict[Any, Any] = {}
        for obj in objects.ordered:
            node = proto.nodes.add()
            node.slot_variables.extend(slots.get(id(obj), ()))
            for reference in self.list_dependencies(obj):
                node.children.add(node_id=objects.number(reference.ref), local_name=reference.name)
        for obj, node in zip(objects.ordered, proto.nodes):
            self._add_attributes(obj, node, objects.name(obj), saveables, feeds)
        return saveables, proto, feeds

    def _add_attributes(
        self,
        obj: Any,
        node: Any,
        object_name: str,
        saveables: list[SaveableObject],
        feeds: dict[Any, Any],
    ) -> None:
        for name, factory in obj._gather_saveables_for_checkpoint().items():
            key = _key(object_name, name)
            found = self.saveables_of(obj, name, factory, key)
            optional = False
            for saveable in found:
                optional = optional or saveable.optional_restore
                if isinstance(saveable, PythonStateSaveable):
                    feeds.update(saveable.feed_dict_additions())
            full_name = ""
            if isinstance(obj, Variable):
                (full_name,) = items_by_name([obj])
                for saveable in found:
                    saveable.full_name = full_name
            saveables.extend(found)
            node.attributes.add(
                name=name, checkpoint_key=key, full_name=full_name, optional_restore=optional
            )

    def saveables_of(self, obj: Any, name: str, factory: Any, key: str) -> list[SaveableObject]:
        """The saveable objects of a value; they make nodes, so each is made once.

        Args:
            obj: the object that has the value.
            name: the name of the value.
            factory: what `_gather_saveables_for_checkpoint` has for it.
            key: the name in the checkpoint.
        """
        cache = self._saveables.setdefault(id(obj), (obj, {}))[1]
        if (name, key) not in cache:
            cache[name, key] = saveables_for(key, made_saveable(factory, key))
        return cache[name, key]

    def frozen_saveable_objects(self) -> list[SaveableObject]:
        """The saveable objects, those of values in Python with their present values."""
        return [
            saveable.freeze() if isinstance(saveable, PythonStateSaveable) else saveable
            for saveable in self.serialize_object_graph()[0]
        ]


def _add_slots(optimizer: Any, variables: list[Any], objects: _Objects) -> Iterable[Any]:
    """Adds the slots of an optimizer to the objects; yields references to them."""
    for slot_name in optimizer.get_slot_names():
        for number, variable in enumerate(variables):
            try:
                slot = optimizer.get_slot(variable, slot_name)
            except (AttributeError, KeyError):
                # Other objects have no slots.
                continue
            if slot is None:
                continue
            slot._maybe_initialize_trackable()
            if slot._checkpoint_dependencies:
                raise NotImplementedError(
                    "Currently only variables with no dependencies can be saved as slot "
                    "variables. File a feature request if this limitation bothers you."
                )
            if slot in objects:
                raise NotImplementedError(
                    "A slot variable was re-used as a dependency of a Trackable object. This is "
                    "not currently allowed. File a feature request if this limitation bothers you."
                )
            path = "/".join(
                part
                for part in (
                    objects.name(variable),
                    _OPTIMIZER_SLOT,
                    objects.name(optimizer),
                    escaped(slot_name),
                )
                if part
            )
            node = trackable_object_graph_pb2.TrackableObjectGraph.TrackableObject
            yield node.SlotVariableReference(
                slot_name=slot_name,
                original_variable_node_id=number,
                slot_variable_node_id=objects.add(slot, path),
            )
