"""GraphDefs, MetaGraphDefs and SaverDefs in files, in binary or text form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.lazy import LazyModule
from headwater.io.atomic_file import write_atomically
from headwater.io.files import file_exists, read_bytes
from headwater.protos.lazy import graph_pb2, meta_graph_pb2, saver_pb2

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saver_pb2 import SaverDef

_text_format: Any = LazyModule("google.protobuf.text_format")


def read_graph_def(path: str, binary: bool) -> GraphDef:
    """Reads a GraphDef.

    Raises:
        OSError: if there is no such file.
    """
    return _read(graph_pb2.GraphDef(), path, binary, "graph")


def read_meta_graph_def(path: str, binary: bool) -> MetaGraphDef:
    """Reads a MetaGraphDef.

    Raises:
        OSError: if there is no such file.
    """
    return _read(meta_graph_pb2.MetaGraphDef(), path, binary, "meta graph")


def read_saver_def(path: str, binary: bool) -> SaverDef:
    """Reads a SaverDef.

    Raises:
        OSError: if there is no such file.
    """
    return _read(saver_pb2.SaverDef(), path, binary, "saver")


def _read(proto: Any, path: str, binary: bool, kind: str) -> Any:
    if not file_exists(path):
        raise OSError(f"Input {kind} file '{path}' does not exist!")
    data = read_bytes(path)
    if binary:
        proto.ParseFromString(data)
    else:
        _text_format.Merge(data, proto)
    return proto


def names_in(text: str) -> list[str]:
    """Returns names that are separated by commas."""
    return text.replace(" ", "").split(",")


def write_graph_def(graph_def: GraphDef, path: str, binary: bool) -> None:
    """Writes a GraphDef, in binary form or as text."""
    if binary:
        write_atomically(path, graph_def.SerializeToString())
    else:
        write_atomically(path, _text_format.MessageToString(graph_def).encode())
