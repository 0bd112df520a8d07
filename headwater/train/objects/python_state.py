"""Values in Python that are saved with variables."""

from __future__ import annotations

import abc
from functools import partial
from typing import Any

from headwater.base.export import export
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.python_saveables import PythonStringStateSaveable


@export("train.experimental.PythonState", "contrib.checkpoint.PythonStateWrapper")
class PythonState(Trackable, abc.ABC):
    """A value in Python that a checkpoint of objects has as a string.

    A subclass says how the string is made and read. It is read at once when a checkpoint is
    restored, not when restore ops run.
    """

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """The value as a string, when a checkpoint is written."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes over the string of a checkpoint.

        Args:
            string_value: what `serialize` returned.
        """

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "py_state": partial(
                PythonStringStateSaveable,
                state_callback=self.serialize,
                restore_callback=self.deserialize,
            )
        }
