"""`tf.import_graph_def`: nodes of a GraphDef become ops of the default graph."""

from __future__ import annotations

import heapq
import platform
import re
from collections.abc import Callable, Iterable
from typing import Any

from headwater.base import errors
from headwater.base.compat_strings import as_text
from headwater.base.dtypes import proto_name
from headwater.base.export import export
from headwater.base.tensor_shape import as_tuple
from headwater.graph.attr_checks import check_attr, signature
from headwater.graph.builders import make_node
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import get_default_graph, name_scope
from headwater.graph.device import canonical_name
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, is_registered
from headwater.graph.schema import REQUIRED
from headwater.graph.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_PRODUCER

_NODE_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$")
# Placeholders of older graphs did not distinguish a scalar from an unknown shape.
_SCALARS_SINCE = 24
# Old programs wrote other shapes for handles than these ops have now.
_MAY_DISAGREE = frozenset(
    "RandomShuffleQueue PaddingFIFOQueue FIFOQueue PriorityQueue QueueSize Stack Barrier "
    "BarrierReadySize BarrierIncompleteSize HashTable MutableHashTable MutableHashTableOfTensors "
    "Mutex CuckooTable IndexTable WholeFileReader TextLineReader FixedLengthRecordReader "
    "TFRecordReader IdentityReader LMDBReader RefSwitch RefEnter RefNextIteration RefMerge "
    "RefIdentity".split()
)

_MERGE = ("Merge", "RefMerge")
_NEXT_ITERATION = ("NextIteration", "RefNextIteration")


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
    elif not (isinstance(input_map, dict) and all(isinstance(k, (str, bytes)) for k in input_map)):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    input_map = {as_text(key): value for key, value in input_map.items()}
    elements: list[str] = []
    for element in () if return_elements is None else tuple(return_elements):
        if not isinstance(element, (str, bytes)):
            raise TypeError("return_elements must be a list of strings.")
        elements.append(as_text(element))
    graph = get_default_graph()
    with name_scope(name, "import", list(input_map.values())) as scope:
        mapped = _mapped_tensors(input_map, name)
        for element in elements:
            _check_element(element)
        _check_versions(graph_def.versions)
        graph._producer = min(graph._producer, graph_def.versions.producer)
        graph._min_consumer = max(graph._min_consumer, graph_def.versions.min_consumer)
        if graph_def.library.function:
            graph._proto_maker("add_library")(graph, graph_def.library)
        importer = _Importer(graph, scope or "", mapped, _producer_defaults(producer_op_list))
        importer.run(graph_def)
        unused = [key for key in input_map if not importer.knows(_canonical(key))]
        if unused:
            raise ValueError(
                "Attempted to map inputs that were not found in graph_def: "
                f"[{', '.join(sorted(unused))}]"
            )
    return None if return_elements is None else [importer.element(e) for e in elements]


def extend_graph(graph: Graph, graph_def: Any) -> None:
    """Adds the nodes of a GraphDef that other programs have made, under their own names.

    Inputs may be nodes that the graph has already. Nodes that a runtime has made, such as those
    that send values, are allowed; colocation with missing nodes is ignored.

    Args:
        graph: the graph.
        graph_def: a GraphDef.

    Raises:
        InvalidArgumentError: if the nodes do not form a graph or do not fit their op types.
        NotFoundError: if an op type is not registered.
    """
    for node in graph_def.node:
        if node.name in graph._nodes_by_name:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"GraphDef argument to Extend includes node '{node.name}', which was created by a "
                "previous call to Create or Extend in this session.",
            )
    try:
        _check_versions(graph_def.versions)
        if graph_def.library.function:
            graph._proto_maker("add_library")(graph, graph_def.library)
        importer = _Importer(graph, "", {}, {})
        importer.extends = True
        importer.ops.update(graph._nodes_by_name)
        importer.run(graph_def)
    except (TypeError, ValueError, KeyError) as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from error


def _mapped_tensors(input_map: dict[str, Any], name: str | None) -> dict[str, Any]:
    """The values of an input map as tensors (or ops, for control inputs)."""
    if all(isinstance(value, (Tensor, Operation)) for value in input_map.values()):
        return {_canonical(key): value for key, value in input_map.items()}
    if name == "":
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor "
            "values. Try calling tf.convert_to_tensor() on `input_map` values before calling "
            "tf.import_graph_def()."
        )
    with name_scope("_inputs"):
        return {
            _canonical(key): value if isinstance(value, Operation) else to_tensor(value)
            for key, value in input_map.items()
        }


