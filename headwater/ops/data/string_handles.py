"""String handles: texts by which programs name the iterators of a session."""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Generic, Protocol, TypeVar

from headwater.base import errors
from headwater.base.checks import fail
from headwater.protos.lazy import resource_handle_pb2

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


class Owned(Protocol):
    """A resource that belongs to a session."""

    owner: Any


R = TypeVar("R", bound=Owned)


class StringHandles(Generic[R]):
    """The resources of one type that have string handles.

    Args:
        type_name: what stands for the type in handles, as in TensorFlow.
    """

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        self._numbers = itertools.count(1)
        self._resources: weakref.WeakValueDictionary[int, R] = weakref.WeakValueDictionary()
        self._known: weakref.WeakKeyDictionary[R, int] = weakref.WeakKeyDictionary()

    def text_of(self, resource: R, name: str) -> bytes:
        """The handle of a resource: a serialized ResourceHandleProto."""
        number = self._known.setdefault(resource, next(self._numbers))
        self._resources[number] = resource
        proto = resource_handle_pb2.ResourceHandleProto(
            device=_DEVICE,
            container="localhost",
            name=name,
            hash_code=number,
            maybe_type_name=self.type_name,
        )
        return bytes(proto.SerializeToString())

    def find(self, handle: Any, owner: Any) -> R:
        """The resource of a handle.

        Args:
            handle: what `text_of` gave.
            owner: what stands for the session.

        Raises:
            InvalidArgumentError: if the text is not a handle, or one of another device.
            NotFoundError: if the session has no such resource.
        """
        proto = resource_handle_pb2.ResourceHandleProto()
        try:
            proto.ParseFromString(handle)
        except Exception as error:
            # Protobuf's DecodeError; its module is loaded by the protos alone.
            if type(error).__name__ != "DecodeError":
                raise
            fail("Could not parse string_handle as a valid ResourceHandle")
        if proto.device != _DEVICE:
            fail(
                f'Attempted create an iterator on device "{_DEVICE}" from handle defined on device '
                f'"{proto.device}"'
            )
        found = self._resources.get(proto.hash_code)
        if found is None or found.owner is not owner or proto.maybe_type_name != self.type_name:
            raise errors.NotFoundError(
                None,
                None,
                f"Container {proto.container} does not exist. (Could not find resource: "
                f"{proto.container}/{proto.name})",
                hint="the handle is one of another session, or its iterator is gone.",
            )
        return found
