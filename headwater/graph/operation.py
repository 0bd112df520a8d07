"""Nodes of a graph and the tensors on their outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.base.typing import Shape
from headwater.graph import stacks, traceback
from headwater.graph.graph_base import GraphBase
from headwater.graph.reference import Reference
from headwater.graph.registry import OpRecord


class _InputList(tuple[Any, ...]):
    """The inputs of an op, for reading; parts of it are lists."""

    __slots__ = ()

    def __getitem__(self, i: Any) -> Any:
        found = tuple.__getitem__(self, i)
        return list(found) if isinstance(i, slice) else found


@export("Operation")
class Operation:
    """A node of a graph; programs make them by the functions that build ops.

    Args:
        node_def: a NodeDef with the name, the op type, attrs and a device.
        g: the Graph.
        inputs: a list of Tensors.
        output_types: ignored, the types follow from the op type and the attrs.
        control_inputs: Operations or Tensors that have run before.
        input_types: the types that the inputs must have.
        original_op: the Operation that this one stands for.
        op_def: ignored, op types are looked up in the registry.

    Raises:
        TypeError: if an argument is of a wrong kind.
        ValueError: if the name is not valid, or the parts do not fit.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_attrs",
        "_control_flow_context",
        "_control_inputs",
        "_device",
        "_graph",
        "_id_value",
        "_inputs",
        "_name",
        "_original_op",
        "_outputs",
        "_record",
        "_stack",
    )

    def __init__(
        self,
        node_def: Any,
        g: Any,
        inputs: Any = None,
        output_types: Any = None,
        control_inputs: Any = None,
        input_types: Any = None,
        original_op: Any = None,
        op_def: Any = None,
    ) -> None:
        maker = getattr(g, "_proto_maker", None)
        if maker is None:
            raise TypeError(f"g needs to be a Graph: {g}")
        maker("operation")(self, node_def, g, inputs, control_inputs, input_types, original_op)

    def _fill(
        self,
        graph: GraphBase,
        record: OpRecord,
        name: str,
        inputs: tuple[Tensor, ...],
        control_inputs: list[Operation],
        attrs: dict[str, Any],
        output_types: list[DType],
        op_id: int,
    ) -> None:
        """Sets all fields; `Graph.add_node` is the only caller."""
        self._graph = graph
        self._record = record
        self._name = name
        self._inputs = inputs
        self._control_inputs = control_inputs
        self._attrs = attrs
        self._control_flow_context: Any = None
        self._device = ""
        self._id_value = op_id
        self._original_op: Operation | None = None
        self._stack = traceback.capture(3)
        self._outputs = [Tensor(self, i, dtype) for i, dtype in enumerate(output_types)]
        for tensor in inputs:
            tensor._add_consumer(self)

    @property
    def name(self) -> str:
        """The full name of this op."""
        return self._name

    @property
    def type(self) -> str:
        """The op type, e.g. ``"MatMul"``."""
        return self._record.name

    @property
    def graph(self) -> GraphBase:
        """The Graph that contains this op."""
        return self._graph

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The data inputs."""
        return _InputList(self._inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors on the outputs."""
        return self._outputs

    @property
    def control_inputs(self) -> list[Operation]:
        """The ops that must run before this one."""
        return list(self._control_inputs)

    @property
    def device(self) -> str:
        """The device name that this op asks for, or an empty string."""
        return self._device

    @property
    def _id(self) -> int:
        return self._id_value

    @property
    def traceback(self) -> list[tuple[str, int, str, str]]:
        """The call stack that made this op, outermost frame first: (file, line, function, text)."""
        return traceback.lines(self._stack)

    @property
    def traceback_with_start_lines(self) -> list[tuple[str, int, str, str, int]]:
        """As `traceback`, with the line in which each function begins as a fifth element."""
        return traceback.lines_with_starts(self._stack)

    @property
    def op_def(self) -> Any:
        """The OpDef proto of this op's type."""
        return self._graph._proto_maker("op_def")(self._record)

    @property
    def node_def(self) -> Any:
        """This op as a NodeDef proto."""
        return self._graph._proto_maker("node_def")(self)

    # TensorFlow's names, which libraries use.

    @property
    def _op_def(self) -> Any:
        return self.op_def

    @property
    def _node_def(self) -> Any:
        return self.node_def

    @property
    def _traceback(self) -> list[tuple[str, int, str, str]]:
        return self.traceback

    @property
    def _is_stateful(self) -> bool:
        return self._record.stateful

    def values(self) -> tuple[Tensor, ...]:
        """The outputs as a tuple."""
        return tuple(self._outputs)

    def get_attr(self, name: str) -> Any:
        """The value of an attr as TensorFlow's Python API gives it (strings as bytes).

        Raises:
            ValueError: if this op has no such attr.
        """
        try:
            value = self._attrs[name]
        except KeyError:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.") from None
        spec = self._record.schema.attr.get(name)
        kind = spec.type if spec else ""
        if kind in ("shape", "list(shape)", "tensor", "list(tensor)", "func"):
            return self._graph._proto_maker("attr")(kind, value)
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, (list, tuple)):
            return [v.encode() if isinstance(v, str) else v for v in value]
        return value

    def _set_attr(self, name: str, attr_value: Any) -> None:
        """Sets an attr from an AttrValue proto."""
        self._attrs[name] = self._graph._proto_maker("python_attr")(attr_value)

    def _clear_attr(self, name: str) -> None:
        """Removes an attr."""
        self._attrs.pop(name, None)
        self._graph._changed()

    def colocation_groups(self) -> list[bytes]:
        """The colocation groups that this op belongs to, as ``[b"loc:@name"]``."""
        groups = [g for g in self._attrs.get("_class", ()) if g.startswith("loc:@")]
        return [g.encode() for g in groups] or [f"loc:@{self._name}".encode()]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs this op in a session.

        Args:
            feed_dict: values for tensors, as for `Session.run`.
            session: the session; the default session if None.

        Raises:
            ValueError: if there is no session, or it belongs to another graph.
        """
        stacks.session_for(self._graph, session, "execute operation").run(self, feed_dict)

    def _set_device(self, device: Any) -> None:
        self._device = device if isinstance(device, str) else device.to_string()

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: list[Operation]) -> None:
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if op._graph is not self._graph:
                raise ValueError(f"{op} must be from the same graph as {self}.")
            if op not in self._control_inputs:
                self._control_inputs.append(op)
        self._graph._changed()

    def _remove_all_control_inputs(self) -> None:
        self._control_inputs.clear()
        self._graph._changed()

    @property
    def _control_outputs(self) -> list[Operation]:
        """The ops that run after this one because of a control edge."""
        return [op for op in self._graph.get_operations() if self in op._control_inputs]

    @property
    def _input_types(self) -> list[DType]:
        """The types that the op type asks for; `_ref` where it changes a variable."""
        types: list[DType] = []
        for arg in self._record.schema.inputs:
            if arg.type_list_attr:
                types.extend(self._attrs[arg.type_list_attr])
                continue
            dtype = arg.type_in(self._attrs)
            types.extend([dtype._as_ref if arg.is_ref else dtype] * arg.length_in(self._attrs))
        return types

    _input_dtypes = _input_types

    @property
    def _output_types(self) -> list[int]:
        return [tensor._dtype.as_datatype_enum for tensor in self._outputs]

    def _update_input(self, index: int, tensor: Tensor) -> None:
        """Replaces one data input."""
        if tensor.graph is not self._graph:
            raise ValueError(f"{tensor} must be from the same graph as {self}.")
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if index >= len(self._inputs):
            raise errors.OutOfRangeError(
                None,
                None,
                f"Cannot update edge. Input index [{index}] is greater than the number of total "
                f"inputs [{len(self._inputs)}].",
            )
        old = self._inputs[index]
        if not _compatible(tensor._shape, old._shape):
            shapes = [str(list(t._shape or ())).replace(" ", "") for t in (tensor, old)]
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Cannot update edge, incompatible shapes: {shapes[0]} and {shapes[1]}.",
            )
        self._inputs = (*self._inputs[:index], tensor, *self._inputs[index + 1 :])
        old._consumers.remove(self)
        tensor._add_consumer(self)
        self._graph._changed()

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that this op belongs to, or None."""
        return self._control_flow_context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._control_flow_context = ctx
        self._graph._has_contexts = True

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self._name}' type={self.type}>"


