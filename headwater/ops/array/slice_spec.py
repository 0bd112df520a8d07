"""Resolves the begins, ends, strides and masks of a strided slice.

A spec has an entry per index of `x[...]`. Bit i of a mask says something of entry i: begin_mask and
end_mask that the bound is left out, ellipsis_mask that the entry is `...`, new_axis_mask that it
inserts a dimension, shrink_axis_mask that it is one index and its dimension is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


class SpecError(Exception):
    """What is wrong with a spec, in TensorFlow's words."""


@dataclass
class Range:
    """What is taken of one dimension of the input.

    Attributes:
        begin: the first index; None if it is not known.
        end: the index after the last; None if it is not known.
        stride: the step.
        shrink: whether the dimension is dropped.
        open_begin: whether the first bound is left out.
        open_end: whether the second bound is left out.
        entry: the position in the spec, or -1 for dimensions that an ellipsis stands for.
        size: the number of elements taken; None if it is not known.
    """

    begin: int | None = None
    end: int | None = None
    stride: int = 1
    shrink: bool = False
    open_begin: bool = True
    open_end: bool = True
    entry: int = -1
    size: int | None = None


@dataclass
class Spec:
    """A spec resolved for an input of known rank.

    Attributes:
        ranges: one Range per dimension of the input.
        output: for each dimension of the output the input dimension, or -1 for a new one.
    """

    ranges: list[Range]
    output: list[int]

    def output_shape(self) -> tuple[int | None, ...]:
        """The static shape of the output."""
        return tuple(1 if i < 0 else self.ranges[i].size for i in self.output)


def work_out(
    shape: tuple[int | None, ...],
    begin: list[int | None],
    end: list[int | None],
    strides: list[int],
    masks: dict[str, int],
) -> Spec:
    """Applies a spec to a shape; raises SpecError."""
    ranges, output = dense_ranges(len(shape), begin, end, strides, masks)
    for axis, (size, part) in enumerate(zip(shape, ranges)):
        _resolve(axis, size, part)
    return Spec(ranges, output)


def dense_ranges(
    rank: int,
    begin: list[int | None],
    end: list[int | None],
    strides: list[int],
    masks: dict[str, int],
) -> tuple[list[Range], list[int]]:
    """One unresolved Range per input dimension, and where the output dimensions come from."""

    def has(name: str, i: int) -> bool:
        return bool(masks[name] >> i & 1)

    count = len(strides)
    ellipses = [i for i in range(count) if has("ellipsis_mask", i)]
    if len(ellipses) > 1:
        raise SpecError("Multiple ellipses in slice spec not allowed")
    # Without an ellipsis, one is implied at the end.
    ellipsis = ellipses[0] if ellipses else count
    ranges: list[Range] = []
    output: list[int] = []
    for i in [*range(count), *([] if ellipses else [count])]:
        if i == ellipsis:
            later = range(i + 1, count)
            left = sum(not has("new_axis_mask", j) for j in later)
            while len(ranges) < rank - left:
                output.append(len(ranges))
                ranges.append(Range())
        elif has("new_axis_mask", i):
            output.append(-1)
        elif len(ranges) >= rank:
            raise SpecError(
                f"Index out of range using input dim {len(ranges)}; input has only {rank} dims"
            )
        else:
            shrink = has("shrink_axis_mask", i)
            if not shrink:
                output.append(len(ranges))
            ranges.append(
                Range(
                    begin[i],
                    end[i],
                    strides[i],
                    shrink,
                    has("begin_mask", i) and not shrink,
                    has("end_mask", i) and not shrink,
                    i,
                )
            )
    return ranges, output


def _resolve(axis: int, size: int | None, part: Range) -> None:
    """Resolves a range for a known size: bounds become plain indices from 0 to the size."""
    stride = part.stride
    if stride == 0:
        raise SpecError(f"strides[{axis}] must be non-zero")
    if part.shrink and stride <= 0:
        raise SpecError("only stride 1 allowed on non-range indexing.")
    if size is None:
        if part.shrink:
            part.size = 1
        return
    if part.shrink:
        part.size = 1
        if part.begin is not None:
            index = part.begin + size if part.begin < 0 else part.begin
            if not 0 <= index < size:
                raise SpecError(f"slice index {index} of dimension {axis} out of bounds.")
            part.begin, part.end = index, index + 1
        return
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    first, last = (low, high) if stride > 0 else (high, low)
    part.begin = first if part.open_begin else _bound(part.begin, size, low, high)
    part.end = last if part.open_end else _bound(part.end, size, low, high)
    if part.begin is not None and part.end is not None:
        length = part.end - part.begin
        part.size = max(0, -(-length // stride))


def _bound(bound: int | None, size: int, low: int, high: int) -> int | None:
    """A bound counted from the start and moved into the range of indices."""
    if bound is None:
        return None
    return min(max(bound + size if bound < 0 else bound, low), high)