def _check_element(element: str) -> None:
    name, colon, index = element.partition(":")
    if colon and not (name and index.isdigit()):
        raise ValueError(f"Cannot convert {element!r} to a tensor name.")


def _check_versions(versions: Any) -> None:
    if versions.producer < GRAPH_DEF_VERSION_MIN_PRODUCER:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer "
            f"{GRAPH_DEF_VERSION_MIN_PRODUCER} supported by TensorFlow 1.15.0.  Please regenerate "
            "your graph."
        )
    if versions.min_consumer > GRAPH_DEF_VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{GRAPH_DEF_VERSION} for TensorFlow 1.15.0.  Please upgrade TensorFlow."
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
        # Whether inputs may be nodes of the graph, and names those of a runtime.
        self.extends = False
        # Inputs of loops that are made after the nodes that take them: (op, index, node, text).
        self._back_edges: list[tuple[Operation, int, Any, str]] = []
        # The new names of nodes, where the graph had a node of the name already.
        self.renamed: dict[str, str] = {}
        self._producer_defaults = producer_defaults
        self._attr_of: Callable[[Any], Any] = graph._proto_maker("python_attr")
        # In one step, because another thread may add nodes.
        names = set(graph._nodes_by_name)
        self._taken = names | _scopes_of(names)
        self._own: set[str] = set()
        self._producer = GRAPH_DEF_VERSION

    def run(self, graph_def: Any) -> None:
        """Makes all nodes, inputs before their consumers, otherwise in the given order."""
        nodes = list(graph_def.node)
        self._producer = graph_def.versions.producer
        position: dict[str, int] = {}
        for i, node in enumerate(nodes):
            if not self.extends and not _NODE_NAME.match(node.name):
                raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
            if node.name in position:
                raise ValueError(f"Node '{node.name}' is not unique")
            position[node.name] = i
        if self._taken:
            self._own = set(position) | _scopes_of(position)
        waits = [0] * len(nodes)
        consumers: list[list[int]] = [[] for _ in nodes]
        next_iterations = {node.name for node in nodes if node.op in _NEXT_ITERATION}
        for i, node in enumerate(nodes):
            if not self.extends:
                _check_colocation(node, position)
            for text, source in self._sources(node):
                if source not in position:
                    if self.extends and source in self.ops:
                        continue
                    raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                if node.op in _MERGE and source in next_iterations:
                    # A loop: the node is made without this input, which is added at the end.
                    continue
                consumers[position[source]].append(i)
                waits[i] += 1
        ready = [i for i, count in enumerate(waits) if not count]
        made = 0
        scopes = self.graph._scopes
        controllers, devices, context = scopes.controllers, scopes.devices, scopes.context
        # Blocks of control dependencies and devices, branches and loops apply to the import as a
        # whole.
        scopes.controllers, scopes.devices, scopes.context = [], [], None
        try:
            while ready:
                i = heapq.heappop(ready)
                op = self.ops[nodes[i].name] = self._make(nodes[i])
                if self.extends:
                    # It was made by another program, whose lines are not known.
                    op._stack = ()
                made += 1
                for consumer in consumers[i]:
                    waits[consumer] -= 1
                    if not waits[consumer]:
                        heapq.heappush(ready, consumer)
        finally:
            scopes.controllers, scopes.devices, scopes.context = controllers, devices, context
        if made < len(nodes):
            raise ValueError(f"{len(nodes) - made} nodes in a cycle")
        for op, index, node, text in self._back_edges:
            op._update_input(index, self._input(node, text))
        for op in self.ops.values() if controllers or context is not None else ():
            if controllers:
                op._add_control_inputs(self.graph._control_dependencies_for_inputs(op._inputs))
            if context is not None:
                self.graph._bring_inputs_in(op)
        self._place(nodes, bool(devices))

    def _sources(self, node: Any) -> Iterable[tuple[str, str]]:
        """The inputs that are nodes of the GraphDef: (text, name of the node)."""
        controls = False
        for text in node.input:
            if text.startswith("^"):
                controls = True
                if text not in self.mapped:
                    yield text, text[1:]
                continue
            if controls:
                raise ValueError(
                    f"Node '{node.name}': Control dependencies must come after regular dependencies"
                )
            if (text if ":" in text else f"{text}:0") not in self.mapped:
                name, _, index = text.partition(":")
                yield text, name if not index or index.isdigit() else text

    def _new_name(self, name: str) -> str:
        full = self.prefix + name
        if full not in self._taken:
            return full
        count = 1
        unique = f"{full}_{count}"
        while unique in self._taken or unique in self._own:
            count += 1
            unique = f"{full}_{count}"
        return unique

    def _make(self, node: Any) -> Operation:
        if not is_registered(node.op) and not self.graph._is_function(node.op):
            raise errors.NotFoundError(
                None,
                None,
                f"Op type not registered '{node.op}' in binary running on {platform.node()}. Make "
                "sure the Op and Kernel are registered in the binary running in this process.",
                hint=f"node '{node.name}' of the GraphDef needs it.",
            )
        record = self.graph._record_of(node.op)
        name = self._new_name(node.name)
        inputs: list[Tensor] = []
        controls: list[Operation] = []
        later: list[int] = []
        for text in node.input:
            if text.startswith("^"):
                controls.append(self._control(text))
            elif node.op in _MERGE and self._is_missing(text):
                later.append(len(inputs) + len(later))
            else:
                inputs.append(self._input(node, text))
        if later and not inputs:
            raise ValueError(f"Node '{node.name}': all inputs are nodes in a cycle")
        for position in later:
            # A placeholder of the same type stands in for it.
            inputs.insert(position, inputs[0])
        attrs = self._attrs(record, node, name)
        if node.op == "Placeholder" and attrs["shape"] == () and self._producer < _SCALARS_SINCE:
            attrs["shape"] = None
        _check_inputs(record, attrs, inputs, name)
        self.graph.take_name(name)
        try:
            op = make_node(self.graph, record, inputs, attrs, name)
        except NotImplementedError as error:
            raise errors.UnimplementedError(None, None, str(error)) from None
        op._control_inputs.extend(c for c in controls if c not in op._control_inputs)
        if later:
            op._outputs[0]._shape = None
            self._back_edges.extend((op, i, node, node.input[i]) for i in later)
        if "_output_shapes" in node.attr:
            _add_known_shapes(op, node.attr["_output_shapes"])
        return op

    def _is_missing(self, text: str) -> bool:
        """Whether an input is a node that has not been made yet."""
        return _canonical(text) not in self.mapped and text.partition(":")[0] not in self.ops

    def _control(self, text: str) -> Operation:
        if text in self.mapped:
            self.used.add(text)
            target = self.mapped[text]
            return target if isinstance(target, Operation) else target.op
        return self.ops[text[1:]]

    def _input(self, node: Any, text: str) -> Tensor:
        if self.mapped and (key := _canonical(text)) in self.mapped:
            self.used.add(key)
            tensor: Tensor = self.mapped[key]
            return tensor
        source, _, index = text.partition(":")
        op = self.ops[source]
        position = int(index or 0)
        if position >= len(op._outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {position} of source node "
                f"{source} which has {len(op._outputs)} outputs."
            )
        return op._outputs[position]

    def _attrs(self, record: OpRecord, node: Any, name: str) -> dict[str, Any]:
        schema = record.schema.attr
        attrs: dict[str, Any] = {}
        for key, proto in node.attr.items():
            if key == "_output_shapes":
                continue
            if key == "_class":
                attrs[key] = [self._group(g.decode()) for g in proto.list.s]
                continue
            if key not in schema and not key.startswith("_"):
                default = self._producer_defaults.get((node.op, key))
                if default == proto.SerializeToString(deterministic=True):
                    continue
                raise ValueError(
                    f"NodeDef mentions attr '{key}' not in {signature(record)}; NodeDef: "
                    f"{{{{node {name}}}}}. (Check whether your "
                    "GraphDef-interpreting binary is up to date with your GraphDef-generating "
                    "binary.)."
                )
            if key in schema:
                if proto.WhichOneof("value") is None and schema[key].default is not REQUIRED:
                    continue  # the default, as if the attr were missing
                check_attr(record, schema[key], proto, name)
            attrs[key] = self._attr_of(proto)
        ordered: dict[str, Any] = {}
        for spec in record.schema.attrs:
            if spec.name in attrs:
                ordered[spec.name] = attrs.pop(spec.name)
            elif spec.default is not REQUIRED:
                ordered[spec.name] = spec.default
            else:
                raise ValueError(
                    f"NodeDef missing attr '{spec.name}' from {signature(record)}; NodeDef: "
                    f"{{{{node {name}}}}}"
                )
        return {**ordered, **attrs}

    def _group(self, group: str) -> str:
        """A colocation group; those of the GraphDef's nodes follow them to their new names."""
        if not group.startswith("loc:@"):
            return group
        op = self.ops.get(group[5:])
        return f"loc:@{self._new_name(group[5:]) if op is None else op._name}"

    def _place(self, nodes: list[Any], in_device_block: bool) -> None:
        """Takes over the devices; device blocks of the program fill in unspecified fields."""
        apart: list[tuple[Operation, list[str]]] = []
        for node in nodes:
            op = self.ops[node.name]
            groups = op._attrs.get("_class")
            others = [g[5:] for g in groups or () if g.startswith("loc:@") and g[5:] != op._name]
            if others:
                apart.append((op, others))
                continue
            if node.device:
                op._device = canonical_name(node.device)
            if in_device_block:
                self.graph._apply_device_functions(op)
        for op, others in apart:
            found = [self.graph._nodes_by_name[n] for n in others if n in self.graph._nodes_by_name]
            op._device = next((other._device for other in found if other._device), "")

    def knows(self, name: str) -> bool:
        """Whether an input of this name was mapped, or could have been."""
        if name in self.used:
            return True
        source, _, index = name.partition(":")
        op = self.ops.get(source)
        return op is not None and index.isdigit() and int(index) < len(op._outputs)

    def element(self, name: str) -> Any:
        """The op or tensor that a name of the GraphDef stands for now."""
        op_name, colon, index = name.partition(":")
        if colon and _canonical(name) in self.mapped:
            return self.mapped[_canonical(name)]
        op = self.ops.get(op_name)
        if op is None:
            kind, what = ("tensor", name) if colon else ("node", op_name)
            raise ValueError(f"Requested return {kind} '{what}' not found in graph def")
        if not colon:
            return op
        if int(index) >= len(op._outputs):
            raise ValueError(
                f"Invalid return output {index} of node '{op_name}', which has "
                f"{len(op._outputs)} output(s)"
            )
        return op._outputs[int(index)]


