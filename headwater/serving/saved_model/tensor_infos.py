"""TensorInfos: how signatures name the tensors of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Graph, Operation, Tensor, get_default_graph
from headwater.graph.composite_specs import CompositeTensor
from headwater.graph.scope_names import prepend_name_scope
from headwater.graph.sparse_tensor import SparseTensor
from headwater.protos.lazy import meta_graph_pb2
from headwater.serving.saved_model.structured_values import type_spec_of, type_spec_proto

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import TensorInfo


@export("saved_model.build_tensor_info", "saved_model.utils.build_tensor_info")
def build_tensor_info(tensor: TensorLike) -> TensorInfo:
    """Describes a tensor for a signature.

    Args:
        tensor: a Tensor, a variable, a SparseTensor, or another value made of tensors.

    Returns:
        A TensorInfo.

    Raises:
        AttributeError: if it has neither a name nor a shape.
    """
    value: Any = tensor
    if isinstance(value, CompositeTensor) and not isinstance(value, SparseTensor):
        info: TensorInfo = meta_graph_pb2.TensorInfo()
        info.composite_tensor.type_spec.CopyFrom(type_spec_proto(value._type_spec))
        parts = nest.flatten(value, expand_composites=True)
        info.composite_tensor.components.extend(map(build_tensor_info, parts))
        return info
    info = meta_graph_pb2.TensorInfo(
        dtype=value.dtype.as_datatype_enum, tensor_shape=value.get_shape().as_proto()
    )
    if isinstance(value, SparseTensor):
        info.coo_sparse.values_tensor_name = value.values.name
        info.coo_sparse.indices_tensor_name = value.indices.name
        info.coo_sparse.dense_shape_tensor_name = value.dense_shape.name
    else:
        info.name = value.name
    return info


def build_tensor_info_from_op(op: Operation) -> TensorInfo:
    """Describes an operation for a signature.

    Args:
        op: an Operation.

    Returns:
        A TensorInfo with the name of the operation and an unknown shape.
    """
    return meta_graph_pb2.TensorInfo(tensor_shape=TensorShape(None).as_proto(), name=op.name)


@export("saved_model.get_tensor_from_tensor_info", "saved_model.utils.get_tensor_from_tensor_info")
def get_tensor_from_tensor_info(
    tensor_info: TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """Finds what a TensorInfo describes.

    Args:
        tensor_info: a TensorInfo.
        graph: the Graph; the default graph by default.
        import_scope: the name scope into which the graph was imported.

    Returns:
        A Tensor, SparseTensor, or another value made of tensors.

    Raises:
        KeyError: if the graph has no such tensor.
        ValueError: if the TensorInfo names none.
    """
    graph = graph or get_default_graph()

    def found(name: str) -> Tensor:
        return graph.get_tensor_by_name(prepend_name_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return found(tensor_info.name)
    if encoding == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return SparseTensor(
            found(sparse.indices_tensor_name),
            found(sparse.values_tensor_name),
            found(sparse.dense_shape_tensor_name),
        )
    if encoding == "composite_tensor":
        composite = tensor_info.composite_tensor
        spec = type_spec_of(composite.type_spec)
        return spec._from_components([found(part.name) for part in composite.components])
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")


def get_element_from_tensor_info(
    tensor_info: TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """Finds the tensor or operation that a TensorInfo names.

    Args:
        tensor_info: a TensorInfo.
        graph: the Graph; the default graph by default.
        import_scope: the name scope into which the graph was imported.

    Returns:
        A Tensor or an Operation.

    Raises:
        KeyError: if the graph has none.
    """
    graph = graph or get_default_graph()
    return graph.as_graph_element(prepend_name_scope(tensor_info.name, import_scope))
