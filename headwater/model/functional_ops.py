"""Functions that build ops whose parts are functions: If, While, For, Gradient, calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import TensorLike
from headwater.graph import (
    Graph,
    Operation,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    get_default_graph,
)
from headwater.graph.functions import FunctionGraph, call_function
from headwater.model.defun import DefinedFunction, Defun, OverloadedFunction

if TYPE_CHECKING:
    from headwater.protos.attr_value_pb2 import NameAttrList


def _function(f: Any) -> DefinedFunction:
    """A function of the default graph's library, added if it is missing."""
    if isinstance(f, str):
        return get_default_graph()._get_function(f)
    f.add_to_graph(get_default_graph())
    return f


def _attr(f: DefinedFunction) -> NameAttrList:
    return Graph._proto_maker("name_attr_list")(f.name, {})


def _captured(f: DefinedFunction) -> list[Tensor]:
    """The captured tensors of a function, in the default graph."""
    graph = get_default_graph()
    captured = f.captured_inputs if isinstance(f, DefinedFunction) else []
    return [graph.capture(t) if isinstance(graph, FunctionGraph) else t for t in captured]


def _types(args: Any) -> list[Any]:
    return [as_dtype(arg.type) for arg in args]


def If(
    cond: TensorLike,
    inputs: Sequence[Tensor],
    then_branch: DefinedFunction,
    else_branch: DefinedFunction,
    name: str | None = None,
) -> list[Tensor]:
    """Calls one of two functions.

    Args:
        cond: a scalar; a number is true if it is not zero, a string if it is not empty.
        inputs: the arguments of both functions.
        then_branch: the function, as `Defun` makes it, that is called if `cond` is true.
        else_branch: the function that is called if it is false.
        name: the name of the node.

    Returns:
        The results of the function that was called.
    """
    if isinstance(then_branch, OverloadedFunction):
        raise ValueError("Only functions with declared input types can be branches.")
    then_branch, else_branch = _function(then_branch), _function(else_branch)
    return build.If(
        cond,
        list(inputs),
        Tout=_types(then_branch.definition.signature.output_arg),
        then_branch=_attr(then_branch),
        else_branch=_attr(else_branch),
        name=name,
    )


def symbolic_gradient(
    input: Sequence[TensorLike], Tout: Sequence[DType], f: DefinedFunction, name: str | None = None
) -> list[Tensor]:
    """The node that computes the gradients of a function's arguments.

    Args:
        input: the arguments, then the gradients of the results.
        Tout: the types of the arguments.
        f: the function, or its name.
        name: the name of the node.

    Returns:
        A list of tensors.
    """
    return build.SymbolicGradient(list(input), Tout=Tout, f=_attr_of(f), name=name)


def _attr_of(f: DefinedFunction) -> Any:
    """The attr for a function, a name, or an attr."""
    if isinstance(f, (str, bytes)):
        name = f.decode() if isinstance(f, bytes) else f
        return Graph._proto_maker("name_attr_list")(name, {})
    return _attr(_function(f)) if hasattr(f, "add_to_graph") else f


def Gradient(
    inputs: Sequence[TensorLike], f: DefinedFunction, name: str | None = None
) -> list[Tensor]:
    """The gradients of a function's arguments.

    Args:
        inputs: the arguments, then the gradients of the results.
        f: the function.
        name: the name of the node.

    Returns:
        One tensor for each argument.
    """
    function = _function(f)
    types = _types(function.definition.signature.input_arg)
    return symbolic_gradient(inputs, types, function, name)


def remote_call(
    target: TensorLike,
    args: Sequence[Tensor],
    Tout: Sequence[DType],
    f: DefinedFunction,
    name: str | None = None,
) -> list[Tensor]:
    """Calls a function on another device.

    Args:
        target: the name of the device.
        args: the arguments.
        Tout: the types of the results.
        f: the function.
        name: the name of the node.

    Returns:
        The results.
    """
    return build.RemoteCall(target, list(args), Tout=list(Tout), f=_attr_of(f), name=name)


def partitioned_call(
    args: Sequence[Tensor],
    f: DefinedFunction,
    tout: Any = None,
    executing_eagerly: Any = None,
    config: Any = None,
    executor_type: str | None = None,
) -> list[Tensor] | Operation:
    """Calls a function whose ops may be placed on several devices.

    Args:
        args: the arguments; captured tensors are added.
        f: the function.
        tout: the types of the results.
        executing_eagerly: unused, nodes are built always.
        config: a serialized ConfigProto.
        executor_type: kept in the node.

    Returns:
        The results; the Operation if there are none.
    """
    function = _function(f)
    signature = function.definition.signature
    inputs = [convert_to_tensor(x) for x in args]
    if len(inputs) < len(signature.input_arg):
        inputs += _captured(function)
    types = _types(signature.output_arg) if tout is None else list(tout)
    make = build.StatefulPartitionedCall if signature.is_stateful else build.PartitionedCall
    attrs = {
        "Tout": types,
        "f": _attr(function),
        "config_proto": config or "",
        "executor_type": executor_type or "",
    }
    op = make.node([inputs], None, attrs)
    return list(op.outputs) or op


