"""`split_dependency`: one buffer of values that a checkpoint has as several tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import DeviceLike, DTypeLike
from headwater.graph import Operation, Tensor
from headwater.graph.default_graph import device as on_device
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.restoration import VARIABLE_VALUE_KEY
from headwater.model.trackable.saveable import SaveableObject, SaveSpec

SaveBuffers = dict[str, Tensor]


class _SplitState:
    """What the parts of a buffer share: tensors to save, and those restored so far."""

    def __init__(
        self,
        names: Sequence[str],
        fill: Callable[[SaveBuffers], Any],
        consume: Callable[[SaveBuffers], Operation],
    ) -> None:
        self.names = list(names)
        self._fill = fill
        self._consume = consume
        self._saved: SaveBuffers = {}
        self._restored: SaveBuffers = {}

    def saved(self, name: str) -> Tensor:
        """The tensor of a part; one call makes those of all parts."""
        if not self._saved:
            self._fill(self._saved)
        # Each is taken once, so that the next save makes new ones.
        return self._saved.pop(name)

    def restored(self, name: str, tensor: Tensor) -> Operation:
        """Takes over a part; the op of the last one restores the buffer."""
        self._restored[name] = tensor
        if len(self._restored) < len(self.names):
            return tensor.op
        op = self._consume(self._restored)
        self._restored = {}
        return op


class _PartSaveable(SaveableObject):
    """A part of a buffer."""

    def __init__(
        self, state: _SplitState, part: str, dtype: DTypeLike, device: DeviceLike, name: str
    ) -> None:
        self._state = state
        self._part = part
        self._device = device

        def tensor() -> Tensor:
            with on_device(device):
                return state.saved(part)

        super().__init__(tensor, [SaveSpec(tensor, "", name, dtype, device)], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """Takes over the part."""
        (tensor,) = restored_tensors
        with on_device(self._device):
            return self._state.restored(self._part, tensor)


class _SplitDependency(Trackable):
    """A dependency that stands for a part of a buffer."""

    def __init__(self, state: _SplitState, part: str, dtype: DTypeLike, device: DeviceLike) -> None:
        self._state = state
        self._part = part
        self._dtype = dtype
        self._device = device

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        def saveable(name: str) -> SaveableObject:
            return _PartSaveable(self._state, self._part, self._dtype, self._device, name)

        return {VARIABLE_VALUE_KEY: saveable}


@export("contrib.checkpoint.split_dependency")
def split_dependency(
    component_names: Sequence[str],
    component_dtypes: Sequence[DTypeLike],
    fill_save_buffer_fn: Callable[[SaveBuffers], Any],
    consume_restore_buffer_fn: Callable[[SaveBuffers], Operation],
    device: DeviceLike,
) -> dict[str, Trackable]:
    """Makes objects that save and restore one buffer as several tensors.

    Args:
        component_names: the names of the tensors.
        component_dtypes: their types.
        fill_save_buffer_fn: a function that puts the tensors into a dict, by name.
        consume_restore_buffer_fn: a function of such a dict that returns the op which restores the
            buffer.
        device: the device of the buffer.

    Returns:
        {name: trackable object}, to be tracked by the owner of the buffer.
    """
    state = _SplitState(component_names, fill_save_buffer_fn, consume_restore_buffer_fn)
    return {
        name: _SplitDependency(state, name, dtype, device)
        for name, dtype in zip(component_names, component_dtypes)
    }
