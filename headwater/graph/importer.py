"""`tf.import_graph_def`: nodes of a GraphDef become ops of the default graph."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import proto_name
from headwater.base.export import export
from headwater.graph.builders import make_node
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import get_default_graph, name_scope
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, is_registered, lookup
from headwater.graph.schema import REQUIRED, Arg

_VERSION = 134


@export("import_graph_def", "graph_util.import_graph_def")
def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
        graph_def: a GraphDef proto.
        input_map: tensors that take the place of inputs, by their name in `graph_def`.
        return_elements: names of ops and tensors in `graph_def` that are returned.
        name: the prefix of the new names; ``"import"`` by default, "" for none.
        op_dict: ignored; op types are looked up in the registry.
        producer_op_list: an OpList of the program that made `graph_def`; attrs that are unknown
            here but have their default value there are dropped.

    Returns:
        A list of Operations and Tensors for `return_elements`, or None.

    Raises:
        TypeError: if an argument is of a wrong kind.
        ValueError: if the nodes do not form a graph or do not fit their op types.
        NotFoundError: if an op type is not registered.
    """
    if not hasattr(graph_def, "node") or not hasattr(graph_def, "versions"):
        raise TypeError("graph_def must be a GraphDef proto.")
    if input_map is None:
        input_map = {}
    elif not (isinstance(input_map, dict) and all(isinstance(k, str) for k in input_map)):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    if return_elements is not None:
        return_elements = tuple(return_elements)
        if not all(isinstance(element, str) for element in return_elements):
            raise TypeError("return_elements must be a list of strings.")
    _check_version(graph_def.versions)
    graph = get_default_graph()
    with name_scope(name, "import", list(input_map.values())) if name != "" else nullcontext(""):
        prefix = f"{graph.get_name_scope()}/" if graph.get_name_scope() else ""
        mapped = {
            _canonical(key): value if isinstance(value, Operation) else to_tensor(value)
            for key, value in input_map.items()
        }
        importer = _Importer(graph, prefix, mapped, _producer_defaults(producer_op_list))
        importer.run(graph_def)
        unused = [key for key in input_map if _canonical(key) not in importer.used]
        if unused:
            raise ValueError(
                "Attempted to map inputs that were not found in graph_def: "
                f"[{', '.join(sorted(unused))}]"
            )
    if return_elements is None:
        return None
    return [importer.element(element) for element in return_elements]


def _check_version(versions: Any) -> None:
    if versions.min_consumer > _VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{_VERSION} for TensorFlow 1.15.0.  Please upgrade TensorFlow."
        )


def _canonical(name: str) -> str:
    """``a`` and ``a:0`` are one tensor; ``^a`` stays."""
    return name if name.startswith("^") or ":" in name else f"{name}:0"


def _producer_defaults(producer_op_list: Any) -> dict[tuple[str, str], bytes]:
    """Serialized default values of the attrs that the producer knows, by op type and attr."""
    if producer_op_list is None:
        return {}
    return {
        (op.name, attr.name): attr.default_value.SerializeToString(deterministic=True)
        for op in producer_op_list.op
        for attr in op.attr
        if attr.HasField("default_value")
    }


