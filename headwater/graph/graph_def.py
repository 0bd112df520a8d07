"""GraphDef protos of graphs."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.lazy import LazyModule
from headwater.base.tensor_shape import as_tuple
from headwater.base.typing import DTypeLike, Shape
from headwater.graph.graph import Graph
from headwater.graph.graph_base import proto_makers
from headwater.graph.operation import Operation
from headwater.graph.registry import OpRecord
from headwater.graph.schema import REQUIRED, Arg
from headwater.io.tensor_proto import array_of_proto, make_tensor_proto
from headwater.protos.lazy import (
    attr_value_pb2,
    graph_pb2,
    node_def_pb2,
    op_def_pb2,
    tensor_shape_pb2,
)

_text_format: Any = LazyModule("google.protobuf.text_format")


def shape_proto(shape: Shape) -> Any:
    """A static shape as a TensorShapeProto."""
    proto = tensor_shape_pb2.TensorShapeProto()
    if shape is None:
        proto.unknown_rank = True
    else:
        for size in shape:
            proto.dim.add().size = -1 if size is None else size
    return proto


def attr_proto(kind: str, value: DTypeLike) -> Any:
    """An attr in its internal form as an AttrValue; `kind` is the type in the schema."""
    proto: Any = attr_value_pb2.AttrValue()
    if kind.startswith("list("):
        proto.list.SetInParent()
        for item in value:
            _add_to_list(proto.list, kind[5:-1], item)
    elif kind == "type":
        proto.type = as_dtype(value).as_datatype_enum
    elif kind == "shape":
        proto.shape.CopyFrom(shape_proto(value))
    elif kind == "tensor":
        proto.tensor.CopyFrom(make_tensor_proto(value))
    elif kind == "string":
        proto.s = value.encode() if isinstance(value, str) else value
    elif kind == "func":
        proto.func.CopyFrom(value)
    elif kind == "bool":
        proto.b = value
    elif kind == "int":
        proto.i = value
    elif kind == "float":
        proto.f = value
    return proto


def _add_to_list(proto: Any, kind: str, item: DTypeLike) -> None:
    one = attr_proto(kind, item)
    field = one.WhichOneof("value")
    if field in ("shape", "tensor", "func"):
        getattr(proto, field).add().CopyFrom(getattr(one, field))
    else:
        getattr(
            proto, field or {"int": "i", "bool": "b", "float": "f", "string": "s"}[kind]
        ).append(
            getattr(one, field or {"int": "i", "bool": "b", "float": "f", "string": "s"}[kind])
        )


def untyped_attr_proto(value: DTypeLike) -> Any:
    """An attr that the schema does not name (such as ``_class``), by its Python type."""
    if hasattr(value, "WhichOneof"):
        return value
    for python_type, kind in (
        (bool, "bool"),
        (int, "int"),
        (float, "float"),
        ((str, bytes), "string"),
        (DType, "type"),
    ):
        if isinstance(value, python_type):
            return attr_proto(kind, value)
        if isinstance(value, list) and value and isinstance(value[0], python_type):
            return attr_proto(f"list({kind})", value)
    return attr_proto("list(shape)", value)


def node_def(op: Operation) -> Any:
    """The NodeDef of an op."""
    proto = node_def_pb2.NodeDef(name=op.name, op=op.type, device=op.device)
    proto.input.extend(t._as_node_def_input() for t in op._inputs)
    proto.input.extend(f"^{c.name}" for c in op._control_inputs)
    schema = op._record.schema.attr
    for name, value in op._attrs.items():
        spec = schema.get(name)
        if spec is None:
            proto.attr[name].CopyFrom(untyped_attr_proto(value))
        elif spec.type == "tensor":
            proto.attr[name].tensor.CopyFrom(make_tensor_proto(value, op._attrs.get("dtype")))
        else:
            proto.attr[name].CopyFrom(attr_proto(spec.type, value))
    return proto


def graph_def(graph: Graph, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """The GraphDef of a graph; see `Graph.as_graph_def`."""
    proto = graph_pb2.GraphDef()
    proto.versions.producer = graph._producer
    proto.versions.min_consumer = graph._min_consumer
    if graph._functions:
        proto.library.CopyFrom(graph._proto_maker("library")(graph))
    for op in graph.get_operations():
        if from_version is not None and op._id_value <= from_version:
            continue
        node = proto.node.add()
        node.CopyFrom(node_def(op))
        if add_shapes and op._outputs:
            shapes = [t._shape for t in op._outputs]
            node.attr["_output_shapes"].CopyFrom(attr_proto("list(shape)", shapes))
    return proto


def python_attr(proto: Any) -> Any:
    """The internal form of an AttrValue."""
    field = proto.WhichOneof("value")
    if field == "list":
        for name, values in proto.list.ListFields():
            return [_python_value(name.name, v) for v in values]
        return []
    return None if field is None else _python_value(field, getattr(proto, field))


def _python_value(field: str, value: DTypeLike) -> Any:
    if field == "type":
        return as_dtype(value)
    if field == "shape":
        return as_tuple(value)
    if field == "tensor":
        return array_of_proto(value)
    if field == "s":
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    return value


def op_def(record: OpRecord) -> Any:
    """The OpDef of an op type."""
    proto = op_def_pb2.OpDef(name=record.name)
    for args, target in (
        (record.schema.inputs, proto.input_arg),
        (record.schema.outputs, proto.output_arg),
    ):
        for arg in args:
            target.add().CopyFrom(_arg_def(arg))
    for attr in record.schema.attrs:
        item = proto.attr.add(name=attr.name, type=attr.type)
        if attr.default is not REQUIRED:
            item.default_value.CopyFrom(attr_proto(attr.type, attr.default))
        if attr.allowed is not None:
            item.allowed_values.CopyFrom(
                attr_proto("list(string)" if "string" in attr.type else "list(type)", attr.allowed)
            )
        if attr.minimum is not None:
            item.has_minimum, item.minimum = True, attr.minimum
    proto.is_stateful = record.stateful
    proto.is_commutative = record.commutative
    proto.is_aggregate = record.aggregate
    # An OpDef does not say which handles may be of a variable without a value.
    proto.allows_uninitialized_input = record.allows_uninitialized and any(
        arg.is_ref for arg in record.schema.inputs
    )
    return proto


def _arg_def(arg: Arg) -> Any:
    enum: Any = 0 if arg.dtype is None else arg.dtype.as_datatype_enum
    return op_def_pb2.OpDef.ArgDef(
        name=arg.name,
        type=enum,
        type_attr=arg.type_attr or "",
        number_attr=arg.number_attr or "",
        type_list_attr=arg.type_list_attr or "",
        is_ref=arg.is_ref,
    )


def _tensor_attr(kind: str, value: Any, dtype: DTypeLike) -> Any:
    """A tensor attr with an explicit type."""
    proto = attr_value_pb2.AttrValue()
    proto.tensor.CopyFrom(make_tensor_proto(value, as_dtype(dtype)))
    return proto


def _text(message: Any) -> str:
    text: str = _text_format.MessageToString(message)
    return text


proto_makers.update(
    attr=lambda kind, value: (
        [getattr(p, p.WhichOneof("value")) for p in (attr_proto(kind[5:-1], v) for v in value)]
        if kind.startswith("list(")
        else getattr(attr_proto(kind, value), kind)
    ),
    attr_value=_tensor_attr,
    graph_def=graph_def,
    node_def=node_def,
    op_def=op_def,
    python_attr=python_attr,
    shape=shape_proto,
    text=_text,
)
