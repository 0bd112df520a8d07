"""The structure and the parameters of a network, as text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.contrib.specs.specs import create_net
from headwater.graph import Operation, Tensor, convert_to_tensor
from headwater.ops.array.constant import placeholder

SHORT_NAMES_SRC = (
    "BiasAdd biasadd Const _ Conv2D conv MatMul dot Placeholder _ Sigmoid sig Variable var"
).split()
SHORT_NAMES = dict(zip(SHORT_NAMES_SRC[::2], SHORT_NAMES_SRC[1::2], strict=True))
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")

export("contrib.specs.SHORT_NAMES")(SHORT_NAMES)
export("contrib.specs.SHORT_NAMES_SRC")(SHORT_NAMES_SRC)


def _op_and_shape(x: Any) -> tuple[Operation, Any]:
    if isinstance(x, Operation):
        return x, ""
    x = convert_to_tensor(x)
    return x.op, x.shape.as_list()


@export("contrib.specs.tf_structure")
def tf_structure(x: Any, include_shapes: bool = False, finished: set[Any] | None = None) -> str:
    """Returns the types of the ops below a tensor, inputs first.

    Args:
        x: a tensor or an op.
        include_shapes: whether to add shapes.
        finished: ops that have been shown; `<>` stands for them.

    Returns:
        The names, with a space before each.
    """
    finished = set() if finished is None else finished
    op, sizes = _op_and_shape(x)
    if op in finished:
        return " <>"
    finished.add(op)
    text = "".join(tf_structure(value, include_shapes, finished) for value in op.inputs)
    if include_shapes:
        text += f" {sizes}"
    if op.type != "Identity":
        text += " " + SHORT_NAMES.get(op.type, op.type.lower())
    return text


@export("contrib.specs.tf_print")
def tf_print(
    x: Any,
    depth: int = 0,
    finished: set[Any] | None = None,
    printer: Callable[[str], None] = print,
) -> None:
    """Prints the ops below a tensor, each indented below the one that uses it.

    Args:
        x: a tensor or an op.
        depth: the indentation.
        finished: ops that have been printed.
        printer: what prints a line.

    Returns:
        None.
    """
    finished = set() if finished is None else finished
    op, sizes = _op_and_shape(x)
    if op.type == "Identity":
        op, _ = _op_and_shape(op.inputs[0])
    if op in finished:
        printer(f"{'  ' * depth}<{op.name}> {op.type} {sizes}")
        return
    finished.add(op)
    printer(f"{'  ' * depth}{op.name} {op.type} {sizes}")
    for value in op.inputs:
        tf_print(value, depth + 1, finished, printer)


@export("contrib.specs.tf_num_params")
def tf_num_params(x: Any) -> int:
    """Returns the number of elements of all variables below a tensor.

    Args:
        x: a tensor or an op.

    Returns:
        The number.
    """
    op, _ = _op_and_shape(x)
    if op.type in _VARIABLES:
        return TensorShape(op.get_attr("shape")).num_elements() or 0
    return sum(tf_num_params(value) for value in op.inputs)


@export("contrib.specs.tf_left_split")
def tf_left_split(op: Operation) -> tuple[Tensor | None, Sequence[Tensor]]:
    """Splits the inputs of an op into the first, the layer before, and the others.

    Args:
        op: an op.

    Returns:
        The first input, None if there is none or if all are alike, and the others.
    """
    if not op.inputs:
        return None, []
    if op.type == "Concat":
        return None, op.inputs
    return op.inputs[0], op.inputs[1:]


@export("contrib.specs.tf_parameter_iter")
def tf_parameter_iter(x: Any) -> Iterator[tuple[str, int, Any]]:
    """Yields names, numbers of parameters and shapes, from a tensor back to the input.

    Args:
        x: a tensor or an op.

    Returns:
        An iterator.
    """
    left: Any = x
    while left is not None:
        op, sizes = _op_and_shape(left)
        left, right = tf_left_split(op)
        yield op.name, sum(tf_num_params(value) for value in right), sizes


def _combined(rows: Iterable[tuple[str, int, Any]]) -> Iterator[tuple[str, int, Any]]:
    """Adds up the rows of a layer: of one first part of the name."""
    for layer, parts in itertools.groupby(rows, lambda row: row[0].partition("/")[0]):
        together = list(parts)
        yield layer, sum(total for _, total, _ in together), together[0][2]


@export("contrib.specs.tf_parameter_summary")
def tf_parameter_summary(
    x: Any, printer: Callable[[str], None] = print, combine: bool = True
) -> None:
    """Prints the numbers of parameters, layer by layer.

    Args:
        x: a tensor or an op.
        printer: what prints a line.
        combine: whether the ops of a layer are one line.

    Returns:
        None.
    """
    rows: Any = tf_parameter_iter(x)
    for name, total, sizes in reversed(list(_combined(rows) if combine else rows)):
        printer(f"{total:10d} {name:<20s} {sizes}")


def _outputs(spec: str, inputs: Any, input_shape: Any, input_type: DTypeLike) -> Any:
    if inputs is None:
        inputs = placeholder(input_type, input_shape)
    return create_net(spec, inputs)


@export("contrib.specs.tf_spec_structure")
def tf_spec_structure(
    spec: str,
    inputs: Any = None,
    input_shape: Any = None,
    input_type: DTypeLike = dtypes.float32,
) -> str:
    """Returns the structure of the network of a spec; see `tf_structure`.

    Args:
        spec: the spec.
        inputs: the tensor that goes in; a placeholder by default.
        input_shape: the shape of the placeholder.
        input_type: the type of the placeholder.

    Returns:
        The text.
    """
    return tf_structure(_outputs(spec, inputs, input_shape, input_type)).strip()


@export("contrib.specs.tf_spec_summary")
def tf_spec_summary(
    spec: str,
    inputs: Any = None,
    input_shape: Any = None,
    input_type: DTypeLike = dtypes.float32,
) -> None:
    """Prints the numbers of parameters of the network of a spec.

    Args:
        spec: the spec.
        inputs: the tensor that goes in; a placeholder by default.
        input_shape: the shape of the placeholder.
        input_type: the type of the placeholder.

    Returns:
        None.
    """
    tf_parameter_summary(_outputs(spec, inputs, input_shape, input_type))


@export("contrib.specs.tf_spec_print")
def tf_spec_print(
    spec: str,
    inputs: Any = None,
    input_shape: Any = None,
    input_type: DTypeLike = dtypes.float32,
) -> None:
    """Prints the ops of the network of a spec; see `tf_print`.

    Args:
        spec: the spec.
        inputs: the tensor that goes in; a placeholder by default.
        input_shape: the shape of the placeholder.
        input_type: the type of the placeholder.

    Returns:
        None.
    """
    tf_print(_outputs(spec, inputs, input_shape, input_type))