class _Importer:
    """One import: the nodes by name, and what has been made of them."""

    def __init__(
        self,
        graph: Graph,
        prefix: str,
        mapped: dict[str, Any],
        producer_defaults: dict[tuple[str, str], bytes],
    ) -> None:
        self.graph = graph
        self.prefix = prefix
        self.mapped = mapped
        self.used: set[str] = set()
        self.ops: dict[str, Operation] = {}
        self._producer_defaults = producer_defaults
        self._attr_of: Callable[[Any], Any] = graph._proto_maker("python_attr")

    def run(self, graph_def: Any) -> None:
        """Makes all nodes, inputs before their consumers, otherwise in the given order."""
        nodes = list(graph_def.node)
        position: dict[str, int] = {}
        for i, node in enumerate(nodes):
            if node.name in position:
                raise ValueError(f"Node '{node.name}' is not unique")
            position[node.name] = i
        waits = [0] * len(nodes)
        consumers: list[list[int]] = [[] for _ in nodes]
        for i, node in enumerate(nodes):
            for source in self._sources(node):
                if source not in position:
                    raise ValueError(f"Node '{node.name}': Unknown input node '{source}'")
                consumers[position[source]].append(i)
                waits[i] += 1
        ready = [i for i, count in enumerate(waits) if not count]
        made = 0
        while ready:
            i = heapq.heappop(ready)
            self.ops[nodes[i].name] = self._make(nodes[i])
            made += 1
            for consumer in consumers[i]:
                waits[consumer] -= 1
                if not waits[consumer]:
                    heapq.heappush(ready, consumer)
        if made < len(nodes):
            raise ValueError(f"{len(nodes) - made} nodes in a cycle")
        for node in nodes:
            self._place(node)

    def _sources(self, node: Any) -> Iterable[str]:
        for text in node.input:
            if text.startswith("^"):
                if text not in self.mapped:
                    yield text[1:]
            elif _canonical(text) not in self.mapped:
                yield text.partition(":")[0]

    def _make(self, node: Any) -> Operation:
        if not is_registered(node.op):
            raise errors.NotFoundError(
                None,
                None,
                f"Op type not registered '{node.op}' in binary running on this machine. Make sure "
                "the Op and Kernel are registered in the binary running in this process.",
                hint=f"node '{node.name}' of the GraphDef needs it.",
            )
        record = lookup(node.op)
        name = self.prefix + node.name
        if name in self.graph._nodes_by_name:
            raise ValueError(f"Node name '{name}' already exists in the Graph")
        inputs: list[Tensor] = []
        controls: list[Operation] = []
        for text in node.input:
            if text.startswith("^"):
                controls.append(self._control(text))
            else:
                inputs.append(self._input(node, text))
        attrs = self._attrs(record, node)
        _check_inputs(record, attrs, inputs, name)
        self.graph.take_name(name)
        op = make_node(self.graph, record, inputs, attrs, name)
        op._control_inputs.extend(c for c in controls if c not in op._control_inputs)
        return op

    def _control(self, text: str) -> Operation:
        if text in self.mapped:
            self.used.add(text)
            target = self.mapped[text]
            return target if isinstance(target, Operation) else target.op
        return self.ops[text[1:]]

    def _input(self, node: Any, text: str) -> Tensor:
        key = _canonical(text)
        if key in self.mapped:
            self.used.add(key)
            return self.mapped[key]
        source, _, index = text.partition(":")
        op = self.ops[source]
        position = int(index or 0)
        if position >= len(op._outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {position} of source node "
                f"{source} which has {len(op._outputs)} outputs."
            )
        return op._outputs[position]

    def _attrs(self, record: OpRecord, node: Any) -> dict[str, Any]:
        schema = record.schema.attr
        attrs: dict[str, Any] = {}
        for key, proto in node.attr.items():
            if key == "_output_shapes":
                continue
            if key == "_class":
                attrs[key] = [
                    f"loc:@{self.prefix}{g.decode()[5:]}" if g.startswith(b"loc:@") else g.decode()
                    for g in proto.list.s
                ]
                continue
            if key not in schema and not key.startswith("_"):
                default = self._producer_defaults.get((node.op, key))
                if default == proto.SerializeToString(deterministic=True):
                    continue
                raise ValueError(
                    f"NodeDef mentions attr '{key}' not in {_signature(record)}; NodeDef: "
                    f"{{{{node {self.prefix}{node.name}}}}}. (Check whether your "
                    "GraphDef-interpreting binary is up to date with your GraphDef-generating "
                    "binary.)."
                )
            attrs[key] = self._attr_of(proto)
        ordered: dict[str, Any] = {}
        for spec in record.schema.attrs:
            if spec.name in attrs:
                ordered[spec.name] = attrs.pop(spec.name)
            elif spec.default is not REQUIRED:
                ordered[spec.name] = spec.default
            else:
                raise ValueError(
                    f"NodeDef missing attr '{spec.name}' from {_signature(record)}; NodeDef: "
                    f"{{{{node {self.prefix}{node.name}}}}}"
                )
        return {**ordered, **attrs}

    def _place(self, node: Any) -> None:
        """Takes over the device; device blocks of the program fill in what it leaves open."""
        op = self.ops[node.name]
        groups = op._attrs.get("_class")
        if groups:
            targets = [self.graph._nodes_by_name.get(g[5:]) for g in groups]
            devices = [t._device for t in targets if t is not None and t._device]
            op._device = devices[0] if devices else op._device
        elif node.device:
            op._device = node.device
            if self.graph._scopes.devices:
                self.graph._apply_devices(op, self.graph._scopes.devices)

    def element(self, name: str) -> Any:
        """The op or tensor that a name of the GraphDef stands for now."""
        op_name, colon, index = name.partition(":")
        if colon and _canonical(name) in self.mapped:
            return self.mapped[_canonical(name)]
        op = self.ops.get(op_name)
        if op is None:
            raise ValueError(f"Requested return node '{op_name}' not found in graph def")
        if not colon:
            return op
        if not index.isdigit() or int(index) >= len(op._outputs):
            raise ValueError(
                f"Invalid return output {index} of node '{op_name}', which has "
                f"{len(op._outputs)} output(s)"
            )
        return op._outputs[int(index)]


def _check_inputs(record: OpRecord, attrs: dict[str, Any], inputs: list[Tensor], name: str) -> None:
    """Compares the types of the inputs with those that the attrs ask for."""
    wanted: list[Any] = []
    for arg in record.schema.inputs:
        if arg.type_list_attr:
            wanted.extend(attrs[arg.type_list_attr])
            continue
        dtype = arg.type_in(attrs)
        wanted.extend([dtype] * arg.length_in(attrs))
    if len(wanted) != len(inputs):
        types = ", ".join(proto_name(t) for t in wanted)
        raise ValueError(
            f"NodeDef expected inputs '{types}' do not match {len(inputs)} inputs specified; "
            f"{_signature(record)}; NodeDef: {{{{node {name}}}}}"
        )
    for i, (dtype, tensor) in enumerate(zip(wanted, inputs)):
        if tensor._dtype.base_dtype is not dtype:
            raise ValueError(
                f"Input {i} of node {name} was passed {proto_name(tensor._dtype.base_dtype)} "
                f"from {tensor.name} incompatible with expected {proto_name(dtype)}."
            )


def _signature(record: OpRecord) -> str:
    """An op type as TensorFlow's messages write it."""
    schema = record.schema
    inputs = ", ".join(f"{a.name}:{_arg_type(a)}" for a in schema.inputs)
    outputs = ", ".join(f"{a.name}:{_arg_type(a)}" for a in schema.outputs)
    attrs = "".join(
        f"; attr={a.name}:{a.type}{'' if a.default is REQUIRED else ',default=' + _text(a.default)}"
        for a in schema.attrs
    )
    return f"Op<name={record.name}; signature={inputs} -> {outputs}{attrs}>"


def _arg_type(arg: Arg) -> str:
    kind = proto_name(arg.dtype) if arg.dtype else str(arg.type_attr or arg.type_list_attr)
    kind = f"{arg.number_attr}*{kind}" if arg.number_attr else kind
    return f"Ref({kind})" if arg.is_ref else kind


def _text(value: Any) -> str:
    if value is None:
        return "<unknown>"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
