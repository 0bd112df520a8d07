"""Whether nodes compute so little that interpreting them costs less than calling a program."""

from __future__ import annotations

from headwater.base.typing import Shape
from headwater.engine.nodes.node import Node
from headwater.graph.registry import RunsOn
from headwater.graph.shapes import is_static, number_of_elements

# Interpreting so few ops on so few elements costs less than calling a compiled program.
SMALL_NODES = 4
SMALL_ELEMENTS = 256
# Where every run waits for its results, a compiled program costs as much as so many elements that
# are computed on the host, and the kernel of a node as much as so many.
AWAITED_PROGRAM = 150_000
_AWAITED_NODE = 3_000
# So many elements cost as much as an input or output that goes between host and program.
_AWAITED_VALUE = 6_000
# A vector of unknown length is taken for one of so many elements.
_TYPICAL_LENGTH = 64


def is_small(nodes: list[Node], awaited: bool, rows: int | None) -> bool:
    """Whether interpreting some nodes costs less than calling a compiled program."""
    if len(nodes) <= SMALL_NODES:
        tensors = [t for n in nodes for t in (*n.op._inputs, *n.op._outputs)]
        sizes = [number_of_elements(t._shape) for t in tensors if is_static(t._shape)]
        if len(sizes) == len(tensors) and all((size or 0) <= SMALL_ELEMENTS for size in sizes):
            return True
    if not awaited or any(node.record.runs_on is RunsOn.XLA for node in nodes):
        return False
    working = [n for n in nodes if not n.record.is_quick_on_host]
    shapes = [_with_rows(t._shape, rows) for n in working for t in n.op._outputs]
    work = sum(number_of_elements(shape) or 0 for shape in shapes if is_static(shape))
    return all(map(is_static, shapes)) and (work + _AWAITED_NODE * len(nodes) <= AWAITED_PROGRAM)


def is_quick(nodes: list[Node], rows: int | None) -> bool:
    """Whether large results are made by ops for which a program would not be faster."""
    shapes = [
        _with_rows(t._shape, rows)
        for n in nodes
        if n.record.is_quick_on_host
        for t in n.op._outputs
    ]
    work = sum(number_of_elements(shape) or 0 for shape in shapes if is_static(shape))
    return work >= AWAITED_PROGRAM


def _with_rows(shape: Shape, rows: int | None) -> Shape:
    """A static shape, in which an unknown number of rows, or of a vector, counts as so many."""
    if shape is None:
        return None
    if rows is None:
        return (_TYPICAL_LENGTH,) if shape == (None,) else shape
    return tuple(rows if size is None else size for size in shape)


def is_worth_compiling(nodes: list[Node], elements: dict[Node, int], boundary: int = 0) -> bool:
    """Whether a program costs less than the kernels of some nodes, whose results are awaited.

    Args:
        nodes: the nodes.
        elements: how many elements they make.
        boundary: how many inputs and outputs the program has.
    """
    computed = [elements.get(node, 0) for node in nodes if not node.record.is_quick_on_host]
    calls = [node for node in nodes if _is_call(node, elements.get(node))]
    return is_much_work(calls, sum(computed), boundary)


def _is_call(node: Node, elements: int | None) -> bool:
    """Whether interpreting a node is work: views and arithmetic on shapes cost next to nothing."""
    if elements is None or node.record.runs_on is RunsOn.XLA:
        return True
    return elements > _TYPICAL_LENGTH or not (
        elements == 0 or all(tensor._dtype.is_integer for tensor in node.op._outputs)
    )


def is_much_work(nodes: list[Node], elements: int, boundary: int) -> bool:
    """As `is_worth_compiling`, where the nodes compute so many elements in all."""
    program = AWAITED_PROGRAM + boundary * _AWAITED_VALUE
    work = elements + _AWAITED_NODE * len(nodes)
    return work > program or any(n.record.runs_on is RunsOn.XLA for n in nodes)
