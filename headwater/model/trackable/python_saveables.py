"""Saveable objects of values that live in Python."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DeviceLike, DTypeLike
from headwater.graph import Operation, Tensor, build, constant_node
from headwater.graph.default_graph import device as on_device
from headwater.model.trackable.saveable import SaveableObject, SaveSpec


class PythonStateSaveable(SaveableObject, abc.ABC):
    """A saveable object whose value is fed when a checkpoint is written."""

    @abc.abstractmethod
    def feed_dict_additions(self) -> dict[Tensor, Any]:
        """The value to save.

        Returns:
            {tensor of a spec: what is fed for it}.
        """

    @abc.abstractmethod
    def freeze(self) -> SaveableObject:
        """A saveable object with the present value, which needs no feeding."""


class PythonStringStateSaveable(PythonStateSaveable):
    """A value that is a string.

    Args:
        name: the name in the checkpoint.
        state_callback: a function without arguments that returns the string.
        restore_callback: a function of the string that a checkpoint has; None to ignore it.
    """

    def __init__(
        self,
        name: str,
        state_callback: Callable[[], str | bytes],
        restore_callback: Callable[[bytes], Any] | None = None,
    ) -> None:
        self._state_callback = state_callback
        self._restore_callback = restore_callback
        with on_device("/cpu:0"):
            self._save_string = constant_node("")
        spec = SaveSpec(self._save_string, "", name, dtype=dtypes.string)
        super().__init__(self._save_string, [spec], name)

    @property
    def optional_restore(self) -> bool:
        """Whether nothing happens with what a checkpoint has."""
        return self._restore_callback is None

    def feed_dict_additions(self) -> dict[Tensor, Any]:
        """The string to save, by the tensor that it is fed for."""
        return {self._save_string: self._state_callback()}

    def freeze(self) -> NoRestoreSaveable:
        """A saveable object of the present string."""

        def frozen() -> Tensor:
            with on_device("/cpu:0"):
                return constant_node(self._state_callback())

        return NoRestoreSaveable(tensor=frozen, dtype=dtypes.string, name=self.name, device="cpu:0")

    def python_restore(self, restored_strings: list[bytes]) -> None:
        """Hands a restored string to the callback.

        Args:
            restored_strings: a list of one string.
        """
        if self._restore_callback is not None:
            (restored_string,) = restored_strings
            self._restore_callback(restored_string)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """An op without effect: strings are restored by `python_restore`."""
        return build.NoOp()


class NoRestoreSaveable(SaveableObject):
    """A tensor that is saved and never restored.

    Args:
        tensor: the tensor, or a function that makes it.
        name: the name in the checkpoint.
        dtype: the type; None to take it from the tensor.
        device: its device; None to take it from the tensor.
    """

    def __init__(
        self,
        tensor: Any,
        name: str,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> None:
        super().__init__(tensor, [SaveSpec(tensor, "", name, dtype, device)], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """An op without effect."""
        return build.NoOp()
