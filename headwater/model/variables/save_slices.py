"""The place of a variable in a larger one, and names in name scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.typing import ShapeLike
from headwater.protos.lazy import variable_pb2

if TYPE_CHECKING:
    from headwater.protos.variable_pb2 import SaveSliceInfoDef


class SaveSliceInfo:
    """The place of a variable in a larger one that a checkpoint keeps in slices.

    Args:
        full_name: the name of the larger variable.
        full_shape: its shape.
        var_offset: where the slice begins, per dimension.
        var_shape: the shape of the slice.
        save_slice_info_def: a SaveSliceInfoDef instead of the others.
        import_scope: a name scope before the name in the proto.
    """

    def __init__(
        self,
        full_name: str = "",
        full_shape: ShapeLike = None,
        var_offset: ShapeLike = None,
        var_shape: ShapeLike = None,
        save_slice_info_def: SaveSliceInfoDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            self.full_name = prepend_scope(save_slice_info_def.full_name, import_scope)
            self.full_shape = list(save_slice_info_def.full_shape)
            self.var_offset = list(save_slice_info_def.var_offset)
            self.var_shape = list(save_slice_info_def.var_shape)
        else:
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The full shape and the slice in the language of checkpoints."""
        shape = " ".join(str(d) for d in self.full_shape) + " "
        return shape + ":".join(f"{o},{s}" for o, s in zip(self.var_offset, self.var_shape))

    def to_proto(self, export_scope: str | None = None) -> SaveSliceInfoDef | None:
        """The slice as a SaveSliceInfoDef, or None if it is not in the scope."""
        if not in_scope(self.full_name, export_scope):
            return None
        proto = variable_pb2.SaveSliceInfoDef()
        proto.full_name = strip_scope(self.full_name, export_scope)
        proto.full_shape.extend(int(d) for d in self.full_shape)
        proto.var_offset.extend(int(d) for d in self.var_offset)
        proto.var_shape.extend(int(d) for d in self.var_shape)
        return proto


def in_scope(name: str, scope: str | None) -> bool:
    """Whether a name stands in a name scope; every name stands in None and ""."""
    return not scope or name.startswith(scope)


def strip_scope(name: str, scope: str | None) -> str:
    """A name without a leading name scope."""
    if not scope:
        return name
    prefix = scope if scope.endswith("/") else scope + "/"
    return name[len(prefix) :] if name.startswith(prefix) else name


def prepend_scope(name: str, scope: str | None) -> str:
    """A name in a name scope."""
    if not scope:
        return name
    return f"{scope.rstrip('/')}/{name}"
