"""`NumpyState`: arrays in checkpoints of objects."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.train.objects.python_state import PythonState


@export("contrib.checkpoint.NumpyState")
class NumpyState(Trackable):
    """An object whose attributes are NumPy arrays that a checkpoint saves.

    Arrays are restored at once, those that are not attributes yet as well.
    """

    def _lookup_dependency(self, name: str) -> Any:
        """The array of a name, an empty one if it is new: a checkpoint fills it."""
        self._maybe_initialize_trackable()
        found = super()._lookup_dependency(name)
        if found is None:
            found = _NumpyWrapper(np.array([]))
            reference = TrackableReference(name=name, ref=found)
            self._unconditional_checkpoint_dependencies.append(reference)
            self._unconditional_dependency_names[name] = found
            super().__setattr__(name, found)
        return found

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        return value.array if isinstance(value, _NumpyWrapper) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
            return
        if not isinstance(value, (np.ndarray, np.generic)):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. "
                "Currently mixing NumPy arrays and other trackable objects is not supported. File "
                "a feature request if this limitation bothers you."
            )
        self._lookup_dependency(name).array = value


class _NumpyWrapper(PythonState):
    """An array in the form of a .npy file."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def serialize(self) -> bytes:
        """The array as the bytes of a .npy file."""
        buffer = io.BytesIO()
        np.save(buffer, self.array, allow_pickle=False)
        return buffer.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        """Takes over an array.

        Args:
            string_value: the bytes of a .npy file.
        """
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)
