"""What a checkpoint has of one object: its tensors, and how it is restored from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.typing import DeviceLike, DTypeLike
from headwater.graph import Operation, Tensor


class SaveSpec:
    """One tensor of a checkpoint.

    Args:
        tensor: the tensor, or a function that makes it.
        slice_spec: the full shape and the place of a slice; "" for a whole tensor.
        name: the name in the checkpoint.
        dtype: the type; None to take it from the tensor.
        device: its device; None to take it from the tensor.
    """

    def __init__(
        self,
        tensor: Any,
        slice_spec: str,
        name: str,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> None:
        self._tensor = tensor
        self._device = device
        self.slice_spec = slice_spec
        self.name = name
        self._dtype = dtype

    @property
    def tensor(self) -> Tensor:
        """The tensor that is saved."""
        return self._tensor() if callable(self._tensor) else self._tensor

    @property
    def dtype(self) -> DType:
        """Its type."""
        return (self._dtype or self.tensor.dtype).base_dtype

    @property
    def device(self) -> str:
        """The device that holds it."""
        return self.tensor.device if self._device is None else self._device


class SaveableObject:
    """Something that can be saved: its tensors, and how it is restored from them.

    Args:
        op: the op that makes it, or a list of them.
        specs: the tensors.
        name: its name.

    Attributes:
        full_name: the name of the variable, in a checkpoint of objects.
    """

    full_name = ""

    def __init__(self, op: Any, specs: list[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        """Whether a checkpoint without it can be restored all the same."""
        return False

    @property
    def device(self) -> str:
        """The device that holds the tensors."""
        return self.specs[0].device

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Makes the op that takes over restored tensors.

        Args:
            restored_tensors: one for each of the specs.
            restored_shapes: the shapes that they are to have, or None to leave them.

        Returns:
            An Operation.
        """
        raise NotImplementedError("Calling an abstract method.")
