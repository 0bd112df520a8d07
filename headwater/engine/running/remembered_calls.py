"""Calls of pure functions whose results are remembered, such as keys of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from headwater.base.typing import Array
from headwater.engine.analysis.purity import OF_SHAPES
from headwater.graph import Tensor
from headwater.graph.functions import FunctionGraph

Call: TypeAlias = Callable[[Sequence[Array]], list[Array]]

# Values up to so many bytes are part of the key of a result.
_SMALL = 16
# When so many results are kept, the memory begins anew.
_MOST_RESULTS = 1 << 16
# After so many calls, too few hits end the search for known results.
_TRIAL = 4096


def remembered(call: Call, graph: FunctionGraph, arguments: Sequence[Tensor]) -> Call:
    """A function that gives the known results for shapes and small values that come again.

    Args:
        call: calls the function.
        graph: its body.
        arguments: the tensors of the body that are arguments of the calls.

    Returns:
        The same function, faster; `call` itself if its results may differ from call to call.
    """
    for op in graph.get_operations():
        record = op._record
        if record.name in ("Placeholder", "PlaceholderV2"):
            continue
        if record.stateful or record.state or record.body is not None:
            return call
    return _RememberedCall(call, [_is_of_shape(graph, tensor) for tensor in arguments])


def _is_of_shape(graph: FunctionGraph, tensor: Tensor) -> bool:
    if any(output is tensor for output in graph.outputs):
        return False
    return all(op.type in OF_SHAPES for op in tensor.consumers())


class _RememberedCall:
    def __init__(self, call: Call, of_shape: Sequence[bool]) -> None:
        self._call = call
        self._of_shape = list(of_shape)
        self._results: dict[tuple[object, ...], list[Array]] = {}
        self._calls = self._hits = 0

    def __call__(self, arguments: Sequence[Array]) -> list[Array]:
        if self._calls >= _TRIAL and 2 * self._hits < self._calls:
            return self._call(arguments)
        self._calls += 1
        key = []
        for value, of_shape in zip(arguments, self._of_shape):
            if of_shape:
                key.append(value.shape)
            elif value.dtype != object and value.nbytes <= _SMALL:
                key.append((value.shape, value.tobytes()))
            else:
                return self._call(arguments)
        found = tuple(key)
        results = self._results.get(found)
        if results is not None:
            self._hits += 1
            return results
        results = self._call(arguments)
        if len(self._results) >= _MOST_RESULTS:
            self._results = {}
        self._results[found] = results
        return results
