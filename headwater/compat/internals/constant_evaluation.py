"""The calls of TensorFlow's C library that evaluate constants."""

from __future__ import annotations

from typing import Any

from headwater.base.errors import OpError
from headwater.compat.internals import internal
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.registry import lookup
from headwater.session.session import Session

# Ops whose values depend on feeds, or on the branch or iteration that they are run in.
_NOT_CONSTANT = frozenset(
    "Placeholder PlaceholderV2 PlaceholderWithDefault Enter RefEnter Exit RefExit Merge RefMerge "
    "NextIteration RefNextIteration Switch RefSwitch LoopCond".split()
)


@internal("pywrap_tensorflow.TF_TryEvaluateConstant_wrapper")
def try_evaluate_constant(graph: Graph, output: Tensor) -> Any:
    """Computes a tensor that depends on constants only.

    Args:
      graph: the graph, as `Graph._c_graph` gives it.
      output: the tensor, as `Tensor._as_tf_output` gives it.

    Returns:
      The value; None if it depends on feeds, state or control flow, or cannot be computed.
    """
    if not _depends_on_constants(output.op):
        return None
    with Session(graph=graph) as session:
        try:
            return session.run(output)
        except OpError:
            return None


def _depends_on_constants(op: Operation) -> bool:
    seen = {op}
    waiting = [op]
    while waiting:
        current = waiting.pop()
        if current.type in _NOT_CONSTANT or lookup(current.type).stateful:
            return False
        new = {tensor.op for tensor in current.inputs} - seen
        seen |= new
        waiting.extend(new)
    return True
