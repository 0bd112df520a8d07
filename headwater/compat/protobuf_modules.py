"""Modules of messages (`*_pb2`) that libraries of the time bring along.

protoc before 3.19 wrote modules that make descriptors field by field, which protobuf refuses today;
the serialized file that they hold as well is enough to build them. Files that import TensorFlow's
.proto files are made to import ours, so that their fields take our messages.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from headwater.protos.original_modules import ORIGINAL_MODULES, load_original

_SUFFIX = "_pb2"
# Where modules of messages are that need no help.
_OWN_ROOTS = frozenset({"tensorflow", "headwater", "google"})
_BUILD = """
from google.protobuf.internal import builder as _builder
_builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
_builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, __name__, globals())
"""


def add_file(serialized: bytes) -> Any:
    """Adds a file of message types to the default pool.

    Args:
        serialized: a FileDescriptorProto; imports of TensorFlow's files become those of ours.

    Returns:
        The descriptor of the file.
    """
    pool = importlib.import_module("google.protobuf.descriptor_pool").Default()
    if b"tensorflow/" in serialized:
        serialized = _with_our_messages(serialized)
    return pool.AddSerializedFile(serialized)


def _with_our_messages(serialized: bytes) -> bytes:
    descriptors = importlib.import_module("google.protobuf.descriptor_pb2")
    file = descriptors.FileDescriptorProto.FromString(serialized)
    renamed: dict[str, str] = {}
    for i, dependency in enumerate(file.dependency):
        original = dependency.removesuffix(".proto").replace("/", ".") + _SUFFIX
        if original in ORIGINAL_MODULES:
            module: Any = load_original(original)
            file.dependency[i] = module.DESCRIPTOR.name
            renamed.update(_renamed(module.DESCRIPTOR))
    for message in file.message_type:
        _rename_fields(message, renamed)
    for method in (method for service in file.service for method in service.method):
        method.input_type = renamed.get(method.input_type, method.input_type)
        method.output_type = renamed.get(method.output_type, method.output_type)
    result: bytes = file.SerializeToString()
    return result


def _renamed(file: Any) -> dict[str, str]:
    """TensorFlow's full names of the types of one of our files, and ours."""
    found: dict[str, str] = {}
    waiting = [*file.message_types_by_name.values(), *file.enum_types_by_name.values()]
    while waiting:
        each = waiting.pop()
        inside = each.full_name.removeprefix(file.package)
        found[f".tensorflow{inside}"] = f".{each.full_name}"
        if hasattr(each, "nested_types"):
            waiting += [*each.nested_types, *each.enum_types]
    return found


def _rename_fields(message: Any, renamed: dict[str, str]) -> None:
    for field in (*message.field, *message.extension):
        if field.type_name in renamed:
            field.type_name = renamed[field.type_name]
    for nested in message.nested_type:
        _rename_fields(nested, renamed)


class _Rewriter(ast.NodeTransformer):
    """Lets a module of messages build its file by `add_file`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not isinstance(node.func, ast.Attribute):
            return node
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if node.func.attr == "FileDescriptor" and "serialized_pb" in given:
            serialized = given["serialized_pb"]
        elif node.func.attr == "AddSerializedFile" and len(node.args) == 1:
            serialized = node.args[0]
        else:
            return node
        return ast.Call(ast.Name("_add_file", ast.Load()), [serialized], [])


class _Loader(SourceFileLoader):
    """Loads a module of messages that any release of protoc has written."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Returns the code of the module, changed if it needs to be."""
        source = self.get_source(fullname) or ""
        old = "_descriptor.FieldDescriptor(" in source or "_descriptor.EnumDescriptor(" in source
        if not old and "tensorflow/" not in source:
            return super().get_code(fullname)
        tree = ast.parse(source)
        if old:
            tree.body = [*_until_descriptor(tree.body), *ast.parse(_BUILD).body]
        tree = ast.fix_missing_locations(_Rewriter().visit(tree))
        code: CodeType = compile(tree, self.get_filename(fullname), "exec")
        return code

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["_add_file"] = add_file
        super().exec_module(module)


def _until_descriptor(body: list[ast.stmt]) -> list[ast.stmt]:
    for i, statement in enumerate(body):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "DESCRIPTOR":
            return body[: i + 1]
    return body


class _Finder(MetaPathFinder):
    """Finds modules of messages outside of TensorFlow, Headwater and protobuf."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a module of messages, None for any other."""
        if not fullname.endswith(_SUFFIX) or fullname.partition(".")[0] in _OWN_ROOTS:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(fullname, spec.loader.path)
                return spec
        return None


_finder = _Finder()


def add() -> None:
    """From now on, old modules of messages can be imported."""
    sys.meta_path.insert(0, _finder)


def remove() -> None:
    """Undoes `add`."""
    sys.meta_path.remove(_finder)