def _handing_on(body: DefinedFunction) -> tuple[Any, list[Tensor]]:
    """A loop body that passes its captured tensors on as loop variables, and these tensors."""
    captured = _captured(body)
    if not captured:
        return body, []
    types = _types(body.definition.signature.input_arg)

    @Defun(*types, func_name=f"{body.name}_Wrapper")
    def wrapper(*args: Any) -> Any:
        return [*_call_with(body, args), *args[len(types) - len(captured) :]]

    return _function(wrapper), captured


def _call_with(function: DefinedFunction, args: Sequence[Any]) -> list[Tensor]:
    """Calls a function with its captured tensors as further arguments."""
    _function(function)
    return list(call_function(get_default_graph(), function.name, list(args))._outputs)


def While(
    input_: Sequence[TensorLike],
    cond: DefinedFunction,
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
) -> list[Tensor]:
    """Calls a function while another one returns true.

    Args:
        input_: the first values of the loop variables.
        cond: the function of the loop variables that says whether to go on.
        body: the function that gives their next values.
        name: the name of the node.
        hostmem: indices of loop variables that are kept in the memory of the host.

    Returns:
        The last values of the loop variables.

    Raises:
        ValueError: if `cond` captures tensors.
    """
    cond, body = _function(cond), _function(body)
    if _captured(cond):
        raise ValueError(
            "While op 'cond' argument must be a function without implicitly captured inputs."
        )
    inputs = list(input_)
    body, captured = _handing_on(body)
    if captured:
        declared = _types(cond.definition.signature.input_arg)
        types = [*declared, *(t.dtype for t in captured)]

        @Defun(*types, func_name=f"{cond.name}_Wrapper")
        def condition(*args: Any) -> Any:
            return _call_with(cond, args[: len(declared)])

        cond = _function(condition)
    attrs = _memory(hostmem)
    found = build.While(
        [*inputs, *captured], cond=_attr(cond), body=_attr(body), name=name, **attrs
    )
    return found[: len(inputs)]


def _memory(hostmem: Sequence[int] | None) -> dict[str, Any]:
    return {"_input_hostmem": list(hostmem), "_output_hostmem": list(hostmem)} if hostmem else {}


def For(
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    inputs: Sequence[TensorLike],
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Any = None,
    rewrite_with_while: bool | None = None,
) -> list[Tensor]:
    """Calls a function for each of some integers.

    Args:
        start: the first integer.
        limit: where to stop; it does not take part.
        delta: the step.
        inputs: the first values of the loop variables.
        body: the function of an integer and the loop variables that gives their next values.
        name: the name of the node.
        hostmem: indices of arguments that are kept in the memory of the host.
        rewrite_with_while: whether to build a While node.

    Returns:
        The last values of the loop variables.
    """
    body = _function(body)
    inputs = list(inputs)
    if rewrite_with_while:
        return _for_by_while(start, limit, delta, inputs, body, name, hostmem)
    body, captured = _handing_on(body)
    attrs = _memory(hostmem)
    found = build.For(
        start, limit, delta, [*inputs, *captured], body=_attr(body), name=name, **attrs
    )
    return found[: len(inputs)]


def _for_by_while(
    start: int,
    limit: int,
    delta: TensorLike,
    inputs: list[Any],
    body: DefinedFunction,
    name: str | None,
    hostmem: Any,
) -> list[Tensor]:
    """`For` as a While node that counts the steps."""
    step = build.Abs(delta)
    distance = build.Abs(limit - start)
    last = build.Sub(build.AddV2(distance, step, name="add"), 1, name="sub")
    int32, double = as_dtype("int32"), as_dtype("float64")
    parts = [build.Cast(value, DstT=double) for value in (last, step)]
    count = build.Cast(build.RealDiv(*parts, name="truediv"), DstT=int32)
    types = _types(body.definition.signature.input_arg)[1:]
    counters = [int32] * 4

    @Defun(*counters, *types, func_name=f"{body.name}_Cond")
    def goes_on(i: TensorLike, n: TensorLike, *rest: Tensor) -> Tensor:
        return build.Less(i, n)

    @Defun(*counters, *types, func_name=f"{body.name}_Body")
    def next_values(
        i: TensorLike, n: Tensor, begin: TensorLike, by: TensorLike, *rest: Tensor
    ) -> list[Tensor]:
        index = build.AddV2(begin, build.Mul(i, by, name="mul"), name="add")
        results = _call_with(body, [index, *rest])
        one = constant_node(1, int32)
        kept = rest[len(results) :]
        return [build.AddV2(i, one, name="add"), n, begin, by, *results, *kept]

    memory = [0, 1, 2, 3, *(4 + h for h in hostmem or () if h)]
    found = While(
        [0, count, start, delta, *inputs, *_captured(body)],
        goes_on,
        next_values,
        name=name,
        hostmem=memory,
    )
    return found[4 : 4 + len(inputs)]
