"""`AutoTrackable`: an object whose attributes are its dependencies; resources with a handle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.export import export
from headwater.base.typing import DeviceLike, TensorLike
from headwater.graph import Operation, Tensor, constant_node, convert_to_tensor
from headwater.graph.default_graph import device as on_device
from headwater.graph.stacks import DefaultStack
from headwater.model.function.concrete_function import ConcreteFunction
from headwater.model.function.polymorphic import Function
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.containers import NoDependency, sticky_attribute_assignment

# The wrappers register themselves for lists and dicts.
from headwater.model.trackable.dict_wrapper import DictWrapper as DictWrapper
from headwater.model.trackable.list_wrapper import ListWrapper as ListWrapper


class NotTrackable:
    """The base of objects that cannot be saved as dependencies; saving them raises an error."""


@export("contrib.checkpoint.Checkpointable", "contrib.eager.Checkpointable")
class AutoTrackable(Trackable):
    """An object whose trackable attributes are its dependencies, under their names.

    Lists and dicts become wrappers that track their elements. A value wrapped in
    `tf.contrib.checkpoint.NoDependency` is set as it is and not tracked.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        # The lists of dependencies themselves have the prefix.
        if self._self_setattr_tracking and not name.startswith("_self_"):
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._maybe_initialize_trackable()
        delete_tracking(self, name)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> NoDependency:
        return NoDependency(value)

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        found = {name: _attribute(self, name) for name in dir(self)}
        return {
            name: value
            for name, value in found.items()
            if isinstance(value, (Function, ConcreteFunction))
        }


def _attribute(obj: Any, name: str) -> Any:
    """An attribute, or None if a property fails."""
    try:
        return getattr(obj, name, None)
    except Exception:
        return None


def delete_tracking(obj: Trackable, name: str) -> None:
    """Removes a dependency.

    Args:
        obj: the object that has it.
        name: its name; without one of this name, nothing happens.
    """
    obj._maybe_initialize_trackable()
    if obj._unconditional_dependency_names.pop(name, None) is not None:
        dependencies = obj._unconditional_checkpoint_dependencies
        dependencies[:] = [item for item in dependencies if item.name != name]


class ResourceTracker:
    """Collects the resources that are made in a `resource_tracker_scope`."""

    def __init__(self) -> None:
        self._resources: list[Any] = []

    @property
    def resources(self) -> list[Any]:
        """The resources."""
        return self._resources

    def add_resource(self, resource: CapturableResource) -> None:
        """Adds a resource."""
        self._resources.append(resource)


_trackers = DefaultStack()


@contextmanager
def resource_tracker_scope(resource_tracker: ResourceTracker) -> Iterator[None]:
    """A with block whose new resources a tracker collects.

    Args:
        resource_tracker: the ResourceTracker.
    """
    with _trackers.entered(resource_tracker):
        yield


class CapturableResource(Trackable):
    """An object with a handle that is made when it is asked for.

    Args:
        device: the device of the handle.
        deleter: has no effect: sessions own their resources.
    """

    def __init__(self, device: DeviceLike = "", deleter: Any = None) -> None:
        self._resource_handle: Tensor | None = None
        self._resource_device = device

    def _create_resource(self) -> Tensor:
        """Makes the handle; subclasses override it."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Operation | None:
        """Makes the op that initializes the resource; subclasses may override it."""
        return None

    @property
    def resource_handle(self) -> Tensor:
        """The handle."""
        if self._resource_handle is None:
            with on_device(self._resource_device):
                self._resource_handle = self._create_resource()
        return self._resource_handle

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        """What a SavedModel needs to make the resource again."""

        def creator() -> Tensor:
            return self._create_resource()

        def initializer() -> Tensor:
            self._initialize()
            return constant_node(1.0)

        def destroyer() -> Tensor:
            return constant_node(1.0)

        return {
            "_create_resource": Function(creator, "_creator"),
            "_initialize": Function(initializer, "_initializer"),
            "_destroy_resource": Function(destroyer, "_destroyer"),
        }


class TrackableResource(CapturableResource):
    """A CapturableResource that the surrounding `resource_tracker_scope` collects.

    Args:
        device: the device of the handle.
        deleter: has no effect.
    """

    def __init__(self, device: DeviceLike = "", deleter: Any = None) -> None:
        tracker = _trackers.top()
        if tracker is not None:
            tracker.add_resource(self)
        super().__init__(device, deleter)


class TrackableAsset(Trackable):
    """A file that a SavedModel takes along.

    Args:
        path: the path: a string, or a tensor of one.
    """

    def __init__(self, path: TensorLike) -> None:
        self._path = convert_to_tensor(path, name="asset_path")

    @property
    def asset_path(self) -> Tensor:
        """The path as a tensor."""
        return self._path
