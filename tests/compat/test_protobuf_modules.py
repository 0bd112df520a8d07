"""Modules of messages that old releases of protoc wrote, and those that import TensorFlow's."""

import importlib
import sys

import pytest
from google.protobuf import descriptor_pb2

import headwater
from headwater.compat import protobuf_modules
from headwater.compat.install import install, uninstall

OLD = """
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from google.protobuf import reflection as _reflection

DESCRIPTOR = _descriptor.FileDescriptor(
  name={name!r}, package='ours', syntax='proto3', serialized_pb={serialized!r})

_POINT = _descriptor.Descriptor(
  name='Point', full_name='ours.Point', filename=None, file=DESCRIPTOR, containing_type=None,
  fields=[_descriptor.FieldDescriptor(name='x', full_name='ours.Point.x', index=0)])
Point = _reflection.GeneratedProtocolMessageType('Point', (_message.Message,), dict(
  DESCRIPTOR=_POINT, __module__={name!r}))
"""
NEW = """
from google.protobuf import descriptor_pool as _descriptor_pool
from google.protobuf.internal import builder as _builder
DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile({serialized!r})  # tensorflow/
_builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
_builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, {name!r}, globals())
"""
Field = descriptor_pb2.FieldDescriptorProto


@pytest.fixture(autouse=True)
def installed(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    install()
    yield
    uninstall()


def load(folder, name, template, file):
    path = folder / f"{name}_pb2.py"
    path.write_text(template.format(name=f"{name}_pb2", serialized=file.SerializeToString()))
    importlib.invalidate_caches()
    return importlib.import_module(f"{name}_pb2")


def file_with_point(name):
    file = descriptor_pb2.FileDescriptorProto(name=f"{name}.proto", package=name, syntax="proto3")
    point = file.message_type.add(name="Point")
    point.field.add(name="x", number=1, type=Field.TYPE_INT32, label=Field.LABEL_OPTIONAL)
    file.enum_type.add(name="Color").value.add(name="RED", number=0)
    return file


def test_module_of_an_old_protoc(tmp_path):
    module = load(tmp_path, "hw_old", OLD, file_with_point("hw_old"))
    point = module.Point(x=3)
    assert module.Point.FromString(point.SerializeToString()).x == 3
    assert module.RED == 0
    assert module.Point.__module__ == "hw_old_pb2"


@pytest.mark.parametrize("template", [OLD, NEW], ids=["old", "new"])
def test_imports_of_tensorflow_become_ours(tmp_path, template):
    name = "hw_imports_" + ("old" if template is OLD else "new")
    file = file_with_point(name)
    file.dependency.append("tensorflow/core/framework/graph.proto")
    file.message_type[0].field.add(
        name="graph",
        number=2,
        type=Field.TYPE_MESSAGE,
        type_name=".tensorflow.GraphDef",
        label=Field.LABEL_OPTIONAL,
    )
    module = load(tmp_path, name, template, file)
    graph = headwater.GraphDef()
    graph.node.add(name="a")
    assert module.Point(graph=graph).graph.node[0].name == "a"


def test_uninstall_leaves_modules_alone():
    assert any(finder is protobuf_modules._finder for finder in sys.meta_path)
    uninstall()
    assert all(finder is not protobuf_modules._finder for finder in sys.meta_path)
