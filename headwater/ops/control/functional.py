"""If, Case, While and For: branches and loops whose parts are functions of the graph's library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import errors
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, Shape
from headwater.graph import Operation, Tensor, build, constant_node, register_op, shapes
from headwater.graph.functions import FunctionGraph, call_function
from headwater.ops.control.cond import cond
from headwater.ops.control.function_bodies import attrs_of, body_around, function_of
from headwater.ops.control.while_loop import while_loop

if TYPE_CHECKING:
    from headwater.protos.attr_value_pb2 import NameAttrList


def _call(
    graph: FunctionGraph, attr: NameAttrList, inputs: Sequence[Tensor], count: int | None = None
) -> list[Tensor] | Operation:
    """The first results of the function that an attr names; the op itself if there are none."""
    function_of(graph, attr)
    op = call_function(graph, attr.name, list(inputs), attrs_of(attr))
    return list(op._outputs[:count]) or op


def _truth(value: Tensor) -> Tensor:
    """Whether a condition holds: a number is not zero; a string, or an array, is not empty."""
    dtype = value._dtype
    if value._shape:
        return build.Greater(build.Size(value), constant_node(0))
    if dtype.name == "bool":
        return value
    if dtype.name == "string":
        return build.NotEqual(value, constant_node("", dtype))
    return build.NotEqual(value, build.ZerosLike(value))


def _results(found: NestedTensors) -> list[Tensor]:
    if isinstance(found, (list, tuple)):
        return list(found)
    return [found] if isinstance(found, Tensor) else []


def body_of_if(op: Operation) -> FunctionGraph:
    graph = body_around(op)
    with graph.as_default():
        pred, *inputs = graph.inputs
        found = cond(
            _truth(pred),
            lambda: _call(graph, op._attrs["then_branch"], inputs, len(op._outputs)),
            lambda: _call(graph, op._attrs["else_branch"], inputs, len(op._outputs)),
        )
    graph.outputs = _results(found)
    return graph


def body_of_case(op: Operation) -> FunctionGraph:
    """The last branch runs for all indices that are out of range."""
    graph = body_around(op)
    branches = op._attrs["branches"]
    index, *inputs = graph.inputs

    def choose(position: int) -> NestedTensors:
        if position == len(branches) - 1:
            return _call(graph, branches[position], inputs, len(op._outputs))
        return cond(
            build.Equal(index, constant_node(position, index._dtype)),
            lambda: _call(graph, branches[position], inputs, len(op._outputs)),
            lambda: choose(position + 1),
        )

    with graph.as_default():
        graph.outputs = _results(choose(0))
    return graph


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def _next_values(
    graph: FunctionGraph, attr: NameAttrList, inputs: Sequence[Tensor], kind: str, count: int
) -> list[Tensor]:
    """Calls the body of a loop, which must give as many values as there are loop variables."""
    found = _results(_call(graph, attr, inputs))
    if len(found) != count:
        raise _invalid(f"{kind} loop body returned {len(found)} arguments. Expected: {count}")
    return found


def body_of_while(op: Operation) -> FunctionGraph:
    graph = body_around(op)
    count = len(graph.inputs)

    def goes_on(*values: Tensor) -> Tensor:
        found = _results(_call(graph, op._attrs["cond"], values))
        if len(found) != 1:
            raise _invalid(
                f"Expected a single scalar return value from WhileOp cond, got {len(found)} "
                "tensors."
            )
        return _truth(found[0])

    with graph.as_default():
        found = while_loop(
            goes_on,
            lambda *values: _next_values(graph, op._attrs["body"], values, "While", count),
            list(graph.inputs),
            shape_invariants=[TensorShape(None)] * len(graph.inputs),
            parallel_iterations=op._attrs.get("parallel_iterations", 10),
        )
    graph.outputs = _results(found)
    return graph


def body_of_for(op: Operation) -> FunctionGraph:
    graph = body_around(op)
    with graph.as_default():
        start, limit, delta, *inputs = graph.inputs
        for tensor, what in ((start, "start"), (limit, "limit"), (delta, "delta")):
            if tensor._shape:
                raise _invalid(f"{what} must be a scalar, but {shapes.show(tensor._shape)}")
        ordered = build.GreaterEqual(
            build.Mul(build.Sub(limit, start), delta), constant_node(0, delta._dtype)
        )
        moves = build.LogicalOr(
            build.Equal(start, limit), build.NotEqual(delta, constant_node(0, delta._dtype))
        )
        text = constant_node(b"Invalid start/limit/delta: ")
        check = build.Assert(build.LogicalAnd(ordered, moves), [text, start, limit, delta])
        with graph.control_dependencies([check]):
            start = build.Identity(start)
        ascends = build.Greater(delta, constant_node(0, delta._dtype))

        def goes_on(i: Tensor, *values: Tensor) -> Tensor:
            upwards = build.LogicalAnd(ascends, build.Less(i, limit))
            downwards = build.LogicalAnd(build.LogicalNot(ascends), build.Greater(i, limit))
            return build.LogicalOr(upwards, downwards)

        def step(i: Tensor, *values: Tensor) -> list[Tensor]:
            body, arguments = op._attrs["body"], [i, *values]
            found = _next_values(graph, body, arguments, "For", len(inputs))
            return [build.AddV2(i, delta), *found]

        found = while_loop(
            goes_on,
            step,
            [start, *inputs],
            shape_invariants=[TensorShape([]), *[TensorShape(None)] * len(inputs)],
        )
    graph.outputs = _results(found)[1:]
    return graph


def shape_given(c: shapes.ShapeContext) -> Any:
    """The shapes of the attr `output_shapes`, if it is set."""
    given = c.attrs.get("output_shapes")
    return list(given) if given else shapes.unknown(c)


def shape_while(c: shapes.ShapeContext) -> list[Shape]:
    """Loop variables keep their shapes unless the attr says otherwise."""
    given = c.attrs.get("output_shapes")
    return list(given) if given else list(c.shapes)


def gradient_if(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
    """A node that calls the gradient function of the branch that was taken."""
    cond_, *inputs = op._inputs
    given = [build.ZerosLike(t) if g is None else g for t, g in zip(op._outputs, grads)]
    make = op._graph._proto_maker("gradient_function")
    found = build.If(
        cond_,
        [*inputs, *given],
        Tout=[t._dtype.base_dtype for t in inputs],
        then_branch=make(op._graph, op._attrs["then_branch"]),
        else_branch=make(op._graph, op._attrs["else_branch"]),
    )
    flows = [t._dtype.is_floating or t._dtype.is_complex for t in inputs]
    return None, *(g if flow else None for flow, g in zip(flows, found))


_BRANCHES = (
    "Tcond: type, Tin: list(type) >= 0, Tout: list(type) >= 0, then_branch: func, "
    "else_branch: func, output_shapes: list(shape) = []"
)
_LOOP = (
    "T: list(type) >= 0, cond: func, body: func, output_shapes: list(shape) = [], "
    "parallel_iterations: int = 10"
)


def _register_if(name: str) -> None:
    register_op(
        name,
        inputs="cond: Tcond, input: Tin",
        outputs="output: Tout",
        attrs=_BRANCHES,
        shape=shape_given,
        stateful=name == "If",
        body=body_of_if,
        gradient=gradient_if,
    )


_register_if("If")
_register_if("StatelessIf")


def _register_while(name: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: T",
        attrs=_LOOP,
        shape=shape_while,
        stateful=name == "While",
        body=body_of_while,
    )


_register_while("While")
_register_while("StatelessWhile")

register_op(
    "Case",
    inputs="branch_index: int32, input: Tin",
    outputs="output: Tout",
    attrs="Tin: list(type) >= 0, Tout: list(type) >= 0, branches: list(func) >= 1, "
    "output_shapes: list(shape) = []",
    shape=shape_given,
    stateful=True,
    body=body_of_case,
)

register_op(
    "For",
    inputs="start: int32, limit: int32, delta: int32, input: T",
    outputs="output: T",
    attrs="T: list(type) >= 0, body: func",
    shape=shapes.unknown,
    body=body_of_for,
)
