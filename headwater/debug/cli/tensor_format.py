"""Values of tensors as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.debug.cli.rich_text import RichTextLines, Segments
from headwater.debug.lib.debug_datum import InconvertibleTensorProto

BEGIN_INDICES_KEY = "i0"
OMITTED_INDICES_KEY = "omitted"
DEFAULT_TENSOR_ELEMENT_HIGHLIGHT_FONT_ATTR = "bold"

_OMISSION = "..."
# The text before the brackets of an array.
_PREFIX = "array("
_NUMBER = re.compile(r"[-+]?([0-9][-+0-9eE.]*|nan|inf)(?=\s|,|\])")
_TOKEN = re.compile(r"b?'(?:[^'\\]|\\.)*'|b?\"(?:[^\"\\]|\\.)*\"|[^,]+")
_SHAPE = re.compile(r",\s*shape=\([\d, ]*\)")


class HighlightOptions:
    """Which elements are highlighted.

    Args:
        criterion: a function of an array that gives an array of booleans.
        description: what they have in common.
        font_attr: their attribute.
    """

    def __init__(
        self,
        criterion: Callable[[np.ndarray], Any],
        description: str | None = None,
        font_attr: str = DEFAULT_TENSOR_ELEMENT_HIGHLIGHT_FONT_ATTR,
    ) -> None:
        self.criterion = criterion
        self.description = description
        self.font_attr = font_attr


def format_tensor(
    tensor: Any,
    tensor_label: str | None,
    include_metadata: bool = False,
    auxiliary_message: RichTextLines | None = None,
    include_numeric_summary: bool = False,
    np_printoptions: dict[str, Any] | None = None,
    highlight_options: HighlightOptions | None = None,
) -> RichTextLines:
    """Shows a value.

    Args:
        tensor: an array, or the value of something else.
        tensor_label: the name of the tensor; none is shown if it is empty.
        include_metadata: whether type and shape are shown.
        auxiliary_message: what stands before the elements.
        include_numeric_summary: whether a summary of the elements is shown.
        np_printoptions: options of ``numpy.printoptions``.
        highlight_options: which elements are highlighted.

    Returns:
        The lines. Those of an array are annotated with the index of their first element.
    """
    lines: list[str] = []
    segments: dict[int, Segments] = {}
    is_array = isinstance(tensor, np.ndarray)
    if tensor_label:
        lines.append(f'Tensor "{tensor_label}":')
        if is_array:
            segments[0] = _label_segments(tensor_label)
    formatted = RichTextLines(lines, segments)
    if not is_array:
        if lines:
            formatted.append("")
        text = _shown(tensor)
        formatted.extend(RichTextLines(text.split("\n")))
        return formatted
    hits = None
    if highlight_options is not None:
        hits = np.asarray(highlight_options.criterion(tensor))
        formatted.lines[0] += _highlighted(hits, highlight_options) if lines else ""
    formatted.annotations["tensor_metadata"] = {"dtype": tensor.dtype, "shape": tensor.shape}
    if include_metadata:
        formatted.append(f"  dtype: {tensor.dtype}")
        formatted.append(f"  shape: {str(tensor.shape).replace('L', '')}")
    if formatted.lines:
        formatted.append("")
    if include_numeric_summary:
        formatted.append("Numeric summary:")
        formatted.extend(numeric_summary(tensor))
        formatted.append("")
    if auxiliary_message is not None:
        formatted.extend(auxiliary_message)
        formatted.append("")
    options = np_printoptions or {}
    with np.printoptions(**options):
        text = repr(tensor)
        if tensor.size:
            text = _without_shape(text, np.get_printoptions()["linewidth"])
    array_lines = text.split("\n")
    annotations = annotate_ndarray_lines(array_lines, tensor)
    formatted.extend(RichTextLines(array_lines, annotations=annotations))
    if hits is not None and hits.any():
        _highlight(formatted, hits, highlight_options)
    return formatted


def _without_shape(text: str, width: int) -> str:
    """The text of an array as NumPy wrote it before it said the shape of an array cut short."""
    if not _SHAPE.search(text):
        return text
    text = _SHAPE.sub("", text)
    lines = text.split("\n")
    elements, comma, dtype = lines[-1].rpartition(", dtype=")
    if comma and len(lines[-1]) > width:
        lines[-1:] = [f"{elements},", f"{' ' * len(_PREFIX)}dtype={dtype}"]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, InconvertibleTensorProto):
        return str(value)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return str(value)
    return repr(value)


def _label_segments(label: str) -> Segments:
    """The name is bold; the debug op or slice behind the last colon is yellow."""
    start, end = len('Tensor "'), len('Tensor "') + len(label)
    colon = label.rfind(":")
    if label[colon + 1 :].isdigit():
        return [(start, end, "bold")]
    return [(start, start + colon, "bold"), (start + colon + 1, end, "yellow")]


def _highlighted(hits: np.ndarray, options: HighlightOptions) -> str:
    count = int(np.sum(hits))
    description = f"({options.description})" if options.description else ""
    share = 100.0 * count / hits.size if hits.size else 0.0
    return f" Highlighted{description}: {count} of {hits.size} element(s) ({share:.2f}%)"


def _highlight(formatted: RichTextLines, hits: np.ndarray, options: Any) -> None:
    indices = [list(map(int, index)) for index in np.argwhere(hits)]
    omitted, rows, starts, ends = locate_tensor_element(formatted, indices)
    for is_omitted, row, start, end in zip(omitted, rows, starts, ends):
        if not is_omitted and start is not None:
            formatted.font_attr_segs.setdefault(row, []).append((start, end, options.font_attr))


def annotate_ndarray_lines(lines: list[str], array: np.ndarray) -> dict[int, dict[str, Any]]:
    """For each line of an array the index of its first element, or of the first one left out."""
    dims = array.ndim
    annotations: dict[int, dict[str, Any]] = {}
    if dims == 0:
        return annotations
    edge = np.get_printoptions()["edgeitems"]
    index = [0] * dims
    for number, line in enumerate(lines):
        text = line.removeprefix(_PREFIX) if number == 0 else line
        stripped = text.strip()
        if stripped == f"{_OMISSION},":
            # A dimension is one bracket to the right of the one around it.
            dim = len(line) - len(line.lstrip()) - len(_PREFIX) - 1
            index = [*index[:dim], edge, *[0] * (dims - dim - 1)]
            annotations[number] = {OMITTED_INDICES_KEY: list(index)}
            index[dim] = array.shape[dim] - edge
        elif stripped and not (number and stripped.startswith(("dtype=", "shape="))):
            annotations[number] = {BEGIN_INDICES_KEY: list(index)}
            body = re.sub(r",\s*(dtype|shape)=.*$", "", stripped)
            closed = len(body.rstrip("),")) - len(body.rstrip("),]"))
            tokens = _TOKEN.findall(body.strip("[](), "))
            index[-1] += len([token for token in tokens if token.strip()])
            if 0 < closed <= dims - 1:
                dim = dims - 1 - closed
                index = [*index[:dim], index[dim] + 1, *[0] * (dims - dim - 1)]
    return annotations


_annotate_ndarray_lines = annotate_ndarray_lines


def locate_tensor_element(formatted: RichTextLines, indices: Any) -> Any:
    """Where elements of an array are shown.

    Args:
        formatted: what `format_tensor` has returned.
        indices: the index of an element, or a list of them in ascending order.

    Returns:
        Whether it is left out, its line, its first column, and the column after its last one;
        lists of these for several elements. The columns are None if the line does not show it.

    Raises:
        AttributeError: if the lines are not of an array.
        ValueError: if an index is not of the array, or the order is not ascending.
    """
    several = isinstance(indices[0], list)
    wanted = indices if several else [indices]
    _check_indices(wanted, formatted)
    rows: list[tuple[int, list[int], bool]] = [
        (
            row,
            note.get(BEGIN_INDICES_KEY) or note[OMITTED_INDICES_KEY],
            OMITTED_INDICES_KEY in note,
        )
        for row, note in sorted(
            (k, v) for k, v in formatted.annotations.items() if isinstance(k, int)
        )
        if isinstance(note, dict) and (BEGIN_INDICES_KEY in note or OMITTED_INDICES_KEY in note)
    ]
    position = 0
    found = []
    for index in wanted:
        while position + 1 < len(rows) and rows[position + 1][1] <= index:
            position += 1
        row, first, is_omitted = rows[position] if rows else (formatted.num_lines() - 1, [], False)
        columns: tuple[Any, Any] = (None, None)
        if not is_omitted:
            columns = _columns(formatted.lines[row], index, first)
        found.append((is_omitted, row, *columns))
    if not several:
        return found[0]
    return tuple(list(column) for column in zip(*found))


def _check_indices(wanted: list[list[int]], formatted: RichTextLines) -> None:
    if "tensor_metadata" not in formatted.annotations:
        raise AttributeError("tensor_metadata is not available in annotations.")
    shape = formatted.annotations["tensor_metadata"]["shape"]
    last: list[int] | None = None
    for index in wanted:
        if len(index) != len(shape):
            raise ValueError(f"Dimensions mismatch: requested: {len(index)}; actual: {len(shape)}")
        if any(value >= size for value, size in zip(index, shape)):
            raise ValueError("Indices exceed tensor dimensions.")
        if any(value < 0 for value in index):
            raise ValueError("Indices contain negative value(s).")
        if last is not None and last > index:
            raise ValueError("Input indices sets are not in ascending order.")
        last = index


def _columns(line: str, index: list[int], first: list[int]) -> tuple[Any, Any]:
    offset = index[-1] - first[-1] if first else 0
    if first and index[:-1] != first[:-1]:
        return None, None
    text = line.split(f" {_OMISSION}")[0]
    numbers = [match.span() for match in _NUMBER.finditer(text)]
    if offset >= len(numbers):
        return None, None
    return numbers[offset]


def numeric_summary(tensor: np.ndarray) -> RichTextLines:
    """How many elements are of which kind, and measures of the finite ones.

    Args:
        tensor: an array.
    """
    if not isinstance(tensor, np.ndarray) or not tensor.size:
        return RichTextLines(["No numeric summary available due to empty tensor."])
    if tensor.dtype.kind == "b":
        kinds = {"False": int(np.sum(~tensor)), "True": int(np.sum(tensor))}
        return RichTextLines(_counts({k: v for k, v in kinds.items() if v}))
    is_number = tensor.dtype.kind in "iuf" or tensor.dtype.name == "bfloat16"
    if not is_number:
        text = f"No numeric summary available due to tensor dtype: {tensor.dtype}."
        return RichTextLines([text])
    kinds = {
        "nan": int(np.sum(np.isnan(tensor))),
        "-inf": int(np.sum(np.isneginf(tensor))) if tensor.dtype.kind == "f" else 0,
        "-": int(np.sum((tensor < 0) & np.isfinite(tensor))),
        "0": int(np.sum(tensor == 0)),
        "+": int(np.sum((tensor > 0) & np.isfinite(tensor))),
        "+inf": int(np.sum(np.isposinf(tensor))) if tensor.dtype.kind == "f" else 0,
    }
    lines = _counts({name: count for name, count in kinds.items() if count})
    finite = tensor[np.isfinite(tensor)]
    if finite.size:
        measures = {
            "min": np.min(finite),
            "max": np.max(finite),
            "mean": np.mean(finite),
            "std": np.std(finite),
        }
        lines.extend(_table({name: str(value) for name, value in measures.items()}))
    return RichTextLines(lines)


def _counts(counts: dict[str, int]) -> list[str]:
    head, row = _table({name: str(count) for name, count in counts.items()})
    total = str(sum(counts.values()))
    width = max(len("total"), len(total))
    return [f"{head} {'total'.rjust(width)} |", f"{row} {total.rjust(width)} |"]


def _table(cells: dict[str, str]) -> list[str]:
    width = max(len(text) for text in (*cells, *cells.values()))
    return [
        "|" + "".join(" " + text.rjust(width) for text in texts) + " |"
        for texts in (cells, cells.values())
    ]
