"""Which integers are known to be distinct, and what follows from it.

The gradient of an embedding lookup has rows for distinct ids: the lookup has found them with
Unique. An optimizer cannot know that, looks for the distinct ids again and adds up the rows of
each. Both steps do nothing then.
"""

from __future__ import annotations

from collections.abc import Collection

from headwater.engine.analysis.variables import is_alias
from headwater.graph import Operation, Tensor


def finds_all(op: Operation, fed: Collection[Tensor]) -> bool:
    """Whether a Unique finds that all elements are distinct, so that it hands its input on."""
    return op._record.name == "Unique" and _are_distinct(op._inputs[0], fed)


def sums_single_rows(op: Operation, fed: Collection[Tensor]) -> bool:
    """Whether each segment of an UnsortedSegmentSum has one row, so that it hands the rows on."""
    if op._record.name != "UnsortedSegmentSum":
        return False
    _, numbers, count = op._inputs
    unique = numbers._op
    if unique._record.name != "Unique" or numbers in fed or numbers is not unique._outputs[1]:
        return False
    if unique._outputs[0] in fed or not finds_all(unique, fed):
        return False
    return _is_length(count, unique._outputs[0], fed)


def _are_distinct(tensor: Tensor, fed: Collection[Tensor]) -> bool:
    while tensor not in fed:
        op = tensor._op
        if op._record.name == "Unique":
            return tensor is op._outputs[0]
        if not is_alias(op) and not _reshapes_vector(op):
            return False
        tensor = op._inputs[0]
    return False


def _reshapes_vector(op: Operation) -> bool:
    if op._record.name != "Reshape":
        return False
    return all(t._shape is not None and len(t._shape) == 1 for t in (op._inputs[0], op._outputs[0]))


def _is_length(tensor: Tensor, vector: Tensor, fed: Collection[Tensor]) -> bool:
    """Whether a tensor is `tf.shape(vector)[0]`."""
    op = tensor._op
    if op._record.name != "StridedSlice" or tensor in fed:
        return False
    shape, *numbers = op._inputs
    if shape._op._record.name != "Shape" or shape in fed or shape._op._inputs[0] is not vector:
        return False
    known = [_number(t, fed) for t in numbers]
    return known == [0, 1, 1] and op._attrs["shrink_axis_mask"] == 1


def _number(tensor: Tensor, fed: Collection[Tensor]) -> int | None:
    """The only element of a constant; None if there is another number of them."""
    op = tensor._op
    if op._record.name != "Const" or tensor in fed or op._attrs["value"].size != 1:
        return None
    return int(op._attrs["value"].item())
