"""Our messages against those of a real TensorFlow 1.15 (tests/golden/make_protos.py)."""

from __future__ import annotations

import base64
import graphlib
import gzip
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from headwater.base.export import EXPORTS, LazyExport
from headwater.protos import public
from headwater.protos.lazy import graph_pb2 as lazy_graph_pb2
from headwater.protos.original_modules import ORIGINAL_MODULES

ROOT = Path(__file__).resolve().parent.parent.parent
PROTOS = ROOT / "headwater" / "protos"
GOLDEN: dict[str, Any] = json.loads(
    gzip.decompress((ROOT / "tests" / "golden" / "protos.json.gz").read_bytes())
)
FILES = sorted(path.name for path in PROTOS.glob("*.proto"))


def our_file(name: str) -> Any:
    return importlib.import_module(f"headwater.protos.{name.removesuffix('.proto')}_pb2")


def ours(name: str) -> str:
    """The name of our message, file or package for TensorFlow's."""
    if name.endswith(".proto"):
        is_original = name.startswith("tensorflow/")
        return f"headwater/protos/{name.rpartition('/')[2]}" if is_original else name
    for dot in ("", "."):
        if name.startswith(dot + "tensorflow"):
            return dot + "headwater" + name.removeprefix(dot + "tensorflow")
        # The one package outside that of TensorFlow.
        if name.startswith(dot + "boosted_trees"):
            return f"{dot}headwater.{name.removeprefix(dot)}"
    return name


def normalize_message(message: descriptor_pb2.DescriptorProto) -> None:
    for field in message.field:
        field.type_name = ours(field.type_name)
        field.ClearField("json_name")
    message.field.sort(key=lambda field: field.number)
    message.enum_type.sort(key=lambda enum: enum.name)
    message.nested_type.sort(key=lambda nested: nested.name)
    message.reserved_range.sort(key=lambda span: span.start)
    message.reserved_name.sort()
    for nested in message.nested_type:
        normalize_message(nested)
    for enum in message.enum_type:
        enum.value.sort(key=lambda value: (value.number, value.name))


def normalized(file: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    """Removes what does not affect the wire format: order, paths, options of other languages."""
    file.name = ours(file.name)
    file.package = ours(file.package)
    file.ClearField("options")
    dependencies = sorted(map(ours, file.dependency))
    file.ClearField("dependency")
    file.ClearField("public_dependency")
    file.ClearField("service")
    file.dependency.extend(dependencies)
    whole = descriptor_pb2.DescriptorProto(nested_type=file.message_type, enum_type=file.enum_type)
    normalize_message(whole)
    file.ClearField("message_type")
    file.ClearField("enum_type")
    file.message_type.extend(whole.nested_type)
    file.enum_type.extend(whole.enum_type)
    return file


def test_every_file_has_a_golden_descriptor():
    assert sorted(GOLDEN["descriptors"]) == FILES
    assert sorted(ORIGINAL_MODULES.values()) == sorted(our_file(name).__name__ for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_descriptors_equal_those_of_tensorflow(name):
    data = base64.b64decode(GOLDEN["descriptors"][name])
    theirs = descriptor_pb2.FileDescriptorProto.FromString(data)
    original = theirs.name.removesuffix(".proto").replace("/", ".") + "_pb2"
    assert ORIGINAL_MODULES[original] == our_file(name).__name__
    mine = descriptor_pb2.FileDescriptorProto()
    our_file(name).DESCRIPTOR.CopyToProto(mine)
    assert normalized(mine) == normalized(theirs)


def test_no_clash_with_tensorflow_in_one_pool():
    files: dict[str, descriptor_pb2.FileDescriptorProto] = {}

    def gather(descriptor: Any) -> None:
        for dependency in descriptor.dependencies:
            gather(dependency)
        file = descriptor_pb2.FileDescriptorProto()
        descriptor.CopyToProto(file)
        files[file.name] = file

    for name in FILES:
        gather(our_file(name).DESCRIPTOR)
        data = base64.b64decode(GOLDEN["descriptors"][name])
        theirs = descriptor_pb2.FileDescriptorProto.FromString(data)
        files[theirs.name] = theirs
    pool = descriptor_pool.DescriptorPool()
    order = graphlib.TopologicalSorter({name: file.dependency for name, file in files.items()})
    for name in order.static_order():
        pool.Add(files[name])
    for package in ("headwater", "tensorflow"):
        assert pool.FindMessageTypeByName(f"{package}.GraphDef").full_name == f"{package}.GraphDef"


def test_serialized_messages_survive():
    for name in FILES:
        our_file(name)
    pool = descriptor_pool.Default()
    for name, data in GOLDEN["messages"]:
        data = base64.b64decode(data)
        cls = message_factory.GetMessageClass(pool.FindMessageTypeByName(ours(name)))
        message = cls.FromString(data)
        message.DiscardUnknownFields()
        # Implementations order the entries of maps differently; all else stays in place.
        assert sorted(message.SerializeToString()) == sorted(data), name


def test_values_of_parsed_messages():
    # One message read field by field, so that the test above cannot pass on empty shells.
    for name, data in GOLDEN["messages"]:
        if name == "tensorflow.GraphDef":
            graph = our_file("graph.proto").GraphDef.FromString(base64.b64decode(data))
            nodes = {node.name: node for node in graph.node}
            if "placed" in nodes:
                break
    placed = nodes["placed"]
    assert placed.op == "Const"
    assert placed.device == "/device:GPU:0"
    assert placed.attr["dtype"].type == our_file("types.proto").DT_INT64
    assert [dim.size for dim in placed.attr["value"].tensor.tensor_shape.dim] == [2, 3]
    assert [dim.size for dim in nodes["images"].attr["shape"].shape.dim] == [-1, 8, 8, 3]
    assert list(nodes["Conv2D"].attr["strides"].list.i) == [1, 2, 2, 1]
    assert graph.library.function[0].signature.name.startswith("scaled")


def test_public_messages_are_exported():
    names = [name for names in public.PUBLIC_MESSAGES.values() for name in names.split()]
    for name in names:
        assert isinstance(EXPORTS[name], LazyExport)
        message = EXPORTS[name].resolve()
        assert message.DESCRIPTOR.name == name.rpartition(".")[2]
        assert message.DESCRIPTOR.file.name.startswith("headwater/protos/")


def test_lazy_modules():
    assert lazy_graph_pb2.GraphDef is our_file("graph.proto").GraphDef
    with pytest.raises(ImportError, match="nonsense"):
        from headwater.protos.lazy import nonsense  # noqa: F401


def test_public_names_do_not_load_protobuf():
    script = (
        "import sys, headwater.protos.public\n"
        "from headwater.protos.lazy import graph_pb2\n"
        "print('google.protobuf' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert result.stdout.strip() == "False", result.stderr