def _compatible(a: Shape, b: Shape) -> bool:
    """Whether two static shapes may be those of one value."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(m is None or n is None or m == n for m, n in zip(a, b))


@export("Tensor")
class Tensor:
    """One output of an Operation: a handle to a value that a session computes."""

    __slots__ = ("__dict__", "__weakref__", "_consumers", "_dtype", "_op", "_shape", "_value_index")

    # So that NumPy leaves `array + tensor` to the operators of this class.
    __array_priority__ = 100

    OVERLOADABLE_OPERATORS = {  # noqa: RUF012 (the name and kind are TensorFlow's)
        *(f"__{n}__" for n in "add radd sub rsub mul rmul div rdiv truediv rtruediv".split()),
        *(f"__{n}__" for n in "floordiv rfloordiv mod rmod pow rpow matmul rmatmul".split()),
        *(f"__{n}__" for n in "lt le gt ge and rand or ror xor rxor".split()),
        *(f"__{n}__" for n in "getitem invert neg abs".split()),
    }

    if TYPE_CHECKING:
        # The op files set the operators, by `_override_operator`.

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __div__(self, other: Any) -> Tensor: ...
        def __rdiv__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __getitem__(self, item: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...

    def __init__(self, op: Operation, value_index: int, dtype: DType) -> None:
        if not isinstance(op, Operation):
            raise TypeError(f"op needs to be an Operation: {op}")
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self._shape: Shape = None
        self._consumers: list[Operation] = []

    @property
    def op(self) -> Operation:
        """The Operation that produces this tensor."""
        return self._op

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def graph(self) -> GraphBase:
        """The Graph that contains this tensor."""
        return self._op._graph

    @property
    def name(self) -> str:
        """The name, ``op_name:output_index``."""
        return f"{self._op._name}:{self._value_index}"

    @property
    def device(self) -> str:
        """The device name that the producing op asks for."""
        return self._op._device

    @property
    def value_index(self) -> int:
        """The position among the outputs of the producing op."""
        return self._value_index

    @property
    def shape(self) -> TensorShape:
        """The static shape, possibly with unknown parts."""
        return TensorShape(self._shape)

    def get_shape(self) -> TensorShape:
        """The static shape, possibly with unknown parts."""
        return TensorShape(self._shape)

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self._shape is None else list(self._shape)

    def _shape_tuple(self) -> Shape:
        return self._shape

    def _rank(self) -> int | None:
        return None if self._shape is None else len(self._shape)

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge to the static shape.

        Args:
            shape: anything that describes a shape.

        Raises:
            ValueError: if it does not fit what is known already.
        """
        self._shape = _merged(self._shape, as_tuple(shape))

    def consumers(self) -> list[Operation]:
        """The ops that take this tensor as an input, once for each such input."""
        return list(self._consumers)

    def _add_consumer(self, op: Operation) -> None:
        self._consumers.append(op)

    def _as_tf_output(self) -> Tensor:
        """This tensor: there is no C library with objects of its own for tensors."""
        return self

    def _as_node_def_input(self) -> str:
        return f"{self._op._name}:{self._value_index}" if self._value_index else self._op._name

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Computes this tensor in a session.

        Args:
            feed_dict: values for tensors, as for `Session.run`.
            session: the session; the default session if None.

        Returns:
            The value as a NumPy array or scalar.

        Raises:
            ValueError: if there is no session, or it belongs to another graph.
        """
        return stacks.session_for(self.graph, session, "evaluate tensor").run(self, feed_dict)

    @staticmethod
    def _override_operator(operator: str, function: Any) -> None:
        """Makes `function` the meaning of a Python operator on tensors."""
        setattr(Tensor, operator, function)

    def __iter__(self) -> Any:
        raise errors.OperatorNotAllowedInGraphError(
            "iterating over `tf.Tensor` is not allowed in Graph execution. Use Eager execution or "
            "decorate this function with @tf.function.\nHint: tf.map_fn and tf.unstack go over the "
            "elements; `for` does in functions given to tf.function, Dataset.map or "
            "tf.autograph.to_graph. (A `Tensor` object is not iterable.)"
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for symbolic Tensors. ({self.name}) Please call `x.shape` "
            "rather than `len(x)` for shape information."
        )

    def __bool__(self) -> bool:
        raise errors.OperatorNotAllowedInGraphError(
            "using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Use Eager "
            "execution or decorate this function with @tf.function.\nHint: `if t is not None:` "
            "tests whether there is a tensor; tf.cond(t, true_fn, false_fn) goes by its value, and "
            "tf.while_loop repeats. In functions given to tf.function, Dataset.map or "
            "tf.autograph.to_graph, `if` and `while` do so."
        )

    __nonzero__ = __bool__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."
        )

    def __copy__(self) -> Tensor:
        return self

    def experimental_ref(self) -> Reference:
        """A hashable reference to this tensor; two are equal if they mean one tensor."""
        return Reference(self)

    def __str__(self) -> str:
        shape = "" if self._shape is None else f", shape={self.get_shape()}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.get_shape()} dtype={self._dtype.name}>"


def _merged(known: Shape, given: Shape) -> Shape:
    """What is known of a shape that is both `known` and `given`."""
    if known is None or given is None:
        return given if known is None else known
    if len(known) != len(given):
        raise ValueError(f"Shapes must be equal rank, but are {len(known)} and {len(given)}")
    for i, (a, b) in enumerate(zip(known, given)):
        if a is not None and b is not None and a != b:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {a} and {b}. Shapes are "
                f"{_show(known)} and {_show(given)}."
            )
    return tuple(b if a is None else a for a, b in zip(known, given))


def _show(shape: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"
