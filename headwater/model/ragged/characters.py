"""The characters of texts as rows of a ragged tensor, and texts of code points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.ragged.partitions import segment_ids_to_row_splits
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.strings.split import RAGGED_RESULT


def _of_texts(input: TensorLike, decode: Callable[..., Any]) -> NestedTensors:
    """What `decode` gives for the texts of a tensor of any shape.

    Args:
        input: one text, or texts in a tensor or RaggedTensor.
        decode: from a vector of texts to (where the parts of each text begin and end, kinds of
            parts).

    Returns:
        For each kind of parts a vector for one text, else a RaggedTensor with one dimension more.

    Raises:
        ValueError: if the rank is unknown.
    """
    texts = input
    if not isinstance(input, RaggedTensor):
        texts = convert_to_tensor(input, dtype=dtypes.string, name="input")
    rank = texts.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        return decode(build.Reshape(texts, [1], name="Reshape"))[1]
    if rank > 1 and not isinstance(texts, RaggedTensor):
        texts = RaggedTensor.from_tensor(texts, ragged_rank=rank - 1)
    flat = texts.flat_values if isinstance(texts, RaggedTensor) else texts
    splits, parts = decode(flat)
    rows = [RaggedTensor.from_row_splits(part, splits, validate=False) for part in parts]
    if isinstance(texts, RaggedTensor):
        rows = [texts.with_flat_values(row) for row in rows]
    return rows


def _decoder(offsets: bool, split: str | None = None, **attrs: Any) -> Callable[..., Any]:
    """A function of a vector of texts, see `_of_texts`; `split` is the encoding of characters."""
    op = build.UnicodeDecodeWithOffsets if offsets else build.UnicodeDecode

    def decode(texts: Tensor) -> tuple[NestedTensors, ...]:
        splits, codes, *starts = op(texts, **attrs)
        if split is not None:
            codes = _encoded_one_by_one(codes, split)
        return splits, [codes, *starts]

    return decode


@export("strings.unicode_decode")
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Returns the code points of texts.

    Args:
        input: one text, or texts in a tensor of known rank or a RaggedTensor.
        input_encoding: the encoding of the text.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters count as not valid.
        name: the name of the nodes.

    Returns:
        An int32 vector; for several texts a RaggedTensor with one dimension more.
    """
    with name_scope(name, "UnicodeDecode", [input]):
        decode = _decoder(
            False,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return _of_texts(input, decode)[0]


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, ...]:
    """Returns the code points of a text, and where each begins.

    Args:
        input: one text, or texts in a tensor of known rank or a RaggedTensor.
        input_encoding: the encoding of the text.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters count as not valid.
        name: the name of the nodes.

    Returns:
        An int32 vector of code points, and an int64 vector of the places of their first bytes;
        for several texts RaggedTensors with one dimension more.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        decode = _decoder(
            True,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return tuple(_of_texts(input, decode))


def _numbers_to(last: Tensor) -> Tensor:
    """0, 1, 2... up to an int64 scalar."""
    zero, one = (convert_to_tensor(number, dtype=dtypes.int64) for number in (0, 1))
    return build.Range(zero, build.AddV2(last, one), one)


def _encoded_one_by_one(codes: Tensor, encoding: str) -> Tensor:
    """Each code point as a text of its own, in the encoding of the whole."""
    count = build.Size(codes, out_type=dtypes.int64)
    splits = _numbers_to(count)
    return build.UnicodeEncode(codes, splits, output_encoding=encoding)


@export("strings.unicode_split")
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Returns the characters of texts.

    Args:
        input: one text, or texts in a tensor of known rank or a RaggedTensor.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", also that of the characters.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        name: the name of the nodes.

    Returns:
        A string vector; for several texts a RaggedTensor with one dimension more.
    """
    with name_scope(name, "UnicodeSplit", [input]):
        decode = _decoder(
            False,
            input_encoding,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return _of_texts(input, decode)[0]


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, ...]:
    """Returns the characters of a text, and where each begins.

    Args:
        input: one text, or texts in a tensor of known rank or a RaggedTensor.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", also that of the characters.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        name: the name of the nodes.

    Returns:
        A string vector, and an int64 vector of the places of their first bytes; for several texts
        RaggedTensors with one dimension more.
    """
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        decode = _decoder(
            True,
            input_encoding,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return tuple(_of_texts(input, decode))


@export("strings.unicode_encode")
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Writes code points as texts.

    Args:
        input: an int32 tensor of known rank or a RaggedTensor; its last axis goes along a text.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict".
        replacement_char: a code point.
        name: the name of the nodes.

    Returns:
        A string tensor with one dimension less.

    Raises:
        ValueError: if the rank is unknown or 0.
    """
    with name_scope(name, "UnicodeEncode", [input]):
        if isinstance(input, RaggedTensor):
            if isinstance(input.values, RaggedTensor):
                return input.with_values(
                    unicode_encode(input.values, output_encoding, errors, replacement_char)
                )
            return build.UnicodeEncode(
                input.values,
                input.row_splits,
                output_encoding=output_encoding,
                errors=errors,
                replacement_char=replacement_char,
            )
        codes = convert_to_tensor(input, dtype=dtypes.int32)
        if codes._shape is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        rank = len(codes._shape)
        if not rank:
            raise ValueError("input_tensor's rank must be at least 1.")
        shape = build.Shape(codes, out_type=dtypes.int64)
        leading = build.Slice(shape, np.zeros(1, np.int64), np.array([rank - 1], np.int64))
        length = build.Reshape(
            build.Slice(shape, np.array([rank - 1], np.int64), np.ones(1, np.int64)), []
        )
        rows = build.Prod(leading, np.zeros(1, np.int32))
        numbers = _numbers_to(rows)
        texts = build.UnicodeEncode(
            build.Reshape(codes, [-1]),
            build.Mul(numbers, length),
            output_encoding=output_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        result = build.Reshape(texts, leading)
        result._shape = codes._shape[:-1]
        return result


@export("strings.bytes_split")
def bytes_split(input: TensorLike, name: str | None = None) -> Tensor | RaggedTensor:
    """Returns the bytes of texts as texts of one byte.

    Args:
        input: one text, or texts in a tensor of known rank or a RaggedTensor.
        name: the name of the nodes.

    Returns:
        A string vector; for several texts a RaggedTensor with one dimension more.
    """
    with name_scope(name, "StringsByteSplit", [input]):

        def split(texts: Tensor) -> tuple[NestedTensors, ...]:
            parts = build.StringSplit(texts, "", skip_empty=False)
            return _splits_of(parts), [parts.values]

        return _of_texts(input, split)[0]


def _splits_of(parts: Any) -> Tensor:
    """Where the parts of each text begin and end, of the outputs of StringSplit."""
    return segment_ids_to_row_splits(parts.indices[:, 0], parts.shape[0])


def _split_rows(texts: TensorLike, split: Callable[..., Any]) -> Tensor | RaggedTensor:
    """The parts of texts as rows; `split` makes the nodes of StringSplit."""

    def rows(flat: Tensor) -> tuple[NestedTensors, ...]:
        parts = split(flat)
        return _splits_of(parts), [parts.values]

    return _of_texts(texts, rows)[0]


RAGGED_RESULT.append(_split_rows)


@export("strings.ngrams")
def ngrams(
    data: TensorLike,
    ngram_width: TensorLike,
    separator: str = " ",
    pad_values: TensorLike | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Joins neighbouring strings of each row.

    Args:
        data: strings in a tensor of known rank or a RaggedTensor; rows are its last dimension.
        ngram_width: how many strings are joined, a number or a list of numbers.
        separator: what stands between joined strings.
        pad_values: a string, or a pair of strings, that stand before and after each row; None for
            none.
        padding_width: how many of them at most; one less than `ngram_width` by default.
        preserve_short_sequences: whether a row that is too short becomes one string.
        name: the name scope.

    Returns:
        A RaggedTensor of strings; a tensor if `data` is one.

    Raises:
        TypeError: if `pad_values` are neither.
        ValueError: if a width is not positive.
    """
    with name_scope(name, "StringNGrams", [data]):
        if pad_values is None:
            left = right = ""
        elif isinstance(pad_values, (list, tuple)):
            if not all(isinstance(pad, (str, bytes)) for pad in pad_values):
                raise TypeError("pad_values must be a string, tuple of strings, or None.")
            left, right = pad_values
        elif isinstance(pad_values, (str, bytes)):
            left = right = pad_values  # type: ignore[assignment]
        else:
            raise TypeError("pad_values must be a string, tuple of strings, or None.")
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        width = 0 if pad_values is None else -1 if padding_width is None else padding_width
        rows = data if isinstance(data, RaggedTensor) else convert_to_tensor(data, dtypes.string)
        rank = rows.shape.ndims
        if rank is None:
            raise ValueError("Rank of data must be known.")
        if rank == 0:
            raise ValueError("Data must have rank>0")
        if not isinstance(rows, RaggedTensor):
            ragged = (
                RaggedTensor.from_row_lengths(
                    rows,
                    build.Reshape(build.Size(rows, out_type=dtypes.int64), [1]),
                    validate=False,
                )
                if rank == 1
                else RaggedTensor.from_tensor(rows, ragged_rank=rank - 1)
            )
            found = ngrams(
                ragged, widths, separator, pad_values, padding_width, preserve_short_sequences
            )
            if rank == 1:
                return found[0]
            # Rows of one length have equally many results.
            return found.to_tensor("")
        if isinstance(rows.values, RaggedTensor):
            inner = ngrams(
                rows.values, widths, separator, pad_values, padding_width, preserve_short_sequences
            )
            return rows.with_values(inner)
        made, splits = build.StringNGrams(
            rows.values,
            rows.row_splits,
            separator=separator,
            ngram_widths=widths,
            left_pad=left,
            right_pad=right,
            pad_width=width,
            preserve_short_sequences=preserve_short_sequences,
        )
        return RaggedTensor.from_row_splits(made, splits, validate=False)
