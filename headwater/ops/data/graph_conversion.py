"""DatasetToGraph and DatasetFromGraph: datasets as GraphDefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.compat_strings import as_text
from headwater.base.dtypes import DType, variant
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_def import node_def
from headwater.graph.importer import import_graph_def
from headwater.graph.versions import GRAPH_DEF_VERSION
from headwater.io.tensor_proto import make_tensor_proto
from headwater.ops.data.dataset import Dataset, dataset_of, scalar_of, variant_of
from headwater.ops.data.function_states import (
    HARMLESS,
    check_serializable,
    functions_of,
    refuse,
)
from headwater.protos.lazy import attr_value_pb2, graph_pb2

# The first version of GraphDefs with functions.
_FUNCTIONS_SINCE = 12


class _Description:
    """Writes datasets as nodes of a GraphDef.

    Args:
        harmless: op types that functions may contain although they have a state.
    """

    def __init__(self, harmless: frozenset[str]) -> None:
        self.proto = graph_pb2.GraphDef()
        self.proto.versions.producer = GRAPH_DEF_VERSION
        self._harmless = harmless
        self._names: dict[int, str] = {}
        self._functions: set[str] = set()

    def dataset(self, dataset: Dataset) -> str:
        """Adds the nodes of a dataset, once; returns the name of the last.

        Raises:
            FailedPreconditionError: if a function of it has a state.
            UnimplementedError: if a graph cannot say what it is made of.
        """
        name = self._names.get(id(dataset))
        if name is not None:
            return name
        origin = dataset.origin
        check_serializable(dataset)
        if origin is None:
            refuse(f"{dataset.transformation}DatasetOp::Dataset does not support serialization.")
        node = node_def(origin.op)
        for key in [key for key in node.attr if key.startswith("_")]:
            del node.attr[key]
        for name, definition in functions_of(origin.op, self._harmless).items():
            if name not in self._functions:
                self._functions.add(name)
                self.proto.library.function.add().CopyFrom(definition)
                self.proto.versions.min_consumer = _FUNCTIONS_SINCE
        pairs = zip(origin.op.inputs, origin.inputs)
        inputs = [self._input(value, tensor.dtype) for tensor, value in pairs]
        name = self._names[id(dataset)] = self._add(origin.op.type, inputs, node.attr)
        return name

    def result(self, name: str) -> None:
        """Adds the node that says which one is the result."""
        node = self.proto.node.add(name="dataset", op="_Retval", input=[name])
        node.attr["T"].type = variant.as_datatype_enum
        node.attr["index"].i = 0

    def _input(self, value: Any, dtype: DType) -> str:
        resource = resource_of(value) if np.ndim(value) == 0 else None
        if isinstance(resource, Dataset):
            return self.dataset(resource)
        if dtype.name in ("resource", "variant"):
            refuse(f"A {dtype.name} that a dataset uses does not support serialization.")
        attrs = {"dtype": attr_value_pb2.AttrValue(type=dtype.as_datatype_enum)}
        attrs["value"] = attr_value_pb2.AttrValue(tensor=make_tensor_proto(value, dtype))
        return self._add("Const", [], attrs)

    def _add(self, kind: str, inputs: Sequence[str], attrs: Any) -> str:
        name = f"{kind}/_{len(self.proto.node)}"
        node = self.proto.node.add(name=name, op=kind, input=inputs)
        for key, attr in attrs.items():
            node.attr[key].CopyFrom(attr)
        return name


def kernel_dataset_to_graph(
    xp: ArrayModule, input_dataset: Array, *, stateful_whitelist: Sequence[str]
) -> Array:
    description = _Description(HARMLESS.union(map(as_text, stateful_whitelist)))
    description.result(description.dataset(dataset_of(input_dataset)))
    return np.array(description.proto.SerializeToString(deterministic=True), object)


def kernel_dataset_from_graph(
    xp: ArrayModule, graph_def: Array, *, functions: FunctionRuntime
) -> Array:
    text = scalar_of(graph_def, "graph_def")
    proto = graph_pb2.GraphDef()
    try:
        proto.ParseFromString(text)
    except Exception as error:
        # Protobuf's DecodeError; its module is loaded by the protos alone.
        if type(error).__name__ != "DecodeError":
            raise
        fail("Could not parse GraphDef")
    results = [node for node in proto.node if node.op == "_Retval"]
    if not results or len(results[0].input) != 1:
        raise errors.NotFoundError(None, None, "FetchOutputs node : not found")
    wanted = results[0].input[0]
    for node in results:
        proto.node.remove(node)
    body = FunctionGraph("DatasetFromGraph")
    try:
        with body.as_default():
            import_graph_def(proto, name="")
            found = body.get_tensor_by_name(_output_name(wanted))
    except ValueError as error:
        fail(str(error))
    body.outputs = [found]
    if found.dtype.name != "variant":
        raise errors.InternalError(
            None,
            None,
            f"Output 0 of type {found.dtype.name} does not match declared output type variant",
        )
    (handle,) = functions.of_body(body).instantiate()([])
    return variant_of(dataset_of(handle))


def _output_name(text: str) -> str:
    return text if ":" in text else f"{text}:0"


register_op(
    "DatasetToGraph",
    inputs="input_dataset: variant",
    outputs="graph: string",
    attrs="stateful_whitelist: list(string) >= 0 = []",
    shape=shapes.scalar,
    kernel=kernel_dataset_to_graph,
    runs_on=RunsOn.HOST,
)

register_op(
    "DatasetFromGraph",
    inputs="graph_def: string",
    outputs="handle: variant",
    shape=shapes.scalar,
    kernel=kernel_dataset_from_graph,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