def _scopes_of(names: Iterable[str]) -> set[str]:
    """The scopes that full names stand in."""
    scopes: set[str] = set()
    for name in names:
        end = name.rfind("/")
        while end > 0 and name[:end] not in scopes:
            scopes.add(name[:end])
            end = name.rfind("/", 0, end)
    return scopes


def _check_colocation(node: Any, position: dict[str, int]) -> None:
    if "_class" not in node.attr:
        return
    for group in node.attr["_class"].list.s:
        other = group.decode()[5:]
        if group.startswith(b"loc:@") and other not in position:
            raise ValueError(
                f"Node '{node.name}' expects to be colocated with unknown node '{other}'"
            )


def _add_known_shapes(op: Operation, proto: Any) -> None:
    """Adds the static shapes that the GraphDef gives."""
    for i, (tensor, shape) in enumerate(zip(op._outputs, proto.list.shape)):
        try:
            tensor.set_shape(shape)
        except ValueError as error:
            if op.type in _MAY_DISAGREE:
                tensor._shape = as_tuple(shape)
                continue
            raise ValueError(
                f"Node '{op._name}' has an _output_shapes attribute inconsistent with the GraphDef "
                f"for output #{i}: {error}"
            ) from None


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
            f"{signature(record)}; NodeDef: {{{{node {name}}}}}"
        )
    for i, (dtype, tensor) in enumerate(zip(wanted, inputs)):
        if tensor._dtype.base_dtype is not dtype:
            raise ValueError(
                f"Input {i} of node {name} was passed {proto_name(tensor._dtype.base_dtype)} "
                f"from {tensor.name} incompatible with expected {proto_name(dtype)}."
            )
