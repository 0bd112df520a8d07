"""The ops that make readers."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.handles import handle_of
from headwater.base.typing import ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, register_op, shapes
from headwater.ops.readers.lmdb_reader import LMDBReader
from headwater.ops.readers.reader_resource import Reader
from headwater.ops.readers.record_readers import (
    FixedLengthRecordReader,
    IdentityReader,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)


def make_whole_file_reader(attrs: dict[str, Any]) -> Reader:
    return WholeFileReader()


def make_identity_reader(attrs: dict[str, Any]) -> Reader:
    return IdentityReader()


def make_lmdb_reader(attrs: dict[str, Any]) -> Reader:
    return LMDBReader()


def kernel_reader(xp: ArrayModule, *, op: Operation, op_name: str, state: Reader) -> Any:
    for attr in ("skip_header_lines", "header_bytes", "record_bytes", "footer_bytes", "hop_bytes"):
        value = op._attrs.get(attr, 0)
        if value < 0:
            fail(f"{attr} must be >= 0 not {value}")
    state.set_name(op_name)
    return handle_of(state), state


_NAMES = "container: string = '', shared_name: string = ''"
_SIZES = (
    "header_bytes: int = 0, record_bytes: int, footer_bytes: int = 0, hop_bytes: int = 0, " + _NAMES
)


def _register_reader(name: str, *, attrs: str, state: Any) -> None:
    is_resource = name.endswith("V2")
    register_op(
        name,
        outputs="reader_handle: resource" if is_resource else "reader_handle: Ref(string)",
        attrs=attrs,
        shape=shapes.scalar if is_resource else shape_old_handle,
        kernel=kernel_reader,
        state=state,
        resource="reader",
        stateful=True,
        runs_on=RunsOn.HOST,
        gradient=None if is_resource else NOT_DIFFERENTIABLE,
    )


def shape_old_handle(c: shapes.ShapeContext) -> Any:
    return (2,)


_register_reader("WholeFileReader", attrs=_NAMES, state=make_whole_file_reader)
_register_reader("WholeFileReaderV2", attrs=_NAMES, state=make_whole_file_reader)
_register_reader("IdentityReader", attrs=_NAMES, state=make_identity_reader)
_register_reader("IdentityReaderV2", attrs=_NAMES, state=make_identity_reader)
_register_reader(
    "TextLineReader", attrs=f"skip_header_lines: int = 0, {_NAMES}", state=TextLineReader
)
_register_reader(
    "TextLineReaderV2", attrs=f"skip_header_lines: int = 0, {_NAMES}", state=TextLineReader
)
_register_reader("FixedLengthRecordReader", attrs=_SIZES, state=FixedLengthRecordReader)
_register_reader(
    "FixedLengthRecordReaderV2",
    attrs=f"{_SIZES}, encoding: string = ''",
    state=FixedLengthRecordReader,
)
_register_reader(
    "TFRecordReader", attrs=f"{_NAMES}, compression_type: string = ''", state=TFRecordReader
)
_register_reader(
    "TFRecordReaderV2", attrs=f"{_NAMES}, compression_type: string = ''", state=TFRecordReader
)
_register_reader("LMDBReader", attrs=_NAMES, state=make_lmdb_reader)
