"""A number for what a dataset is made of, the same in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.handles import resource_of
from headwater.graph.graph_def import node_def
from headwater.io.tensor_proto import proto_with_content
from headwater.ops.data.dataset import Dataset
from headwater.ops.data.function_states import check_serializable, functions_of, named_functions


def graph_hash(dataset: Dataset) -> str:
    """16 hexadecimal digits: of the ops, attrs, functions and constants of a dataset.

    Names of nodes and functions do not matter: equal datasets of two programs have equal hashes.
    They are not those of TensorFlow.

    Raises:
        UnimplementedError: if the dataset refuses to be serialized.
    """
    return _Hashes().of_dataset(dataset).hex()[:16]


class _Hashes:
    def __init__(self) -> None:
        self._datasets: dict[int, bytes] = {}

    def of_dataset(self, dataset: Dataset) -> bytes:
        """The hash of a dataset and of all that it takes elements from."""
        found = self._datasets.get(id(dataset))
        if found is None:
            found = self._datasets[id(dataset)] = self._of_new_dataset(dataset)
        return found

    def _of_new_dataset(self, dataset: Dataset) -> bytes:
        check_serializable(dataset)
        if dataset.origin is None:
            return _joined(dataset.transformation.encode(), *map(self.of_dataset, dataset.inputs))
        op, values = dataset.origin
        functions = functions_of(op, None)
        node = node_def(op)
        parts = [op.type.encode()]
        for key in sorted(node.attr):
            if not key.startswith("_"):
                parts += [key.encode(), _of_message(node.attr[key], functions, ())]
        for value, tensor in zip(values, op.inputs):
            parts.append(self._of_input(value, tensor.dtype))
        return _joined(*parts)

    def _of_input(self, value: Any, dtype: DType) -> bytes:
        resource = resource_of(value) if np.ndim(value) == 0 else None
        if isinstance(resource, Dataset):
            return self.of_dataset(resource)
        if dtype.base_dtype.name in ("resource", "variant"):
            return dtype.name.encode()
        proto = proto_with_content(np.asarray(value), dtype.base_dtype)
        return _joined(proto.SerializeToString(deterministic=True))


def _of_message(message: Any, functions: dict[str, Any], within: tuple[str, ...]) -> bytes:
    """The hash of an AttrValue or NodeDef, in which hashes stand for the functions it names."""
    parts = [_of_function(name, functions, within) for name in named_functions(message)]
    if parts:
        copy = type(message)()
        copy.CopyFrom(message)
        for function in (copy.func, *copy.list.func):
            function.name = ""
        message = copy
    return _joined(message.SerializeToString(deterministic=True), *parts)


def _of_function(name: str, functions: dict[str, Any], within: tuple[str, ...]) -> bytes:
    if name in within:
        return f"call of {within.index(name)}".encode()
    within = (*within, name)
    definition = functions[name]
    # Nodes and arguments are numbered: their names do not matter.
    numbers = {arg.name: f"argument {i}" for i, arg in enumerate(definition.signature.input_arg)}
    numbers |= {node.name: f"node {i}" for i, node in enumerate(definition.node_def)}
    parts = [str(arg.type).encode() for arg in definition.signature.input_arg]
    results = [definition.ret[arg.name] for arg in definition.signature.output_arg]
    parts.append(_numbered(results, numbers))
    for node in definition.node_def:
        called = _of_function(node.op, functions, within) if node.op in functions else b""
        parts += [called or node.op.encode(), _numbered(node.input, numbers)]
        for key in sorted(node.attr):
            if not key.startswith("_"):
                parts += [key.encode(), _of_message(node.attr[key], functions, within)]
    return _joined(*parts)


def _numbered(tensors: Iterable[str], numbers: dict[str, str]) -> bytes:
    """The names of tensors ("node:output:0", "^node"), with numbers for the names of nodes."""
    texts = []
    for tensor in tensors:
        name, colon, rest = tensor.removeprefix("^").partition(":")
        control = "^" if tensor.startswith("^") else ""
        texts.append(f"{control}{numbers[name]}{colon}{rest}")
    return "\0".join(texts).encode()


def _joined(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()
