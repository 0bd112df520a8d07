"""`Trackable`: an object that depends on others, and that a checkpoint can save and restore."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike
from headwater.model.trackable.restoration import CheckpointPosition

if TYPE_CHECKING:
    from headwater.graph import Operation


class TrackableReference(NamedTuple):
    """A dependency of an object: its name, and the object itself."""

    name: str
    ref: Any


@export("contrib.checkpoint.CheckpointableBase")
class Trackable:
    """The base of objects in checkpoints of objects: variables, layers, optimizers and others.

    An object has named dependencies on other objects. A checkpoint identifies each object by the
    names on the way from the root to it, so the values find their place again whatever the
    variables are called. Dependencies that are added after a restore are restored then.
    """

    # What an object keeps for this has the prefix `_self_`, as proxies keep it themselves.
    _self_setattr_tracking = True
    _self_unconditional_checkpoint_dependencies: list[TrackableReference]
    _self_unconditional_dependency_names: dict[str, Any]
    _self_unconditional_deferred_dependencies: dict[str, list[CheckpointPosition]]
    _self_update_uid: int
    _self_name_based_restores: set[Any]

    @property
    def _setattr_tracking(self) -> bool:
        """Whether values that are set as attributes become dependencies."""
        return self._self_setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        """The number of the restore that the values come from; -1 before the first."""
        return self._self_update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._self_update_uid = value

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._self_unconditional_checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return self._self_unconditional_dependency_names

    @property
    def _name_based_restores(self) -> set[Any]:
        return self._self_name_based_restores

    def _maybe_initialize_trackable(self) -> None:
        """Makes the lists of dependencies at the first use; subclasses need not call `__init__`."""
        if hasattr(self, "_self_unconditional_checkpoint_dependencies"):
            return
        # Subclasses that keep track of their attributes leave these alone.
        tracking = self._self_setattr_tracking
        self._self_setattr_tracking = False
        try:
            self._self_unconditional_checkpoint_dependencies = []
            self._self_unconditional_dependency_names = {}
            self._self_unconditional_deferred_dependencies = {}
            self._self_update_uid = -1
            self._self_name_based_restores = set()
        finally:
            self._self_setattr_tracking = tracking

    @property
    def _object_identifier(self) -> str:
        """The kind of the object in a SavedModel."""
        return "_generic_user_object"

    @property
    def _tracking_metadata(self) -> str:
        """What a SavedModel says about the object."""
        return ""

    def _no_dependency(self, value: Any) -> Any:
        """What `NoDependency(value)` becomes as an attribute."""
        return value

    def _name_based_attribute_restore(self, checkpoint: Any) -> None:
        """Notes that the values come from a checkpoint that goes by names of variables."""
        self._self_name_based_restores.add(checkpoint)
        self._self_update_uid = max(self._self_update_uid, checkpoint.restore_uid)

    # Dependencies

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The dependencies in the order in which they were added."""
        return self._self_unconditional_checkpoint_dependencies

    @property
    def _deferred_dependencies(self) -> dict[str, list[CheckpointPosition]]:
        """The objects of restored checkpoints that are not dependencies yet, by their names."""
        return self._self_unconditional_deferred_dependencies

    def _lookup_dependency(self, name: str) -> Any:
        """The dependency of a name, or None."""
        return self._self_unconditional_dependency_names.get(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Adds a dependency.

        Args:
            trackable: the object.
            name: the local name.
            overwrite: whether it may replace another dependency of this name.

        Returns:
            The object.

        Raises:
            TypeError: if it is not Trackable.
            ValueError: if the name is taken.
        """
        self._maybe_initialize_trackable()
        if not isinstance(trackable, Trackable):
            raise TypeError(
                f"Trackable._track_trackable() passed type {type(trackable)}, not a Trackable."
            )
        dependencies = self._self_unconditional_checkpoint_dependencies
        reference = TrackableReference(name=name, ref=trackable)
        current = self._lookup_dependency(name)
        if current is None:
            dependencies.append(reference)
            self._handle_deferred_dependencies(name=name, trackable=trackable)
        elif current is not trackable:
            if not overwrite:
                raise ValueError(
                    f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                    "this name is already declared as a dependency. Names must be unique (or "
                    "overwrite=True)."
                )
            dependencies[:] = [reference if item.name == name else item for item in dependencies]
        self._self_unconditional_dependency_names[name] = trackable
        return trackable

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        initializer: InitializerLike | None = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """Makes a variable and adds it as a dependency.

        Args:
            name: the name of the variable and of the dependency.
            shape: its shape.
            dtype: its type.
            initializer: its initializer.
            getter: a function that makes the variable, such as `tf.get_variable`.
            overwrite: whether it may replace another dependency of this name.
            **kwargs_for_getter: further arguments of `getter`.

        Returns:
            What `getter` returns.

        Raises:
            ValueError: if the name is taken.
        """
        self._maybe_initialize_trackable()
        if not overwrite and self._lookup_dependency(name) is not None:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        assert getter is not None
        variable = getter(
            name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter
        )
        return self._track_if_trackable(variable, name, overwrite)

    def _track_if_trackable(self, variable: Any, name: str, overwrite: bool) -> Any:
        # A getter may return something else, such as a PartitionedVariable, which is not saved.
        if overwrite and not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name=name, overwrite=overwrite)

    def _preload_simple_restoration(self, name: str, shape: ShapeLike | None) -> None:
        """The initial value of a new dependency: in a graph, none; its restore is an op."""
        return None

    # Restoring

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restores a new dependency from the checkpoints that have an object of its name."""
        self._maybe_initialize_trackable()
        trackable._maybe_initialize_trackable()
        deferred = self._deferred_dependencies.pop(name, [])
        # Of several restores, the latest counts.
        for position in sorted(deferred, key=lambda item: item.restore_uid, reverse=True):
            position.restore(trackable)
        for restore in sorted(
            self._self_name_based_restores, key=lambda item: item.restore_uid, reverse=True
        ):
            trackable._name_based_attribute_restore(restore)

    def _restore_from_checkpoint_position(
        self, checkpoint_position: CheckpointPosition
    ) -> list[Operation]:
        """Restores the object and its dependencies, breadth first.

        Returns:
            The ops that assign the values.
        """
        queue = deque([checkpoint_position])
        restore_ops: list[Operation] = []
        tensor_saveables: dict[str, Any] = {}
        python_saveables: list[Any] = []
        while queue:
            current = queue.popleft()
            ops, tensors, python = current.trackable._single_restoration_from_checkpoint_position(
                checkpoint_position=current, visit_queue=queue
            )
            restore_ops.extend(ops)
            tensor_saveables.update(tensors)
            python_saveables.extend(python)
        restore_ops.extend(
            checkpoint_position.checkpoint.restore_saveables(tensor_saveables, python_saveables)
        )
        return restore_ops

    def _single_restoration_from_checkpoint_position(
        self, checkpoint_position: CheckpointPosition, visit_queue: deque[CheckpointPosition]
    ) -> tuple[list[Operation], dict[str, Any], list[Any]]:
        """Restores this object alone, and puts its dependencies into a queue."""
        self._maybe_initialize_trackable()
        checkpoint = checkpoint_position.checkpoint
        found: tuple[list[Operation], dict[str, Any], list[Any]] = ([], {}, [])
        if checkpoint.restore_uid > self._self_update_uid:
            found = checkpoint_position.gather_ops_or_named_saveables()
            self._self_update_uid = checkpoint.restore_uid
        for child in checkpoint_position.object_proto.children:
            position = CheckpointPosition(checkpoint, child.node_id)
            dependency = self._lookup_dependency(child.local_name)
            if dependency is None:
                self._deferred_dependencies.setdefault(child.local_name, []).append(position)
            elif position.bind_object(dependency):
                visit_queue.append(position)
        return found

    # Values

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What a checkpoint has of the object itself.

        Returns:
            {name: variable, saveable object, or a function of `name` that makes one}.
        """
        return {}

    def _list_extra_dependencies_for_serialization(self, serialization_cache: Any) -> dict:
        """Further dependencies that a SavedModel has."""
        return {}

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        """The functions that a SavedModel has."""
        return {}


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method in which attributes that are set become no dependencies.

    Args:
        method: a method of a Trackable class.

    Returns:
        The method.
    """

    @functools.wraps(method)
    def wrapped(self: Trackable, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return wrapped


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A with block in which attributes that are set on an object become no dependencies.

    Args:
        obj: the object.
    """
    previous = getattr(obj, "_setattr_tracking", True)
    obj._setattr_tracking = False
    try:
        yield
    finally:
        obj._setattr_tracking = previous
