"""Functions that make nodes, one per op type, derived from the schemas.

``build.MatMul(a, b, transpose_a=True, name="product")`` converts its inputs, works out the type
attrs, checks everything as TensorFlow does, and adds the node with its static shapes.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import as_tuple
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import get_default_graph
from headwater.graph.graph import Graph
from headwater.graph.graph_base import proto_makers
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, lookup
from headwater.graph.schema import REQUIRED, Arg, Attr
from headwater.graph.shapes import ShapeContext


def function_name(op_type: str) -> str:
    """The name of the generated function of an op type: ``max_pool_v2`` of ``MaxPoolV2``."""
    return _NEW_WORD.sub("_", op_type).lower()


# Words begin at an upper letter that has a lower one before or after it.
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])")


class Builder:
    """Makes nodes of one op type."""

    def __init__(self, record: OpRecord) -> None:
        self.record = record
        self.__name__ = function_name(record.name)
        schema = record.schema
        self._args = schema.inputs
        self._attrs = schema.attrs
        self._input_names = [arg.name for arg in schema.inputs]
        self._inferred = schema.inferred_attrs
        self._ref_positions = [i for i, arg in enumerate(schema.inputs) if arg.is_ref]
        self._free_attrs = [a for a in schema.attrs if a.name not in self._inferred]
        # The positional order of TensorFlow's generated functions: inputs, attrs without a
        # default, attrs with one.
        required = [a.name for a in self._free_attrs if a.default is REQUIRED]
        optional = [a.name for a in self._free_attrs if a.default is not REQUIRED]
        self.argument_names = [*self._input_names, *required, *optional]
        self._result = (
            namedtuple(record.name, [arg.name for arg in schema.outputs])
            if len(schema.outputs) > 1
            else None
        )

    def __call__(self, *args: Any, name: str | None = None, **attrs: Any) -> Any:
        """Makes a node.

        Args:
            *args: the inputs in schema order (then attrs).
            name: the name of the node.
            **attrs: inputs and attrs by name.

        Returns:
            The output tensor, a named tuple of outputs (lists where the schema has lists), or the
            Operation if there are no outputs.

        Raises:
            TypeError: if an input or attr is of a wrong type.
            ValueError: if a value or the shapes do not fit.
        """
        op = self.node(args, name, attrs)
        return self.results(op)

    def node(self, args: Sequence[Any], name: str | None, attrs: dict[str, Any]) -> Operation:
        """Makes a node and returns the Operation."""
        if len(args) > len(self._args):
            for key, value in zip(self.argument_names[len(self._args) :], args[len(self._args) :]):
                attrs[key] = value
        values = list(args[: len(self._args)])
        for arg in self._input_names[len(values) :]:
            if arg not in attrs:
                raise TypeError(f"No argument for input {arg} of op {self.record.name}")
            values.append(attrs.pop(arg))
        graph = _graph_of(values)
        full_name = graph.new_name(name or self.record.name)
        inputs, found = self._convert_inputs(graph, full_name, values, attrs)
        checked = self._check_attrs(attrs, found)
        if graph._scopes.context is not None:
            # The nodes that bring the inputs into a branch or loop are named after this node.
            with graph.name_scope(f"{full_name}/"):
                return self._placed(graph, inputs, checked, full_name)
        return self._placed(graph, inputs, checked, full_name)

    def _placed(
        self,
        graph: Graph,
        inputs: list[Tensor],
        checked: dict[str, Any],
        full_name: str,
    ) -> Operation:
        if not self._ref_positions:
            return make_node(graph, self.record, inputs, checked, full_name)
        with ExitStack() as placed:
            # Ops that change variables are placed with them.
            for i in self._ref_positions:
                placed.enter_context(graph.colocate_with(inputs[i]._op))
            return make_node(graph, self.record, inputs, checked, full_name)

    def results(self, op: Operation) -> Any:
        """The outputs of a node in the form that the builder returns."""
        outputs = op._outputs
        if self._result is None:
            schema_outputs = self.record.schema.outputs
            if not schema_outputs:
                return op
            return list(outputs) if schema_outputs[0].is_list else outputs[0]
        return self._result(*_grouped_outputs(self.record, op))

    # Inputs

    def _convert_inputs(
        self, graph: Graph, full_name: str, values: list[Any], attrs: dict[str, Any]
    ) -> tuple[list[Tensor], dict[str, Any]]:
        found: dict[str, Any] = {}
        for attr in self._inferred:
            if attr in attrs and attrs[attr] is not None:
                value = attrs.pop(attr)
                found[attr] = (
                    [as_dtype(v) for v in value]
                    if isinstance(value, (list, tuple))
                    else as_dtype(value)
                    if self.record.schema.attr[attr].type == "type"
                    else value
                )
        inputs: list[Tensor] = []
        scopes = graph._scopes
        old_scope = scopes.name
        scopes.name = full_name
        is_default = get_default_graph() is graph
        try:
            with nullcontext() if is_default else graph.as_default():
                for arg, value in zip(self._args, values):
                    if arg.is_list:
                        inputs.extend(self._convert_list(arg, value, found))
                    else:
                        inputs.append(self._convert_one(arg, value, found))
        finally:
            scopes.name = old_scope
        return inputs, found

    def _convert_one(self, arg: Arg, value: Any, found: dict[str, Any]) -> Tensor:
        wanted = arg.dtype or found.get(arg.type_attr or "")
        if type(value) is Tensor:
            tensor = value
        else:
            tensor = self._converted(arg, value, wanted)
        self._check_reference(arg, tensor)
        base = tensor._dtype.base_dtype
        if wanted is None:
            self._check_allowed(arg, base)
            found[arg.type_attr] = base  # type: ignore[index]
        elif base is not wanted:
            self._fail_type(arg, base, wanted)
        return tensor

    def _check_reference(self, arg: Arg, tensor: Tensor) -> None:
        if arg.is_ref and not tensor._dtype._is_ref_dtype:
            raise TypeError(
                f"'{self.record.name}' Op requires that input '{arg.name}' be a mutable tensor "
                "(e.g.: a tf.Variable)"
            )

    def _converted(self, arg: Arg, value: TensorLike, wanted: DType | None) -> Tensor:
        preferred = None
        if wanted is None and arg.type_attr:
            default = self.record.schema.attr[arg.type_attr].default
            preferred = None if default is REQUIRED else default
        try:
            return to_tensor(value, wanted, arg.name, preferred, arg.is_ref)
        except TypeError as error:
            if wanted is None:
                raise
            if hasattr(value, "_as_graph_element"):
                self._fail_type(arg, value.dtype.base_dtype, wanted)
            raise TypeError(
                f"Expected {wanted.name} passed to parameter '{arg.name}' of op "
                f"'{self.record.name}', got {value!r} of type '{type(value).__name__}' instead. "
                f"Error: {error}"
            ) from None
        except ValueError as error:
            if value is None:
                raise ValueError(
                    f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}"
                ) from None
            if wanted is not None and hasattr(value, "_as_graph_element"):
                self._fail_type(arg, value.dtype.base_dtype, wanted)
            raise

    def _fail_type(self, arg: Arg, actual: DType, wanted: DType) -> None:
        text = (
            f"Input '{arg.name}' of '{self.record.name}' Op has type {actual.name} that does not "
            "match "
        )
        if arg.dtype is not None:
            raise TypeError(f"{text}expected type of {wanted.name}.")
        first = next(a.name for a in self._args if a.type_attr == arg.type_attr)
        source = (
            f"type {wanted.name} of argument '{first}'."
            if first != arg.name
            else f"expected type of {wanted.name}."
        )
        raise TypeError(text + source)

    def _check_allowed(self, arg: Arg, dtype: DType) -> None:
        allowed = self.record.schema.attr[arg.type_attr or arg.type_list_attr or ""].allowed
        if allowed is not None and dtype not in allowed:
            names = ", ".join(d.name for d in allowed)
            raise TypeError(
                f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of "
                f"allowed values: {names}"
            )

    def _convert_list(self, arg: Arg, value: Any, found: dict[str, Any]) -> list[Tensor]:
        if not isinstance(value, (list, tuple)):
            shown = value if arg.type_list_attr else repr(value)
            raise TypeError(
                f"Expected list for '{arg.name}' argument to '{self.record.name}' Op, not {shown}."
            )
        if arg.type_list_attr:
            return self._convert_any_types(arg, value, found)
        self._check_length(arg, arg.number_attr or "", len(value))
        known_count = found.setdefault(arg.number_attr or "", len(value))
        if known_count != len(value):
            raise ValueError(
                f"List argument '{arg.name}' to '{self.record.name}' Op with length {len(value)} "
                f"must match length {known_count} of argument "
                f"'{next(a.name for a in self._args if a.number_attr == arg.number_attr)}'."
            )
        wanted = dtype = arg.dtype or found.get(arg.type_attr or "")
        if dtype is None:
            dtype = next(
                (
                    v.dtype.base_dtype
                    for v in value
                    if isinstance(v, Tensor) or hasattr(v, "_as_graph_element")
                ),
                None,
            )
        try:
            tensors = []
            for i, item in enumerate(value):
                tensors.append(to_tensor(item, dtype, f"{arg.name}_{i}", as_ref=arg.is_ref))
                dtype = dtype or tensors[0]._dtype.base_dtype
        except (TypeError, ValueError):
            types = [_type_name(item) for item in value]
            text = (
                f"Tensors in list passed to '{arg.name}' of '{self.record.name}' Op have types "
                f"[{', '.join(types)}] that do"
            )
            if arg.dtype is not None:
                raise TypeError(f"{text} not match expected type {arg.dtype.name}.") from None
            if wanted is not None:
                raise TypeError(
                    f"{text} not match type {wanted.name} inferred from earlier arguments."
                ) from None
            if len(set(types)) > 1:
                raise TypeError(f"{text}n't all match.") from None
            raise
        for tensor in tensors:
            self._check_reference(arg, tensor)
        if arg.type_attr and arg.type_attr not in found:
            if dtype is None:
                dtype = self.record.schema.attr[arg.type_attr].default
                if dtype is REQUIRED:
                    raise TypeError(
                        "Don't know how to infer type variable from empty input list passed to "
                        f"input '{arg.name}' of '{self.record.name}' Op."
                    )
            self._check_allowed(arg, dtype)
            found[arg.type_attr] = dtype
        return tensors

    def _convert_any_types(self, arg: Arg, values: Any, found: dict[str, Any]) -> list[Tensor]:
        """The tensors of a list of several types."""
        attr = arg.type_list_attr or ""
        known = found.get(attr)
        wanted = known if known is not None and len(known) == len(values) else [None] * len(values)
        names = [f"{arg.name}_{i}" for i in range(len(values))]
        try:
            tensors = [to_tensor(*parts) for parts in zip(values, wanted, names)]
            matches = known is None or len(known) == len(values)
        except (TypeError, ValueError):
            if known is None:
                raise
            tensors = [to_tensor(value, None, name) for value, name in zip(values, names)]
            matches = False
        types = [tensor._dtype.base_dtype for tensor in tensors]
        if not matches:
            first = next(a.name for a in self._args if a.type_list_attr == attr)
            raise TypeError(
                f"Input '{arg.name}' of '{self.record.name}' Op has type list of "
                f"{', '.join(t.name for t in types)} that does not match type list "
                f"{', '.join(t.name for t in known or ())} of argument '{first}'."
            )
        self._check_length(arg, attr, len(tensors))
        for dtype in types:
            self._check_allowed(arg, dtype)
        found[attr] = types
        return tensors

    def _check_length(self, arg: Arg, attr_name: str, length: int) -> None:
        minimum = self.record.schema.attr[attr_name].minimum
        if minimum is not None and length < minimum:
            raise ValueError(
                f"List argument '{arg.name}' to '{self.record.name}' Op with length {length} "
                f"shorter than minimum length {minimum}."
            )

    # Attrs

    def _check_attrs(self, given: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for attr in self._attrs:
            name = attr.name
            if name in found:
                result[name] = found[name]
            elif given.get(name) is not None or (
                name in given and (attr.type == "shape" or attr.default is REQUIRED)
            ):
                result[name] = attr_value(self.record.name, attr, given.pop(name))
            elif attr.default is not REQUIRED:
                given.pop(name, None)
                result[name] = attr.default
            else:
                raise TypeError(f"No argument for attr {name} of op {self.record.name}")
        for name, value in given.items():
            if not name.startswith("_"):
                raise TypeError(
                    f"'{self.record.name}' Op got an unexpected keyword argument '{name}'"
                )
            result[name] = value
        return result


def make_node(
    graph: Graph,
    record: OpRecord,
    inputs: Sequence[Tensor],
    attrs: dict[str, Any],
    full_name: str,
    op: Operation | None = None,
) -> Operation:
    """Adds a node with complete attrs and infers its static shapes."""
    for tensor in inputs:
        if tensor._op._graph is not graph:
            inputs = graph._brought(inputs, full_name)
            _check_references(record, attrs, inputs, full_name)
            break
    shapes: Any = record.shape(ShapeContext(record, inputs, attrs, full_name))
    types = output_types(record, attrs)
    op = graph.add_node(record, tuple(inputs), attrs, types, full_name, op)
    if shapes is NotImplemented:
        return op
    if len(types) == 1 and not isinstance(shapes, list):
        op._outputs[0]._shape = shapes
        return op
    for tensor, shape in zip(op._outputs, shapes, strict=True):
        tensor._shape = shape
    return op


def _check_references(
    record: OpRecord, attrs: dict[str, Any], inputs: Sequence[Tensor], name: str
) -> None:
    """Checks that what an op of a function updates was not captured, which makes it a value.

    Raises:
        TypeError: if it was.
    """
    arguments = record.schema.inputs
    if not any(argument.is_ref for argument in arguments):
        return
    wanted: list[DType] = []
    for argument in arguments:
        if argument.type_list_attr:
            wanted.extend(attrs[argument.type_list_attr])
            continue
        dtype = argument.type_in(attrs)
        dtype = dtype._as_ref if argument.is_ref else dtype
        wanted.extend([dtype] * argument.length_in(attrs))
    if any(w._is_ref_dtype and not t._dtype._is_ref_dtype for w, t in zip(wanted, inputs)):
        found = [tensor._dtype for tensor in inputs]
        raise TypeError(
            f"In op '{name}', input types ({found}) are not compatible with expected types "
            f"({wanted})"
        )


def output_types(record: OpRecord, attrs: dict[str, Any]) -> list[DType]:
    """The types of the outputs, list outputs flattened."""
    types: list[DType] = []
    for arg in record.schema.outputs:
        if arg.type_list_attr:
            types.extend(attrs[arg.type_list_attr])
            continue
        dtype = arg.type_in(attrs)
        if arg.is_ref:
            dtype = dtype._as_ref
        types.extend([dtype] * arg.length_in(attrs))
    return types


def _grouped_outputs(record: OpRecord, op: Operation) -> list[Any]:
    outputs = iter(op._outputs)
    result: list[Any] = []
    for arg in record.schema.outputs:
        if not arg.is_list:
            result.append(next(outputs))
            continue
        result.append([next(outputs) for _ in range(arg.length_in(op._attrs))])
    return result


def attr_value(op_type: str, attr: Attr, value: DTypeLike) -> Any:
    """A given attr value in its checked internal form."""
    try:
        return _checked_attr(op_type, attr, value)
    except RecursionError:
        raise TypeError(
            f"Expected {attr.type} for argument '{attr.name}', not what is nested too deeply or "
            "contains itself."
        ) from None


def _checked_attr(op_type: str, attr: Attr, value: DTypeLike) -> Any:
    if attr.type.startswith("list("):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"Expected list for attr {attr.name}")
        items = [_scalar_attr(op_type, attr, attr.type[5:-1], v) for v in value]
        if attr.minimum is not None and len(items) < attr.minimum:
            raise ValueError(
                f"Attr '{attr.name}' of '{op_type}' Op passed list of length {len(items)} less "
                f"than minimum {attr.minimum}."
            )
        return items
    return _scalar_attr(op_type, attr, attr.type, value)


def _scalar_attr(op_type: str, attr: Attr, kind: str, value: DTypeLike) -> Any:
    if kind == "type":
        try:
            dtype = as_dtype(value).base_dtype
        except TypeError:
            raise TypeError(
                f"Expected DataType for argument '{attr.name}' not {value!r}."
            ) from None
        if attr.allowed is not None and dtype not in attr.allowed:
            raise TypeError(
                f"Value passed to parameter '{attr.name}' has DataType {dtype.name} not in list of "
                f"allowed values: {', '.join(d.name for d in attr.allowed)}"
            )
        return dtype
    if kind == "shape":
        try:
            return as_tuple(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Error converting {attr.name} to a TensorShape: {error}") from None
    if kind == "bool":
        if not isinstance(value, (bool,)) and type(value).__name__ not in ("bool_", "bool"):
            raise TypeError(f"Expected bool for argument '{attr.name}' not {value!r}.")
        return bool(value)
    if kind == "int":
        return _int_attr(op_type, attr, value)
    if kind == "float":
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"Expected float for argument '{attr.name}' not {value!r}.") from None
    if kind == "string":
        return _string_attr(op_type, attr, value)
    if kind == "func":
        return _function_attr(value)
    return value


def _function_attr(value: Any) -> Any:
    """The attr that names a function; one that is not yet part of the graph is added."""
    if hasattr(value, "add_to_graph"):
        value.add_to_graph(get_default_graph())
        value = value.name
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        return Graph._proto_maker("name_attr_list")(value, {})
    return value


def _int_attr(op_type: str, attr: Attr, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"Expected int for argument '{attr.name}' not {value!r}.") from None
    if isinstance(value, (str, bytes)):
        raise TypeError(f"Expected int for argument '{attr.name}' not {value!r}.")
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"Value out of range: {number}")
    if attr.minimum is not None and not attr.type.startswith("list(") and number < attr.minimum:
        raise ValueError(
            f"Attr '{attr.name}' of '{op_type}' Op passed {number} less than minimum "
            f"{attr.minimum}."
        )
    return number


def _string_attr(op_type: str, attr: Attr, value: Any) -> str | bytes:
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            undecoded: bytes = value
            return undecoded
    if not isinstance(value, str):
        raise TypeError(f"Expected string for argument '{attr.name}' not {value!r}.")
    if attr.allowed is not None and value not in attr.allowed:
        choices = '", "'.join(attr.allowed)
        raise ValueError(
            f"Attr '{attr.name}' of '{op_type}' Op passed string '{value}' not in: \"{choices}\"."
        )
    return value


def _type_name(value: TensorLike) -> str:
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        text: str = value.dtype.base_dtype.name
        return text
    try:
        return to_tensor(value)._dtype.base_dtype.name
    except (TypeError, ValueError):
        return "<NOT CONVERTIBLE TO TENSOR>"


def _graph_of(values: list[Any]) -> Graph:
    default = get_default_graph()
    if default._building_function:
        return default
    for value in values:
        if type(value) is Tensor:
            return value._op._graph  # type: ignore[return-value]
    for value in values:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            graph = getattr(item, "graph", None)
            if isinstance(graph, Graph):
                return graph
    return default


class Builders:
    """``build.X`` is the Builder of op type X."""

    def __getattr__(self, op_type: str) -> Builder:
        if op_type.startswith("_"):
            raise AttributeError(op_type)
        try:
            builder = Builder(lookup(op_type))
        except ValueError as error:
            raise AttributeError(str(error)) from None
        setattr(self, op_type, builder)
        return builder


build = Builders()


def node_of_parts(
    graph: Graph,
    record: OpRecord,
    inputs: list[Tensor],
    attrs: dict[str, Any],
    name: str,
    op: Operation | None = None,
) -> Operation:
    """A node from flat inputs; attrs that follow from the inputs may be left out."""
    complete = dict(attrs)
    position = 0
    for arg in record.schema.inputs:
        rest = inputs[position:]
        if arg.number_attr:
            complete.setdefault(arg.number_attr, len(rest))
        elif arg.type_list_attr:
            complete.setdefault(arg.type_list_attr, [t._dtype.base_dtype for t in rest])
        if arg.type_attr and arg.type_attr not in complete and position < len(inputs):
            complete[arg.type_attr] = inputs[position]._dtype.base_dtype
        position += arg.length_in(complete)
    for attr in record.schema.attrs:
        if attr.name not in complete:
            if attr.default is REQUIRED:
                raise ValueError(f"NodeDef missing attr '{attr.name}' from Op<name={record.name}>")
            complete[attr.name] = attr.default
    return make_node(graph, record, inputs, complete, name, op)


proto_makers["node"] = node_of_parts
