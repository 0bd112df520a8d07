"""Strings split into parts: StringSplit, StringSplitV2."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, native
from headwater.base.namespace import import_waiting
from headwater.base.typing import Array, ArrayModule, NestedTensors, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.strings.elements import invalid, shape_text, strings


def shape_string_split(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("input", 1)
    c.with_rank("sep" if c.record.name.endswith("V2") else "delimiter", 0)
    return [(None, 2), (None,), (2,)]


def _sparse(rows: list[list[bytes]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of each string as the components of a SparseTensor."""
    values = [part for row in rows for part in row]
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    indices = np.empty((len(values), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), sizes)
    indices[:, 1] = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shape = np.array([len(rows), sizes.max(initial=0)], np.int64)
    return indices, strings(values, (len(values),)), shape


def _check(x: np.ndarray, separator: np.ndarray, name: str) -> None:
    if x.ndim != 1:
        invalid(f"input must be a vector, got shape: {shape_text(x)}")
    if separator.ndim:
        invalid(f"{name} must be a scalar, got shape: {shape_text(separator)}")


def kernel_string_split(
    xp: ArrayModule, x: np.ndarray, delimiter: np.ndarray, *, skip_empty: bool
) -> tuple[Array, ...]:
    """Splits at each byte of the delimiter; without one, into single bytes."""
    _check(x, delimiter, "delimiter")
    marks = delimiter.item()
    if marks:
        parts = native.host().split(x, marks, skip_empty)
        if parts is not None:
            return tuple(parts)
    else:
        return _sparse([[text[i : i + 1] for i in range(len(text))] for text in x.tolist()])
    at = re.compile(b"[" + re.escape(marks) + b"]")
    rows = [at.split(text) for text in x.tolist()]
    if skip_empty:
        rows = [[part for part in row if part] for row in rows]
    return _sparse([row if text else [] for row, text in zip(rows, x.tolist())])


def kernel_string_split_v2(
    xp: ArrayModule, x: np.ndarray, sep: np.ndarray, *, maxsplit: int
) -> tuple[Array, ...]:
    """Splits as Python does: at white space without a separator."""
    _check(x, sep, "sep")
    mark = sep.item()
    if mark:
        rows = [text.split(mark, maxsplit) for text in x.tolist()]
    else:
        rows = [_words(text, maxsplit) for text in x.tolist()]
    return _sparse(rows)


def _words(text: bytes, most: int) -> list[bytes]:
    """The words of a text; what follows the last of `most` words is one more, even if empty."""
    if most == 0:
        return [text]
    words = text.split(None, most)
    if len(words) == most:
        words.append(b"")
    return words


def samples_string_split() -> Iterator[Sample]:
    x = np.array([b"a b", b"", b" c", b"d,e f"], object)
    for skip_empty in (True, False):
        yield Sample(x, np.array(b" ", object), skip_empty=skip_empty)
        yield Sample(x, np.array(b", ", object), skip_empty=skip_empty)
    yield Sample(x, np.array(b"", object))


def samples_string_split_v2() -> Iterator[Sample]:
    x = np.array([b"a b", b"", b" c", b"d,e  f g"], object)
    for maxsplit in (-1, 1):
        yield Sample(x, np.array(b" ", object), maxsplit=maxsplit)
        yield Sample(x, np.array(b"", object), maxsplit=maxsplit)


register_op(
    "StringSplit",
    inputs="input: string, delimiter: string",
    outputs="indices: int64, values: string, shape: int64",
    attrs="skip_empty: bool = true",
    shape=shape_string_split,
    kernel=kernel_string_split,
    samples=samples_string_split,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
    dynamic_shape=True,
)
register_op(
    "StringSplitV2",
    inputs="input: string, sep: string",
    outputs="indices: int64, values: string, shape: int64",
    attrs="maxsplit: int = -1",
    shape=shape_string_split,
    kernel=kernel_string_split_v2,
    samples=samples_string_split_v2,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)

# Returns parts as a RaggedTensor; set by a higher layer when it is loaded.
RAGGED_RESULT: list[Any] = []


def _ragged(texts: NestedTensors, split: Callable[[Any], Any]) -> Any:
    import_waiting("ragged")
    return RAGGED_RESULT[0](texts, split)


def _sparse_tensor(parts: tuple[Tensor, ...]) -> SparseTensor:
    indices, values, shape = parts
    indices._shape, values._shape, shape._shape = (None, 2), (None,), (2,)
    return SparseTensor(indices, values, shape)


@export("string_split")
def string_split(
    source: TensorLike,
    sep: str | None = None,
    skip_empty: bool = True,
    delimiter: str | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> NestedTensors:
    """Splits strings at each byte of a delimiter.

    Args:
        source: a vector of strings.
        sep: the bytes at which to split, a space if None; "" splits into single bytes.
        skip_empty: whether empty parts are left out.
        delimiter: the old name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: the name of the nodes.

    Returns:
        A SparseTensor of shape [number of strings, greatest number of parts], or a RaggedTensor.

    Raises:
        ValueError: if the delimiter is given under both of its names.
    """
    if delimiter is not None:
        if sep is not None:
            raise ValueError("Cannot specify both 'sep' and 'delimiter'")
        sep = delimiter
    with name_scope(name, "StringSplit", [source]):
        mark = convert_to_tensor(" " if sep is None else sep, dtype=dtypes.string)
        return _result(
            source, result_type, None, lambda x: build.StringSplit(x, mark, skip_empty=skip_empty)
        )


@export("strings.split")
def split(
    input: TensorLike = None,
    sep: str | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Splits strings as Python's `str.split` does.

    Args:
        input: a vector of strings.
        sep: the string at which to split; white space if None or empty.
        maxsplit: the greatest number of splits of one string; -1 for any number.
        result_type: "SparseTensor" or "RaggedTensor".
        source: the old name of `input`.
        name: the name of the nodes.

    Returns:
        A SparseTensor of shape [number of strings, greatest number of parts], or a RaggedTensor.

    Raises:
        ValueError: if the input is given under both of its names.
    """
    if source is not None:
        if input is not None:
            raise ValueError("Cannot specify both 'source' and 'input'")
        input = source
    with name_scope(name, "StringSplit", [input]):

        def parts(x: TensorLike) -> Any:
            mark = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
            return build.StringSplitV2(x, mark, maxsplit=maxsplit)

        return _result(input, result_type, "input", parts)


def split_v2(
    input: TensorLike, sep: str | None = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Splits strings as Python's `str.split` does.

    Args:
        input: a tensor or a RaggedTensor of strings, of any rank.
        sep: the string at which to split; white space if None or empty.
        maxsplit: the greatest number of splits of one string; -1 for any number.
        name: the name of the nodes.

    Returns:
        A RaggedTensor of one more dimension than `input`; a vector for a single string.
    """
    with name_scope(name, "StringSplit", [input]):
        mark = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
        return _ragged(input, lambda x: build.StringSplitV2(x, mark, maxsplit=maxsplit))


def _result(
    texts: TensorLike, result_type: str, name: str | None, split: Callable[[Any], Any]
) -> NestedTensors:
    """The parts of texts in the requested form; `split` makes the nodes."""
    if result_type == "RaggedTensor":
        return _ragged(texts, split)
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    if name is not None and not hasattr(texts, "row_splits"):
        texts = convert_to_tensor(texts, dtype=dtypes.string, name=name)
    if name is not None and texts.shape.ndims not in (None, 1):
        return _ragged(texts, split).to_sparse()
    return _sparse_tensor(split(convert_to_tensor(texts, dtype=dtypes.string, name=name)))
